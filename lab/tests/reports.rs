//! `reproduce`, `check` and `run --out`: what they write, keep, find and refuse.

mod support;

use std::fs;

use lab::check::{Difference, Kind, differences};
use lab::reports::Reports;
use support::{Answer, Desk, SMALL_HERD};

/// A desk with reports of the quickest experiment.
fn with_reports() -> Desk {
    let desk = Desk::new();
    let answer = desk.lab(&["reproduce", "waits"]);
    assert_eq!(
        (answer.code, answer.err.as_str()),
        (Some(0), ""),
        "{answer:?}"
    );
    desk
}

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

#[test]
fn every_published_number_is_met_and_every_artifact_is_one_that_was_listed() {
    let desk = Desk::new();
    let answer = desk.lab(&["reproduce"]);
    assert_eq!(
        (answer.code, answer.err.as_str()),
        (Some(0), ""),
        "{answer:?}"
    );
    for builtin in lab::scenario::builtin::ALL {
        let mut listed = builtin
            .scenario()
            .expect("a scenario")
            .experiment
            .artifacts();
        listed.extend(["outcome.json".to_owned(), "table.txt".to_owned()]);
        listed.sort();
        let made = desk.files(&format!("reports/{}", builtin.id));
        let made: Vec<String> = made.into_iter().map(|(name, _)| name).collect();
        assert_eq!(made, listed, "{}", builtin.id);
    }
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

#[test]
fn reproducing_one_experiment_leaves_the_others_rows() {
    let desk = with_reports();
    let section = "## herd: as it was\n\npass  1  0  1  a/b/mean  a claim; a source\nFAIL  1  0  2  a/b/max  a claim; a source\n";
    let ledger = desk.read("reports/ledger.txt");
    desk.write(
        "reports/ledger.txt",
        ledger.replace("## Total", &format!("{section}\n## Total")),
    );
    assert_eq!(desk.lab(&["reproduce", "waits"]).code, Some(0));
    let ledger = desk.read("reports/ledger.txt");
    assert!(ledger.contains(section), "{ledger}");
    assert!(
        ledger.ends_with("## Total\n\n2 numbers: 1 pass, 1 fail.\n"),
        "{ledger}"
    );
    assert!(ledger.find("## waits") < ledger.find("## herd"), "{ledger}");
}

#[test]
fn reproduce_keeps_foreign_files_and_removes_its_own_stale_ones() {
    let desk = with_reports();
    desk.write("reports/waits/notes.md", "mine");
    fs::copy(
        desk.path("reports/waits/waits.png"),
        desk.path("reports/waits/old.png"),
    )
    .expect("copied");
    assert_eq!(desk.lab(&["reproduce", "waits"]).code, Some(0));
    let names: Vec<String> = desk
        .files("reports/waits")
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(
        names,
        ["notes.md", "outcome.json", "table.txt", "waits.png"]
    );
    assert_eq!(desk.read("reports/waits/notes.md"), "mine");
}

#[test]
fn nothing_foreign_is_overwritten() {
    let desk = Desk::new();
    desk.write("project/README.md", "my project");
    let answer = desk.lab(&["reproduce", "waits", "--out", "project"]);
    assert_eq!(answer.code, Some(2), "{answer:?}");
    assert!(
        answer
            .err
            .contains("README.md is there and wasn't made by lab"),
        "{answer:?}"
    );
    desk.write("mine.toml", SMALL_HERD);
    desk.write("project/mine/thesis.txt", "years of work");
    let answer = desk.lab(&["run", "mine.toml", "--out", "project"]);
    assert_eq!(answer.code, Some(2), "{answer:?}");
    assert!(
        answer.err.contains("holds files that weren't made by lab"),
        "{answer:?}"
    );
    let files: Vec<(String, Vec<u8>)> = desk.files("project");
    assert_eq!(
        files,
        [
            ("README.md".into(), b"my project".to_vec()),
            ("mine/thesis.txt".into(), b"years of work".to_vec())
        ]
    );
}

#[test]
fn a_place_that_cannot_be_written_is_one_error_and_leaves_nothing() {
    let desk = Desk::new();
    desk.write("mine.toml", SMALL_HERD);
    desk.write("file", "");
    for out in ["file", "file/below", "/proc/none"] {
        let answer = desk.lab(&["run", "mine.toml", "--out", out]);
        assert_eq!(
            (answer.code, answer.out.as_str()),
            (Some(2), ""),
            "{answer:?}"
        );
        assert_eq!(answer.err.lines().count(), 1, "{answer:?}");
        let answer = desk.lab(&["reproduce", "waits", "--out", out]);
        assert_eq!(
            (answer.code, answer.out.as_str()),
            (Some(2), ""),
            "{answer:?}"
        );
    }
    assert_eq!(desk.names(), ["file", "mine.toml"]);
}

#[test]
fn a_missed_number_is_shown_and_fails_the_run() {
    let desk = Desk::new();
    let row = "\n[[published]]\nclaim = \"it was fixed\"\nmetric = \"fixed/unfinished/count\"\nvalue = 7\nwithin = 0.5\nsource = \"a paper\"\n";
    desk.write("mine.toml", format!("{SMALL_HERD}{row}"));
    for format in ["text", "json", "csv"] {
        let answer = desk.lab(&["run", "mine.toml", "--format", format]);
        assert_eq!(answer.code, Some(1), "{answer:?}");
        let expected = "mine: FAIL fixed/unfinished/count: expected 7 within 0.5, got 2 (it was fixed; a paper)\n";
        assert_eq!(answer.err, expected);
        assert_eq!(
            answer.out.contains("\nFAIL"),
            format == "text",
            "{}",
            answer.out
        );
    }
}

#[test]
fn run_writes_a_folder_named_like_the_file() {
    let desk = Desk::new();
    desk.write("mine.toml", SMALL_HERD);
    for _ in 0..2 {
        let answer = desk.lab(&["run", "mine.toml", "--out", "results/today", "--svg"]);
        assert_eq!(answer.code, Some(0), "{answer:?}");
        let names: Vec<String> = desk
            .files("results")
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        let expected = [
            "arrivals.png",
            "arrivals.svg",
            "finish.png",
            "finish.svg",
            "outcome.json",
            "table.txt",
        ]
        .map(|name| format!("today/mine/{name}"));
        assert_eq!(names, expected);
    }
    assert!(
        desk.read("results/today/mine/table.txt")
            .ends_with("\nMade by `lab run mine.toml`.\n")
    );
}

/// Killed at any moment, the reports are the old set or the new one: here both are the same bytes, so they must simply be there.
#[test]
fn an_interrupted_run_leaves_a_whole_set() {
    let desk = with_reports();
    let before = desk.files("reports/waits");
    for step in 0..24 {
        let mut child = support::lab()
            .args(["reproduce", "waits"])
            .current_dir(desk.path(""))
            .stdout(std::process::Stdio::null())
            .spawn()
            .expect("lab runs");
        std::thread::sleep(std::time::Duration::from_millis(step * 8));
        // It may have ended by itself.
        let _ = child.kill();
        child.wait().expect("an end");
        assert_eq!(
            desk.files("reports/waits"),
            before,
            "killed after {} ms",
            step * 8
        );
    }
}
