//! The command `lab`.

use std::process::ExitCode;

fn main() -> ExitCode {
    lab::cli::main(std::env::args_os())
}
