//! `lab hardware`: measured times kept by machine, and records side by side.

use std::env;
use std::path::PathBuf;
use std::time::SystemTime;

use anyhow::{Result, bail};
use clap::{Args, Subcommand, ValueEnum};

use crate::artifacts::{Turn, Verb, check_writable, remove_file, replace_file};
use crate::cli::{Verdict, print, say};
use crate::hardware::{
    COMPARISON, Comparison, Machine, Record, Stored, append, bars, estimates, latest, load, peers,
    revision,
};
use crate::scenario::file::names_a_folder;

/// The figure beside the file with records side by side.
const FIGURE: &str = "comparison.png";

/// What is done with measured times.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Keep the last results of `cargo bench` with a description of this machine, in a new file
    Record(RecordArgs),
    /// Show records side by side: the last of each machine (of a single one its last two), or those named
    Compare(CompareArgs),
}

/// What is recorded, and where.
#[derive(Debug, Args)]
pub struct RecordArgs {
    /// Criterion's folder [default: criterion in the target folder]
    #[arg(long, value_name = "DIR")]
    criterion_dir: Option<PathBuf>,
    /// The folder with what the peers' script measured [default: peers in the target folder]
    #[arg(long, value_name = "DIR")]
    peers_dir: Option<PathBuf>,
    /// The machine's name [default: its processor and number of cores]
    #[arg(long, value_name = "NAME")]
    machine: Option<String>,
    /// The folder of the records
    #[arg(long, value_name = "DIR", default_value = "reports/hardware")]
    out: PathBuf,
}

/// What is compared.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// Record files, machines (their last record) or `machine/number`; the first is what the others are compared with
    records: Vec<String>,
    /// The folder of the records
    #[arg(long, value_name = "DIR", default_value = "reports/hardware")]
    records_dir: PathBuf,
    /// What is printed
    #[arg(long, value_enum, default_value_t)]
    format: Form,
    /// The folder for comparison.txt and comparison.png [default: the folder of the records]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// What `lab hardware compare` prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Form {
    /// Every bench and the project's bars, written to files too
    #[default]
    Text,
    /// The project's bars in one record, for the README; nothing is written
    Markdown,
}

/// Records or compares.
///
/// # Errors
/// Nothing to record or compare; a place that can't be read or written.
pub fn hardware(command: &Command) -> Result<Verdict> {
    match command {
        Command::Record(asked) => record(asked),
        Command::Compare(asked) => compare(asked),
    }
}

fn record(asked: &RecordArgs) -> Result<Verdict> {
    if let Some(name) = asked
        .machine
        .as_deref()
        .filter(|name| !names_a_folder(name))
    {
        bail!(
            "--machine {name} must have 1 to 100 letters, digits, spaces or `-_.+`, and not begin with `.`"
        );
    }
    let target =
        env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    let in_target =
        |given: &Option<PathBuf>, name: &str| given.clone().unwrap_or_else(|| target.join(name));
    let record = Record {
        command: "lab hardware record".into(),
        recorded: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        revision: revision(),
        machine: Machine::here(asked.machine.as_deref()),
        benches: estimates(&in_target(&asked.criterion_dir, "criterion"))?,
        peers: peers(&in_target(&asked.peers_dir, "peers"))?,
    };
    if let Some(flaw) = record.flaw() {
        bail!("nothing was recorded: {flaw}");
    }
    let path = append(&asked.out, &record)?;
    print(&format!(
        "recorded {} benches in {}\n",
        record.benches.len(),
        path.display()
    ))?;
    Ok(Verdict::Agrees)
}

fn compare(asked: &CompareArgs) -> Result<Verdict> {
    let folder = &asked.records_dir;
    let records = if asked.records.is_empty() {
        latest(folder)?
    } else {
        asked
            .records
            .iter()
            .map(|name| load(folder, name))
            .collect::<Result<_>>()?
    };
    if records.is_empty() {
        bail!(
            "{} holds no records: `cargo bench`, then `lab hardware record` makes one",
            folder.display()
        );
    }
    if asked.format == Form::Markdown {
        print(&speed(&records)?)?;
        return Ok(Verdict::Agrees);
    }
    let comparison = Comparison::of(&records);
    let names: Vec<&str> = records.iter().map(|stored| stored.name.as_str()).collect();
    let command = format!("lab hardware compare {}", names.join(" "));
    let mut table = comparison.table().text();
    if let Some(bars) = bars(&records) {
        table = format!("{table}\n{}", bars.text());
    }
    let out = asked.out.as_ref().unwrap_or(folder);
    check_writable(out, Verb::Hardware, &[], &[COMPARISON, FIGURE])?;
    print(&table)?;
    let turn = Turn::take(out)?;
    let text = format!("{table}\nMade by `{command}`.\n");
    write(&turn, COMPARISON, text.as_bytes())?;
    if let Some(figure) = comparison.figure() {
        write(&turn, FIGURE, &figure.png(Some(&command))?)?;
    } else {
        remove_file(&turn, FIGURE, Verb::Hardware)?;
        say("no figure: fewer than two records have a bench in common");
    }
    Ok(Verdict::Agrees)
}

/// The bars in one record, as the README has them.
fn speed(records: &[Stored]) -> Result<String> {
    let [stored] = records else {
        let names: Vec<&str> = records.iter().map(|stored| stored.name.as_str()).collect();
        bail!(
            "--format markdown prints one record's bars: name one of {}",
            names.join(", ")
        );
    };
    let Some(mut table) = bars(records) else {
        bail!("{} measured none of the bars", stored.name);
    };
    table.note(format!("Measured on {}.", stored.record.setting()));
    let command = format!("lab hardware compare {} --format markdown", stored.name);
    table.note(format!("Made by `{command}`."));
    Ok(table.markdown())
}

fn write(turn: &Turn, name: &str, bytes: &[u8]) -> Result<()> {
    replace_file(turn, name, Verb::Hardware, bytes)?;
    say(&format!("wrote {}", turn.folder().join(name).display()));
    Ok(())
}
