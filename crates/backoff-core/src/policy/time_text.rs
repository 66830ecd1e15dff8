//! A time limit as it stands in a configuration file: `"15s"`, `"1m 30s"`, `"0s"`, `"none"`.

use alloc::string::ToString;
use core::fmt;

use serde::de::{self, Deserialize, Deserializer, Unexpected, Visitor};
use serde::ser::{Serialize, Serializer};

use super::config::TimeLimit;

const NONE: &str = "none";

impl<'de> Deserialize<'de> for TimeLimit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;

        impl Visitor<'_> for Text {
            type Value = TimeLimit;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a duration in quotes, such as \"15s\" or \"1m 30s\", or \"none\"")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<TimeLimit, E> {
                if text == NONE {
                    return Ok(TimeLimit::Unlimited);
                }
                let limit = humantime::parse_duration(text);
                limit
                    .map(TimeLimit::Within)
                    .map_err(|_| E::invalid_value(Unexpected::Str(text), &self))
            }
        }

        deserializer.deserialize_str(Text)
    }
}

impl Serialize for TimeLimit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Unlimited => serializer.serialize_str(NONE),
            Self::Within(limit) => {
                serializer.serialize_str(&humantime::format_duration(*limit).to_string())
            }
        }
    }
}
