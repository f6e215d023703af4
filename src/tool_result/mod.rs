//! Making long texts smaller: what tools returned, what users pasted.
//!
//! In: a text and an exact token limit. Out: head and tail with a marker between them that says what is missing. The tail is
//! larger because the newest output usually matters more (`HEAD_SHARE`, as Copilot Chat splits it).

pub mod truncate;
