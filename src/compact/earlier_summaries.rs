//! Earlier summaries in a newer one: whole lines, section by section, within a limit.

use std::collections::VecDeque;

use super::facts::words::{Kind, words};
use super::form::EIGHT;
use super::ledger::earlier;
use super::offline::intends;
use crate::tokens::Tokenizer;

/// The heading above earlier summaries.
pub(super) const EARLIER_RECORD: &str = "Earlier record";
/// Part of the line about the current request. In an earlier record it is no longer true.
pub(super) const CURRENT: &str = " is the current request and ";
/// Maximum sections distinguished in one record; later text belongs to the last one.
const MAX_SECTIONS: usize = 64;

/// Returns earlier summaries within `most` tokens, section by section. Whole lines are removed: from the oldest record
/// first, and there from the longest section. What rules wrote about the work of that time has no heading: the work is
/// no longer active, and one line for each record needs none.
pub(super) fn within(earlier: &[String], most: u64, tokenizer: &dyn Tokenizer) -> String {
    let mut records = Records::default();
    for text in earlier {
        records.read(text, tokenizer);
    }
    records.forget_past_work();
    let total = records.tokens();
    if total > most {
        records.shorten(total, most.saturating_sub(tokenizer.count(&line_of(WIDEST))));
    }
    records.write()
}

/// A heading with the lines below it.
#[derive(Default)]
struct Section<'a> {
    heading: &'a str,
    lines: VecDeque<(&'a str, u64)>,
    /// Tokens of the heading and the lines.
    tokens: u64,
}

impl Section<'_> {
    /// True if it has only what rules wrote about the work of its time; `past` are the headings of such sections.
    fn is_past_work(&self, past: &[String]) -> bool {
        let begins_with_id = self.lines.front().is_some_and(|(line, _)| id_of(line).is_some());
        self.lines.is_empty() || begins_with_id && past.iter().any(|heading| heading == self.heading)
    }
}

/// Earlier summaries, the oldest first.
#[derive(Default)]
struct Records<'a> {
    records: VecDeque<Vec<Section<'a>>>,
    /// Lines that were removed, now or by earlier summaries.
    gone: usize,
}

impl<'a> Records<'a> {
    fn read(&mut self, text: &'a str, tokenizer: &dyn Tokenizer) {
        let mut sections = vec![Section::default()];
        for line in text.lines() {
            if let Some(lines) = left_out(line) {
                self.gone = lines.saturating_add(self.gone);
            } else if line.trim_start_matches('#').trim() == EARLIER_RECORD || line.contains(CURRENT) {
                // This heading occurs once, however many records are below it, and one request is current.
            } else if line.starts_with('#') && sections.len() < MAX_SECTIONS {
                // A repeated section belongs to a newer record.
                if sections.iter().any(|section| section.heading == line) {
                    self.records.push_back(std::mem::take(&mut sections));
                }
                sections.push(Section { heading: line, tokens: tokenizer.count(line) + 1, ..Section::default() });
            } else if let Some(section) = sections.last_mut().filter(|_| !line.trim().is_empty()) {
                let tokens = tokenizer.count(line) + 1;
                section.tokens += tokens;
                section.lines.push_back((line, tokens));
            }
        }
        self.records.push_back(sections);
    }

    /// Removes the headings of work that is no longer active, and the lines that are worth nothing now.
    fn forget_past_work(&mut self) {
        let past = [5, 7].map(|at: usize| format!("## {}", EIGHT.sections[at].name));
        for record in &mut self.records {
            // Lines in front of the first heading are those of still earlier records.
            if record.iter().all(|section| section.heading.is_empty() || section.is_past_work(&past)) {
                for section in record.iter_mut().filter(|section| !section.heading.is_empty()) {
                    section.lines.retain(|(line, _)| !is_past(line));
                    section.heading = "";
                    section.tokens = section.lines.iter().map(|(_, tokens)| tokens).sum();
                }
            }
        }
    }

    fn tokens(&self) -> u64 {
        self.records.iter().flatten().map(|section| section.tokens).sum()
    }

    /// Removes lines until at most `most` of `total` tokens are left.
    fn shorten(&mut self, mut total: u64, most: u64) {
        while total > most {
            let Some(oldest) = self.records.front_mut() else { break };
            let longest = oldest.iter_mut().filter(|section| !section.lines.is_empty()).rev().max_by_key(|s| s.tokens);
            match longest.and_then(|section| section.lines.pop_front().map(|line| (section, line))) {
                Some((section, (_, tokens))) => {
                    self.gone = self.gone.saturating_add(1);
                    section.tokens -= tokens;
                    total -= tokens;
                    if section.lines.is_empty() {
                        total -= section.tokens;
                        section.tokens = 0;
                    }
                }
                None => {
                    total -= oldest.iter().map(|section| section.tokens).sum::<u64>();
                    self.records.pop_front();
                }
            }
        }
    }

    fn write(&self) -> String {
        let done = format!("## {}", EIGHT.sections[4].name);
        let mut out: Vec<String> = Vec::new();
        out.extend((self.gone > 0 && !self.records.is_empty()).then(|| line_of(self.gone)));
        let mut above = "";
        for section in self.records.iter().flatten().filter(|section| !section.lines.is_empty()) {
            // Lines without a heading do not belong to the section above them.
            let heading = match section.heading {
                "" if above.is_empty() || above == done => "",
                "" => &*done,
                heading => heading,
            };
            if !heading.is_empty() {
                out.push(heading.to_string());
                above = heading;
            }
            out.extend(section.lines.iter().map(|(line, _)| line.to_string()));
        }
        out.join("\n")
    }
}

/// Minimum bytes of a host's id. Shorter words with digits are names: `- WP2: The parser.`
const HOST_ID: usize = 8;

/// Returns the id at the beginning of a line that rules wrote: `- m4: The parser works.`
pub(super) fn id_of(line: &str) -> Option<&str> {
    let (id, _) = line.strip_prefix("- ").unwrap_or(line).split_once(": ")?;
    let plain = id.trim_start_matches(earlier::EARLIER);
    let is_of_host = plain.len() >= HOST_ID
        && plain.bytes().any(|byte| byte.is_ascii_digit())
        && plain.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
    (is_numbered(plain) || is_of_host).then_some(id)
}

/// True for an id that is the number of its message: `m4`.
pub(super) fn is_numbered(id: &str) -> bool {
    let number = id.strip_prefix('m').unwrap_or_default();
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// True for a line of an earlier extract that is worth nothing once the work went on: a question, an announcement, or a
/// note about a cut, without names or figures.
fn is_past(line: &str) -> bool {
    let text = line.strip_prefix("- ").unwrap_or(line);
    let text = id_of(line).map_or(text, |id| text[id.len() + 2..].trim_start_matches([' ', '…']));
    let is_open = text.ends_with([':', '?']) || text.starts_with("Please ") || intends(text);
    text.starts_with("[cut: ") || is_open && words(text).iter().all(|word| matches!(word.kind, Kind::Stop | Kind::Word))
}

/// The count whose line has the maximum width. Not `usize::MAX`, which has other digits in wasm than natively.
const WIDEST: usize = 999_999_999;

/// Returns the line that says how many lines of earlier summaries were removed.
fn line_of(lines: usize) -> String {
    format!("({lines} older lines left out)")
}

fn left_out(line: &str) -> Option<usize> {
    line.strip_prefix('(')?.strip_suffix(" older lines left out)")?.parse().ok()
}
