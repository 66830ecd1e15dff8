//! The engine that replays every client and every draw.
