//! Facts: sentences, their scores, which are rules, and which a later one replaces.

mod excerpts;
mod long;
mod newest;
mod rules;
mod sentences;
