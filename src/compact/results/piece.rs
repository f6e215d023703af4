//! The texts of results, one by one, with the properties that rules need.

use std::borrow::Cow;

use super::gemini;
use super::rule::{Resolved, Style};
use super::{Options, Rule};
use crate::history::draft::Draft;
use crate::history::group::groups;
use crate::map::HashMap;
use crate::message::{Message, Part, texts};

/// One text of a result: all of its content if that is text alone, else one item of it.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub entry: usize,
    pub part: usize,
    pub item: Option<usize>,
    pub call_id: String,
    pub tool: Option<String>,
    /// Entry and part of the call that it answers.
    pub call: Option<(usize, usize)>,
    pub failed: bool,
    /// By the style's count.
    pub tokens: u64,
    /// UTF-16 code units; counted for gemini-cli only.
    pub units: u64,
    /// Number of later rounds with results: 0 for the newest.
    pub age: usize,
    /// True if it may be changed: neither the tool nor the message is exempt.
    pub free: bool,
    exempt: bool,
    is_note: bool,
    latest: bool,
}

impl Piece {
    /// True if clearing considers it.
    pub fn takes_part(&self, clearing: &Resolved) -> bool {
        !self.is_note && !(clearing.skip_latest && (self.latest || self.exempt))
    }

    /// Returns the text, as the style reads it.
    pub fn text<'a>(&self, message: &'a Message, options: &'a Options) -> Cow<'a, str> {
        if let Some(body) = self.body(message, options) {
            return gemini::said(body).into();
        }
        let Some(Part::ToolResult { content, .. }) = message.parts.get(self.part) else { return "".into() };
        match self.item {
            Some(item) => texts(content.get(item).map_or(&[], std::slice::from_ref)),
            None => texts(content),
        }
    }

    /// Returns the response object if the host has another than `{"output": text}`.
    pub fn body<'a>(&self, message: &Message, options: &'a Options) -> Option<&'a str> {
        if options.bodies.is_empty() || self.item.is_some_and(|item| item > 0) {
            return None;
        }
        options.bodies.get(&(message.id.clone(), self.part)).map(String::as_str)
    }
}

/// Returns all pieces of a conversation, in order, counted.
pub(super) fn pieces(draft: &Draft, options: &Options) -> Vec<Piece> {
    let groups = groups(draft);
    let mut out: Vec<Piece> = Vec::new();
    let mut calls: HashMap<&str, (usize, usize)> = HashMap::default();
    let mut exempt: HashMap<String, bool> = HashMap::default();
    // Rounds with results, counted from the oldest at first.
    let mut round = 0;
    for (number, group) in groups.iter().enumerate() {
        let had = out.len();
        for &entry in &group.entries {
            let Some(message) = draft.entries.get(entry).and_then(|entry| entry.source) else { continue };
            for (part, content) in message.parts.iter().enumerate() {
                if let Part::ToolCall { call_id, .. } = content {
                    calls.insert(call_id, (entry, part));
                }
                let Part::ToolResult { call_id, name, content, is_error } = content else { continue };
                let call = calls.get(call_id.as_str()).copied();
                let called = call.and_then(|(entry, part)| draft.entries[entry].source?.parts.get(part));
                let called = if let Some(Part::ToolCall { name, .. }) = called { Some(name) } else { None };
                let tool = name.as_ref().or(called).filter(|name| !name.is_empty()).cloned();
                let is_exempt = tool
                    .as_ref()
                    .is_some_and(|tool| *exempt.entry(tool.clone()).or_insert_with(|| options.exempt.has(tool)));
                let mut push = |item: Option<usize>| {
                    let mut piece = Piece {
                        entry,
                        part,
                        item,
                        call_id: call_id.clone(),
                        tool: tool.clone(),
                        call,
                        failed: *is_error,
                        tokens: 0,
                        units: 0,
                        age: round,
                        free: !is_exempt && !message.role.is_frame() && !options.keep.contains(&message.id),
                        exempt: is_exempt,
                        is_note: false,
                        latest: number + 1 == groups.len(),
                    };
                    let text = piece.text(message, options);
                    let body = piece.body(message, options);
                    piece.tokens =
                        options.style.size(&text, body, piece.tool.as_deref(), &options.rule, draft.meter.tokenizer);
                    piece.is_note = matches!(options.rule, Rule::Clear(_)) && options.style.is_note(&text);
                    if options.style == Style::GeminiCli {
                        piece.units = gemini::units(&text);
                    }
                    drop(text);
                    out.push(piece);
                };
                if content.iter().all(|inner| matches!(inner, Part::Text { .. })) {
                    push(None);
                } else {
                    let texts = content.iter().enumerate().filter(|(_, inner)| matches!(inner, Part::Text { .. }));
                    texts.for_each(|(item, _)| push(Some(item)));
                }
            }
        }
        if out.len() > had {
            round += 1;
        }
    }
    for piece in &mut out {
        piece.age = round - 1 - piece.age;
    }
    out
}
