//! The mean of decorrelated jitter under a cap, by quadrature.

use alloc::vec::Vec;

/// Means of `X_n = min(cap, U(base, 3 · X_{n-1}))`, `X_0 = base`, for n = 1, 2, …, by quadrature, relative error under 1e-9.
///
/// With everything divided by the base and c = cap / base, `h_n(x) = E[X_n | X_0 = x]` obeys
///
/// ```text
/// h_0(x) = x,   h_{n+1}(x) = ( ∫ from 1 to min(3x, c) of h_n  +  max(0, 3x - c) · h_n(c) ) / (3x - 1),
/// ```
///
/// the second term being the atom that the cap collects; the mean after failure n is `h_n(1)`. Going backwards from the wait asked for
/// needs no distribution: `h_n` is continuous, rising, and analytic between the points c/3, c/9, … where 3x crosses the cap or an
/// earlier such point. On each of these panels it is held as a Chebyshev series of degree 32. The nearest singularity of any `h_n` seen from
/// a panel, x = 1/3 and its images 1/9, …, lies on or outside the Bernstein ellipse with parameter 3, so a truncated series errs by about
/// 3^-32 < 1e-15 of the panel's values. A step is an average, which can't enlarge an error, so n steps add at most n such errors.
///
/// The iteration may stop early: since `h_{n+k}(1)` averages values of `h_n`, it lies between `h_n(1)` and `h_n(c)` for every k ≥ 0. Once these
/// agree to 1e-12, every later mean is known to 1e-12. Before the cap is in reach (3^n ≤ c) the mean is `2 · 1.5^n - 1`, from `m_n = (1 + 3 m_{n-1}) / 2`.
pub(super) struct Means {
    /// From the cap down, each a third of the one above but for the last, which ends at 1.
    panels: Vec<Panel>,
    cosines: Cosines,
    settled: bool,
}

const DEGREE: usize = 32;

/// Agreement of `h_n(1)` and `h_n(c)` at which the means count as constant.
const SETTLED: f64 = 1e-12;

/// A value for each Chebyshev point of a panel, or a coefficient for each Chebyshev polynomial.
type Points = [f64; DEGREE + 1];

/// `h_n` between `low` and `high`.
struct Panel {
    low: f64,
    high: f64,
    /// The Chebyshev points, from high to low.
    points: Points,
    values: Points,
}

/// The integral of a panel's series from its low end, as a series of one degree more.
type Integral = [f64; DEGREE + 2];

impl Means {
    /// Means in units of the base, for a finite `ratio` = cap / base > 1.
    pub(super) fn new(ratio: f64) -> Self {
        let cosines = Cosines::new();
        let mut panels = Vec::new();
        let mut high = ratio;
        while high > 1.0 {
            let low = (high / 3.0).max(1.0);
            panels.push(Panel::new(low, high, &cosines));
            high = low;
        }
        Self {
            panels,
            cosines,
            settled: false,
        }
    }

    /// Whether every later mean equals the last one to 1e-12 of its value.
    pub(super) fn settled(&self) -> bool {
        self.settled
    }

    /// The mean of the next wait, in units of the base.
    pub(super) fn advance(&mut self) -> f64 {
        self.step();
        let least = self.panels[self.panels.len() - 1].values[DEGREE];
        self.settled = self.at_cap() - least <= SETTLED * least;
        least
    }

    fn at_cap(&self) -> f64 {
        self.panels[0].values[0]
    }

    fn step(&mut self) {
        let (cap, at_cap) = (self.panels[0].high, self.at_cap());
        let integrals: Vec<Integral> = self
            .panels
            .iter()
            .map(|panel| panel.integral(&self.cosines))
            .collect();
        let [top, ..] = &mut self.panels[..] else {
            return;
        };
        let whole: f64 = integrals.iter().rev().map(at_high).sum();
        for (value, x) in top.values.iter_mut().zip(&top.points) {
            *value = (whole + (3.0 * x - cap).max(0.0) * at_cap) / (3.0 * x - 1.0);
        }
        // From the bottom up, so that small integrals are added and never left over from a difference of large ones.
        let mut below = 0.0;
        for k in (1..integrals.len()).rev() {
            below += at_high(&integrals[k]);
            let [above, panel] = &mut self.panels[k - 1..=k] else {
                return;
            };
            // Three times a point of this panel lies in the panel above.
            let reached = at(
                &integrals[k - 1],
                &panel.points.map(|x| above.local(3.0 * x)),
            );
            for ((value, x), reached) in panel.values.iter_mut().zip(&panel.points).zip(reached) {
                *value = (below + reached) / (3.0 * x - 1.0);
            }
        }
    }
}

impl Panel {
    /// `h_0(x) = x`.
    fn new(low: f64, high: f64, cosines: &Cosines) -> Self {
        let middle = f64::midpoint(low, high);
        let mut points = core::array::from_fn(|j| middle + (high - middle) * cosines.0[1][j]);
        (points[0], points[DEGREE]) = (high, low);
        Self {
            low,
            high,
            points,
            values: points,
        }
    }

    /// Where `x` lies on the panel stretched to [-1, 1].
    fn local(&self, x: f64) -> f64 {
        (((x - self.low) - (self.high - x)) / (self.high - self.low)).clamp(-1.0, 1.0)
    }

    fn integral(&self, cosines: &Cosines) -> Integral {
        let mut values = self.values;
        values[0] /= 2.0;
        values[DEGREE] /= 2.0;
        let mut series = [0.0; DEGREE + 3];
        for (value, cosines) in values.iter().zip(&cosines.0) {
            for (coefficient, cosine) in series.iter_mut().zip(cosines) {
                *coefficient += value * cosine;
            }
        }
        series[DEGREE] /= 2.0;
        // ∫ T_k = (T_{k+1} / (k + 1) - T_{k-1} / (k - 1)) / 2, but ∫ T_0 = T_1: the double weight that series[0] still has.
        let scale = (self.high - self.low) / 2.0 * 2.0 / DEGREE as f64;
        let mut integral = [0.0; DEGREE + 2];
        for k in 1..integral.len() {
            integral[k] = scale * (series[k - 1] - series[k + 1]) / (2 * k) as f64;
        }
        // T_k(-1) alternates in sign.
        integral[0] = integral[1..]
            .iter()
            .rev()
            .fold(0.0, |sum, coefficient| coefficient - sum);
        integral
    }
}

/// `cos(π j k / DEGREE)`: column j of row 1 is a Chebyshev point, the whole the transform from values to coefficients.
struct Cosines([Points; DEGREE + 1]);

impl Cosines {
    fn new() -> Self {
        let step = core::f64::consts::PI / DEGREE as f64;
        let turn: [f64; 2 * DEGREE] = core::array::from_fn(|j| libm::cos(j as f64 * step));
        Self(core::array::from_fn(|j| {
            core::array::from_fn(|k| turn[j * k % turn.len()])
        }))
    }
}

/// The series at the panel's high end, where every polynomial is 1.
fn at_high(series: &Integral) -> f64 {
    series.iter().rev().sum()
}

/// The series at each of `t`, all in [-1, 1], by Clenshaw's recurrence; side by side, because each is a chain of dependent steps.
fn at(series: &Integral, t: &Points) -> Points {
    let (mut next, mut after) = ([0.0; DEGREE + 1], [0.0; DEGREE + 1]);
    for coefficient in series[1..].iter().rev() {
        for ((next, after), t) in next.iter_mut().zip(&mut after).zip(t) {
            (*next, *after) = (coefficient + 2.0 * t * *next - *after, *next);
        }
    }
    core::array::from_fn(|j| series[0] + t[j] * next[j] - after[j])
}
