//! `reproduce` and `run --out`: what they write, and where they can't.

mod support;

use std::fs;

use support::{Desk, SMALL_HERD, with_reports};

/// A reader who hears the page is told each finding once.
#[test]
fn the_index_says_each_finding_once() {
    let desk = with_reports();
    let index = desk.read("reports/README.md");
    assert!(
        index.contains("![Figure waits/waits](waits/waits.png)"),
        "{index}"
    );
    let lines: Vec<&str> = index.lines().filter(|line| line.len() > 40).collect();
    for line in &lines {
        assert_eq!(
            index.matches(line.trim_end_matches('.')).count(),
            1,
            "{line}"
        );
    }
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
fn a_place_that_cannot_be_written_is_one_error_and_leaves_nothing() {
    let desk = Desk::new();
    desk.write("mine.toml", SMALL_HERD);
    desk.write("file", "");
    #[cfg(unix)]
    std::os::unix::fs::symlink("nowhere", desk.path("dangling")).expect("a link");
    for (out, reason) in [
        ("file", "file is not a folder"),
        ("mine.toml", "mine.toml is not a folder"),
        ("file/below", "file is not a folder"),
        #[cfg(unix)]
        ("dangling", "dangling is not a folder"),
        #[cfg(unix)]
        ("/dev/null", "/dev/null is not a folder"),
        #[cfg(target_os = "linux")]
        ("/proc/none", "/proc can't be written: entity not found"),
    ] {
        let answer = desk.lab(&["run", "mine.toml", "--out", out]);
        assert_eq!(
            (answer.code, answer.out.as_str()),
            (Some(2), ""),
            "{answer:?}"
        );
        assert_eq!(answer.err, format!("error: {reason}\n"));
        let again = desk.lab(&["reproduce", "waits", "--out", out]);
        assert_eq!((again.code, &again.err), (answer.code, &answer.err));
    }
    let names = desk.names();
    let expected = ["dangling", "file", "mine.toml"];
    assert_eq!(names, expected[usize::from(cfg!(not(unix)))..]);
}

/// The system's way to say that a file grew too large is to kill.
#[cfg(target_os = "linux")]
#[test]
fn a_limit_on_files_is_an_error_of_writing() {
    let desk = with_reports();
    let before = desk.files("reports");
    let lab = support::lab();
    let script = format!(
        "ulimit -f 4; exec '{}' reproduce waits",
        lab.get_program().display()
    );
    let output = std::process::Command::new("bash")
        .args(["-c", &script])
        .current_dir(desk.path(""))
        .output();
    let answer = support::Answer::of(&output.expect("bash"));
    assert_eq!(
        (answer.code, answer.out.as_str()),
        (Some(2), ""),
        "{answer:?}"
    );
    assert!(answer.err.contains("can't be written"), "{answer:?}");
    assert_eq!(desk.files("reports"), before);
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

/// Both sets differ in a line and in a file, so that a mixture would be seen.
#[test]
fn an_interrupted_run_leaves_the_old_set_or_the_new_one() {
    let desk = with_reports();
    let new = desk.files("reports/waits");
    let mut old = new.clone();
    for (name, bytes) in &mut old {
        if name == "table.txt" {
            bytes.splice(0..0, *b"older\n");
        }
    }
    let picture = new.iter().find(|(name, _)| name == "waits.png");
    let (_, picture) = picture.expect("a picture");
    old.insert(0, ("before.png".into(), picture.clone()));
    for step in 0..24 {
        // With what a killed step may have left.
        fs::remove_dir_all(desk.path("reports")).expect("removed");
        for (name, bytes) in &old {
            desk.write(&format!("reports/waits/{name}"), bytes);
        }
        let mut child = support::lab()
            .args(["reproduce", "waits"])
            .current_dir(desk.path(""))
            .stdout(std::process::Stdio::null())
            .spawn()
            .expect("lab runs");
        std::thread::sleep(std::time::Duration::from_millis(step * 8));
        let signal = ["-KILL", "-INT", "-TERM"][step as usize % 3];
        // It may have ended by itself.
        let _ = std::process::Command::new("kill")
            .args([signal, &child.id().to_string()])
            .stderr(std::process::Stdio::null())
            .status();
        let code = child.wait().expect("an end").code();
        assert!(
            [None, Some(0), Some(130), Some(143)].contains(&code),
            "{signal}: {code:?}"
        );
        let now = desk.files("reports/waits");
        assert!(
            now == old || now == new,
            "{signal} after {} ms left {:?}",
            step * 8,
            now.iter().map(|(name, _)| name).collect::<Vec<_>>()
        );
        if code.is_some() {
            assert_eq!(unfinished(&desk), 0, "{signal} after {} ms", step * 8);
        }
    }
    assert_eq!(desk.lab(&["reproduce", "waits"]).code, Some(0));
    desk.write("reports/.lab-unfinished-killed/table.txt", "half");
    assert_eq!(
        desk.lab(&["check", "waits"]).code,
        Some(0),
        "it is no report"
    );
    assert_eq!(desk.lab(&["reproduce", "waits"]).code, Some(0));
    assert_eq!(unfinished(&desk), 0, "what a killed one left");
    assert_eq!(desk.files("reports/waits"), new);
}

/// How many names in the reports are of something that is being written.
fn unfinished(desk: &Desk) -> usize {
    let entries = fs::read_dir(desk.path("reports")).expect("the reports");
    entries
        .filter(|entry| {
            let name = entry.as_ref().expect("an entry").file_name();
            name.to_string_lossy().starts_with(".lab-")
        })
        .count()
}

#[test]
fn two_at_once_keep_each_others_sections() {
    let desk = Desk::new();
    let ids = ["waits", "policy", "layers", "ownership"];
    let children = ids.map(|id| {
        support::lab()
            .args(["reproduce", id])
            .current_dir(desk.path(""))
            .stdout(std::process::Stdio::null())
            .spawn()
            .expect("lab runs")
    });
    for mut child in children {
        assert_eq!(child.wait().expect("an end").code(), Some(0));
    }
    for id in ids {
        for file in ["ledger.txt", "README.md"] {
            let text = desk.read(&format!("reports/{file}"));
            assert!(text.contains(&format!("\n## {id}: ")), "{file}: {id}");
        }
        assert!(desk.path(&format!("reports/{id}/table.txt")).is_file());
    }
}
