//! The command `lab`.
fn main() {}
