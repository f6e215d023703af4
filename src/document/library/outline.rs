//! Questions about outlines and repository maps.

use super::Library;
use super::tape::{Answer, Question};
use crate::document::changed::lines::Lines;
use crate::document::outline::{Item, map, outline};
use crate::document::units::Units;
use crate::error::Result;

impl Library {
    /// Makes the facts of a document if they are not kept, and answers whether they were made.
    pub(super) fn prepare(&mut self, question: &mut Question<'_>, answer: &mut Answer) -> Result<()> {
        let (text, options) = question.document();
        answer.flag(self.facts(text, &options)?.1);
        Ok(())
    }

    /// Answers with the outline of a document. The question has its text and language, whether lines are numbered, the
    /// budget (infinity for none) and the encoding. The answer has the text, its tokens, the number of missing
    /// definitions, the indices of the shown ones, all definitions in order, each with the index of the one around it,
    /// and the basis.
    pub(super) fn outline(&mut self, question: &mut Question<'_>, answer: &mut Answer) -> Result<()> {
        let (text, options) = question.document();
        let (facts, _) = self.facts(text, &options)?;
        let (numbers, budget) = (question.flag(), question.whole());
        let tokenizer = self.tokenizer(question.text())?;
        let outline = outline(text, &facts, numbers, budget, &*tokenizer);
        let (units, lines) = (Units::new(text), Lines::new(text));
        answer.text(&outline.text);
        answer.whole(outline.tokens);
        answer.count(outline.missing);
        answer.list(&outline.shown, |answer, at| answer.number(*at));
        answer.list(&facts.items, |answer, item| {
            put_named(item, text, &lines, answer);
            answer.number(lines.of(item.end.saturating_sub(1).max(item.start)) + 1);
            answer.number(units.of(text, item.start));
            answer.number(units.of(text, item.end));
            answer.number(item.parent);
            answer.flag(item.local);
        });
        answer.basis(facts.basis);
        Ok(())
    }

    /// Answers with the map of a repository. The question has the mentioned names and paths, the budget, the encoding,
    /// and the files, each behind its path and two flags: whether the conversation is about it, and whether it was
    /// mentioned. The answer has the text, its tokens, the number of missing lines, files with their ranks, and the
    /// shown definitions.
    pub(super) fn map(&mut self, question: &mut Question<'_>, answer: &mut Answer) -> Result<()> {
        let mentioned: Vec<&str> = question.texts().iter().map(String::as_str).collect();
        let budget = question.whole();
        let tokenizer = self.tokenizer(question.text())?;
        let mut known = Vec::new();
        for _ in 0..question.count() {
            let (path, focus, mentioned) = (question.text(), question.flag(), question.flag());
            let (text, options) = question.document();
            known.push((path, focus, mentioned, text, self.facts(text, &options)?.0));
        }
        let files = known.iter().map(|(path, focus, mentioned, text, facts)| map::File {
            path,
            text,
            facts,
            focus: *focus,
            mentioned: *mentioned,
        });
        let files: Vec<map::File> = files.collect();
        let made = map::map(&files, &mentioned, budget, &*tokenizer);
        answer.text(&made.text);
        answer.whole(made.tokens);
        answer.count(made.missing);
        answer.list(&made.ranks, |answer, (file, rank)| {
            answer.number(*file);
            answer.number(*rank);
        });
        let mut last: Option<(u32, Lines<'_>)> = None;
        answer.list(&made.shown, |answer, (file, at)| {
            let map::File { text, facts, .. } = &files[*file as usize];
            let (_, lines) = match last.take() {
                Some(known) if known.0 == *file => last.insert(known),
                _ => last.insert((*file, Lines::new(text))),
            };
            answer.number(*file);
            put_named(&facts.items[*at as usize], text, lines, answer);
        });
        Ok(())
    }
}

/// Writes name, kind and line of a definition.
fn put_named(item: &Item, text: &str, lines: &Lines<'_>, answer: &mut Answer) {
    answer.text(text.get(item.name.0 as usize..item.name.1 as usize).unwrap_or_default());
    answer.text(item.category.as_str());
    answer.number(lines.of(item.declared) + 1);
}
