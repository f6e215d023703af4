//! The index at the boundary.
