mod edits;
mod invariants;
mod pools;
mod requests;
mod support;
mod vectors;
