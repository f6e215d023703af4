//! Changed code: reduces files to the definitions around their changes, within a budget of tokens.
//!
//! In: files with their structure, and the changed lines of each. Out: the text of each file with a marker for every
//! elision, or a proposal how to split the files if even the changed lines do not fit. Start with [`reduce`].
//!
//! ```text
//! diff ─▶ changed lines ─┐
//! selections ────────────┴─▶ ladder: whole file, definitions, statements, heads, changed lines ─▶ texts
//! ```
//!
//! Files go down the ladder, the largest first, until all of them fit, and up again if there is room left. This is no
//! second summariser: it chooses among five texts per file, and the changed lines decide what each text keeps.
//! [`compatible`] is the reduction of microsoft/vscode-copilot-chat at 31acd00a.

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

/// The default maximum of proposed batches: what Copilot Chat sends for one review.
pub const BATCHES: usize = 10;
/// The default words of a marker. `{lines}` is replaced by the line numbers, from 1.
pub const WORDING: &str = "… {lines} omitted";

/// Changed lines, from 0 and without the end; empty where lines were only removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    /// The first line.
    pub start: u32,
    /// The line behind the last one.
    pub end: u32,
}

/// A file with its structure and its changes.
#[derive(Debug, Clone)]
pub struct File<'f> {
    /// The name in errors.
    pub name: &'f str,
    /// The current text.
    pub text: &'f str,
    /// The name of its language, which decides the syntax of comments.
    pub language: &'f str,
    /// Its overlay.
    pub overlay: &'f Overlay,
    /// Its definitions.
    pub items: &'f [Item],
    /// Its changes, ascending. A file without changes is dropped if the budget is short.
    pub changes: Vec<Change>,
}

impl File<'_> {
    fn is_changed(&self, line: u32) -> bool {
        let at = self.changes.partition_point(|change| change.end <= line);
        self.changes[at..].iter().take_while(|change| change.start <= line).any(|change| line < change.end)
    }
}

/// How much of a file is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// The whole file.
    Whole,
    /// The enclosing definitions, and heads and ends of the definitions around them.
    Definitions,
    /// The statements around the changes within the enclosing definitions.
    Statements,
    /// The changed lines, and heads and ends of the enclosing definitions.
    Headers,
    /// The changed lines alone.
    Changes,
    /// Nothing, since the file has no changes.
    Dropped,
}

impl Step {
    /// Returns the name in JavaScript.
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

/// How numbered lines are marked if they changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Annotation {
    /// `/* Changed Line 3 */`
    Changed,
    /// `/* Selected Line 3 */`
    Selected,
}

/// The options of a reduction.
#[derive(Debug, Clone, Copy)]
pub struct Settings<'s> {
    /// The maximum tokens of all texts together.
    pub budget: u64,
    /// The tokens that the host adds for each file that is not dropped, such as a heading or a fence.
    pub overhead: u64,
    /// How lines are numbered, if at all. The numbers are part of the text.
    pub annotation: Option<Annotation>,
    /// The words of a marker, see [`WORDING`].
    pub wording: &'s str,
    /// The maximum number of proposed batches.
    pub batches: usize,
}

impl Default for Settings<'_> {
    fn default() -> Settings<'static> {
        Settings { budget: 0, overhead: 0, annotation: None, wording: WORDING, batches: BATCHES }
    }
}

/// An omitted stretch of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Elision {
    /// The first byte in the file.
    pub start: u32,
    /// The byte behind it.
    pub end: u32,
    /// The lines, from 0.
    pub lines: Range<u32>,
    /// The tokens.
    pub tokens: u64,
    /// The names of the outermost definitions that begin in it.
    pub definitions: Vec<String>,
    /// The bytes of its marker in the result.
    pub marker: (u32, u32),
}

/// A reduced file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reduced {
    /// The text, markers included.
    pub text: String,
    /// The tokens of `text` by itself.
    pub tokens: u64,
    /// The step that was needed.
    pub step: Step,
    /// The elisions, ascending.
    pub elisions: Vec<Elision>,
}

/// The result of a reduction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reduction {
    /// All files fit.
    Fits {
        /// The files in their order.
        files: Vec<Reduced>,
        /// The tokens of all files, overhead included.
        tokens: u64,
    },
    /// Even the changed lines do not fit in one request.
    Split {
        /// The tokens of all changed lines.
        needed: u64,
        /// The files of each batch, by index. Every batch fits.
        batches: Vec<Vec<usize>>,
    },
    /// Even the changed lines do not fit in the maximum number of batches.
    TooMany {
        /// The tokens of all changed lines.
        needed: u64,
        /// The number of batches that are needed.
        batches: usize,
    },
}

/// Reduces files until they fit.
///
/// # Errors
/// [`Code::BudgetExceeded`] with the needed tokens, if the changed lines of a single file do not fit.
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
    /// The texts by step that were needed so far.
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

    /// Returns the tokens at a step, overhead included.
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

    /// Moves files down, the largest first, until all fit.
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

    /// Moves files up again that a larger file made unnecessary to reduce, the cheapest first.
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

    /// Returns the minimum tokens of a file.
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
        // Batches show as much of each file as possible without becoming too many.
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

/// Returns batches of files in their order, as many per batch as fit.
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

/// Returns batches of files, the largest first, each in the first batch with room for it.
fn packed(sizes: &[u64], budget: u64) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    crate::rank::sort(&mut order, |at| !sizes[*at]);
    let mut batches: Vec<(u64, Vec<usize>)> = Vec::new();
    for at in order {
        // This many batches are too many anyway, and looking at all of them would take quadratic time.
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
    // No two batches have a file in common.
    crate::rank::sort(&mut batches, |batch| crate::rank::place(batch.first().copied()));
    batches
}

/// Sorts changes.
pub fn sort(changes: &mut [Change]) {
    crate::rank::sort(changes, |change| crate::rank::pair(change.start, change.end));
}

/// Returns the lines of stretches of bytes. A stretch that ends at the start of a line contains nothing of that line.
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

/// Returns the changes of a file according to its diff.
///
/// # Errors
/// [`Code::BadDiff`] naming the first line that differs, if the file is not the new file of the diff.
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

/// Returns the beginning of a line for a message.
fn shown(line: &str) -> &str {
    &line[..line.floor_char_boundary(60)]
}
