//! The covered groups as tagged text in one message, for models that take no tool messages and for histories that need
//! cutting.

use std::ops::Range;

use super::clean::clean;
use super::fit::{DROPPED_SHARES, LEFT_OUT, RESULT_CAP, WHOLE_ROUNDS, dropped};
use super::{ANSWER_FACTOR, Rule, said};
use crate::compact::instructions::{Medium, Wanted, closing, instructions};
use crate::compact::ledger::one_line;
use crate::compact::ledger::text::ELLIPSIS;
use crate::effect::{ModelRequest, Reduced, Shape};
use crate::history::draft::Draft;
use crate::history::plan::PlanItem;
use crate::message::{Message, Part, Role};
use crate::tool_result::shorten;

/// Maximum bytes of a tool's name or a message's id.
const ATTRIBUTE_BYTES: usize = 200;

/// Tokens that joining and framing may add to the counted pieces.
const SLACK: u64 = 16;

/// The request, and the number of groups it shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Simple {
    pub request: ModelRequest,
    pub shown: usize,
}

/// Builds the request for these groups, at most `limit` tokens. `earlier` is a record of the groups before them. If not
/// even the barest form of all groups fits, it shows as many of the oldest as fit, so that at most `pieces` requests
/// show them all. If that is not enough either, the oldest messages are left out, and the text says how many.
pub fn simple(
    draft: &Draft,
    parts: &[&[usize]],
    earlier: Option<&str>,
    wanted: &Wanted,
    limit: u64,
    pieces: usize,
    rule: Rule,
) -> Simple {
    let tokenizer = draft.meter.tokenizer;
    let wanted = &Wanted { has_earlier: wanted.has_earlier || earlier.is_some(), ..wanted.clone() };
    let system = instructions(wanted, Medium::Text);
    let lead = earlier.map_or(String::new(), |text| format!("<earlier-record>\n{}\n</earlier-record>\n", quoted(text)));
    let wrap = |history: &str| format!("<history>\n{lead}{history}\n</history>\n\n{}", closing(wanted, Medium::Text));
    let frame = tokenizer.count(&system) + tokenizer.count(&wrap("")) + SLACK;
    let room = limit.saturating_sub(frame);

    let (cleaned, of_group) = clean(draft, parts);
    let whole_from = parts.len().saturating_sub(WHOLE_ROUNDS);
    let old = (0..of_group.len()).filter(|&at| of_group[at] < whole_from && has_results(&cleaned, at)).count();
    let form = |cap, without, spares_newest| Form { cap, without, spares_newest, rule };
    let mut forms = vec![form(wanted.handover, 0..0, wanted.handover.is_none()), form(Some(RESULT_CAP), 0..0, true)];
    forms.extend(DROPPED_SHARES.map(|share| form(Some(RESULT_CAP), dropped(old, share), true)));
    forms.push(form(Some(RESULT_CAP), 0..old, false));

    // One request in the richest form that fits; else several, in the richest form that needs at most the allowed
    // number.
    let mut rendered = Vec::with_capacity(forms.len());
    let mut found = None;
    for form in &forms {
        let groups = render(&cleaned, &of_group, parts.len(), whole_from, form);
        if groups.iter().map(|group| group.tokens).sum::<u64>() <= room {
            found = Some((groups, parts.len()));
            break;
        }
        rendered.push(groups);
    }
    let (groups, shown) = found.unwrap_or_else(|| {
        let pieced = rendered.iter().position(|groups| pieces_of(groups, room) <= pieces);
        let groups = rendered.swap_remove(pieced.unwrap_or(rendered.len() - 1));
        let mut left = room;
        let fits = groups.iter().take_while(|group| {
            let fits = group.tokens <= left;
            left = left.saturating_sub(group.tokens);
            fits
        });
        let shown = if pieced.is_some() && pieces > 1 { fits.count().max(1) } else { groups.len() };
        (groups, shown)
    });
    let mut reduced = groups.iter().take(shown).fold(Reduced::default(), |sum, group| sum.and(group.reduced));
    let texts: Vec<String> = groups.into_iter().take(shown).flat_map(|group| group.texts).collect();
    let history = within(texts, room, draft, &mut reduced);
    if !reduced.is_empty() {
        let rule = Rule { argument_units: usize::MAX, result_cap: None, ..rule };
        let form = Form { cap: None, without: 0..0, spares_newest: true, rule };
        let whole = render(&cleaned, &of_group, parts.len(), whole_from, &form);
        let whole: u64 = whole.iter().take(shown).map(|group| group.tokens).sum();
        reduced.tokens = whole.saturating_sub(tokenizer.count(&history));
    }
    let prompt = wrap(&history);
    let messages = vec![
        PlanItem::insert(said("instructions", Role::System, &system)),
        PlanItem::insert(said("request", Role::User, &prompt)),
    ];
    let request = ModelRequest {
        signatures: false,
        purpose: wanted.purpose(),
        shape: Shape::Simple,
        prompt_tokens: tokenizer.count(&system) + tokenizer.count(&prompt),
        messages,
        system,
        prompt,
        with_tools: false,
        max_tokens: Some(wanted.max_tokens * ANSWER_FACTOR),
        temperature: Some(rule.temperature),
        reduced,
    };
    Simple { request, shown }
}

/// How much of the history is rendered.
struct Form {
    cap: Option<u64>,
    /// Old results, by index, that are named but not shown.
    without: Range<usize>,
    /// True if the newest rounds are shown whole.
    spares_newest: bool,
    rule: Rule,
}

#[derive(Default)]
struct Rendered {
    texts: Vec<String>,
    tokens: u64,
    reduced: Reduced,
}

fn has_results(draft: &Draft, at: usize) -> bool {
    draft.entries[at].is_in() && draft.entries[at].message.results().next().is_some()
}

fn render(draft: &Draft, of_group: &[usize], groups: usize, whole_from: usize, form: &Form) -> Vec<Rendered> {
    let mut out: Vec<Rendered> = (0..groups).map(|_| Rendered::default()).collect();
    let mut number = 0;
    for (at, &group) in of_group.iter().enumerate().filter(|(at, _)| draft.entries[*at].is_in()) {
        let is_old = group < whole_from;
        let text = message(&draft.entries[at].message, form, number, is_old, draft, &mut out[group].reduced);
        number += usize::from(is_old && has_results(draft, at));
        out[group].tokens += draft.meter.text(&text) + 1;
        out[group].texts.push(text);
    }
    out
}

/// Returns the number of requests that show all groups; more than the number of groups if one group is too large by
/// itself.
fn pieces_of(groups: &[Rendered], room: u64) -> usize {
    let mut pieces = 1;
    let mut left = room;
    for group in groups {
        if group.tokens > room {
            return usize::MAX;
        }
        if group.tokens > left {
            pieces += 1;
            left = room;
        }
        left -= group.tokens;
    }
    pieces
}

fn message(
    message: &Message,
    form: &Form,
    number: usize,
    is_old: bool,
    draft: &Draft,
    reduced: &mut Reduced,
) -> String {
    let mut out = format!("<message id=\"{}\" role=\"{}\">\n", attribute(&message.id), message.role.as_str());
    let is_spared = !is_old && form.spares_newest;
    for part in &message.parts {
        match part {
            Part::Text { text } if text.trim().is_empty() => {}
            Part::Text { text } => line(&mut out, &quoted(text)),
            Part::ToolCall { name, arguments, .. } => {
                let (arguments, is_cut) = first_units(arguments, form.rule.argument_units);
                reduced.arguments += usize::from(is_cut);
                let (name, arguments) = (attribute(name), quoted(&arguments));
                line(&mut out, &format!("<call tool=\"{name}\">{arguments}</call>"));
            }
            Part::ToolResult { content, is_error, .. } => {
                let error = if *is_error { " error=\"true\"" } else { "" };
                if is_old && form.without.contains(&number) {
                    reduced.left_out += 1;
                    line(&mut out, &format!("<result{error}>{LEFT_OUT}</result>"));
                    continue;
                }
                let text = content.iter().map(shown).collect::<Vec<_>>().join("\n");
                let cap = form.cap.filter(|_| !is_spared).into_iter().chain(form.rule.result_cap).min();
                let short = cap.and_then(|cap| shorten(&text, cap, &message.id, draft.meter.tokenizer));
                reduced.shortened += usize::from(short.is_some());
                let text = short.map_or(text, |short| short.text);
                line(&mut out, &format!("<result{error}>\n{}\n</result>", quoted(&text)));
            }
            Part::Reasoning { .. } | Part::CacheMark | Part::Boundary => {}
            other => line(&mut out, &quoted(&shown(other))),
        }
    }
    out.push_str("</message>");
    out
}

/// Returns the first UTF-16 units of a text as one line, with a mark if it was cut, and whether it was.
fn first_units(text: &str, max: usize) -> (String, bool) {
    // A unit takes at most three bytes.
    let line = one_line(text, max.saturating_mul(3));
    let mut left = max;
    let over = line.char_indices().find(|(_, character)| match left.checked_sub(character.len_utf16()) {
        Some(rest) => {
            left = rest;
            false
        }
        None => true,
    });
    match over {
        Some((end, _)) => (format!("{}{ELLIPSIS}", line[..end].trim_end()), true),
        None => (line, false),
    }
}

/// Returns a part as text; pictures, documents and unknown parts become a note.
pub(super) fn shown(part: &Part) -> String {
    match part {
        Part::Text { text } => text.clone(),
        Part::Image { .. } => "(a picture)".into(),
        Part::Document { .. } => "(a document)".into(),
        _ => "(a part that cannot be shown)".into(),
    }
}

fn line(out: &mut String, text: &str) {
    out.push_str(text);
    out.push('\n');
}

/// The tags that structure the request.
const TAGS: [&str; 5] = ["history", "earlier-record", "message", "call", "result"];

/// Quotes the history: a backslash breaks up tags of the quotation, opening or closing, in any case and with spaces.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for (at, _) in text.match_indices('<') {
        let inner = text[at + 1..].trim_start();
        let name = inner.strip_prefix('/').map_or(inner, str::trim_start);
        let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_').unwrap_or(name.len());
        if TAGS.iter().any(|tag| tag.eq_ignore_ascii_case(&name[..end])) {
            out.push_str(&text[from..=at]);
            out.push('\\');
            from = at + 1;
        }
    }
    out.push_str(&text[from..]);
    out
}

/// Returns a name as an attribute value: one line that cannot end the tag.
fn attribute(name: &str) -> String {
    one_line(name, ATTRIBUTE_BYTES).replace(['"', '<', '>'], "'")
}

/// Leaves out the oldest messages until the text fits by its exact count.
fn within(messages: Vec<String>, room: u64, draft: &Draft, reduced: &mut Reduced) -> String {
    let tokenizer = draft.meter.tokenizer;
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
        let is_short = short.is_some();
        let text = short.map_or(text, |short| short.text);
        if tokenizer.count(&text) <= room || from + 1 >= messages.len() {
            reduced.messages = from;
            reduced.shortened += usize::from(is_short);
            return text;
        }
        from += 1;
    }
}
