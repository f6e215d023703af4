mod chunking;
mod compaction;
mod indexing;
mod profiles;
mod snapshots;
mod support;
mod vectors;
