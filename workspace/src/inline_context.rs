//! Inline context at the boundary.
