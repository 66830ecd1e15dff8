//! Days of the Gregorian calendar, and their number from 1970-01-01.

/// The seconds of a day.
pub(super) const DAY: i64 = 86_400;
/// 1 January of the year 0 and the last second of the year 9999, between which every four-digit year lies.
pub(super) const FIRST: i64 = -62_167_219_200;
pub(super) const LAST: i64 = 253_402_300_799;

fn is_leap(year: u32) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

/// The number of days of the month, which is from 1 to 12.
pub(super) fn days_in_month(year: u32, month: u32) -> u32 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 1970-01-01 in the proleptic Gregorian calendar; years counted from March, so that the leap day ends them.
pub(super) fn days_from_epoch(year: i64, month: u32, day: u32) -> i64 {
    let (march_year, months_since_march) = if month > 2 {
        (year, i64::from(month) - 3)
    } else {
        (year - 1, i64::from(month) + 9)
    };
    let leap_days =
        march_year.div_euclid(4) - march_year.div_euclid(100) + march_year.div_euclid(400);
    // The lengths of March to January repeat every five months with 153 days.
    march_year * 365 + leap_days + (153 * months_since_march + 2) / 5 + i64::from(day) - 1 - 719_468
}

/// The inverse of [`days_from_epoch`] for the years 0 to 9999: (year, month, day).
pub(super) fn civil_from_days(days: i64) -> (u32, u32, u32) {
    // 400 years have 146,097 days; a guess by the mean year is at most one off.
    let mut year = ((days + 719_528) * 400).div_euclid(146_097).clamp(0, 9999);
    if days_from_epoch(year, 1, 1) > days {
        year -= 1;
    } else if days_from_epoch(year + 1, 1, 1) <= days {
        year += 1;
    }
    let mut month = 12;
    while month > 1 && days_from_epoch(year, month, 1) > days {
        month -= 1;
    }
    let day = days - days_from_epoch(year, month, 1) + 1;
    (year as u32, month, day as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_of_ten_thousand_years_is_its_own_inverse() {
        let mut days = FIRST / DAY;
        for year in 0..=9999 {
            for month in 1..=12 {
                for day in 1..=days_in_month(year, month) {
                    assert_eq!(days_from_epoch(year.into(), month, day), days);
                    assert_eq!(civil_from_days(days), (year, month, day));
                    days += 1;
                }
            }
        }
        assert_eq!(days * DAY - 1, LAST);
    }
}
