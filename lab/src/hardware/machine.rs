//! The machine that measured.

use std::env;
use std::fs;
use std::process::Command;
use std::thread;

use serde::{Deserialize, Serialize};

/// What is needed to judge a measured time. No name that would identify the machine or its owner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The folder of its records.
    pub name: String,
    /// The processor's model.
    pub processor: String,
    /// How many threads run at once.
    pub cores: usize,
    /// The memory, in MiB; 0 if unknown.
    pub memory_mib: u64,
    /// The system and the architecture.
    pub system: String,
    /// The compiler's version.
    pub compiler: String,
    /// `RUSTFLAGS`, and the profile's options that differ from release.
    pub flags: String,
}

impl Machine {
    /// This machine, called `name`, or by its processor and number of cores.
    #[must_use]
    pub fn here(name: Option<&str>) -> Self {
        let processor = processor().unwrap_or_else(|| format!("unknown {}", env::consts::ARCH));
        let cores = thread::available_parallelism().map_or(1, Into::into);
        let name = name.map_or_else(
            || slug(&format!("{processor} {cores} cores")),
            str::to_owned,
        );
        Self {
            name,
            processor,
            cores,
            memory_mib: memory_mib().unwrap_or(0),
            system: system(),
            compiler: said(
                &env::var("RUSTC").unwrap_or_else(|_| "rustc".into()),
                &["--version"],
            )
            .unwrap_or_else(|| "unknown".into()),
            flags: flags(),
        }
    }
}

fn processor() -> Option<String> {
    if let Ok(text) = fs::read_to_string("/proc/cpuinfo") {
        let line = text
            .lines()
            .find(|line| line.starts_with("model name") || line.starts_with("Model"))?;
        return Some(line.split_once(':')?.1.trim().to_owned());
    }
    said("sysctl", &["-n", "machdep.cpu.brand_string"])
        .or_else(|| env::var("PROCESSOR_IDENTIFIER").ok())
}

fn memory_mib() -> Option<u64> {
    if let Ok(text) = fs::read_to_string("/proc/meminfo") {
        let line = text.lines().find(|line| line.starts_with("MemTotal:"))?;
        return Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? / 1024);
    }
    Some(said("sysctl", &["-n", "hw.memsize"])?.parse::<u64>().ok()? >> 20)
}

fn system() -> String {
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease")
        .ok()
        .or_else(|| said("uname", &["-r"]));
    let parts = [
        env::consts::OS.to_owned(),
        kernel.unwrap_or_default().trim().to_owned(),
        env::consts::ARCH.to_owned(),
    ];
    parts
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

fn flags() -> String {
    let given = env::var("CARGO_ENCODED_RUSTFLAGS").map(|flags| flags.replace('\u{1f}', " "));
    let given = given.or_else(|_| env::var("RUSTFLAGS")).unwrap_or_default();
    format!("bench profile, RUSTFLAGS=\"{given}\"")
}

/// What a program prints, without space around it; none if it fails or prints nothing.
pub(super) fn said(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}

/// Lower-case letters and digits, a `-` for each run of others.
fn slug(text: &str) -> String {
    let mut slug = String::new();
    for c in text
        .to_lowercase()
        .replace("(r)", "")
        .replace("(tm)", "")
        .chars()
    {
        if c.is_ascii_alphanumeric() {
            slug.push(c);
        } else if !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.trim_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_is_called_after_its_processor() {
        assert_eq!(
            slug("Intel(R) Xeon(R) CPU @ 2.20GHz 2 cores"),
            "intel-xeon-cpu-2-20ghz-2-cores"
        );
        let machine = Machine::here(None);
        assert!(
            machine.cores > 0 && !machine.name.is_empty() && machine.compiler.starts_with("rustc "),
            "{machine:?}"
        );
        assert_eq!(Machine::here(Some("mine")).name, "mine");
    }
}
