//! Questions about changed code.

use std::mem::take;

use super::Library;
use super::tape::{Answer, Question};
use crate::document::Options;
use crate::document::changed::diff::Side;
use crate::document::changed::{
    Annotation, Change, Elision, File, Reduction, Settings, changes, compatible, diff, reduce, selected, sort,
};
use crate::document::parse::Units as Read;
use crate::document::units::Units;
use crate::error::{Error, Result};

/// A file and its changes.
struct Asked<'q> {
    name: &'q str,
    text: &'q str,
    options: Options<'q>,
    diff: Option<&'q str>,
    /// In bytes. Offsets behind the text are its end, and the two ends are in order.
    selections: Vec<(u32, u32)>,
}

impl<'q> Asked<'q> {
    /// Reads the name, the document, its diff if there is one, and its selections.
    fn read(question: &mut Question<'q>) -> Asked<'q> {
        let name = question.text();
        let (text, options) = question.document();
        let diff = question.flag().then(|| question.text());
        let numbers = question.numbers();
        let units = if numbers.is_empty() { Units::default() } else { Units::new(text) };
        let byte = |unit: f64| units.byte(text, unit as u32);
        let pair = |pair: &[f64; 2]| (byte(pair[0].min(pair[1])), byte(pair[0].max(pair[1])));
        Asked { name, text, options, diff, selections: numbers.as_chunks().0.iter().map(pair).collect() }
    }

    /// Returns the changes of the file. `at` is its index in the list.
    fn changes(&self, at: usize) -> Result<Vec<Change>> {
        let mut found = selected(self.text, self.selections.iter().copied());
        if let Some(written) = self.diff {
            let path = |error: Error| error.at(format!("files[{at}].diff"));
            let parsed = diff::parse(written).map_err(path)?;
            if let Some(own) = diff::of_file(parsed, self.name).map_err(path)? {
                found.extend(changes(self.text, &own).map_err(path)?);
            }
        }
        sort(&mut found);
        Ok(found)
    }
}

impl Library {
    /// Reduces changed files. The question has the budget, the maximum of batches, the encoding (none if the budget is
    /// in characters), the words of a marker, the tokens to add per file, whether lines are numbered, and the files.
    /// The answer says whether the files fit, followed by the files in their order and the tokens of all, or by the
    /// answer of `refuse`.
    pub(super) fn reduce(&mut self, question: &mut Question<'_>, answer: &mut Answer) -> Result<()> {
        let (budget, batches) = (question.whole(), question.count());
        let tokenizer = self.tokenizer(question.text())?;
        let (wording, overhead, numbered) = (question.text(), question.whole(), question.flag());
        let mut asked = Vec::new();
        for at in 0..question.count() {
            let file = Asked::read(question);
            let changes = file.changes(at)?;
            let structure = self.shared(file.text, &file.options)?;
            let (facts, _) = self.facts(file.text, &file.options)?;
            asked.push((file, changes, structure, facts));
        }
        let only_selections = asked.iter().all(|(file, ..)| file.diff.is_none());
        let annotation = if only_selections { Annotation::Selected } else { Annotation::Changed };
        let settings = Settings { budget, overhead, annotation: numbered.then_some(annotation), wording, batches };
        let files = asked.iter_mut().map(|(file, changes, structure, facts)| File {
            name: file.name,
            text: file.text,
            language: file.options.language,
            overlay: &structure.overlay,
            items: &facts.items,
            changes: take(changes),
        });
        let files: Vec<File> = files.collect();
        let reduction = reduce(&files, &settings, &*tokenizer)?;
        let Reduction::Fits { files, tokens } = reduction else {
            refuse(&reduction, answer);
            return Ok(());
        };
        answer.flag(true);
        for (made, (file, _, structure, _)) in files.iter().zip(&asked) {
            let (before, after) = (Units::new(file.text), Units::new(&made.text));
            answer.text(&made.text);
            answer.whole(made.tokens);
            answer.text(made.step.as_str());
            answer.list(&made.elisions, |answer, Elision { start, end, lines, tokens, definitions, marker }| {
                for place in [start, end] {
                    answer.number(before.of(file.text, *place));
                }
                answer.number(lines.start + 1);
                answer.number(lines.end);
                answer.whole(*tokens);
                answer.list(definitions, |answer, name| answer.text(name));
                for place in [marker.0, marker.1] {
                    answer.number(after.of(&made.text, place));
                }
            });
            answer.basis(structure.basis);
        }
        answer.whole(tokens);
        Ok(())
    }

    /// Reduces files as Copilot Chat does. The question has the budget, the maximum of batches, the encoding and the
    /// files. The answer is that of [`Library::reduce`], but a file is a list of parts: first line, last line, text.
    pub(super) fn reduce_compatible(&mut self, question: &mut Question<'_>, answer: &mut Answer) -> Result<()> {
        let (budget, batches) = (question.whole(), question.count());
        let tokenizer = self.tokenizer(question.text())?;
        let mut asked = Vec::new();
        for _ in 0..question.count() {
            let file = Asked::read(question);
            let parsed = self.grammar(file.options.language)?.0.and_then(|grammar| {
                Some((grammar.tree(file.text, Read::Utf16, file.options.limits, &mut self.trees).ok()?, grammar))
            });
            asked.push((file, parsed));
        }
        let mut files = Vec::new();
        for ((file, parsed), at) in asked.iter().zip(0..) {
            let changed = match (file.diff, file.selections.first()) {
                (Some(diff), _) => compatible::Changed::Hunks(
                    compatible::hunks(diff).map_err(|error| error.at(format!("files[{at}].diff")))?,
                ),
                (None, Some((start, end))) => compatible::Changed::Selection(*start, *end),
                (None, None) => compatible::Changed::Nothing,
            };
            let tree = parsed.as_ref().map(|(parsed, grammar)| (&parsed.tree, grammar.kinds()));
            files.push(compatible::File { text: file.text, language: file.options.language, tree, changed });
        }
        match compatible::reduce(&files, budget, batches, &*tokenizer) {
            compatible::Outcome::Parts { files, tokens } => {
                answer.flag(true);
                for parts in &files {
                    answer.list(parts, |answer, part| {
                        answer.number(part.start);
                        answer.number(part.end);
                        answer.text(&part.text);
                    });
                }
                answer.whole(tokens);
            }
            compatible::Outcome::Refused(reduction) => refuse(&reduction, answer),
        }
        Ok(())
    }
}

/// Answers that the files do not fit: the tokens of all changes, the number of batches, and the proposed batches with
/// their files.
fn refuse(reduction: &Reduction, answer: &mut Answer) {
    answer.flag(false);
    match reduction {
        Reduction::Split { needed, batches } => {
            answer.whole(*needed);
            answer.count(batches.len());
            answer.list(batches, |answer, batch| answer.list(batch, |answer, at| answer.count(*at)));
        }
        Reduction::TooMany { needed, batches } => {
            answer.whole(*needed);
            answer.count(*batches);
            answer.count(0);
        }
        Reduction::Fits { .. } => {}
    }
}

/// Answers with the files of a diff: for each its old and new name, its state, whether it is binary, its hunks, and its
/// changed lines.
pub(super) fn diff(question: &mut Question<'_>, answer: &mut Answer) -> Result<()> {
    answer.list(&diff::parse(question.text()).map_err(|error| error.at("diff"))?, |answer, file| {
        for path in [file.path(), file.old_path.as_deref(), file.new_path.as_deref()] {
            answer.maybe(path, Answer::text);
        }
        answer.text(file.status.as_str());
        answer.flag(file.binary);
        answer.list(&file.hunks, |answer, hunk| {
            // As in the header of the hunk: an empty range names the line before it.
            for (start, count) in [(hunk.old_start, hunk.old_lines), (hunk.new_start, hunk.new_lines)] {
                answer.number(start + u32::from(count > 0));
                answer.number(count);
            }
            answer.list(&hunk.lines, |answer, line| {
                let sign = match line.side {
                    Side::Both => ' ',
                    Side::New => '+',
                    Side::Old => '-',
                };
                answer.text(&format!("{sign}{}", line.text));
            });
        });
        answer.list(file.changes(), |answer, (start, end)| {
            answer.number(start + 1);
            answer.number(end);
        });
    });
    Ok(())
}
