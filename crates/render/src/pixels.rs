//! Decoded pixels, and how two pictures differ.

use std::fmt;

/// A picture as pixels: what [`decode`](crate::decode) reads and [`Figure::image`](crate::Figure::image) draws.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    width: u32,
    height: u32,
    /// Red, green, blue and opacity of each pixel, rows from the top.
    rgba: Vec<u8>,
    made_by: Option<String>,
}

/// How two pictures differ. What made them isn't part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Difference {
    /// The sizes differ, so pixels weren't compared.
    Size {
        /// Width and height of the first picture.
        first: (u32, u32),
        /// Width and height of the second.
        second: (u32, u32),
    },
    /// Pixels differ.
    Pixels {
        /// How many.
        count: u64,
        /// Column and row, counted from 0 at the top left, of the first one in reading order.
        at: (u32, u32),
        /// The greatest difference in one channel of one pixel, 1 to 255.
        greatest: u8,
    },
}

impl Image {
    /// `rgba` must hold four bytes for every pixel.
    pub(crate) fn new(width: u32, height: u32, rgba: Vec<u8>, made_by: Option<String>) -> Self {
        debug_assert_eq!(rgba.len() as u64, u64::from(width) * u64::from(height) * 4);
        Self {
            width,
            height,
            rgba,
            made_by,
        }
    }

    /// The width in pixels.
    #[must_use]
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The height in pixels.
    #[must_use]
    pub fn height(&self) -> u32 {
        self.height
    }

    /// The command that made the picture, if it says so.
    #[must_use]
    pub fn made_by(&self) -> Option<&str> {
        self.made_by.as_deref()
    }

    /// Red, green, blue and opacity (255 is opaque) of each pixel, row after row from the top left.
    #[must_use]
    pub fn rgba(&self) -> &[u8] {
        &self.rgba
    }

    /// How another picture differs from this one; nothing if every pixel is the same.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Option<Difference> {
        let (first, second) = ((self.width, self.height), (other.width, other.height));
        if first != second {
            return Some(Difference::Size { first, second });
        }
        let (mut count, mut at, mut greatest) = (0, None, 0);
        for (i, (a, b)) in self
            .rgba
            .chunks_exact(4)
            .zip(other.rgba.chunks_exact(4))
            .enumerate()
        {
            if a != b {
                count += 1;
                at.get_or_insert(i);
                greatest = a
                    .iter()
                    .zip(b)
                    .map(|(a, b)| a.abs_diff(*b))
                    .fold(greatest, u8::max);
            }
        }
        let i = at? as u64;
        let width = u64::from(self.width);
        Some(Difference::Pixels {
            count,
            at: ((i % width) as u32, (i / width) as u32),
            greatest,
        })
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size { first, second } => {
                write!(
                    f,
                    "{}×{} pixels against {}×{}",
                    first.0, first.1, second.0, second.1
                )
            }
            Self::Pixels {
                count,
                at,
                greatest,
            } => {
                let (noun, verb) = if *count == 1 {
                    ("pixel", "differs")
                } else {
                    ("pixels", "differ")
                };
                write!(
                    f,
                    "{count} {noun} {verb}, the first at column {}, row {}, by up to {greatest} of 255",
                    at.0, at.1
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(width: u32, height: u32) -> Image {
        Image::new(
            width,
            height,
            vec![200; (width * height * 4) as usize],
            None,
        )
    }

    #[test]
    fn equal_pictures_do_not_differ_whatever_made_them() {
        let mut other = image(3, 2);
        other.made_by = Some("another command".to_owned());
        assert_eq!(image(3, 2).difference(&other), None);
    }

    #[test]
    fn count_first_position_and_greatest_difference() {
        let (a, mut b) = (image(3, 2), image(3, 2));
        b.rgba[4 * 4 + 2] = 190;
        b.rgba[5 * 4] = 255;
        b.rgba[5 * 4 + 3] = 201;
        let difference = a.difference(&b).unwrap();
        assert_eq!(
            difference,
            Difference::Pixels {
                count: 2,
                at: (1, 1),
                greatest: 55
            }
        );
        assert_eq!(b.difference(&a), Some(difference));
        assert_eq!(
            difference.to_string(),
            "2 pixels differ, the first at column 1, row 1, by up to 55 of 255"
        );
    }

    #[test]
    fn sizes_are_told_apart_even_with_as_many_pixels() {
        let difference = image(3, 2).difference(&image(2, 3)).unwrap();
        assert_eq!(
            difference,
            Difference::Size {
                first: (3, 2),
                second: (2, 3)
            }
        );
        assert_eq!(difference.to_string(), "3×2 pixels against 2×3");
    }
}
