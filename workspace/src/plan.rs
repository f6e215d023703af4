//! The decisions of a search at the boundary.
