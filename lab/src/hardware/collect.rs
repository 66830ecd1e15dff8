//! What criterion and the peers' script left in the target folder.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::Value;

use super::Bench;
use crate::artifacts::read_file;

#[derive(Deserialize)]
struct Benchmark {
    full_id: String,
    throughput: Option<Throughput>,
}

#[derive(Deserialize)]
enum Throughput {
    Elements(u64),
    #[serde(untagged)]
    Other(#[expect(dead_code, reason = "bytes and the like have no number of elements")] Value),
}

#[derive(Deserialize)]
struct Estimates {
    median: Estimate,
}

#[derive(Deserialize)]
struct Estimate {
    point_estimate: f64,
    confidence_interval: Interval,
}

#[derive(Deserialize)]
struct Interval {
    confidence_level: f64,
    lower_bound: f64,
    upper_bound: f64,
}

/// The last estimates of every bench in criterion's folder, sorted by name.
///
/// # Errors
/// A folder without estimates; a file that can't be read.
pub fn estimates(folder: &Path) -> Result<Vec<Bench>> {
    let mut benches = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = match fs::read_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            other => other.with_context(|| format!("{} can't be read", folder.display()))?,
        };
        for entry in entries {
            let entry = entry.with_context(|| format!("{} can't be read", folder.display()))?;
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                continue;
            }
            let path = entry.path();
            if entry.file_name() == "new" && path.join("estimates.json").is_file() {
                benches.push(bench(&path)?);
            } else {
                folders.push(path);
            }
        }
    }
    if benches.is_empty() {
        bail!(
            "{} holds no estimates: run `cargo bench` first, or say with --criterion-dir where they are",
            folder.display()
        );
    }
    benches.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(benches)
}

fn bench(folder: &Path) -> Result<Bench> {
    let benchmark: Benchmark = read(&folder.join("benchmark.json"))?;
    let Estimates { median } = read(&folder.join("estimates.json"))?;
    Ok(Bench {
        id: benchmark.full_id,
        median_ns: median.point_estimate,
        low_ns: median.confidence_interval.lower_bound,
        high_ns: median.confidence_interval.upper_bound,
        confidence: median.confidence_interval.confidence_level,
        elements: match benchmark.throughput {
            Some(Throughput::Elements(elements)) => Some(elements),
            _ => None,
        },
    })
}

/// Every JSON file in the peers' folder by its stem; none if the folder isn't there.
///
/// # Errors
/// A file that can't be read.
pub fn peers(folder: &Path) -> Result<BTreeMap<String, Value>> {
    let mut peers = BTreeMap::new();
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(peers),
        other => other.with_context(|| format!("{} can't be read", folder.display()))?,
    };
    for entry in entries {
        let path = entry
            .with_context(|| format!("{} can't be read", folder.display()))?
            .path();
        if path
            .extension()
            .is_some_and(|extension| extension == "json")
            && let Some(stem) = path.file_stem()
        {
            peers.insert(stem.to_string_lossy().into_owned(), read(&path)?);
        }
    }
    Ok(peers)
}

fn read<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<T> {
    let bytes = read_file(path).with_context(|| format!("{} can't be read", path.display()))?;
    serde_json::from_slice(&bytes).with_context(|| {
        format!(
            "{} is not what criterion or the peers' script writes",
            path.display()
        )
    })
}
