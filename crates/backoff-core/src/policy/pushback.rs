//! gRPC server pushback.

use core::time::Duration;

/// What a gRPC server said in `grpc-retry-pushback-ms`.
///
/// It isn't a `Retry-After`: a number is obeyed exactly, whatever the limits on that; a negative or unreadable one means "don't retry".
/// After a retry that was pushed back the backoff begins again with its first wait. Pushback doesn't make a code retryable that isn't.
///
/// Source: gRPC proposal A6, "Pushback".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Pushback {
    /// Retry after exactly this.
    After(Duration),
    /// A negative number: don't retry.
    Refused,
    /// Not a whole number of 32 bits: don't retry.
    Unreadable,
}

impl Pushback {
    /// What the metadata value says: ASCII digits, with `-` before them if negative; up to 2,147,483,647 ms.
    ///
    /// ```
    /// use backoff_core::policy::Pushback;
    /// use core::time::Duration;
    ///
    /// assert_eq!(Pushback::read(b"250"), Pushback::After(Duration::from_millis(250)));
    /// assert_eq!(Pushback::read(b"-1"), Pushback::Refused);
    /// for unreadable in ["", "1.5", "soon", "2147483648", " 1", "+1"] {
    ///     assert_eq!(Pushback::read(unreadable.as_bytes()), Pushback::Unreadable);
    /// }
    /// ```
    #[must_use]
    pub fn read(value: &[u8]) -> Self {
        let (digits, negative) = match value {
            [b'-', digits @ ..] => (digits, true),
            digits => (digits, false),
        };
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            return Self::Unreadable;
        }
        let millis = digits.iter().try_fold(0_i32, |number, digit| {
            number.checked_mul(10)?.checked_add(i32::from(digit - b'0'))
        });
        match millis {
            Some(0) => Self::After(Duration::ZERO),
            _ if negative => Self::Refused,
            Some(millis) => Self::After(Duration::from_millis(millis.unsigned_abs().into())),
            None => Self::Unreadable,
        }
    }

    /// What several values of the key say: more than one is unreadable; none is `None`.
    pub fn read_all<'a>(values: impl IntoIterator<Item = &'a [u8]>) -> Option<Self> {
        let mut values = values.into_iter();
        let first = Self::read(values.next()?);
        Some(if values.next().is_some() {
            Self::Unreadable
        } else {
            first
        })
    }
}
