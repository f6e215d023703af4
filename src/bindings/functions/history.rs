//! Neutral messages of the host: decodes them for the core, and rebuilds them from a plan.

use js_sys::{Array, Map, Object};
use wasm_bindgen::prelude::*;

use super::super::decode::into_js;
use super::super::error::to_js;
use super::super::options::messages;
use super::value::{Result, bad, copy, get, list, object, refused, set};
use crate::error::Code;
use crate::history::plan::{Becomes, PartEdit, PlanItem};
use crate::message::Message;

/// Maximum nesting of results in results that is checked.
const NESTED: u32 = 4;

/// The host's own messages by id.
pub struct History {
    pub list: Array,
    pub ids: Vec<String>,
    /// Indices by id.
    places: Map,
}

impl History {
    /// Reads a list of neutral messages.
    ///
    /// # Errors
    /// `bad_message` with the path of the wrong field; `duplicate_id`.
    pub fn read(value: &JsValue) -> Result<(History, Vec<Message>)> {
        let Some(list) = list(value) else {
            return Err(refused(Code::BadMessage, "must be a list of neutral messages", "messages"));
        };
        for at in 0..list.length() {
            let parts = get(&list.get(at), "parts")?;
            check_nesting(&parts, &|| format!("messages[{at}].parts"), 0)?;
        }
        let read = messages(list.clone().into()).map_err(|error| missing(&list).unwrap_or_else(|| to_js(error)))?;
        if let Some(at) = read.iter().position(|message| message.id.is_empty()) {
            return Err(refused(Code::BadMessage, "must be a text that is not empty", &format!("messages[{at}].id")));
        }
        let ids: Vec<String> = read.iter().map(|message| message.id.clone()).collect();
        let places = Map::new();
        for (at, id) in ids.iter().enumerate() {
            places.set(&id.into(), &(at as f64).into());
        }
        Ok((History { list, ids, places }, read))
    }

    /// Returns the id of a message that an option names by id or by index.
    pub fn id(&self, item: &JsValue) -> Option<&str> {
        let at = if item.is_string() { self.places.get(item).as_f64() } else { item.as_f64() };
        at.filter(|at| *at >= 0.0 && at.fract() == 0.0).and_then(|at| self.ids.get(at as usize)).map(String::as_str)
    }

    /// Returns the ids of the messages that a list names.
    ///
    /// # Errors
    /// `bad_option` for an item that names no message.
    pub fn kept(&self, keep: &JsValue, path: &str) -> Result<Vec<String>> {
        if keep.is_undefined() {
            return Ok(vec![]);
        }
        let Some(keep) = list(keep) else { return Err(bad(path, "a list of ids or indices of messages", keep)) };
        let id = |(at, item): (usize, JsValue)| {
            let id = self.id(&item).map(String::from);
            id.ok_or_else(|| bad(&format!("{path}[{at}]"), "the id or index of a message", &item))
        };
        keep.iter().enumerate().map(id).collect()
    }

    fn place(&self, id: &str) -> Option<usize> {
        self.places.get(&id.into()).as_f64().map(|at| at as usize)
    }

    /// Carries out a plan. Kept messages are the host's own objects, and a plan that keeps everything returns the
    /// host's own list. Messages in this format are never joined: they need not alternate.
    pub fn rebuild(&self, plan: &[PlanItem]) -> Result<Array> {
        let out = Array::new();
        // A message that is taken apart becomes several pieces, and ids must be unique.
        let mut pieces = vec![0; self.ids.len()];
        let mut is_same = plan.len() == self.ids.len();
        for (at, item) in plan.iter().enumerate() {
            let (id, parts) = match item {
                PlanItem::Insert { message, .. } => {
                    out.push(&into_js(message)?);
                    is_same = false;
                    continue;
                }
                PlanItem::Keep { id, .. } => (id, None),
                PlanItem::Edit { id, parts, .. } => (id, Some(parts)),
            };
            // Plans keep most messages in place.
            let place = if self.ids.get(at) == Some(id) { Some(at) } else { self.place(id) };
            let Some(place) = place else { continue };
            let original = self.list.get(place as u32);
            let before = pieces[place];
            pieces[place] += 1;
            is_same = is_same && parts.is_none() && place == at;
            out.push(&match parts {
                None => original,
                Some(parts) => self.edited(&original, id, before, parts)?,
            });
        }
        Ok(if is_same { self.list.clone() } else { out })
    }

    fn edited(&self, original: &JsValue, id: &str, before: u32, edits: &[PartEdit]) -> Result {
        let out = Array::new();
        let own = parts_of(original)?;
        for edit in edits {
            let part = match &edit.from {
                None => own.get(edit.part as u32),
                Some(from) => match self.place(from) {
                    Some(other) => parts_of(&self.list.get(other as u32))?.get(edit.part as u32),
                    None => continue,
                },
            };
            out.push(&edited_part(part, edit)?);
        }
        let message = copy(original)?;
        set(&message, "parts", out);
        if before > 0 {
            set(&message, "id", format!("{id}:moved:{before}"));
        }
        Ok(message.into())
    }
}

/// Returns the error for the first field that a message lacks.
fn missing(list: &Array) -> Option<JsValue> {
    list.iter().enumerate().find_map(|(at, message)| {
        let lacks = |name: &&'static str| get(&message, name).is_ok_and(|value| value.is_undefined());
        let name = ["id", "role", "parts"].into_iter().find(lacks).filter(|_| message.is_object())?;
        Some(refused(Code::BadMessage, "is missing", &format!("messages[{at}].{name}")))
    })
}

/// Refuses results that contain themselves, because reading them would not end.
fn check_nesting(parts: &JsValue, path: &dyn Fn() -> String, depth: u32) -> Result<()> {
    let Some(parts) = list(parts) else { return Ok(()) };
    for at in 0..parts.length() {
        let content = get(&parts.get(at), "content")?;
        if content.is_undefined() {
            continue;
        }
        let path = || format!("{}[{at}]", path());
        if depth == NESTED {
            return Err(refused(Code::BadMessage, "must be a part that holds no results of results", &path()));
        }
        check_nesting(&content, &|| format!("{}.content", path()), depth + 1)?;
    }
    Ok(())
}

fn parts_of(message: &JsValue) -> Result<Array> {
    Ok(list(&get(message, "parts")?).unwrap_or_default())
}

fn text_part(text: &str) -> Object {
    object(&[("type", "text".into()), ("text", text.into())])
}

fn edited_part(part: JsValue, edit: &PartEdit) -> Result {
    if edit.to.is_none() && edit.call_id.is_none() && edit.name.is_none() {
        return Ok(part);
    }
    let is_result = get(&part, "type")? == "toolResult";
    let edited = copy(&part)?;
    match &edit.to {
        Some(Becomes::Note { text }) => return Ok(text_part(text).into()),
        Some(Becomes::Text { text }) if is_result => set(&edited, "content", Array::of1(&text_part(text))),
        Some(Becomes::Text { text }) => set(&edited, "text", text),
        Some(Becomes::Arguments { arguments }) => set(&edited, "arguments", arguments),
        Some(Becomes::Content { items }) => set(&edited, "content", content(get(&part, "content")?, items)),
        Some(Becomes::Gone) | None => {}
    }
    for (field, value) in [("callId", &edit.call_id), ("name", &edit.name)] {
        if let Some(value) = value {
            set(&edited, field, value);
        }
    }
    Ok(edited.into())
}

fn content(content: JsValue, items: &[Option<String>]) -> JsValue {
    let Some(list) = list(&content).filter(|list| list.length() as usize == items.len()) else { return content };
    let edited = list.iter().zip(items).map(|(item, text)| text.as_ref().map_or(item, |text| text_part(text).into()));
    edited.collect::<Array>().into()
}
