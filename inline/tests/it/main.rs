mod cascade;
mod edits;
mod invariants;
mod pools;
mod requests;
mod schedule;
mod support;
mod vectors;
