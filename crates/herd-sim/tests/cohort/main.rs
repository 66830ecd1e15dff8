//! The cohort engine against exact probabilities and against the exact engine.

mod agreement;
mod engine;
mod herds;
mod probabilities;
mod samplers;
mod statistics;
