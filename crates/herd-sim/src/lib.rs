//! A thousand clients fail at once.
