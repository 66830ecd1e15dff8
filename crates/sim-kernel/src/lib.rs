//! Virtual ticks, the wheel of due requests, the server that crashes, random streams and replications.

pub mod stream;

pub use stream::Stream;
