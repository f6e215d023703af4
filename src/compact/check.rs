//! Faults of a model's summary: too long, a missing section, invented names.

use std::borrow::Borrow;
use std::collections::BinaryHeap;

use super::form::Form;
use super::invention::inventions;
use crate::message::Message;
use crate::tokens::Tokenizer;
use crate::tool_result::shorten;

/// Shortens `text` to at most `max` tokens. Whole lines go from the ends of the longest sections, vital sections last.
pub fn trim(text: &str, max: u64, form: &Form, tokenizer: &dyn Tokenizer) -> String {
    if tokenizer.count(text) <= max {
        return text.to_string();
    }
    // (is vital, lines) in order; text before the first heading forms a section of its own.
    let mut sections: Vec<(bool, Vec<(&str, u64)>)> = vec![(false, Vec::new())];
    // The line that closes a section stays with the section's first line.
    let mut ends: Vec<Option<&str>> = vec![None];
    let mut of_ends = 0;
    for line in text.lines() {
        let counted = (line, tokenizer.count(line) + 1);
        if let Some((section, _)) = form.opens(line) {
            sections.push((section.is_vital, vec![counted]));
            ends.push(None);
        } else if form.is_bare_tag(line) {
            of_ends += counted.1;
            ends.last_mut().into_iter().for_each(|end| *end = Some(line));
        } else if let Some((_, lines)) = sections.last_mut() {
            lines.push(counted);
        }
    }
    let sizes = sections.iter().map(|(_, lines)| lines.iter().map(|(_, tokens)| tokens).sum::<u64>());
    // The longest section on top, vital ones below. A model that repeats itself opens thousands of sections: scanning
    // all of them for each line would take minutes.
    let mut longest: BinaryHeap<(bool, u64, usize)> =
        sizes.enumerate().map(|(at, tokens)| (!sections[at].0, tokens, at)).collect();
    let mut total: u64 = longest.iter().map(|(_, tokens, _)| tokens).sum::<u64>() + of_ends;
    while total > max {
        let Some((rank, size, at)) = longest.pop() else { break };
        let lines = &mut sections[at].1;
        // A section keeps its first line, which is its heading.
        if lines.len() < 2 {
            continue;
        }
        if let Some((_, tokens)) = lines.pop() {
            total -= tokens;
            longest.push((rank, size - tokens, at));
        }
    }
    let with_ends = sections.iter().zip(ends);
    let lines = with_ends.flat_map(|((_, lines), end)| lines.iter().map(|(line, _)| *line).chain(end));
    let out = lines.collect::<Vec<_>>().join("\n");
    let out = out.trim().to_string();
    shorten(&out, max, "the history", tokenizer).map_or(out, |short| short.text)
}

/// Returns the sections that are missing from a summary or empty.
///
/// ```
/// use espalier::compact::{check::lacking, form::GEMINI_CLI};
/// let text = "## Overall Goal\nShip it.\n## Active Constraints\n\n## Key Knowledge\nThe port is 80.";
/// assert_eq!(lacking(text, &GEMINI_CLI)[..2], ["Active Constraints", "Artifact Trail"]);
/// assert!(lacking(&"## 目标\n发布。\n".repeat(GEMINI_CLI.sections.len()), &GEMINI_CLI).is_empty());
/// ```
pub fn lacking(text: &str, form: &Form) -> Vec<String> {
    let mut filled: Vec<&str> = Vec::new();
    let mut open = None;
    // Models that write another language translate the headings: as many with content are all sections.
    let (mut headings, mut is_heading) = (0, false);
    for line in text.lines() {
        let has_content = !line.trim().is_empty();
        let was_heading = is_heading;
        is_heading = line.starts_with("## ") || was_heading && !has_content;
        headings += usize::from(was_heading && has_content && !is_heading);
        if let Some((section, rest)) = form.opens(line) {
            open = Some(&*section.name);
            if !rest.is_empty() {
                filled.push(&section.name);
            }
        } else if form.is_bare_tag(line) {
            open = None;
        } else if let Some(name) = open.filter(|_| !line.trim().is_empty()) {
            filled.push(name);
            open = None;
        }
    }
    if filled.is_empty() && headings >= form.sections.len() {
        return vec![];
    }
    form.sections.iter().filter(|section| !filled.contains(&&*section.name)).map(|s| s.name.to_string()).collect()
}

/// Gaps for a second attempt to close, as sentences for the model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Gaps {
    /// Empty sections.
    pub sections: Vec<String>,
    /// Paths, addresses and long numbers that occur nowhere in the input.
    pub inventions: Vec<String>,
    /// Facts that the rules found, and that neither the ledger's lists nor the summary contain.
    pub facts: Vec<String>,
    /// True if the answer was cut off at the model's limit. This alone is not worth a second request, which may end in
    /// the same way: if the end lacks something, the sections or facts tell.
    pub is_cut: bool,
}

impl Gaps {
    /// Finds the gaps in a summary of `history`. `told` holds other texts that the model saw and may have names from.
    pub fn of(text: &str, form: &Form, history: &[impl Borrow<Message>], told: &[&str], facts: &[String]) -> Gaps {
        let told = told.join("\n");
        let inventions = inventions(text, history).into_iter().filter(|claim| !told.contains(claim.as_str()));
        Gaps {
            sections: lacking(text, form),
            inventions: inventions.collect(),
            facts: facts.iter().filter(|fact| !text.contains(fact.as_str())).cloned().collect(),
            is_cut: false,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn len(&self) -> usize {
        self.sections.len() + self.inventions.len() + self.facts.len()
    }

    /// Returns one sentence for each gap.
    pub fn sentences(&self) -> Vec<String> {
        let cut = self.is_cut.then(|| "The answer was cut off at its maximum length: write a shorter one.".to_string());
        let sections = self.sections.iter().map(|name| format!("The section {name} is missing or empty."));
        let inventions = self
            .inventions
            .iter()
            .map(|claim| format!("`{claim}` occurs nowhere in the conversation: correct it, or leave it out."));
        let facts = self.facts.iter().map(|fact| format!("This is missing: {fact}"));
        cut.into_iter().chain(sections).chain(inventions).chain(facts).collect()
    }
}
