//! The real binary, a folder of its own, and small scenarios.

// Each test file is a program of its own and uses some of these.
#![allow(dead_code)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use assert_cmd::cargo::CommandCargoExt;
use tempfile::TempDir;

/// A folder in which `lab` runs.
pub(crate) struct Desk(TempDir);

impl Desk {
    pub(crate) fn new() -> Self {
        Self(TempDir::new().expect("a temporary folder"))
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        fs::write(&path, bytes).expect("a file");
        path
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("text")
    }

    /// Makes a named pipe, and the folder that it is in.
    #[cfg(unix)]
    pub(crate) fn pipe(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.expect("mkfifo").success());
        path
    }

    pub(crate) fn lab(&self, arguments: &[&str]) -> Answer {
        lab_in(self.0.path(), arguments)
    }

    /// Every file below, with its bytes.
    pub(crate) fn files(&self, name: &str) -> Vec<(String, Vec<u8>)> {
        let root = self.path(name);
        let mut files = Vec::new();
        let mut folders = vec![root.clone()];
        while let Some(folder) = folders.pop() {
            let Ok(entries) = fs::read_dir(&folder) else {
                continue;
            };
            for entry in entries {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let name = path
                        .strip_prefix(&root)
                        .expect("below")
                        .display()
                        .to_string();
                    files.push((name, fs::read(&path).expect("bytes")));
                }
            }
        }
        files.sort();
        files
    }

    /// Every name at the top, hidden ones included.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).expect("the folder");
        let mut names: Vec<String> = entries
            .map(|entry| {
                entry
                    .expect("an entry")
                    .file_name()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect();
        names.sort();
        names
    }
}

/// A desk with reports of the quickest experiment.
pub(crate) fn with_reports() -> Desk {
    let desk = Desk::new();
    let answer = desk.lab(&["reproduce", "waits"]);
    assert_eq!(
        (answer.code, answer.err.as_str()),
        (Some(0), ""),
        "{answer:?}"
    );
    desk
}

pub(crate) fn lab_in(folder: &Path, arguments: &[&str]) -> Answer {
    let output = lab()
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("lab runs");
    Answer::of(&output)
}

pub(crate) fn lab() -> Command {
    Command::cargo_bin("lab").expect("the binary")
}

/// What a command said.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Answer {
    pub(crate) fn of(output: &Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// A herd that runs in milliseconds.
pub(crate) const SMALL_HERD: &str = r#"model = "herd"
question = "Does it run?"
rng = "cpython"
seeds = { first = 3, count = 2 }

[herd]
clients = 50
spread = "0s"
tick = "10ms"
capacity_per_tick = 5
down_until = "100ms"
crash = { window = "100ms", limit = 30, restart = "200ms" }
give_up_at = "10s"

[[strategy]]
name = "full jitter"
backoff = { kind = "full-jitter", base = "100ms", cap = "1s" }

[[strategy]]
name = "fixed"
backoff = { kind = "fixed", wait = "1s" }
"#;
