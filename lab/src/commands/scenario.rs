//! `lab scenario`: a built-in scenario's text, and what every key means.

use std::fmt::Write as _;

use anyhow::{Result, bail};

use crate::cli::{Verdict, print};
use crate::models;
use crate::scenario::builtin;

/// Prints a built-in scenario as it is, comments included.
///
/// # Errors
/// An unknown id; standard output can't be written.
pub fn scenario(id: &str) -> Result<Verdict> {
    let Some(builtin) = builtin::find(id) else {
        let known: Vec<&str> = builtin::ALL.iter().map(|builtin| builtin.id).collect();
        bail!(
            "no experiment is called `{id}`, expected one of {}",
            known.join(", ")
        );
    };
    print(builtin.text)?;
    Ok(Verdict::Agrees)
}

const HEADER: &str = "\
Every key of a scenario file. A key is required unless a default is given; an unknown one is refused.
Durations are text: \"10ms\", \"1s 500ms\", \"2m\". Ranges include their ends.

Every model:
  model      which of the models below
  question   text: what the experiment asks
  rng        \"pcg64\" (default) or \"cpython\", CPython's random.Random bit for bit; only for models that draw
  engine     \"exact\" (default) or, for some models, \"cohort\"
  seeds      { first, count }: the runs' seeds; first 0 to 2^53, count 1 to 10000; only for models that draw by seed

[[published]], any number of times, a number that ours must meet:
  claim      text: what was published
  metric     which of our numbers: name/measure/statistic
  value      the published number
  within     how far ours may be from it, at least 0
  source     text: where it was published

A backoff, as in `backoff = { kind = \"full-jitter\", base = \"100ms\", cap = \"10s\" }`:
  kind           immediate, fixed, exponential, full-jitter, equal-jitter, decorrelated or proportional
  wait           fixed: the wait, 0 to 365 days
  base           the others but immediate: the first nominal wait, 0 to 365 days
  cap            the same: the greatest nominal wait, base to 365 days
  multiplier     not for decorrelated: from one failure to the next, 1 to 1000, default 2
  exponent_from  not for decorrelated: the exponent at the first failure, 0 to 1000, default 0
  factor         proportional: the half-width of the jitter, 0 to 1, default 0.2

[[strategy]], 1 to 32 times, for the models that have it:
  name       1 to 60 characters without `/`, each name once
  backoff    see above
";

/// What every key means, for the command's long help.
#[must_use]
pub fn reference() -> String {
    let mut text = HEADER.to_owned();
    for model in models::ALL {
        let _ = write!(text, "\nModel {}:\n{}", model.name(), model.reference());
    }
    text
}
