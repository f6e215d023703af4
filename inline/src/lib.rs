//! Context of inline completions: the content of the small prompt around a cursor.
//!
//! In: a document, a cursor, neighbour files, provider items, edits, times, limits. Out: prefix, suffix, items with
//! reasons. Start reading at [`inline_context`].
//!
//! `gather` collects items (`neighbours`: which files, `similar`, `words`, `licence`: which windows of them, `edits`,
//! `pools`: which provider items), `narrow` shortens those windows, `elide` fits items line by line, `cascade` by
//! shares, `fit` as a whole, `suffix` decides whether a suffix is sent again, `memory` keeps the state between
//! requests, `options` the limits, `schedule` and `related` decide when providers are asked. Nothing here reads a
//! clock or a file; offsets are UTF-16 code units, texts never split a character.

mod cascade;
mod context;
mod edits;
mod elide;
mod fit;
mod gather;
mod licence;
mod memory;
mod narrow;
mod neighbours;
mod options;
mod pools;
mod prefix;
mod related;
mod schedule;
mod similar;
mod suffix;
mod text;
mod words;

pub use cascade::Shares;
pub use context::{Context, Item, ItemKind, Kind, ProviderItem, Reason, Request, Spent, inline_context};
pub use edits::{EditForm, EditHistory, EditOptions};
pub use elide::{Block, Elided, elide};
pub use licence::licence_len;
pub use memory::{Completions, Memory};
pub use neighbours::{CursorHistory, Neighbour, NeighbourOptions, Place, RecentFiles, Unfit, open_files};
pub use options::Options;
pub use pools::{
    CHARS_PER_TOKEN, Crossing, LOW_WATER, MANDATORY_PRIORITY, Mode, PRIMARY, Pools, WINDOW, available_tokens, has_room,
    server_budgets, take,
};
pub use related::{Related, RelatedFiles};
pub use schedule::{Ask, CursorMove, Moment, MovedBy, Schedule, Started};
pub use similar::{Digest, Similar, SimilarCache, SimilarOptions, Similarity, Snippet, announce, similar, windows};
pub use suffix::{Tokens, edit_distance, is_reusable, reuse};
pub use text::{trim_last_line, utf16_len};
pub use words::{Alphabet, words};
