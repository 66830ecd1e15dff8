//! What others keep where the lab writes: it stays, or the lab refuses to write.

mod support;

use std::fs;

use support::{Desk, SMALL_HERD, with_reports};

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

/// What others keep beside the reports stays as it is: rights, times, links, whatever its kind.
#[cfg(unix)]
#[test]
fn reproduce_keeps_foreign_files_as_they_are() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    let desk = with_reports();
    let at = |name: &str| desk.path(&format!("reports/waits{name}"));
    let mode = |name: &str| fs::symlink_metadata(at(name)).expect("there").mode() & 0o7777;
    let restrict = |name: &str, mode: u32| {
        fs::set_permissions(at(name), fs::Permissions::from_mode(mode)).expect("a mode");
    };
    desk.write("reports/waits/private/key", "secret");
    symlink("nowhere", at("/link")).expect("a link");
    desk.pipe("reports/waits/pipe");
    restrict("/private/key", 0o600);
    restrict("/private", 0o700);
    restrict("", 0o750);
    let before = fs::metadata(at("/private/key")).expect("there");

    let answer = desk.lab(&["reproduce", "waits"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert_eq!(desk.read("reports/waits/private/key"), "secret");
    let after = fs::metadata(at("/private/key")).expect("there");
    assert_eq!(
        (after.ino(), after.mtime_nsec(), after.nlink()),
        (before.ino(), before.mtime_nsec(), 1)
    );
    assert_eq!(
        [mode(""), mode("/private"), mode("/private/key")],
        [0o750, 0o700, 0o600]
    );
    let link = fs::read_link(at("/link")).expect("a link");
    assert_eq!(link.to_str(), Some("nowhere"));
    assert!(at("/pipe").exists() && !at("/pipe").is_file());
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
fn text_that_speaks_of_the_lab_is_not_the_labs() {
    let desk = Desk::new();
    let project = "# My project\n\nMade by `lab reproduce`, it says. I ran `lab run x`.\n\nMade by `lab run x.toml`.\n";
    desk.write("README.md", project);
    let answer = desk.lab(&["reproduce", "waits", "--out", "."]);
    assert_eq!(answer.code, Some(2), "{answer:?}");
    assert!(
        answer
            .err
            .contains("README.md is there and wasn't made by lab"),
        "{answer:?}"
    );
    assert_eq!(desk.names(), ["README.md"]);

    desk.write("my.toml", SMALL_HERD);
    assert_eq!(
        desk.lab(&["run", "my.toml", "--out", "results"]).code,
        Some(0)
    );
    let mut expected = desk.files("results/my");
    for name in [
        "notes.md",
        "README.md",
        "notes.txt",
        "ledger.txt",
        "notes.json",
        "run.csv",
        "sketch.svg",
    ] {
        desk.write(&format!("results/my/{name}"), project);
        expected.push((name.into(), project.into()));
    }
    expected.sort();
    assert_eq!(
        desk.lab(&["run", "my.toml", "--out", "results"]).code,
        Some(0)
    );
    assert_eq!(desk.files("results/my"), expected);
}

/// In every case the results would have taken the place of what another command made.
#[test]
fn what_another_command_made_is_not_replaced() {
    let desk = with_reports();
    let before = desk.files("reports");
    for (id, out, made) in [
        ("reports", ".", "lab reproduce"),
        ("waits", "reports", "lab reproduce waits"),
    ] {
        desk.write(&format!("{id}.toml"), SMALL_HERD);
        let answer = desk.lab(&["run", &format!("{id}.toml"), "--out", out]);
        assert_eq!(
            (answer.code, answer.out.as_str()),
            (Some(2), ""),
            "{answer:?}"
        );
        let reason = format!("holds what `{made}` made: choose another --out");
        assert!(answer.err.trim_end().ends_with(&reason), "{answer:?}");
    }
    assert_eq!(desk.files("reports"), before);

    assert_eq!(
        desk.lab(&["run", "waits.toml", "--out", "mine"]).code,
        Some(0)
    );
    let mine = desk.files("mine");
    let answer = desk.lab(&["reproduce", "waits", "--out", "mine"]);
    assert_eq!(answer.code, Some(2), "{answer:?}");
    assert!(
        answer
            .err
            .contains("waits holds what `lab run waits.toml` made"),
        "{answer:?}"
    );
    assert_eq!(desk.files("mine"), mine);
}
