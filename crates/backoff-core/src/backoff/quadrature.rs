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
    panels: Vec<Panel>,
    cosines: Cosines,
    settled: bool,
}

const DEGREE: usize = 32;

/// Agreement of `h_n(1)` and `h_n(c)` at which the means count as constant.
const SETTLED: f64 = 1e-12;

/// `h_n` between `low` and `high`, at the Chebyshev points from high to low.
struct Panel {
    low: f64,
    high: f64,
    values: [f64; DEGREE + 1],
}

/// `cos(π j / DEGREE)`: the Chebyshev points, and the kernel of the transform.
struct Cosines([f64; 2 * DEGREE]);

impl Means {
    /// Means in units of the base, for a finite `ratio` = cap / base > 1.
    pub(super) fn new(ratio: f64) -> Self {
        let cosines = Cosines::new();
        let mut panels = Vec::new();
        let mut high = ratio;
        loop {
            let low = (high / 3.0).max(1.0);
            let mut panel = Panel {
                low,
                high,
                values: [0.0; DEGREE + 1],
            };
            panel.values = core::array::from_fn(|j| panel.point(&cosines, j));
            panels.push(panel);
            if low <= 1.0 {
                break;
            }
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
        if !self.settled {
            self.step();
        }
        let least = self.least();
        self.settled = self.greatest() - least <= SETTLED * least;
        least
    }

    fn greatest(&self) -> f64 {
        self.panels[0].values[0]
    }

    fn least(&self) -> f64 {
        self.panels[self.panels.len() - 1].values[DEGREE]
    }

    fn step(&mut self) {
        let cap = self.panels[0].high;
        let at_cap = self.greatest();
        let integrals: Vec<[f64; DEGREE + 2]> = self
            .panels
            .iter()
            .map(|panel| panel.integral(&self.cosines))
            .collect();
        // below[k]: the integral of h from 1 to the low end of panel k.
        let mut below = alloc::vec![0.0; integrals.len()];
        for k in (1..integrals.len()).rev() {
            below[k - 1] = below[k] + clenshaw(&integrals[k], 1.0);
        }
        let whole = below[0] + clenshaw(&integrals[0], 1.0);
        for k in 0..self.panels.len() {
            let values = core::array::from_fn(|j| {
                let x = self.panels[k].point(&self.cosines, j);
                let reach = 3.0 * x;
                let integral = if k == 0 {
                    whole + (reach - cap).max(0.0) * at_cap
                } else {
                    // Three times a point of this panel lies in the panel above.
                    let above = &self.panels[k - 1];
                    below[k - 1] + clenshaw(&integrals[k - 1], above.local(reach))
                };
                integral / (reach - 1.0)
            });
            self.panels[k].values = values;
        }
    }
}

impl Panel {
    fn point(&self, cosines: &Cosines, j: usize) -> f64 {
        match j {
            0 => self.high,
            DEGREE => self.low,
            _ => {
                let middle = f64::midpoint(self.low, self.high);
                middle + (self.high - self.low) / 2.0 * cosines.of(j)
            }
        }
    }

    /// Where `x` lies on the panel stretched to [-1, 1].
    fn local(&self, x: f64) -> f64 {
        (((x - self.low) - (self.high - x)) / (self.high - self.low)).clamp(-1.0, 1.0)
    }

    /// The Chebyshev series of the integral from the panel's low end.
    fn integral(&self, cosines: &Cosines) -> [f64; DEGREE + 2] {
        let mut series = [0.0; DEGREE + 3];
        for (k, coefficient) in series[..=DEGREE].iter_mut().enumerate() {
            let mut sum =
                f64::midpoint(self.values[0], self.values[DEGREE] * cosines.of(k * DEGREE));
            for j in 1..DEGREE {
                sum += self.values[j] * cosines.of(j * k);
            }
            let ends = k == 0 || k == DEGREE;
            *coefficient = sum * if ends { 1.0 } else { 2.0 } / DEGREE as f64;
        }
        // ∫ T_k = (T_{k+1} / (k+1) - T_{k-1} / (k-1)) / 2, but ∫ T_0 = T_1.
        series[0] *= 2.0;
        let half_width = (self.high - self.low) / 2.0;
        let mut integral = [0.0; DEGREE + 2];
        for k in 1..integral.len() {
            integral[k] = half_width * (series[k - 1] - series[k + 1]) / (2 * k) as f64;
        }
        integral[0] = -clenshaw(&integral, -1.0);
        integral
    }
}

impl Cosines {
    fn new() -> Self {
        let step = core::f64::consts::PI / DEGREE as f64;
        Self(core::array::from_fn(|j| libm::cos(j as f64 * step)))
    }

    /// `cos(π j / DEGREE)` for any j.
    fn of(&self, j: usize) -> f64 {
        self.0[j % (2 * DEGREE)]
    }
}

/// The Chebyshev series at `t` in [-1, 1].
fn clenshaw(series: &[f64], t: f64) -> f64 {
    let (mut next, mut after) = (0.0, 0.0);
    for &coefficient in series[1..].iter().rev() {
        (next, after) = (coefficient + 2.0 * t * next - after, next);
    }
    series[0] + t * next - after
}
