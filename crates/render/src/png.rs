//! PNG: written the same on every machine, read back to pixels.

use std::io::Cursor;

use thiserror::Error;

use crate::canvas;
use crate::figure::{Figure, FigureError};
use crate::pixels::Image;

/// The keyword under which a picture says which command made it.
const MADE_BY: &str = "Comment";

/// The most pixels that [`decode`] accepts: a small file can claim a size that would not fit in memory.
const MOST_PIXELS: u64 = 16_000_000;

/// Why a file isn't a usable PNG.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PngError {
    /// The file isn't a PNG, is cut short, or is damaged.
    #[error("not a readable PNG: {0}")]
    Unreadable(String),
    /// The picture has more pixels than are read.
    #[error("a PNG of {width}×{height} pixels is not read: more than {MOST_PIXELS} pixels")]
    TooLarge {
        /// The width the file claims.
        width: u32,
        /// The height the file claims.
        height: u32,
    },
}

impl Figure {
    /// The figure as a PNG file, with the command that made it in a `Comment` chunk if given.
    ///
    /// The same figure and command give the same bytes on every machine, as long as the versions in the lock file stay.
    ///
    /// # Errors
    ///
    /// [`FigureError::Size`] and [`FigureError::Range`].
    pub fn png(&self, made_by: Option<&str>) -> Result<Vec<u8>, FigureError> {
        let canvas = canvas::drawn(self)?;
        let (width, height) = canvas.size();
        encoded(width, height, canvas.rgb(), made_by)
            .map_err(|e| FigureError::Output(e.to_string()))
    }

    /// The figure as pixels, as [`decode`] would read them from [`Figure::png`].
    ///
    /// # Errors
    ///
    /// [`FigureError::Size`] and [`FigureError::Range`].
    pub fn image(&self) -> Result<Image, FigureError> {
        let canvas = canvas::drawn(self)?;
        let (width, height) = canvas.size();
        Ok(Image::new(width, height, opaque(canvas.rgb()), None))
    }
}

fn encoded(
    width: u32,
    height: u32,
    rgb: &[u8],
    made_by: Option<&str>,
) -> Result<Vec<u8>, png::EncodingError> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Balanced);
    // Flat areas and thin lines: unfiltered rows compress best, and nothing is chosen by a heuristic.
    encoder.set_filter(png::Filter::NoFilter);
    if let Some(command) = made_by {
        encoder.add_itxt_chunk(MADE_BY.to_owned(), command.to_owned())?;
    }
    let mut writer = encoder.write_header()?;
    writer.write_image_data(rgb)?;
    writer.finish()?;
    Ok(out)
}

/// The pixels of a PNG file of any colour type, and the command that made it if it says so.
///
/// # Errors
///
/// [`PngError::Unreadable`] for anything that isn't a whole PNG file; [`PngError::TooLarge`] beyond 16 million pixels.
pub fn decode(file: &[u8]) -> Result<Image, PngError> {
    let unreadable = |e: png::DecodingError| PngError::Unreadable(e.to_string());
    let mut decoder = png::Decoder::new(Cursor::new(file));
    decoder.set_transformations(
        png::Transformations::normalize_to_color8() | png::Transformations::ALPHA,
    );
    let mut reader = decoder.read_info().map_err(unreadable)?;
    let (width, height) = (reader.info().width, reader.info().height);
    if u64::from(width) * u64::from(height) > MOST_PIXELS {
        return Err(PngError::TooLarge { width, height });
    }
    let size = reader
        .output_buffer_size()
        .ok_or(PngError::TooLarge { width, height })?;
    let mut pixels = vec![0; size];
    let frame = reader.next_frame(&mut pixels).map_err(unreadable)?;
    reader.finish().map_err(unreadable)?;
    pixels.truncate(frame.buffer_size());
    let rgba = match frame.color_type {
        png::ColorType::GrayscaleAlpha => pixels
            .chunks_exact(2)
            .flat_map(|p| [p[0], p[0], p[0], p[1]])
            .collect(),
        png::ColorType::Grayscale => pixels.iter().flat_map(|&g| [g, g, g, 255]).collect(),
        png::ColorType::Rgb => opaque(&pixels),
        png::ColorType::Rgba | png::ColorType::Indexed => pixels,
    };
    Ok(Image::new(width, height, rgba, made_by(reader.info())))
}

fn made_by(info: &png::Info<'_>) -> Option<String> {
    let international = info.utf8_text.iter().find(|chunk| chunk.keyword == MADE_BY);
    if let Some(chunk) = international {
        return chunk.get_text().ok();
    }
    let plain = info
        .uncompressed_latin1_text
        .iter()
        .find(|chunk| chunk.keyword == MADE_BY)?;
    Some(plain.text.clone())
}

fn opaque(rgb: &[u8]) -> Vec<u8> {
    rgb.chunks_exact(3)
        .flat_map(|p| [p[0], p[1], p[2], 255])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RGB: [u8; 12] = [255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 9, 9];

    #[test]
    fn what_is_written_is_read_back() {
        let file = encoded(2, 2, &RGB, Some("lab reproduce herd — ρ")).unwrap();
        let image = decode(&file).unwrap();
        assert_eq!((image.width(), image.height()), (2, 2));
        assert_eq!(image.rgba(), opaque(&RGB));
        assert_eq!(image.made_by(), Some("lab reproduce herd — ρ"));
        assert_eq!(
            decode(&encoded(2, 2, &RGB, None).unwrap())
                .unwrap()
                .made_by(),
            None
        );
    }

    #[test]
    fn every_colour_type_is_read() {
        for (color, data, first) in [
            (png::ColorType::Grayscale, vec![7, 8], [7, 7, 7, 255]),
            (
                png::ColorType::GrayscaleAlpha,
                vec![7, 100, 8, 0],
                [7, 7, 7, 100],
            ),
            (
                png::ColorType::Rgba,
                vec![1, 2, 3, 4, 5, 6, 7, 8],
                [1, 2, 3, 4],
            ),
            (png::ColorType::Indexed, vec![1, 0], [10, 11, 12, 255]),
        ] {
            let mut file = Vec::new();
            let mut encoder = png::Encoder::new(&mut file, 2, 1);
            encoder.set_color(color);
            encoder.set_palette(vec![0, 0, 0, 10, 11, 12]);
            let mut writer = encoder.write_header().unwrap();
            writer.write_image_data(&data).unwrap();
            writer.finish().unwrap();
            assert_eq!(decode(&file).unwrap().rgba()[..4], first, "{color:?}");
        }
    }

    #[test]
    fn a_damaged_file_is_an_error_wherever_it_is_damaged() {
        let file = encoded(2, 2, &RGB, Some("made by")).unwrap();
        for cut in 0..file.len() {
            assert!(
                decode(&file[..cut]).is_err(),
                "cut after {cut} of {} bytes",
                file.len()
            );
        }
        // Every byte is either covered by a checksum, or structure.
        for at in 0..file.len() {
            let mut damaged = file.clone();
            damaged[at] ^= 0x40;
            if let Ok(image) = decode(&damaged) {
                assert_eq!(
                    image.rgba(),
                    opaque(&RGB),
                    "a changed pixel came through, byte {at}"
                );
            }
        }
        for other in [&b""[..], b"not a picture", &[0; 100]] {
            assert!(matches!(decode(other), Err(PngError::Unreadable(_))));
        }
    }

    #[test]
    fn a_file_that_claims_to_be_huge_is_refused() {
        let mut file = Vec::new();
        let mut writer = png::Encoder::new(&mut file, 100_000, 100_000)
            .write_header()
            .unwrap();
        writer.write_chunk(png::chunk::IDAT, &[0]).unwrap();
        drop(writer);
        assert_eq!(
            decode(&file),
            Err(PngError::TooLarge {
                width: 100_000,
                height: 100_000
            })
        );
    }
}
