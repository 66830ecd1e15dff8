//! The command line: what may be asked, and the exit code that answers.

use std::ffi::OsString;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::artifacts::interrupt;
use crate::commands;
use crate::shown;

/// Shows what a retry policy does to a service before an outage does.
///
/// Results go to standard output, messages to standard error. The exit code is 0 if all is well, 1 if a published number is missed or a
/// report differs, 2 if something given can't be used, 128 and its number if a signal ended it.
#[derive(Debug, Parser)]
#[command(name = "lab", version, max_term_width = 110)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Use at most N threads; the number never changes a result [default: one for each processor]
    #[arg(long, global = true, value_name = "N", value_parser = jobs)]
    jobs: Option<NonZeroUsize>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List every experiment: id, question, artifacts
    List,
    /// Run experiments, write their artifacts and the ledger
    Reproduce(Reproduce),
    /// Run experiments and show what differs from the reports
    Check(Check),
    /// Run a scenario of your own
    Run(Run),
    /// Print a built-in scenario, to edit; --help explains every key
    #[command(after_long_help = commands::reference::reference())]
    Scenario {
        /// An experiment's id, see `lab list`
        id: String,
        /// Leave out the published numbers, which hold for its parameters alone
        #[arg(long)]
        without_published: bool,
    },
    /// Record criterion's results with a description of this machine, or compare records
    Hardware {
        #[command(subcommand)]
        command: commands::hardware::Command,
    },
}

/// Which experiments, and where their artifacts go.
#[derive(Debug, Args)]
pub struct Reproduce {
    /// Experiments, see `lab list` [default: all]
    pub ids: Vec<String>,
    /// The folder for the artifacts, the ledger and the index
    #[arg(long, default_value = "reports", value_name = "DIR")]
    pub out: PathBuf,
    /// Write each figure as SVG too
    #[arg(long)]
    pub svg: bool,
}

/// Which experiments, and what they are compared with.
#[derive(Debug, Args)]
pub struct Check {
    /// Experiments, see `lab list` [default: all]
    pub ids: Vec<String>,
    /// The folder with the artifacts to compare with
    #[arg(long, default_value = "reports", value_name = "DIR")]
    pub against: PathBuf,
}

/// Which scenario, and what is done with its outcome.
#[derive(Debug, Args)]
pub struct Run {
    /// The scenario file, see `lab scenario --help`
    pub file: PathBuf,
    /// Write the artifacts to a folder in DIR, named like the file
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// What is printed
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// With --out: write each figure as SVG too
    #[arg(long, requires = "out")]
    pub svg: bool,
}

/// What `lab run` prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Format {
    /// The tables, and the verdict on each published number
    #[default]
    Text,
    /// Every run, as one JSON object
    Json,
    /// Every run, as comma-separated values
    Csv,
}

/// What a command that ran to its end found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Everything agrees.
    Agrees,
    /// A published number is missed, or a report differs.
    Differs,
}

/// Does what the arguments ask and says how it went.
#[must_use]
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(refused) if refused.use_stderr() => {
            // What was given is repeated there.
            say(refused.to_string().trim_end());
            return ExitCode::from(2);
        }
        Err(help) => match help.print() {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                say(&format!("error: standard output can't be written: {error}"));
                return ExitCode::from(2);
            }
            _ => return ExitCode::SUCCESS,
        },
    };
    interrupt::wait_for_writers();
    let verdict = match cli.command {
        Command::List => commands::list::list(),
        Command::Reproduce(asked) => commands::reproduce::reproduce(&asked, cli.jobs),
        Command::Check(asked) => commands::check::check(&asked, cli.jobs),
        Command::Run(asked) => commands::run::run(&asked, cli.jobs),
        Command::Scenario {
            id,
            without_published,
        } => commands::scenario::scenario(&id, without_published),
        Command::Hardware { command } => commands::hardware::hardware(&command),
    };
    match verdict {
        Ok(Verdict::Agrees) => ExitCode::SUCCESS,
        Ok(Verdict::Differs) => ExitCode::from(1),
        Err(error) => {
            say(&shown::one_line(&format!("error: {error:#}")));
            ExitCode::from(2)
        }
    }
}

fn jobs(text: &str) -> Result<NonZeroUsize, String> {
    match text.parse() {
        Ok(jobs @ 1..=1024) => NonZeroUsize::new(jobs).ok_or_else(String::new),
        _ => Err("expected a whole number from 1 to 1024".to_owned()),
    }
}

/// Puts a result on standard output; a reader who has gone away is no error.
///
/// # Errors
/// Any other failure to write.
pub fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.context("standard output can't be written"),
    }
}

/// Puts a message on standard error; nothing in it can command the terminal.
pub fn say(message: &str) {
    // Nobody can be told that nobody can be told.
    let _ = writeln!(io::stderr().lock(), "{}", shown::lines(message));
}
