//! Data flows one way, so crates depend on each other only as the design's table says.

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::MetadataCommand;

/// Each crate of the workspace and those it may depend on, for any purpose.
const ALLOWED: [(&str, &[&str]); 10] = [
    ("backoff-core", &[]),
    ("cpython-random", &[]),
    ("render", &[]),
    ("sim-kernel", &["cpython-random"]),
    ("herd-sim", &["sim-kernel", "backoff-core"]),
    ("layers-sim", &["sim-kernel", "backoff-core"]),
    ("budget-sim", &["sim-kernel", "backoff-core"]),
    ("occ-sim", &["sim-kernel", "backoff-core"]),
    (
        "lab",
        &[
            "backoff-core",
            "cpython-random",
            "render",
            "sim-kernel",
            "herd-sim",
            "layers-sim",
            "budget-sim",
            "occ-sim",
        ],
    ),
    (
        "benches",
        &[
            "backoff-core",
            "cpython-random",
            "render",
            "sim-kernel",
            "herd-sim",
            "layers-sim",
            "budget-sim",
            "occ-sim",
            "lab",
        ],
    ),
];

/// Peer libraries, which `benches` alone may depend on.
const PEERS: [&str; 8] = [
    "backoff",
    "backon",
    "exponential-backoff",
    "retry-policies",
    "tokio-retry",
    "tower",
    "nexosim",
    "criterion",
];

#[test]
fn crates_depend_only_on_what_the_design_allows() {
    let mut command = MetadataCommand::new();
    command
        .no_deps()
        .other_options(vec!["--offline".to_owned()]);
    let metadata = command.exec().expect("cargo metadata");
    let members: BTreeSet<&str> = metadata
        .packages
        .iter()
        .map(|package| package.name.as_str())
        .collect();
    let allowed = BTreeMap::from(ALLOWED);
    assert_eq!(
        members,
        allowed.keys().copied().collect(),
        "every crate has its row in the table"
    );
    for package in &metadata.packages {
        let name = package.name.as_str();
        for dependency in &package.dependencies {
            let on = dependency.name.as_str();
            assert!(
                !members.contains(on) || allowed[name].contains(&on),
                "{name} may not depend on {on} (as a {} dependency)",
                dependency.kind
            );
            assert!(
                name == "benches" || !PEERS.contains(&on),
                "{name} may not depend on the peer {on}"
            );
        }
    }
}
