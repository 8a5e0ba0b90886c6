//! The recording backend.
