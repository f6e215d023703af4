//! Workspace search: finds the chunks of files that belong into a prompt.
//!
//! In: paths, texts, definitions that a parser found, embeddings, queries. Out: chunks in rank order with scores. Start
//! reading at [`Index`].
//!
//! `chunk` cuts a text, `terms` finds the words of a chunk (`stem`: without their endings), `index` stores files and
//! applies changes (`inverted`: postings, `intern`: the dictionary, `bytes`: variable-length numbers, `compact`: drops
//! removed chunks), `query` ranks, `snapshot` writes and reads segments (`segment`: the layout of one), `vectors` finds
//! nearest neighbours (`vector_store`: and stores them), `fuse` joins rankings. `plan` decides which of these searches
//! runs when, `fill` makes passages of hits until a budget is full. `messages` finds messages of a conversation with
//! the same index, `variations` parses questions for it.
//!
//! Texts are not stored. Nothing here reads a clock or a file.

mod bytes;
mod chunk;
mod compact;
mod fill;
mod fuse;
mod index;
mod intern;
mod inverted;
mod messages;
mod plan;
mod profile;
mod query;
mod segment;
mod snapshot;
mod stem;
mod terms;
mod variations;
mod vector_store;
mod vectors;

pub use chunk::{Chunk, ChunkOptions, Definition, MIN_BUDGET, chunks};
pub use fill::{FillFile, FillHit, FillOptions, Filled, Large, LeftOut, Passage, Why, fill, large_hits};
pub use fuse::{RRF_K, fuse};
pub use index::{Index, Located, State};
pub use messages::{FoundMessage, Message, Messages, Speaker};
pub use plan::{
    Answer, Ask, Attempt, Callbacks, Combine, Effect, Ending, Keyword, Outcome, Plan, PlanOptions, Ranked, Scored,
    Stage, Step, Strategy, Timeouts, WholeLimits,
};
pub use profile::{Profile, Scoring, Words};
pub use query::{Contribution, Hit, Query};
pub use snapshot::{Damage, DamagedSegment, Loaded, Loading, Saved, Saving, Segment};
pub use terms::{terms_of, words};
pub use vector_store::{SavedVectors, VectorStore};
pub use vectors::{Neighbour, Vectors};
