//! Changed code: the definitions that enclose what changed, within a number of tokens.
//!
//! In: files with their structure, and the lines that changed in each. Out: for each file a text in which every stretch that is left
//! out has a marker, or a proposal how to split the files where even the changed lines are too many.
//!
//! ```text
//! diff ─▶ changed lines ─┐
//! selections ────────────┴─▶ ladder: whole file, definitions, statements, heads, changed lines ─▶ texts
//! ```
//!
//! The ladder goes down for the largest file first, until all of them fit, and up again where there is room left. [`compatible`] is the
//! reduction of microsoft/vscode-copilot-chat at 31acd00a.

pub mod compatible;
pub mod diff;
mod keep;
pub mod lines;
mod render;

use std::ops::Range;

use crate::document::Overlay;
use crate::document::outline::Item;
use crate::error::{BudgetDetails, Code, Contributor, Error, Result};
use crate::tokens::Tokenizer;
use diff::{FileDiff, Side};
use keep::Layout;
use lines::Lines;
use render::{Rendered, render};

/// Batches that are proposed at most, unless somebody says otherwise: what Copilot Chat sends for one review.
pub const BATCHES: usize = 10;
/// What a marker says; `{lines}` are the numbers of the lines, from 1.
pub const WORDING: &str = "… {lines} omitted";

/// Lines that changed, from 0, the end excluded; empty where lines only went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    /// The first line.
    pub start: u32,
    /// The line behind the last one.
    pub end: u32,
}

/// A file, its structure, and what changed in it.
#[derive(Debug, Clone)]
pub struct File<'f> {
    /// How errors call it.
    pub name: &'f str,
    /// The text as it is now.
    pub text: &'f str,
    /// The name of its language, for the syntax of comments.
    pub language: &'f str,
    /// Its overlay.
    pub overlay: &'f Overlay,
    /// Its definitions.
    pub items: &'f [Item],
    /// What changed, ascending; a file without changes is left out where room is short.
    pub changes: Vec<Change>,
}

impl File<'_> {
    fn is_changed(&self, line: u32) -> bool {
        let at = self.changes.partition_point(|change| change.end <= line);
        self.changes[at..].iter().take_while(|change| change.start <= line).any(|change| line < change.end)
    }
}

/// How much of a file is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// All of it.
    Whole,
    /// The enclosing definitions whole, heads and ends of those around them.
    Definitions,
    /// Within them only the statements around the changes.
    Statements,
    /// The changed lines with the heads and ends of the enclosing definitions.
    Headers,
    /// The changed lines alone.
    Changes,
    /// Nothing: nothing in it changed.
    Dropped,
}

impl Step {
    /// The name that reaches JavaScript.
    pub fn as_str(self) -> &'static str {
        match self {
            Step::Whole => "whole",
            Step::Definitions => "definitions",
            Step::Statements => "statements",
            Step::Headers => "headers",
            Step::Changes => "changes",
            Step::Dropped => "dropped",
        }
    }
}

/// The steps between all and nothing.
const LADDER: [Step; 4] = [Step::Definitions, Step::Statements, Step::Headers, Step::Changes];

/// What numbered lines say of those that changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Annotation {
    /// `/* Changed Line 3 */`
    Changed,
    /// `/* Selected Line 3 */`
    Selected,
}

/// What a reduction depends on beside the files.
#[derive(Debug, Clone, Copy)]
pub struct Settings<'s> {
    /// Tokens that all texts may have together.
    pub budget: u64,
    /// Tokens that the host spends on each file that is not left out (a heading, a fence).
    pub overhead: u64,
    /// Whether lines carry their numbers; these are part of the text.
    pub annotation: Option<Annotation>,
    /// What a marker says, see [`WORDING`].
    pub wording: &'s str,
    /// Batches that may be proposed.
    pub batches: usize,
}

impl Default for Settings<'_> {
    fn default() -> Settings<'static> {
        Settings { budget: 0, overhead: 0, annotation: None, wording: WORDING, batches: BATCHES }
    }
}

/// A stretch that was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Elision {
    /// Its first byte in the file.
    pub start: u32,
    /// The byte behind it.
    pub end: u32,
    /// Its lines, from 0.
    pub lines: Range<u32>,
    /// Tokens of it.
    pub tokens: u64,
    /// The names of the outermost definitions that begin in it.
    pub definitions: Vec<String>,
    /// Where its marker stands in the result, in bytes.
    pub marker: (u32, u32),
}

/// A file that was reduced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reduced {
    /// What is left, markers included.
    pub text: String,
    /// Tokens of `text`, counted on its own.
    pub tokens: u64,
    /// How far the file had to go down.
    pub step: Step,
    /// What was left out, ascending.
    pub elisions: Vec<Elision>,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reduction {
    /// All files fit, each in the order in which it came.
    Fits {
        /// The files.
        files: Vec<Reduced>,
        /// Tokens of all, overhead included.
        tokens: u64,
    },
    /// Even the changed lines are too many for one request.
    Split {
        /// Tokens that all changed lines would need.
        needed: u64,
        /// Files by number, each batch of which fits.
        batches: Vec<Vec<usize>>,
    },
    /// Even in as many batches as are allowed they are too many.
    TooMany {
        /// Tokens that all changed lines would need.
        needed: u64,
        /// Batches that it would take.
        batches: usize,
    },
}

/// Reduces files until they fit.
///
/// # Errors
/// [`Code::BudgetExceeded`] if the changed lines of one file alone are too many, with the tokens that are needed.
pub fn reduce(files: &[File<'_>], settings: &Settings<'_>, tokenizer: &dyn Tokenizer) -> Result<Reduction> {
    let mut ladder = Ladder::new(files, settings, tokenizer);
    for step in LADDER {
        ladder.go_down(step);
    }
    if ladder.total <= settings.budget {
        ladder.go_up();
        return Ok(ladder.done());
    }
    ladder.split()
}

/// One file on the ladder.
struct Rung<'r> {
    file: &'r File<'r>,
    layout: Layout<'r>,
    step: Step,
    /// By step, as far as they were needed.
    made: [Option<Rendered>; 6],
}

impl Rung<'_> {
    fn at(&mut self, step: Step, settings: &Settings<'_>, tokenizer: &dyn Tokenizer) -> &Rendered {
        let (file, layout) = (self.file, &self.layout);
        self.made[step as usize].get_or_insert_with(|| match step {
            Step::Dropped => Rendered::default(),
            _ => render(file, layout, &layout.kept(step), settings, tokenizer),
        })
    }

    /// Tokens at a step, overhead included.
    fn cost(&mut self, step: Step, settings: &Settings<'_>, tokenizer: &dyn Tokenizer) -> u64 {
        match step {
            Step::Dropped => 0,
            _ => self.at(step, settings, tokenizer).tokens.saturating_add(settings.overhead),
        }
    }
}

struct Ladder<'l> {
    rungs: Vec<Rung<'l>>,
    settings: &'l Settings<'l>,
    tokenizer: &'l dyn Tokenizer,
    total: u64,
}

impl<'l> Ladder<'l> {
    fn new(files: &'l [File<'l>], settings: &'l Settings<'l>, tokenizer: &'l dyn Tokenizer) -> Ladder<'l> {
        let rung = |file| Rung { file, layout: Layout::new(file), step: Step::Whole, made: Default::default() };
        let mut ladder = Ladder { rungs: files.iter().map(rung).collect(), settings, tokenizer, total: 0 };
        for at in 0..files.len() {
            ladder.total = ladder.total.saturating_add(ladder.cost(at, Step::Whole));
        }
        ladder
    }

    fn cost(&mut self, at: usize, step: Step) -> u64 {
        self.rungs[at].cost(step, self.settings, self.tokenizer)
    }

    fn now(&mut self, at: usize) -> u64 {
        self.cost(at, self.rungs[at].step)
    }

    fn go(&mut self, at: usize, step: Step) {
        self.total = self.total - self.now(at) + self.cost(at, step);
        self.rungs[at].step = step;
    }

    /// Files one after the other, the largest first, as long as all of them are too much.
    fn go_down(&mut self, step: Step) {
        let mut order: Vec<(u64, usize)> = (0..self.rungs.len()).map(|at| (self.now(at), at)).collect();
        crate::rank::sort(&mut order, |(tokens, _)| !*tokens);
        for (tokens, at) in order {
            if self.total <= self.settings.budget {
                return;
            }
            let step = if self.rungs[at].layout.must().is_empty() { Step::Dropped } else { step };
            if self.cost(at, step) < tokens {
                self.go(at, step);
            }
        }
    }

    /// What went down before a larger file made it unnecessary comes up again, the cheapest first.
    fn go_up(&mut self) {
        let low: Vec<usize> = (0..self.rungs.len()).filter(|at| self.rungs[*at].step != Step::Whole).collect();
        let mut order: Vec<(u64, usize)> = low.into_iter().map(|at| (self.cost(at, Step::Whole), at)).collect();
        crate::rank::sort(&mut order, |(tokens, _)| *tokens);
        for (_, at) in order {
            let now = self.now(at);
            let lower = self.rungs[at].step;
            let dropped = self.rungs[at].layout.must().is_empty();
            for step in std::iter::once(Step::Whole).chain(LADDER).take_while(|step| *step < lower) {
                let step = if dropped { Step::Whole } else { step };
                if self.total - now + self.cost(at, step) <= self.settings.budget {
                    self.go(at, step);
                    break;
                }
            }
        }
    }

    fn done(mut self) -> Reduction {
        let (settings, tokenizer) = (self.settings, self.tokenizer);
        let take = |rung: &mut Rung<'_>| {
            let Rendered { text, tokens, elisions } = rung.at(rung.step, settings, tokenizer).clone();
            Reduced { text, tokens, step: rung.step, elisions }
        };
        Reduction::Fits { files: self.rungs.iter_mut().map(take).collect(), tokens: self.total }
    }

    /// The least that a file can cost.
    fn least(&mut self, at: usize) -> u64 {
        match self.rungs[at].layout.must().is_empty() {
            true => 0,
            false => LADDER.into_iter().map(|step| self.cost(at, step)).min().unwrap_or(0),
        }
    }

    fn split(mut self) -> Result<Reduction> {
        let budget = self.settings.budget;
        let least: Vec<u64> = (0..self.rungs.len()).map(|at| self.least(at)).collect();
        let needed = least.iter().sum();
        if let Some(at) = (0..least.len()).find(|at| least[*at] > budget) {
            return Err(self.exceeded(at, &least));
        }
        // The more of each file a batch can show, the better, as long as there are not too many of them.
        for step in LADDER {
            let sizes: Vec<u64> = (0..least.len())
                .map(|at| match self.cost(at, step) {
                    _ if least[at] == 0 => 0,
                    cost if cost <= budget => cost.max(least[at]),
                    _ => least[at],
                })
                .collect();
            let batches = in_order(&sizes, budget);
            if batches.len() <= self.settings.batches {
                return Ok(Reduction::Split { needed, batches });
            }
        }
        let batches = packed(&least, budget);
        Ok(match batches.len() <= self.settings.batches {
            true => Reduction::Split { needed, batches },
            false => Reduction::TooMany { needed, batches: batches.len() },
        })
    }

    fn exceeded(&self, at: usize, least: &[u64]) -> Error {
        let mut largest: Vec<usize> = (0..least.len()).filter(|at| least[*at] > 0).collect();
        crate::rank::sort(&mut largest, |at| !least[*at]);
        let budget = self.settings.budget;
        let name = self.rungs[at].file.name;
        let message = format!("the changed lines of {name} take {} tokens, and {budget} are allowed", least[at]);
        let why = "changed lines";
        let largest = largest.into_iter().take(5).map(|at| Contributor {
            id: self.rungs[at].file.name.to_string(),
            tokens: least[at],
            why,
        });
        let details = BudgetDetails { budget, needed: least[at], largest: largest.collect() };
        let mut error = Error::new(Code::BudgetExceeded, message).at(format!("files[{at}]"));
        error.budget = Some(details);
        error
    }
}

/// Files in the order in which they came, as many in a batch as fit.
fn in_order(sizes: &[u64], budget: u64) -> Vec<Vec<usize>> {
    let mut batches: Vec<Vec<usize>> = Vec::new();
    let mut room = 0;
    for (at, size) in sizes.iter().enumerate() {
        match batches.last_mut() {
            Some(last) if *size <= room => {
                last.push(at);
                room -= size;
            }
            _ => {
                batches.push(vec![at]);
                room = budget.saturating_sub(*size);
            }
        }
    }
    batches
}

/// The largest first, each into the first batch that has room for it.
fn packed(sizes: &[u64], budget: u64) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    crate::rank::sort(&mut order, |at| !sizes[*at]);
    let mut batches: Vec<(u64, Vec<usize>)> = Vec::new();
    for at in order {
        // So many batches are too many anyway; looking at all of them would cost the square.
        let from = batches.len().saturating_sub(256);
        match batches[from..].iter_mut().find(|(room, _)| *room >= sizes[at]) {
            Some((room, batch)) => {
                *room -= sizes[at];
                batch.push(at);
            }
            None => batches.push((budget - sizes[at], vec![at])),
        }
    }
    let mut batches: Vec<Vec<usize>> = batches.into_iter().map(|(_, batch)| batch).collect();
    batches.iter_mut().for_each(|batch| crate::rank::sort(batch, |at| *at as u64));
    // No two have a file in common.
    crate::rank::sort(&mut batches, |batch| crate::rank::place(batch.first().copied()));
    batches
}

/// Puts changes in order.
pub fn sort(changes: &mut [Change]) {
    crate::rank::sort(changes, |change| crate::rank::pair(change.start, change.end));
}

/// The lines of a file in which stretches of bytes stand; a stretch that ends where a line begins has none of that line.
pub fn selected(text: &str, stretches: impl IntoIterator<Item = (u32, u32)>) -> Vec<Change> {
    let lines = Lines::new(text);
    let range = |(start, end)| {
        let lines = lines.range(start, end);
        Change { start: lines.start, end: lines.end }
    };
    let mut found: Vec<Change> = stretches.into_iter().map(range).collect();
    sort(&mut found);
    found
}

/// What a diff says that changed in a file.
///
/// # Errors
/// [`Code::BadDiff`] if the file is not what came of this diff: the first line that differs is named.
pub fn changes(text: &str, diff: &FileDiff<'_>) -> Result<Vec<Change>> {
    let lines = Lines::new(text);
    for hunk in &diff.hunks {
        let new = hunk.lines.iter().filter(|line| line.side != Side::Old);
        for (line, at) in new.zip(hunk.new_start..) {
            let wanted = line.text.strip_suffix('\r').unwrap_or(line.text);
            let found = (at < lines.written()).then(|| lines.line(at));
            if found == Some(wanted) {
                continue;
            }
            let what = match found {
                None => format!("has {} lines only", lines.written()),
                Some(found) => format!("reads {:?} there", shown(found)),
            };
            let message = format!(
                "this diff is not of this file: by the hunk in line {} of the diff, line {} reads {:?}, and the file {what}",
                hunk.at,
                at + 1,
                shown(wanted),
            );
            return Err(Error::new(Code::BadDiff, message));
        }
    }
    Ok(diff.changes().into_iter().map(|(start, end)| Change { start, end }).collect())
}

/// The beginning of a line, for a message.
fn shown(line: &str) -> &str {
    &line[..line.floor_char_boundary(60)]
}
