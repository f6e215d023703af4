//! Questions about summaries.

use std::rc::Rc;

use super::tape::{Answer, Question};
use super::{Library, put_structure};
use crate::document::Shared;
use crate::document::summary::{
    Document, Edit, Gauge, Imports, Layout, Lines, Options, Prices, Settings, Source, adjust, summarize,
    summarize_laid_out, usual,
};
use crate::error::Result;
use crate::tokens::EncodingName;

impl Library {
    /// Summarises documents by the compatible rules. The question has the limit, whether types are preserved, whether
    /// elisions are always marked, the style of line numbers (1: of omitted lines, 2: all), and the documents, each
    /// behind whether it has the costs of attached files. The answer has for each its text, its edits, the selection
    /// extended to whole nodes, and its basis.
    pub(super) fn summarize_compatible(&mut self, question: &mut Question<'_>, answer: &mut Answer) -> Result<()> {
        let limit = question.number();
        let settings = Settings {
            preserve_types: question.flag(),
            always_mark: question.flag(),
            lines: match question.count() {
                1 => Lines::Omitted,
                2 => Lines::Full,
                _ => Lines::None,
            },
        };
        let known =
            (0..question.count()).map(|_| Ok((question.flag(), self.known(question)?))).collect::<Result<Vec<_>>>()?;
        let documents = known.iter().map(|(attached, known)| match attached {
            true => {
                Document { prices: Prices::Attached { typescript: known.language == "typescript" }, ..known.document() }
            }
            false => known.document(),
        });
        let documents: Vec<Document> = documents.collect();
        let made = summarize(&documents, &Options::compatible(limit, settings))?;
        for ((summary, document), (_, known)) in made.iter().zip(&documents).zip(&known) {
            answer.text(&summary.edits.apply(document.source.text()));
            known.put_edits(summary.edits.list(), answer);
            answer.maybe(document.selection, |answer, at| {
                let (start, end) = adjust(document.source, document.overlay, at);
                known.put_range(start, end, answer);
            });
            answer.basis(known.structure.basis);
        }
        Ok(())
    }

    /// Reads the document, its structure, start and end of the selection (NaN for none), kinds with their own cost, and
    /// these costs (NaN: never kept). Without kinds, the costs are those of the nodes.
    fn known<'q>(&mut self, question: &mut Question<'q>) -> Result<Known<'q>> {
        let (text, options) = question.document();
        let structure = self.structure(text, &options, question)?;
        let source = Source::new(text);
        let selection = selection(&source, question);
        let (kinds, costs) = (question.texts(), question.numbers());
        let prices = match kinds {
            [] => Own::Nodes(costs),
            _ => {
                let cost = |cost: f64| (!cost.is_nan()).then_some(cost);
                Own::Kinds(kinds.iter().zip(costs).map(|(name, own)| (name.as_str().into(), cost(*own))).collect())
            }
        };
        Ok(Known { language: options.language, source, structure, selection, prices })
    }

    /// Answers with the structure of a document and the usual costs of its nodes in preorder. The question has whether
    /// types are preserved, and the document.
    pub(super) fn costs(&mut self, question: &mut Question<'_>, answer: &mut Answer) -> Result<()> {
        let preserve_types = question.flag();
        let known = self.known(question)?;
        put_structure(&known.structure, known.source.text(), answer);
        let document = Document { prices: Prices::Usual, ..known.document() };
        usual(&document, preserve_types).into_iter().for_each(|cost| answer.number(cost));
        Ok(())
    }

    /// Summarises documents by the exact rules. The question has the encoding (none if the budget is in characters),
    /// the words of a marker, the budget, whether lines are numbered, what imports are worth (1: they come first, 2:
    /// last), and the documents, each behind its name, the language of its comments, and how comments begin and end
    /// (both empty: as in the language). The answer has for each its tokens, the tokens of the document, its edits, its
    /// elisions and its basis.
    pub(super) fn summarize(&mut self, question: &mut Question<'_>, answer: &mut Answer) -> Result<()> {
        let unit = question.text();
        let encoding =
            if unit.is_empty() { None } else { Some(EncodingName::from_name(unit).and_then(self.encoding)?) };
        let gauge = encoding.as_ref().map_or(Gauge::Characters, |encoding| Gauge::Tokens(&**encoding));
        let options = Options {
            wording: question.text(),
            budget: question.whole(),
            gauge,
            numbered: question.flag(),
            imports: match question.count() {
                1 => Imports::First,
                2 => Imports::Last,
                _ => Imports::Usual,
            },
            ..Options::default()
        };
        let mut said = Vec::new();
        for _ in 0..question.count() {
            let texts = [(); 4].map(|()| question.text());
            said.push((texts, self.known(question)?));
        }
        let documents = said.iter().map(|([name, language, open, close], known)| {
            let comments = (!open.is_empty()).then_some((*open, *close));
            Document { language, comments, name, ..known.document() }
        });
        let documents: Vec<Document> = documents.collect();
        let mut layouts: Vec<Rc<Layout>> = Vec::with_capacity(said.len());
        for (document, ([_, language, open, close], known)) in documents.iter().zip(&said) {
            // Everything that a layout depends on besides the structure.
            let numbered = if options.numbered { "1" } else { "" };
            let rest = [language, open, close, options.wording, unit, numbered].join("\0");
            let make = || Layout::new(document, &options);
            layouts.push(self.layouts.get(&known.structure, &rest, make));
        }
        let laid: Vec<&Layout> = layouts.iter().map(|layout| &**layout).collect();
        for (summary, (_, known)) in summarize_laid_out(&documents, &laid, &options)?.iter().zip(&said) {
            answer.whole(summary.count);
            answer.whole(summary.before);
            known.put_edits(summary.edits.list(), answer);
            answer.list(&summary.elisions, |answer, elision| {
                known.put_range(elision.start, elision.end, answer);
                answer.number(elision.lines.0);
                answer.number(elision.lines.1);
                answer.whole(elision.count);
                answer.text(&elision.kind);
                answer.list(&elision.names, |answer, name| answer.text(name));
            });
            answer.basis(known.structure.basis);
        }
        Ok(())
    }
}

/// A document with its structure, its selection and its costs.
struct Known<'q> {
    language: &'q str,
    source: Source<'q>,
    structure: Shared,
    /// In bytes.
    selection: Option<(u32, u32)>,
    prices: Own<'q>,
}

impl Known<'_> {
    fn document(&self) -> Document<'_> {
        let (selection, prices) = (self.selection, self.prices.as_prices());
        Document { selection, prices, ..Document::new(&self.source, &self.structure.overlay) }
    }

    fn put_range(&self, start: u32, end: u32, answer: &mut Answer) {
        answer.number(self.source.unit(start));
        answer.number(self.source.unit(end));
    }

    fn put_edits(&self, edits: &[Edit], answer: &mut Answer) {
        answer.list(edits, |answer, edit| {
            self.put_range(edit.start, edit.end, answer);
            answer.text(&edit.text);
        });
    }
}

/// The costs of a document.
enum Own<'q> {
    Kinds(Vec<(Box<str>, Option<f64>)>),
    Nodes(&'q [f64]),
}

impl Own<'_> {
    fn as_prices(&self) -> Prices<'_> {
        match self {
            Own::Kinds(kinds) => Prices::ByKind(kinds),
            Own::Nodes([]) => Prices::Usual,
            Own::Nodes(costs) => Prices::ByNode(costs),
        }
    }
}

/// Reads a selection in bytes, if there is one. Offsets behind the text are its end, and the two ends are put in order.
fn selection(source: &Source<'_>, question: &mut Question<'_>) -> Option<(u32, u32)> {
    let (start, end) = (question.number(), question.number());
    // The conversion saturates: negative numbers become 0, and large ones the maximum.
    let (first, last) = (source.byte(start as u32), source.byte(end as u32));
    (!start.is_nan()).then_some((first.min(last), first.max(last)))
}
