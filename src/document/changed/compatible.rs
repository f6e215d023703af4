//! The reduction of Copilot Chat, exactly: lines have numbers, a hunk becomes the definition that encloses it best, two
//! hunks of one definition repeat the definition, a change at top level becomes the whole file, and a single file may
//! stay over the budget.

use super::Reduction;
use super::diff::ranges;
use super::lines::Lines;
use crate::document::syntax::{Kinds, NodeIndex, SyntaxTree};
use crate::document::units::Units;
use crate::error::{Code, Error, Result};
use crate::tokens::Tokenizer;

/// A file and its changes.
#[derive(Debug)]
pub struct File<'f> {
    /// The current text.
    pub text: &'f str,
    /// The identifier of its language.
    pub language: &'f str,
    /// Its syntax tree, if there is one.
    pub tree: Option<(&'f SyntaxTree, &'f Kinds)>,
    /// Its changes.
    pub changed: Changed<'f>,
}

/// The changes of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Changed<'f> {
    /// Hunks of a diff.
    Hunks(Vec<Hunk<'f>>),
    /// A selection in bytes.
    Selection(u32, u32),
    /// No changes.
    Nothing,
}

/// A hunk: lines of the new file, from 0, and the lines of the diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hunk<'f> {
    start: u32,
    end: u32,
    body: &'f str,
}

/// A part of a file that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The first line, from 0.
    pub start: u32,
    /// The line behind the last one.
    pub end: u32,
    /// The text with numbered lines.
    pub text: String,
}

/// The parts of each file with their tokens, or a proposal how to split the files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The parts of each file; a single file can be over the budget.
    Parts {
        /// The parts by file.
        files: Vec<Vec<Part>>,
        /// The tokens of all parts.
        tokens: u64,
    },
    /// The files must be split, or there are too many: [`Reduction::Split`] or [`Reduction::TooMany`].
    Refused(Reduction),
}

/// Reads the hunks in the diff of one file.
///
/// # Errors
/// [`Code::BadDiff`] for a malformed hunk header and for combined diffs.
pub fn hunks(diff: &str) -> Result<Vec<Hunk<'_>>> {
    let rest = diff.strip_prefix("@@").or_else(|| diff.split_once("\n@@").map(|(_, rest)| rest));
    let Some(rest) = rest else { return Ok(Vec::new()) };
    let rest = rest.strip_suffix('\n').unwrap_or(rest);
    rest.split("\n@@")
        .map(|hunk| {
            let (head, body) = hunk.split_once('\n').unwrap_or((hunk, ""));
            let fail = || Error::new(Code::BadDiff, format!("`@@{}` is no head of a hunk", head.trim_end()));
            let (_, (start, count)) = head.strip_prefix(' ').and_then(ranges).ok_or_else(fail)?;
            let start = start.max(1) - 1;
            Ok(Hunk { start, end: start.checked_add(count).ok_or_else(fail)?, body })
        })
        .collect()
}

/// Reduces files as Copilot Chat does, or returns how its driver would split them.
pub fn reduce(files: &[File<'_>], budget: u64, batches: usize, tokenizer: &dyn Tokenizer) -> Outcome {
    let mut forms: Vec<Forms> = files.iter().map(|file| Forms::new(file, tokenizer)).collect();
    let all: Vec<usize> = (0..files.len()).collect();
    if let Some((reduced, tokens)) = fit(&mut forms, &all, budget, tokenizer) {
        let parts = forms.into_iter().zip(reduced).map(|(forms, reduced)| forms.take(reduced));
        return Outcome::Parts { files: parts.collect(), tokens };
    }
    let needed = forms.iter_mut().map(|forms| forms.reduced(tokenizer).1).sum();
    // A batch that does not fit is replaced by its halves.
    let mut queue = vec![all];
    let mut done: Vec<Vec<usize>> = Vec::new();
    while let Some(mut batch) = queue.pop() {
        if fit(&mut forms, &batch, budget, tokenizer).is_some() {
            done.push(batch);
            continue;
        }
        let second = batch.split_off(batch.len() / 2);
        queue.extend([second, batch]);
    }
    Outcome::Refused(match done.len() <= batches {
        true => Reduction::Split { needed, batches: done },
        false => Reduction::TooMany { needed, batches: done.len() },
    })
}

/// Returns which files have to be reduced so that all fit, and the tokens; `None` if that is not enough.
fn fit(forms: &mut [Forms<'_>], batch: &[usize], budget: u64, tokenizer: &dyn Tokenizer) -> Option<(Vec<bool>, u64)> {
    let mut order = batch.to_vec();
    crate::rank::sort(&mut order, |at| !forms[*at].whole.1);
    let mut total: u64 = batch.iter().map(|at| forms[*at].whole.1).sum();
    let mut reduced = vec![false; forms.len()];
    for at in order {
        if total <= budget {
            break;
        }
        reduced[at] = true;
        total = total - forms[at].whole.1 + forms[at].reduced(tokenizer).1;
    }
    (total <= budget || batch.len() <= 1).then_some((reduced, total))
}

/// The forms that a file can have, with their tokens.
struct Forms<'f> {
    file: &'f File<'f>,
    lines: Lines<'f>,
    whole: (Vec<Part>, u64),
    reduced: Option<(Vec<Part>, u64)>,
}

impl<'f> Forms<'f> {
    fn new(file: &'f File<'f>, tokenizer: &dyn Tokenizer) -> Forms<'f> {
        let lines = Lines::new(file.text);
        let hunks: &[Hunk<'_>] = if let Changed::Hunks(hunks) = &file.changed { hunks } else { &[] };
        let part = Writer { file, lines: &lines }.part(0, lines.count(), hunks);
        Forms { file, lines, whole: counted(vec![part], tokenizer), reduced: None }
    }

    fn reduced(&mut self, tokenizer: &dyn Tokenizer) -> &(Vec<Part>, u64) {
        let (file, lines) = (self.file, &self.lines);
        self.reduced.get_or_insert_with(|| counted(Writer { file, lines }.reduced(), tokenizer))
    }

    fn take(self, reduced: bool) -> Vec<Part> {
        match self.reduced {
            Some((parts, _)) if reduced => parts,
            _ => self.whole.0,
        }
    }
}

fn counted(parts: Vec<Part>, tokenizer: &dyn Tokenizer) -> (Vec<Part>, u64) {
    let tokens = parts.iter().map(|part| tokenizer.count(&part.text)).sum();
    (parts, tokens)
}

struct Writer<'w> {
    file: &'w File<'w>,
    lines: &'w Lines<'w>,
}

impl Writer<'_> {
    fn reduced(&self) -> Vec<Part> {
        match &self.file.changed {
            Changed::Nothing => Vec::new(),
            Changed::Hunks(hunks) => {
                let part =
                    |hunk: &Hunk<'_>| match self.definition(self.lines.start(hunk.start), self.lines.start(hunk.end)) {
                        Some((start, end)) => self.part(start, end, &[*hunk]),
                        None => Part { start: hunk.start, end: hunk.end, text: said(hunk) },
                    };
                hunks.iter().map(part).collect()
            }
            Changed::Selection(start, end) => {
                let lines = self.lines.range(*start, *end);
                let (start, end) = self.definition(*start, *end).unwrap_or((lines.start, lines.end));
                vec![self.part(start, end, &[])]
            }
        }
    }

    /// Writes lines with their numbers. Lines of hunks are written as in the diff.
    fn part(&self, start: u32, end: u32, hunks: &[Hunk<'_>]) -> Part {
        let mut text = String::new();
        let mut at = start;
        for hunk in hunks {
            self.numbered(at, hunk.start.min(end), &mut text);
            text += &said(hunk);
            text.push('\n');
            at = at.max(hunk.end);
        }
        self.numbered(at, end, &mut text);
        // The context of the last hunk can end behind the definition.
        Part { start, end: end.max(at), text }
    }

    fn numbered(&self, start: u32, end: u32, text: &mut String) {
        let selected = match self.file.changed {
            Changed::Selection(start, end) => self.lines.range(start, end),
            _ => 0..0,
        };
        for line in start..end.min(self.lines.count()) {
            let what = if selected.contains(&line) { "Selected " } else { "" };
            *text += &format!("/* {what}Line {} */", line + 1);
            *text += self.lines.text(line..line + 1);
        }
    }

    /// Returns the lines of the definition that encloses a stretch.
    fn definition(&self, start: u32, end: u32) -> Option<(u32, u32)> {
        let (tree, kinds) = self.file.tree?;
        let documents = |at: NodeIndex| documentable(self.file.language, kinds.name(tree.node(at).kind));
        let node = if start < end { self.heaviest(tree, start, end, &documents) } else { None };
        let node = node.or_else(|| {
            let mut at = smallest(tree, start, end);
            while !documents(at) {
                let parent = tree.node(at).parent;
                if tree.nodes().get(parent as usize).is_none() {
                    break;
                }
                at = parent;
            }
            Some(at)
        })?;
        let node = tree.node(node);
        let lines = self.lines.range(node.start, node.end);
        Some((lines.start, lines.end))
    }

    /// Returns the definition with the largest part of a stretch and the least other text. Of equals, the outermost and
    /// then the first is returned.
    fn heaviest(
        &self,
        tree: &SyntaxTree,
        start: u32,
        end: u32,
        documents: &dyn Fn(NodeIndex) -> bool,
    ) -> Option<NodeIndex> {
        let text = self.file.text;
        let units = Units::new(text);
        let unit = |byte| f64::from(units.of(text, byte));
        let (from, to) = (unit(start), unit(end));
        let level = |mut at: NodeIndex| {
            let mut level = 0;
            while let Some(node) = tree.nodes().get(at as usize) {
                (at, level) = (node.parent, level + 1);
            }
            level
        };
        let mut best: Option<(f64, NodeIndex)> = None;
        let mut at = 0;
        // Starts ascend, and a node that ends before the stretch contains no part of it.
        while let Some(node) = tree.nodes().get(at as usize).filter(|node| node.start < end) {
            if node.end <= start && at > 0 {
                at = node.behind;
                continue;
            }
            if node.end > start && documents(at) {
                let (first, last) = (unit(node.start), unit(node.end));
                let overlap = last.min(to) - first.max(from);
                let weight = (overlap - (to - from - overlap).abs()) / (last - first);
                if best.is_none_or(|(most, old)| weight > most || (weight == most && level(at) < level(old))) {
                    best = Some((weight, at));
                }
            }
            at += 1;
        }
        best.map(|(_, at)| at)
    }
}

/// Returns the smallest node that contains a stretch, or the root if there is none.
fn smallest(tree: &SyntaxTree, start: u32, end: u32) -> NodeIndex {
    let mut at = 0;
    loop {
        let inner = tree.children(at).find(|child| tree.node(*child).start <= start && end <= tree.node(*child).end);
        match inner {
            Some(child) => at = child,
            None => return at,
        }
    }
}

/// Writes the lines of a hunk that are in the new file, with their numbers.
fn said(hunk: &Hunk<'_>) -> String {
    let mut number = hunk.start;
    let mut lines = Vec::new();
    for line in hunk.body.split('\n').filter(|line| !line.starts_with('-')) {
        number += 1;
        let what = if line.starts_with('+') { "Changed " } else { "" };
        let mut rest = line.chars();
        rest.next();
        lines.push(format!("/* {what}Line {number} */{}", rest.as_str()));
    }
    lines.join("\n")
}

/// Returns whether a change is explained by nodes of this kind, in the languages of Copilot Chat.
fn documentable(language: &str, kind: &str) -> bool {
    let has = |words: &[&str]| words.iter().any(|word| kind.contains(word));
    match language {
        "typescript" | "typescriptreact" | "javascript" | "javascriptreact" => {
            has(&["definition", "declaration", "declarator", "export_statement"])
        }
        "go" => has(&["definition", "declaration", "declarator", "var_spec"]),
        "cpp" => has(&["definition", "declaration", "class_specifier"]),
        "ruby" => has(&["module", "class", "method", "assignment"]),
        _ => has(&["definition", "declaration", "declarator"]),
    }
}
