//! Retries multiply along a call chain; who owns an error.
