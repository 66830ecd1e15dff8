//! How far the work is, on standard error and only for a person who watches.

use std::io::IsTerminal;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

/// One experiment's progress; shared by the threads that do the work.
#[derive(Debug, Clone)]
pub struct Progress(ProgressBar);

impl Progress {
    /// Progress that nobody sees.
    #[must_use]
    pub fn hidden() -> Self {
        Self(ProgressBar::hidden())
    }

    /// Says how many units of work there are.
    pub fn begin(&self, units: u64) {
        self.0.set_length(units);
    }

    /// Says that one more unit is done.
    pub fn advance(&self) {
        self.0.inc(1);
    }

    /// Says that nothing is left to do; the bar goes.
    pub fn finish(&self) {
        self.0.finish_and_clear();
    }
}

/// The bars of all running experiments.
#[derive(Debug)]
pub struct Bars(MultiProgress);

impl Bars {
    /// Bars on standard error if it is a terminal, else none.
    #[must_use]
    pub fn on_stderr() -> Self {
        let target = if std::io::stderr().is_terminal() {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        Self(MultiProgress::with_draw_target(target))
    }

    /// A bar with this name.
    #[must_use]
    pub fn add(&self, name: &str) -> Progress {
        let style = ProgressStyle::with_template("{prefix:14} {bar:30} {pos}/{len} runs")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = self.0.add(ProgressBar::new(0));
        bar.set_style(style);
        bar.set_prefix(name.to_owned());
        Progress(bar)
    }
}
