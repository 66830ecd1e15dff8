//! HTTP dates: IMF-fixdate, RFC 850 and asctime.

use super::calendar::{DAY, FIRST, LAST, civil_from_days, days_from_epoch, days_in_month};
use super::saturating_number;

/// A second in time, read from an HTTP date; always GMT.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HttpDate {
    unix: i64,
}

const MONTHS: [&[u8]; 12] = [
    b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec",
];
/// From Thursday, the weekday of 1 January 1970.
const WEEKDAYS: [&[u8]; 7] = [
    b"Thursday",
    b"Friday",
    b"Saturday",
    b"Sunday",
    b"Monday",
    b"Tuesday",
    b"Wednesday",
];
impl HttpDate {
    /// Seconds since 1970-01-01 00:00:00 GMT, without leap seconds (second 60 counts as the next minute's 0); in
    /// [−62,167,219,200, 253,402,300,800]: years 0 to 9999.
    #[must_use]
    pub fn unix_seconds(self) -> i64 {
        self.unix
    }

    /// The date, if `value` follows the grammar of RFC 9110 to the letter and names the weekday that the date has.
    pub(super) fn read_strictly(value: &[u8], now: i64) -> Option<Self> {
        let comma = value.iter().position(|&byte| byte == b',');
        let (weekday, fields) = match comma {
            Some(3) => (&value[..3], imf_fixdate(&value[3..])?),
            Some(at) => (&value[..at], rfc_850(&value[at..], now)?),
            None => (value.get(..3)?, asctime(value.get(3..)?)?),
        };
        let date = fields.date()?;
        let days = days_from_epoch(fields.year.into(), fields.month, fields.day);
        let name = WEEKDAYS[days.rem_euclid(7) as usize];
        let expected = match comma {
            Some(at) if at != 3 => name,
            _ => &name[..3],
        };
        (weekday == expected).then_some(date)
    }

    /// The date, if `value` has a day, a month, a year and a time, each once, and at most a weekday and GMT beside them.
    pub(super) fn read_leniently(value: &[u8], now: i64) -> Option<Self> {
        let mut loose = Loose::default();
        let separator = |byte: &u8| matches!(byte, b' ' | b'\t' | b',' | b'-');
        for word in value.split(separator).filter(|word| !word.is_empty()) {
            loose.take(word)?;
        }
        let (hour, minute, second) = loose.time?;
        let mut fields = Fields {
            year: 0,
            month: loose.month?,
            day: loose.day?,
            hour,
            minute,
            second,
        };
        match loose.year? {
            Year::Full(year) => fields.year = year,
            Year::Short(digits) => fields.year = full_year(digits, fields, now),
        }
        fields.date()
    }
}

/// `, 06 Nov 1994 08:49:37 GMT`
fn imf_fixdate(rest: &[u8]) -> Option<Fields> {
    let &[
        b',',
        b' ',
        d1,
        d2,
        b' ',
        m1,
        m2,
        m3,
        b' ',
        y1,
        y2,
        y3,
        y4,
        b' ',
        ref time @ ..,
        b' ',
        b'G',
        b'M',
        b'T',
    ] = rest
    else {
        return None;
    };
    fields(number(&[y1, y2, y3, y4])?, [m1, m2, m3], &[d1, d2], time)
}

/// `, 06-Nov-94 08:49:37 GMT`
fn rfc_850(rest: &[u8], now: i64) -> Option<Fields> {
    let &[
        b',',
        b' ',
        d1,
        d2,
        b'-',
        m1,
        m2,
        m3,
        b'-',
        y1,
        y2,
        b' ',
        ref time @ ..,
        b' ',
        b'G',
        b'M',
        b'T',
    ] = rest
    else {
        return None;
    };
    let mut fields = fields(0, [m1, m2, m3], &[d1, d2], time)?;
    fields.year = full_year(number(&[y1, y2])?, fields, now);
    Some(fields)
}

/// ` Nov  6 08:49:37 1994`
fn asctime(rest: &[u8]) -> Option<Fields> {
    let &[
        b' ',
        m1,
        m2,
        m3,
        b' ',
        d1,
        d2,
        b' ',
        ref time @ ..,
        b' ',
        y1,
        y2,
        y3,
        y4,
    ] = rest
    else {
        return None;
    };
    let day: &[u8] = if d1 == b' ' { &[d2] } else { &[d1, d2] };
    fields(number(&[y1, y2, y3, y4])?, [m1, m2, m3], day, time)
}

/// What the three forms have in common; the time as in `08:49:37`.
fn fields(year: u32, month_name: [u8; 3], day: &[u8], time: &[u8]) -> Option<Fields> {
    let &[h1, h2, b':', m1, m2, b':', s1, s2] = time else {
        return None;
    };
    Some(Fields {
        year,
        month: month(&month_name)?,
        day: number(day)?,
        hour: number(&[h1, h2])?,
        minute: number(&[m1, m2])?,
        second: number(&[s1, s2])?,
    })
}

fn number(digits: &[u8]) -> Option<u32> {
    let all_digits = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    all_digits.then(|| u32::try_from(saturating_number(digits)).unwrap_or(u32::MAX))
}

fn month(name: &[u8]) -> Option<u32> {
    let index = MONTHS.iter().position(|&month| month == name)?;
    Some(index as u32 + 1)
}

/// The words of a date seen so far.
#[derive(Default)]
struct Loose {
    weekday: bool,
    day: Option<u32>,
    month: Option<u32>,
    year: Option<Year>,
    time: Option<(u32, u32, u32)>,
    zone: bool,
}

enum Year {
    Full(u32),
    Short(u32),
}

impl Loose {
    /// Takes one word for what it can only be, or `None` if that was there already or it can be nothing.
    fn take(&mut self, word: &[u8]) -> Option<()> {
        if word.contains(&b':') {
            let mut parts = word.split(|&byte| byte == b':').map(|part| {
                let short = part.len() <= 2;
                number(part).filter(|_| short)
            });
            let time = (parts.next()??, parts.next()??, parts.next()??);
            return (parts.next().is_none() && self.time.replace(time).is_none()).then_some(());
        }
        if let Some(value) = number(word) {
            match (word.len(), &self.day, &self.year) {
                (1..=2, None, _) => self.day = Some(value),
                (2, _, None) => self.year = Some(Year::Short(value)),
                (4, _, None) => self.year = Some(Year::Full(value)),
                (4, _, Some(_)) if value == 0 && !self.zone => self.zone = true,
                _ => return None,
            }
            return Some(());
        }
        let is = |name: &[u8]| word.eq_ignore_ascii_case(name);
        if let Some(index) = MONTHS.iter().position(|name| is(name)) {
            return self.month.replace(index as u32 + 1).is_none().then_some(());
        }
        let flag = if [b"GMT" as &[u8], b"UTC", b"UT", b"Z", b"+0000"]
            .iter()
            .any(|name| is(name))
        {
            &mut self.zone
        } else if WEEKDAYS.iter().any(|name| is(name) || is(&name[..3])) {
            &mut self.weekday
        } else {
            return None;
        };
        (!core::mem::replace(flag, true)).then_some(())
    }
}

/// A date's numbers, not yet checked.
#[derive(Clone, Copy)]
struct Fields {
    year: u32,
    month: u32,
    day: u32,
    hour: u32,
    minute: u32,
    second: u32,
}

impl Fields {
    /// The second these numbers name, if there is such a day and time; second 60 is a leap second.
    fn date(self) -> Option<HttpDate> {
        let exists = self.year <= 9999
            && (1..=12).contains(&self.month)
            && (1..=days_in_month(self.year, self.month)).contains(&self.day)
            && self.hour <= 23
            && self.minute <= 59
            && self.second <= 60;
        exists.then(|| HttpDate {
            unix: self.seconds(),
        })
    }

    fn seconds(self) -> i64 {
        days_from_epoch(self.year.into(), self.month, self.day) * DAY
            + i64::from(self.hour) * 3600
            + i64::from(self.minute) * 60
            + i64::from(self.second)
    }
}

/// The year whose last two digits are `digits`: the latest that isn't more than 50 years after `now` (RFC 9110, section 5.6.7).
fn full_year(digits: u32, fields: Fields, now: i64) -> u32 {
    let now = now.clamp(FIRST, LAST);
    let days = now.div_euclid(DAY);
    let (year, month, day) = civil_from_days(days);
    let horizon = days_from_epoch(i64::from(year) + 50, month, day) * DAY + now.rem_euclid(DAY);
    // The greatest year up to the horizon's with these digits; its date may still lie after the horizon.
    let latest = year + 50;
    let same_century = latest / 100 * 100 + digits;
    let candidate = if same_century > latest {
        same_century.checked_sub(100).unwrap_or(same_century)
    } else {
        same_century
    };
    let after = Fields {
        year: candidate,
        ..fields
    }
    .seconds()
        > horizon;
    if after {
        candidate.saturating_sub(100)
    } else {
        candidate
    }
}
