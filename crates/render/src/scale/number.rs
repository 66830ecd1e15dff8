//! How the values of ticks are written.

/// Whether so many decimals write the value as it is.
pub(super) fn has_digits(value: f64, digits: usize) -> bool {
    let text = format!("{value:.digits$}");
    text.parse::<f64>()
        .is_ok_and(|read| (read - value).abs() <= value.abs() * 1e-9)
}

/// A value on a linear axis: `12,000`, `0.25`; with a power of ten where the greatest one is very large or the steps are very small.
pub(super) fn grouped(value: f64, decimals: usize, greatest: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if greatest >= 1e12 || decimals > 6 {
        return signed(value, &scientific(value));
    }
    if greatest >= 1e6 && decimals == 0 {
        let millions = value.abs() / 1e6;
        let digits = (0..=6)
            .find(|&digits| has_digits(millions, digits))
            .unwrap_or(6);
        return signed(
            value,
            &format!("{}M", thousands(&format!("{millions:.digits$}"))),
        );
    }
    signed(value, &thousands(&format!("{:.decimals$}", value.abs())))
}

/// A value on a logarithmic axis: `0.01`, `1`, `200`, `5k`, `1M`, and powers of ten from a billion and below a thousandth.
pub(super) fn short(value: f64) -> String {
    let magnitude = value.abs();
    let scaled = |unit: f64, name: &str| {
        let digits = (0..=3)
            .find(|&digits| has_digits(magnitude / unit, digits))
            .unwrap_or(3);
        format!("{:.digits$}{name}", magnitude / unit)
    };
    let text = match magnitude {
        0.0 => "0".to_owned(),
        m if m < 0.001 * (1.0 - 1e-9) => scientific(value),
        m if m < 1e3 => scaled(1.0, ""),
        m if m < 1e6 => scaled(1e3, "k"),
        m if m < 1e9 => scaled(1e6, "M"),
        _ => scientific(value),
    };
    signed(value, &text)
}

fn scientific(value: f64) -> String {
    let digits = (0..=3)
        .find(|digits| {
            let digits = *digits;
            format!("{value:.digits$e}")
                .parse::<f64>()
                .is_ok_and(|read| (read - value).abs() <= value.abs() * 1e-6)
        })
        .unwrap_or(3);
    format!("{:.digits$e}", value.abs())
}

fn signed(value: f64, magnitude: &str) -> String {
    if value < 0.0 {
        format!("−{magnitude}")
    } else {
        magnitude.to_owned()
    }
}

/// Commas between thousands of a plain decimal number.
fn thousands(number: &str) -> String {
    let (whole, rest) = number.split_at(number.find('.').unwrap_or(number.len()));
    let mut out = String::new();
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn on_a_linear_axis() {
        assert_eq!(grouped(12_000.0, 0, 15_000.0), "12,000");
        assert_eq!(grouped(-1234.5, 1, 5000.0), "−1,234.5");
        assert_eq!(grouped(0.0, 2, 1.0), "0");
        assert_eq!(grouped(0.3, 2, 1.0), "0.30");
        assert_eq!(grouped(1.5e9, 0, 2e9), "1,500M");
        assert_eq!(grouped(2e12, 0, 2e12), "2e12");
    }

    #[test]
    fn on_a_logarithmic_axis() {
        for (value, text) in [
            (1e-4, "1e-4"),
            (0.001, "0.001"),
            (0.5, "0.5"),
            (1.0, "1"),
            (200.0, "200"),
            (5e3, "5k"),
            (1e6, "1M"),
            (5e8, "500M"),
            (1e9, "1e9"),
            (2.5e10, "2.5e10"),
        ] {
            assert_eq!(short(value), text);
        }
    }
}
