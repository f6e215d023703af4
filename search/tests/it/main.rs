mod chunking;
mod indexing;
mod profiles;
mod snapshots;
mod support;
mod vectors;
