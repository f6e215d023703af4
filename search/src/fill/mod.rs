//! Fills a budget with hits, exactly.
//!
//! In: hits in rank order, the texts of their files, a budget. Out: passages in the form in which they are rendered
//! into a prompt; together they never exceed the budget. Start reading at [`fill`].
//!
//! `render` writes a passage, `count` counts passages without counting a line twice, `passages` joins overlapping and
//! touching hits and decides what fits.

mod count;
mod passages;
mod render;

use espalier_core::error::{Code, Error, Result};
use espalier_core::tokens::Tokenizer;
use passages::Passages;
use serde::{Deserialize, Serialize};

/// A file that contains hits, or the lines of it that contain them all.
#[derive(Debug, Clone, Copy)]
pub struct FillFile<'a> {
    pub path: &'a str,
    pub text: &'a str,
    /// UTF-16 code units of the file before `text`.
    pub offset: usize,
    /// Lines of the file before `text`.
    pub line: usize,
}

impl<'a> FillFile<'a> {
    /// Returns a file with its whole text.
    pub fn whole(path: &'a str, text: &'a str) -> FillFile<'a> {
        FillFile { path, text, offset: 0, line: 0 }
    }
}

/// A part of a file, in UTF-16 code units.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub struct FillHit {
    /// Index of the file.
    pub file: usize,
    pub start: usize,
    pub end: usize,
    pub score: f64,
}

/// Limits of the passages.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FillOptions {
    /// Maximum tokens of all passages together, as rendered.
    pub budget: u64,
    /// Maximum share of the budget for one hit while others wait for room.
    pub hit_share: f64,
    /// Minimum tokens of that share.
    pub min_share: u64,
}

impl Default for FillOptions {
    fn default() -> FillOptions {
        FillOptions { budget: 32_000, hit_share: 0.5, min_share: 512 }
    }
}

/// A passage of a file: one hit, or several that overlap or touch.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Passage {
    pub file: usize,
    /// In UTF-16 code units; blank lines at both ends are left out.
    pub start: usize,
    pub end: usize,
    /// From 0; the last line is included.
    pub first_line: usize,
    pub last_line: usize,
    /// Tokens of the rendered passage.
    pub tokens: u64,
    /// The best score of its hits.
    pub score: f64,
    /// Indexes of its hits, best first.
    pub hits: Vec<usize>,
    /// True if parts of its hits are missing.
    pub is_cut: bool,
    /// The hit whose summary is its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<usize>,
    /// Path, lines and text, fenced. Passages are joined without separators.
    pub rendered: String,
}

/// A hit that is left out completely.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LeftOut {
    pub hit: usize,
    pub first_line: usize,
    pub last_line: usize,
    pub why: Why,
}

/// The reason why a hit is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Why {
    Budget,
    /// Its range is outside the file, or blank.
    Range,
}

/// The result of filling.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Filled {
    /// Best first.
    pub passages: Vec<Passage>,
    /// Tokens of all rendered passages together.
    pub tokens: u64,
    pub left_out: Vec<LeftOut>,
}

/// A hit that is larger than its share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Large {
    pub hit: usize,
    /// Maximum tokens of its summary.
    pub budget: u64,
}

/// Fills the budget with hits in their order. A hit without room is skipped, and smaller ones after it are tried. A hit
/// larger than its share is replaced by its summary, or cut between lines. If room is left at the end it gets more,
/// then the best of the skipped hits get the rest.
///
/// `summaries` are texts that the caller made for hits of [`large_hits`].
///
/// ```
/// use espalier_core::tokens::Tokenizer;
/// use espalier_search::{FillFile, FillHit, FillOptions, fill};
/// struct Bytes;
/// impl Tokenizer for Bytes {
///     fn count(&self, text: &str) -> u64 { text.len() as u64 }
/// }
/// # fn main() -> espalier_core::error::Result<()> {
/// let files = [FillFile::whole("a.md", "one\ntwo\nthree\n")];
/// let hits = [(4, 8), (8, 14)].map(|(start, end)| FillHit { file: 0, start, end, score: 1.0 });
/// let filled = fill(&files, &hits, &[], FillOptions { budget: 100, ..FillOptions::default() }, &Bytes)?;
/// assert_eq!(filled.passages[0].rendered, "`a.md`, lines 2-3\n```md\ntwo\nthree\n```\n");
/// # Ok(()) }
/// ```
///
/// # Errors
/// [`Code::BadInput`] if a hit names an unknown file, [`Code::BadOption`] for an invalid share.
pub fn fill<T: Tokenizer + ?Sized>(
    files: &[FillFile<'_>],
    hits: &[FillHit],
    summaries: &[(usize, &str)],
    options: FillOptions,
    tokenizer: &T,
) -> Result<Filled> {
    check(files, hits, options)?;
    let mut passages = Passages::new(files, hits, tokenizer);
    passages.fill(options, summaries);
    Ok(passages.finish(options.budget))
}

/// Returns the hits that are larger than their share of the budget, each with the maximum tokens of a summary.
///
/// # Errors
/// Those of [`fill`].
pub fn large_hits<T: Tokenizer + ?Sized>(
    files: &[FillFile<'_>],
    hits: &[FillHit],
    options: FillOptions,
    tokenizer: &T,
) -> Result<Vec<Large>> {
    check(files, hits, options)?;
    Ok(Passages::new(files, hits, tokenizer).large(options))
}

fn check(files: &[FillFile<'_>], hits: &[FillHit], options: FillOptions) -> Result<()> {
    if let Some(at) = hits.iter().position(|hit| hit.file >= files.len()) {
        return Err(
            Error::new(Code::BadInput, "the hit names a file that is not in the list").at(format!("hits[{at}].file"))
        );
    }
    if !(0.0..=1.0).contains(&options.hit_share) {
        return Err(Error::new(Code::BadOption, "hitShare must be a number from 0 to 1").at("options.hitShare"));
    }
    Ok(())
}

impl FillOptions {
    fn share(self) -> u64 {
        ((self.budget as f64 * self.hit_share) as u64).max(self.min_share).min(self.budget)
    }
}
