//! What is wrong with a model's summary: too long, without a section, with names that nobody used.

use std::borrow::Borrow;
use std::collections::BinaryHeap;

use super::form::Form;
use super::invention::inventions;
use crate::message::Message;
use crate::tokens::Tokenizer;
use crate::tool_result::shorten;

/// At most `max` tokens of `text`: whole lines go from the ends of the longest sections, the vital ones last.
pub fn trim(text: &str, max: u64, form: &Form, tokenizer: &dyn Tokenizer) -> String {
    if tokenizer.count(text) <= max {
        return text.to_string();
    }
    // (is vital, lines) in order; text before the first heading belongs to no section.
    let mut sections: Vec<(bool, Vec<(&str, u64)>)> = vec![(false, Vec::new())];
    // What closes a section stays with its first line.
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
    // The longest section on top, the vital ones below. A model that repeats itself opens thousands of sections:
    // looking through all of them for each line would take minutes.
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

/// Sections that are missing from a summary, or are there with nothing in them.
///
/// ```
/// use espalier::compact::{check::lacking, form::GEMINI_CLI};
/// let text = "## Overall Goal\nShip it.\n## Active Constraints\n\n## Key Knowledge\nThe port is 80.";
/// assert_eq!(lacking(text, &GEMINI_CLI)[..2], ["Active Constraints", "Artifact Trail"]);
/// ```
pub fn lacking(text: &str, form: &Form) -> Vec<String> {
    let mut filled: Vec<&str> = Vec::new();
    let mut open = None;
    for line in text.lines() {
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
    form.sections.iter().filter(|section| !filled.contains(&&*section.name)).map(|s| s.name.to_string()).collect()
}

/// What a second look at the history should mend, as sentences for the model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Gaps {
    /// Sections that say nothing.
    pub sections: Vec<String>,
    /// Paths, addresses and long numbers that occur nowhere in the input.
    pub inventions: Vec<String>,
    /// Facts that the rules found and had no room for, and that the summary does not have either.
    pub facts: Vec<String>,
}

impl Gaps {
    /// Looks through a summary of `history`. `told` is what the model was told beside it, where it may have names from as well.
    pub fn of(text: &str, form: &Form, history: &[impl Borrow<Message>], told: &[&str], facts: &[String]) -> Gaps {
        let told = told.join("\n");
        let inventions = inventions(text, history).into_iter().filter(|claim| !told.contains(claim.as_str()));
        Gaps {
            sections: lacking(text, form),
            inventions: inventions.collect(),
            facts: facts.iter().filter(|fact| !text.contains(fact.as_str())).cloned().collect(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn len(&self) -> usize {
        self.sections.len() + self.inventions.len() + self.facts.len()
    }

    /// One sentence for each.
    pub fn sentences(&self) -> Vec<String> {
        let sections = self.sections.iter().map(|name| format!("The section {name} is missing or empty."));
        let inventions = self
            .inventions
            .iter()
            .map(|claim| format!("`{claim}` occurs nowhere in the conversation: correct it, or leave it out."));
        let facts = self.facts.iter().map(|fact| format!("This is missing: {fact}"));
        sections.chain(inventions).chain(facts).collect()
    }
}
