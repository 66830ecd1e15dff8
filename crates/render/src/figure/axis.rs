//! An axis: what it measures, in which unit, on which scale.

/// What one side of a panel measures.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    pub(crate) label: String,
    pub(crate) unit: String,
    pub(crate) kind: Kind,
    pub(crate) range: Option<(f64, f64)>,
    pub(crate) tight: bool,
    pub(crate) zero: bool,
    pub(crate) ticks: Option<Vec<f64>>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    Linear,
    Log,
    Categories(Vec<String>),
}

impl Axis {
    fn new(label: impl Into<String>, kind: Kind) -> Self {
        Self {
            label: label.into(),
            unit: String::new(),
            kind,
            range: None,
            tight: false,
            zero: false,
            ticks: None,
        }
    }

    /// A linear axis from zero (or the least value, if below) to the greatest value.
    pub fn linear(label: impl Into<String>) -> Self {
        Self::new(label, Kind::Linear)
    }

    /// A logarithmic axis, base ten, around the values. What is at or below zero has no place on it and isn't drawn; see [`Axis::with_zero`].
    pub fn log(label: impl Into<String>) -> Self {
        Self::new(label, Kind::Log)
    }

    /// An axis of names; the position of the first is 0, of the second 1, and so on. On a y axis the first is at the top.
    pub fn categories<N: Into<String>>(
        label: impl Into<String>,
        names: impl IntoIterator<Item = N>,
    ) -> Self {
        Self::new(
            label,
            Kind::Categories(names.into_iter().map(Into::into).collect()),
        )
    }

    /// The same axis with this unit, given after the label.
    #[must_use]
    pub fn unit(mut self, unit: impl Into<String>) -> Self {
        self.unit = unit.into();
        self
    }

    /// The same axis over exactly this range, ends included; a range that isn't usable is an error when the figure is drawn. Categories have no range.
    #[must_use]
    pub fn range(mut self, low: f64, high: f64) -> Self {
        self.range = Some((low, high));
        self
    }

    /// The same linear axis without zero: only as wide as its values and reference lines need.
    #[must_use]
    pub fn tight(mut self) -> Self {
        self.tight = true;
        self
    }

    /// The same logarithmic axis with a place for zero: at its low end, apart from the least value. For counts, of which some are none.
    #[must_use]
    pub fn with_zero(mut self) -> Self {
        self.zero = true;
        self
    }

    /// The same axis with ticks at these values (those in range) instead of chosen ones.
    #[must_use]
    pub fn ticks(mut self, values: impl IntoIterator<Item = f64>) -> Self {
        self.ticks = Some(values.into_iter().collect());
        self
    }

    /// Label, unit and scale as they stand in the figure: `wait (s)`, `requests (log scale)`.
    pub(crate) fn heading(&self) -> String {
        let scale = match self.kind {
            Kind::Log => "log scale",
            Kind::Linear | Kind::Categories(_) => "",
        };
        let beside = [self.unit.as_str(), scale];
        let beside = beside.iter().filter(|part| !part.is_empty());
        let beside = beside.copied().collect::<Vec<_>>().join(", ");
        if beside.is_empty() {
            self.label.clone()
        } else {
            format!("{} ({beside})", self.label).trim_start().to_owned()
        }
    }

    /// Whether the two measure the same thing, so that their ranges should be one.
    pub(crate) fn same_measure(&self, other: &Self) -> bool {
        (&self.label, &self.unit, &self.kind, self.zero)
            == (&other.label, &other.unit, &other.kind, other.zero)
    }
}
