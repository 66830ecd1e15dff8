//! Files that are no scenario, and names that can't be used.

use super::{reason, refused};
use crate::support::{Desk, SMALL_HERD};

#[test]
fn files_that_are_no_scenario() {
    assert!(refused("").contains("the file is empty"));
    assert!(refused("# only a comment\n").contains("the file is empty"));
    assert!(refused(b"model = \"herd\"\n\xff\xfe\0").contains("bad.toml:2: is not text in UTF-8"));
    assert!(refused([0_u8; 64]).contains("bad.toml:1: "));
    assert!(refused("no toml at all").contains("bad.toml:1: "));
    assert!(refused("[".repeat(100_000)).contains("bad.toml:1: "));
    assert!(refused(format!("a = {}", "[".repeat(100_000))).contains("bad.toml:1: "));
    assert!(refused("#".repeat(10_000_000)).contains("is larger than 1024 KiB"));
}

#[test]
fn paths_that_are_no_file() {
    let desk = Desk::new();
    assert!(reason(&desk.lab(&["run", "absent.toml"])).starts_with("absent.toml: can't be read: "));
    std::fs::create_dir(desk.path("folder.toml")).expect("a folder");
    assert_eq!(
        reason(&desk.lab(&["run", "folder.toml"])),
        "folder.toml: is a folder, expected a scenario file"
    );
}

#[cfg(unix)]
#[test]
fn devices_and_pipes_are_not_waited_for() {
    let desk = Desk::new();
    assert_eq!(
        reason(&desk.lab(&["run", "/dev/zero"])),
        "/dev/zero: is not a regular file"
    );
    desk.pipe("fifo.toml");
    assert_eq!(
        reason(&desk.lab(&["run", "fifo.toml"])),
        "fifo.toml: is not a regular file"
    );
}

#[test]
fn names_that_cannot_name_a_folder() {
    let desk = Desk::new();
    for name in ["...toml", ".toml", "a;b.toml"] {
        desk.write(name, SMALL_HERD);
        assert!(
            reason(&desk.lab(&["run", name])).contains("names the folder of the results"),
            "{name}"
        );
    }
}
