//! signature
