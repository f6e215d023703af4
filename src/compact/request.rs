//! The request that asks the host's model for a summary: the covered groups as tagged text, made to fit the model.

use std::ops::Range;

use super::instructions::{Wanted, instructions};
use super::ledger::one_line;
use crate::effect::ModelRequest;
use crate::history::draft::Draft;
use crate::history::group::Group;
use crate::message::{Message, Part, Role};
use crate::tokens::Tokenizer;
use crate::tool_result::shorten;

/// Old results are capped at this many tokens when the history does not fit the model as it is.
const RESULT_CAP: u64 = 500;
/// Rounds at the end whose results stay whole then.
const WHOLE_ROUNDS: usize = 3;
/// Shares of the results that go, from the middle outward, when capping is not enough.
const DROPPED_SHARES: [u64; 5] = [0, 10, 20, 50, 100];

/// Makes the request for these groups, at most `limit` tokens with its instructions. When even the barest form is too long the
/// oldest messages are left out, and the text says how many.
pub fn request(
    draft: &Draft,
    groups: &[Group],
    covered: &[usize],
    wanted: &Wanted,
    limit: u64,
    tokenizer: &dyn Tokenizer,
) -> ModelRequest {
    let system = instructions(wanted);
    let frame = tokenizer.count(&system) + tokenizer.count(&wrap("")) + 16;
    let room = limit.saturating_sub(frame);
    let covered: Vec<&Group> = covered.iter().map(|&at| &groups[at]).collect();
    let results =
        covered.iter().flat_map(|g| &g.entries).filter(|&&i| draft.entries[i].message.results().next().is_some());
    let results = results.count();
    let whole_from = covered.len().saturating_sub(WHOLE_ROUNDS);

    let mut best: Vec<String> = Vec::new();
    let plain = Form { cap: None, without: 0..0, arguments: usize::MAX };
    let capped = DROPPED_SHARES.map(|share| {
        let gone = (results as u64 * share).div_ceil(100) as usize;
        let start = (results - gone) / 2;
        Form { cap: Some(RESULT_CAP), without: start..start + gone, arguments: usize::MAX }
    });
    let barest = Form { cap: Some(RESULT_CAP), without: 0..results, arguments: 200 };
    for form in std::iter::once(plain).chain(capped).chain([barest]) {
        let mut seen = 0;
        best = covered
            .iter()
            .enumerate()
            .flat_map(|(at, group)| group.entries.iter().map(move |&i| (at, i)))
            .map(|(at, index)| {
                let message: &Message = &draft.entries[index].message;
                let number = seen;
                seen += usize::from(message.results().next().is_some());
                render(message, &form, number, at >= whole_from, tokenizer)
            })
            .collect();
        if best.iter().map(|text| tokenizer.count(text) + 1).sum::<u64>() <= room {
            break;
        }
    }
    let prompt = fit(best, room, tokenizer);
    let prompt_tokens = tokenizer.count(&system) + tokenizer.count(&prompt);
    ModelRequest {
        purpose: "summary",
        system,
        prompt,
        prompt_tokens,
        // The scratch block comes before the summary and is about as long.
        max_tokens: wanted.max_tokens * 3,
        temperature: 0.0,
    }
}

/// How much of the history is rendered.
struct Form {
    cap: Option<u64>,
    /// Results, by number, that are named but not shown.
    without: Range<usize>,
    /// Bytes of a call's arguments.
    arguments: usize,
}

fn render(message: &Message, form: &Form, number: usize, whole: bool, tokenizer: &dyn Tokenizer) -> String {
    let mut out = format!("<message id=\"{}\" role=\"{}\">\n", message.id, message.role.as_str());
    for part in &message.parts {
        match part {
            Part::Text { text } if text.trim().is_empty() => {}
            Part::Text { text } => line(&mut out, text),
            Part::ToolCall { name, arguments, .. } => {
                let arguments = if arguments.len() > form.arguments {
                    one_line(arguments, form.arguments)
                } else {
                    arguments.clone()
                };
                line(&mut out, &format!("<call tool=\"{name}\">{arguments}</call>"));
            }
            Part::ToolResult { content, is_error, .. } => {
                let error = if *is_error { " error=\"true\"" } else { "" };
                if form.without.contains(&number) && !whole {
                    line(&mut out, &format!("<result{error}>(left out)</result>"));
                    continue;
                }
                let text = content.iter().map(shown).collect::<Vec<_>>().join("\n");
                let short = form.cap.filter(|_| !whole).and_then(|cap| shorten(&text, cap, &message.id, tokenizer));
                let text = short.map_or(text, |short| short.text);
                line(&mut out, &format!("<result{error}>\n{text}\n</result>"));
            }
            Part::Reasoning { .. } | Part::CacheMark => {}
            other => line(&mut out, &shown(other)),
        }
    }
    out.push_str("</message>");
    out
}

/// A part as text; pictures, documents and unknown parts become a note.
fn shown(part: &Part) -> String {
    match part {
        Part::Text { text } => text.clone(),
        Part::Image { .. } => "(a picture)".into(),
        Part::Document { .. } => "(a document)".into(),
        _ => "(a part that cannot be shown)".into(),
    }
}

fn line(out: &mut String, text: &str) {
    // The history is quoted: its own closing tag inside must not end the quotation.
    out.push_str(&text.replace("</history", "<\\/history"));
    out.push('\n');
}

fn wrap(history: &str) -> String {
    format!("<history>\n{history}\n</history>\n\nWrite the record of this history now, in the form you were given.")
}

/// Leaves out the oldest messages until the text fits; the exact count decides.
fn fit(messages: Vec<String>, room: u64, tokenizer: &dyn Tokenizer) -> String {
    let sizes: Vec<u64> = messages.iter().map(|text| tokenizer.count(text) + 1).collect();
    let mut total: u64 = sizes.iter().sum();
    let mut from = 0;
    while total > room && from + 1 < messages.len() {
        total -= sizes[from];
        from += 1;
    }
    loop {
        let note = if from > 0 { format!("({from} older messages are left out)\n") } else { String::new() };
        let text = format!("{note}{}", messages[from..].join("\n"));
        let short = if from + 1 >= messages.len() { shorten(&text, room, "the history", tokenizer) } else { None };
        let text = short.map_or(text, |short| short.text);
        if tokenizer.count(&text) <= room || from + 1 >= messages.len() {
            return wrap(&text);
        }
        from += 1;
    }
}

/// True if the covered groups begin with a summary of an earlier compaction.
pub fn begins_with_summary(draft: &Draft, groups: &[Group], covered: &[usize], tag: &str) -> bool {
    covered.first().and_then(|&at| groups[at].entries.first()).is_some_and(|&i| {
        let message = &draft.entries[i].message;
        message.role == Role::User && message.text().starts_with(tag)
    })
}
