//! Facts: sentences, their scores, which are rules, and which a later one replaces.

mod excerpts;
mod newest;
mod rules;
mod sentences;
