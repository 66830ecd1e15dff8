//! `check`: what it compares, finds and shows.

mod support;

use std::fs;

use lab::check::{Difference, Kind, differences};
use lab::reports::Reports;
use support::{Answer, Desk, with_reports};

fn check(desk: &Desk) -> Answer {
    desk.lab(&["check", "waits"])
}

/// Replaces text in a file of the desk.
fn edit(desk: &Desk, name: &str, old: &str, new: &str) {
    let text = desk.read(name);
    assert!(text.contains(old), "{name} has no {old:?}");
    desk.write(name, text.replacen(old, new, 1));
}

#[test]
fn check_is_silent_on_what_reproduce_made() {
    let desk = with_reports();
    let answer = check(&desk);
    assert_eq!(
        (answer.code, answer.out.as_str(), answer.err.as_str()),
        (Some(0), "", ""),
        "{answer:?}"
    );
}

#[test]
fn check_shows_nothing_that_commands_a_terminal() {
    let desk = with_reports();
    edit(
        &desk,
        "reports/waits/table.txt",
        "0.20",
        "\u{1b}[2J\u{202e}",
    );
    let answer = check(&desk);
    assert!(answer.out.contains("  [2J"), "{answer:?}");
    assert!(!answer.out.contains(['\u{1b}', '\u{202e}']), "{answer:?}");
}

#[test]
fn check_shows_a_changed_digit() {
    let desk = with_reports();
    edit(
        &desk,
        "reports/waits/table.txt",
        "0.20   0.10",
        "0.21   0.10",
    );
    let answer = check(&desk);
    assert_eq!(answer.code, Some(1), "{answer:?}");
    let shown = answer.out.replace(std::path::MAIN_SEPARATOR, "/");
    assert!(shown.starts_with("reports/waits/table.txt: differs (- as it is, + as made)\n  -    2        1          0.21   0.10"), "{shown}");
    assert!(
        shown.contains("\n  +    2        1          0.20   0.10"),
        "{shown}"
    );
    assert!(shown.ends_with("1 file differs from what the code makes. To accept what it makes now: lab reproduce waits\n"), "{shown}");
}

#[test]
fn check_shows_a_changed_pixel() {
    let desk = with_reports();
    let path = desk.path("reports/waits/waits.png");
    let mut decoder = png::Decoder::new(std::io::Cursor::new(fs::read(&path).expect("a picture")))
        .read_info()
        .expect("a picture");
    let mut pixels = vec![0; decoder.output_buffer_size().expect("a size")];
    let frame = decoder.next_frame(&mut pixels).expect("pixels");
    pixels[0] ^= 1;
    let (info, palette) = (decoder.info().clone(), decoder.info().palette.clone());
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, frame.width, frame.height);
    encoder.set_color(frame.color_type);
    encoder.set_depth(frame.bit_depth);
    if let Some(palette) = palette {
        encoder.set_palette(palette.into_owned());
    }
    for chunk in &info.uncompressed_latin1_text {
        encoder
            .add_text_chunk(chunk.keyword.clone(), chunk.text.clone())
            .expect("text");
    }
    let mut writer = encoder.write_header().expect("a header");
    writer
        .write_image_data(&pixels[..frame.buffer_size()])
        .expect("pixels");
    writer.finish().expect("an end");
    fs::write(&path, bytes).expect("written");

    let answer = check(&desk);
    assert_eq!(answer.code, Some(1), "{answer:?}");
    assert!(
        answer
            .out
            .contains("waits.png: 1 pixel differs, the first at column 0, row 0"),
        "{}",
        answer.out
    );
}

#[test]
fn check_shows_missing_extra_and_broken_files() {
    let desk = with_reports();
    fs::remove_file(desk.path("reports/waits/outcome.json")).expect("removed");
    desk.write("reports/waits/notes.md", "mine");
    desk.write("reports/waits/waits.png", "no picture");
    let answer = check(&desk);
    assert_eq!(answer.code, Some(1), "{answer:?}");
    for part in [
        "outcome.json: missing",
        "notes.md: extra",
        "waits.png: is not a picture",
        "3 files differ",
    ] {
        assert!(answer.out.contains(part), "{part}: {}", answer.out);
    }
}

#[test]
fn check_shows_a_changed_ledger_and_index_and_names_the_folder_to_accept_into() {
    let desk = Desk::new();
    assert_eq!(
        desk.lab(&["reproduce", "waits", "--out", "elsewhere"]).code,
        Some(0)
    );
    edit(
        &desk,
        "elsewhere/ledger.txt",
        "No number was",
        "A number was",
    );
    edit(
        &desk,
        "elsewhere/README.md",
        "clients wait",
        "clients waited",
    );
    let answer = desk.lab(&["check", "waits", "--against", "elsewhere"]);
    assert_eq!(answer.code, Some(1), "{answer:?}");
    for part in [
        "ledger.txt: differs",
        "A number was published",
        "README.md: differs",
        "lab reproduce waits --out elsewhere\n",
    ] {
        assert!(answer.out.contains(part), "{part}: {}", answer.out);
    }
}

#[test]
fn check_without_reports_is_an_error() {
    let answer = check(&Desk::new());
    assert_eq!(answer.code, Some(2), "{answer:?}");
    assert!(answer.err.contains("reports is not a folder"), "{answer:?}");
}

/// Without experiments, since running them all takes a while and this is about the files beside theirs.
#[test]
fn the_whole_check_finds_strangers_but_passes_over_hardware() {
    let desk = Desk::new();
    let made = Reports {
        experiments: Vec::new(),
        ledger: "ledger\n".into(),
        index: "index\n".into(),
    };
    desk.write("reports/ledger.txt", "ledger\n");
    desk.write("reports/README.md", "index\n");
    desk.write("reports/herd/table.txt", "judged by its own experiment");
    desk.write("reports/hardware/a-machine/1.json", "{}");
    let folder = desk.path("reports");
    assert_eq!(differences(&made, &folder, true).expect("readable"), []);
    desk.write("reports/stranger/table.txt", "");
    assert_eq!(differences(&made, &folder, false).expect("readable"), []);
    let stranger = Difference {
        path: folder.join("stranger"),
        kind: Kind::Extra,
    };
    assert_eq!(
        differences(&made, &folder, true).expect("readable"),
        [stranger]
    );
}

/// Whatever stands at an artifact's place, the rest is compared.
#[cfg(unix)]
#[test]
fn check_reads_nothing_but_files() {
    let desk = with_reports();
    let replace = |name: &str, by: &dyn Fn(&std::path::Path)| {
        let path = desk.path(name);
        fs::remove_file(&path).expect("removed");
        by(&path);
    };
    replace("reports/waits/waits.png", &|_| {
        desk.pipe("reports/waits/waits.png");
    });
    replace("reports/waits/table.txt", &|path| {
        fs::create_dir(path).expect("a folder");
    });
    replace("reports/ledger.txt", &|path| {
        std::os::unix::fs::symlink("/dev/zero", path).expect("a link");
    });
    replace("reports/README.md", &|path| {
        let file = fs::File::create(path).expect("a file");
        file.set_len(1 << 40).expect("a hole");
    });
    replace("reports/waits/outcome.json", &|path| {
        fs::write(path, "{}").expect("a file");
    });
    let answer = check(&desk);
    assert_eq!(
        (answer.code, answer.err.as_str()),
        (Some(1), ""),
        "{answer:?}"
    );
    for part in [
        "waits.png: is not a file: move it away\n",
        "table.txt: is not a file: move it away\n",
        "ledger.txt: is not a file: move it away\n",
        "README.md: is too large to be compared\n",
        "outcome.json: differs",
        "5 files differ",
    ] {
        assert!(answer.out.contains(part), "{part}: {}", answer.out);
    }
    fs::remove_dir_all(desk.path("reports/waits")).expect("removed");
    desk.write("reports/waits", "a file");
    let answer = check(&desk);
    assert_eq!(answer.code, Some(1), "{answer:?}");
    assert!(answer.out.contains("waits.png: missing"), "{}", answer.out);
}

#[test]
fn check_accepts_vector_figures_and_compares_them() {
    let desk = Desk::new();
    assert_eq!(desk.lab(&["reproduce", "waits", "--svg"]).code, Some(0));
    let answer = check(&desk);
    assert_eq!(
        (answer.code, answer.out.as_str()),
        (Some(0), ""),
        "{answer:?}"
    );
    edit(&desk, "reports/waits/waits.svg", "<title>", "<title>Once: ");
    let answer = check(&desk);
    assert_eq!(answer.code, Some(1), "{answer:?}");
    assert!(answer.out.contains("waits.svg: differs"), "{}", answer.out);
    assert!(
        answer
            .out
            .ends_with("To accept what it makes now: lab reproduce waits --svg\n"),
        "{}",
        answer.out
    );
}

/// Whatever `reproduce` refuses to replace.
#[test]
fn reproducing_is_no_advice_where_it_would_be_refused() {
    for (name, reason) in [
        ("ledger.txt", "ledger.txt is there and wasn't made by lab"),
        ("waits", "waits is there and isn't a folder"),
    ] {
        let desk = with_reports();
        let there = desk.path(&format!("reports/{name}"));
        let _ = fs::remove_dir_all(&there).or_else(|_| fs::remove_file(&there));
        desk.write(&format!("reports/{name}"), "");
        let answer = check(&desk);
        assert_eq!(answer.code, Some(1), "{answer:?}");
        assert!(
            answer.out.contains("`lab reproduce` leaves them alone: ")
                && answer.out.contains(reason)
                && !answer.out.contains("To accept"),
            "{}",
            answer.out
        );
    }
}

#[test]
fn reproducing_is_no_advice_against_what_it_leaves_alone() {
    let desk = with_reports();
    desk.write("reports/waits/notes.md", "mine");
    let answer = check(&desk);
    assert_eq!(answer.code, Some(1), "{answer:?}");
    assert!(
        answer
            .out
            .ends_with("1 file differs from what the code makes.\n"),
        "{}",
        answer.out
    );
}
