//! CPython's random.Random, bit for bit.
