//! The ledger as text: plain lines in tagged blocks, newest last.
//!
//! Every entry first gets its short form: one line, whole if it is not long. [`page`](super::page) decides which lines
//! are shown. Entries without a line are counted in their block, with the ids between which they lie, so that an agent
//! can ask for them.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Ledger;
use super::line::{Line, vital_lines};
use super::page::{FRAMES, Page, VITAL, most_lines, of_constraints};
use crate::tokens::Tokenizer;

/// The maximum tokens of a record's lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shares {
    /// Messages of the user.
    pub user: u64,
    /// Everything else, while there is room.
    pub ledger: u64,
    /// Maximum tokens up to which as many entries as a record should have get their own lines.
    pub entries: u64,
    /// Maximum tokens of such lines without room.
    pub least: u64,
    /// Maximum tokens of everything before the view exceeds its target.
    pub room: u64,
    /// True if the record shows the assistant's last text outside the lists, so that they need not repeat it.
    pub is_last_told: bool,
}

impl Shares {
    /// Returns shares in which lines of their own yield `tokens` to the text beside them, down to `vital`.
    pub fn yielding(self, tokens: u64, vital: u64) -> Shares {
        let entries = self.entries.saturating_sub(tokens).max(vital.min(self.entries));
        Shares { entries, least: self.least.min(entries), ..self }
    }
}

/// The blocks, in the order of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Block {
    Users,
    Constraints,
    Todo,
    Changed,
    Actions,
    Errors,
    Commands,
    Decisions,
    Facts,
    Read,
}

pub(super) const BLOCKS: [Block; 10] = [
    Block::Users,
    Block::Constraints,
    Block::Todo,
    Block::Changed,
    Block::Actions,
    Block::Errors,
    Block::Commands,
    Block::Decisions,
    Block::Facts,
    Block::Read,
];

impl Block {
    /// The tag of the block.
    pub fn name(self) -> &'static str {
        match self {
            Block::Users => "user-messages",
            Block::Constraints => "constraints",
            Block::Todo => "todo",
            Block::Changed => "changed-files",
            Block::Actions => "actions",
            Block::Errors => "errors",
            Block::Commands => "commands",
            Block::Decisions => "decisions",
            Block::Facts => "facts",
            Block::Read => "read-files",
        }
    }

    pub(super) fn of_name(name: &str) -> Option<Block> {
        BLOCKS.into_iter().find(|block| block.name() == name)
    }
}

/// How the entries of one block are shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Shown {
    pub block: Block,
    /// Number of entries with their own line.
    pub lines: usize,
    /// Number of lines that are shorter than their entry.
    pub shortened: usize,
    /// Number of entries without a line, which only recall returns.
    pub left_out: usize,
}

/// Returns the tokens of the lines that must stay, and of the blocks around all; at most `max`.
pub fn vital(ledger: &Ledger, max: u64, tokenizer: &dyn Tokenizer) -> u64 {
    let (lines, _) = vital_lines(ledger, most_lines(max));
    let of = |constraints: bool, max: u64| {
        let mut sum = 0;
        // The newest ones stay.
        for line in lines.iter().rev().filter(|line| VITAL.contains(&line.block)) {
            if (line.block == Block::Constraints) == constraints && sum < max {
                sum += tokenizer.count(&line.short) + 1;
            }
        }
        sum.min(max)
    };
    (FRAMES + of(true, of_constraints(max)) + of(false, max)).min(max)
}

/// The cost of a ledger's blocks, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// Cost in any case.
    pub floor: u64,
    /// Additional cost of the lines that a record should have.
    pub lines: u64,
    /// Additional cost of the user's words.
    pub words: u64,
}

/// Returns the cost of the blocks with unlimited room.
pub fn wanted(ledger: &Ledger, shares: Shares, tokenizer: &dyn Tokenizer) -> Wanted {
    let shares = Shares { room: u64::MAX, ..shares };
    let mut page = Page::new(ledger, shares, false, tokenizer);
    page.floor(ledger);
    let floor = page.users + page.lists;
    page.fill_lines(ledger);
    let lines = page.users + page.lists - floor;
    // Their share is the max.
    let mut words = 0;
    for request in &ledger.requests {
        if words >= shares.user {
            break;
        }
        words += tokenizer.count(&request.text);
    }
    Wanted { floor, lines, words: words.min(shares.user).saturating_sub(page.users) }
}

/// The blocks of a ledger as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocks {
    pub text: String,
    /// How the entries are shown.
    pub shown: Vec<Shown>,
    /// Tokens that only fill free room.
    pub spare: u64,
}

/// Writes the blocks of a ledger within `shares`. If the agent can look messages up by id (`recalls`), they name the
/// ids of the entries without a line.
pub fn blocks(ledger: &Ledger, shares: Shares, recalls: bool, tokenizer: &dyn Tokenizer) -> Blocks {
    blocks_with(ledger, shares, recalls, tokenizer, ([0, 0], |_: &str, _| (String::new(), 0)))
}

/// Writes the blocks, and text that the record shows after the lists. `reserves` are tokens that the lists leave for
/// it: before their own lines get any room, and before they exceed their shares. The function writes the text within
/// the tokens that it gets; the lists use the rest.
pub fn blocks_with(
    ledger: &Ledger,
    shares: Shares,
    recalls: bool,
    tokenizer: &dyn Tokenizer,
    (reserves, beside): ([u64; 2], impl FnOnce(&str, u64) -> (String, u64)),
) -> Blocks {
    let [first, all] = reserves;
    let mut page = Page::new(ledger, shares, true, tokenizer);
    page.floor(ledger);
    page.shares.room = shares.room.saturating_sub(first);
    page.fill_requests(ledger);
    page.fill_lines(ledger);
    page.shares.room = shares.room.saturating_sub(all);
    page.fill_room(ledger);
    if all == 0 {
        return write(ledger, &page, recalls);
    }
    page.shares.room = shares.room;
    let lists = write(ledger, &page, recalls);
    let (text, tokens) = beside(&lists.text, page.room());
    page.shares.room = shares.room.saturating_sub(tokens);
    page.fill_room(ledger);
    let mut blocks = write(ledger, &page, recalls);
    blocks.text.push_str(&text);
    blocks.spare += tokens;
    blocks
}

fn write(ledger: &Ledger, page: &Page, recalls: bool) -> Blocks {
    let tokenizer = page.tokenizer;
    let mut room = page.own().min(page.room());
    let mut of_changed = page.within(page.shares.entries);
    let mut out = String::new();
    let mut shown = Vec::new();
    for block in BLOCKS {
        let all: Vec<&Line> = page.lines.iter().filter(|line| line.block == block).collect();
        // Sentences that are no facts do not count as missing.
        let is_missing = |line: &&Line| line.form.is_none() && block != Block::Facts;
        let missing: Vec<&Line> = all.iter().copied().filter(is_missing).collect();
        let earlier = ledger.left_out.get(block.name()).copied().unwrap_or(0);
        let older = page.older.iter().find(|(of, ..)| *of == block);
        let left_out = missing.len() + earlier + older.map_or(0, |(_, count, _)| *count);
        if all.iter().all(|line| line.form.is_none()) && left_out == 0 {
            continue;
        }
        let lines = all.iter().filter(|line| line.form.is_some()).count();
        let is_short = |line: &&&Line| line.form.is_some_and(|form| form < line.longer.len());
        let shortened = all.iter().filter(is_short).count();
        shown.push(Shown { block, lines, shortened, left_out });
        let start = out.len();
        let mut has_content = lines > 0 || recalls;
        out.push_str(&format!("<{}>\n", block.name()));
        let folder = page.folder.as_ref().filter(|_| matches!(block, Block::Changed | Block::Read));
        out.extend(folder.into_iter().flat_map(|line| [line, "\n"]));
        if left_out > 0 {
            let oldest = older.map(|(.., id)| id).or(missing.first().map(|line| &line.id));
            let ids = match (oldest, missing.last().map_or(oldest, |line| Some(&line.id))) {
                _ if !recalls => String::new(),
                (Some(oldest), Some(newest)) if oldest != newest => {
                    format!(", between {oldest} and {newest}; recall them by id")
                }
                (Some(only), _) => format!(", recall {only}"),
                _ => ", in an earlier record".to_string(),
            };
            out.push_str(&format!("({left_out} more left out{ids})\n"));
            if matches!(block, Block::Changed | Block::Read) {
                let room = if block == Block::Changed { &mut of_changed } else { &mut room };
                for folder in folders(&missing) {
                    let cost = tokenizer.count(&folder) + 1;
                    if cost > *room {
                        break;
                    }
                    *room -= cost;
                    out.push_str(&folder);
                    out.push('\n');
                    has_content = true;
                }
            }
        }
        let mut previous = None;
        for line in &all {
            let Some(form) = line.form else { continue };
            out.push_str(&line.text(form, previous.is_some_and(|before| line.continues(before))));
            out.push('\n');
            previous = Some(*line);
        }
        out.push_str(&format!("</{}>\n", block.name()));
        // A count alone helps no reader who cannot look up what it counts.
        if !has_content {
            out.truncate(start);
        }
    }
    Blocks { text: out, shown, spare: page.spare }
}

/// Writes the files without a line by folder: `(src/ui/: 7 files)`, the fullest first.
fn folders(missing: &[&Line]) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for line in missing {
        let path = line.short.strip_prefix("- ").unwrap_or(&line.short);
        let path = path.rsplit_once(" (").map_or(path, |(path, _)| path);
        *counts.entry(path.rsplit_once('/').map_or("", |(folder, _)| folder)).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    // Folders are in order of name.
    crate::rank::sort(&mut counts, |(_, files)| !(*files as u64));
    counts
        .into_iter()
        .map(|(folder, n)| format!("({}/: {n} files)", if folder.is_empty() { "." } else { folder }))
        .collect()
}
