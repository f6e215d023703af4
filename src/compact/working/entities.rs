//! Things without a file (bookings, issues, pages) by id, and the latest answer to each question.
//!
//! In: calls of tools that do not touch files, and their results. Out: the newest state of each thing. Start reading at
//! [`Entities::add`].

use std::rc::Rc;

use serde_json::Value;

use crate::compact::ledger::one_line;
use crate::map::HashMap;

/// Maximum number of things, and maximum bytes of their states.
const MAX_THINGS: usize = 512;
const MAX_BYTES: usize = 2_000_000;
/// A result of fewer bytes is a receipt, not a state.
const RECEIPT_BELOW: usize = 40;
/// Maximum bytes of the stem of an argument's name.
const MAX_STEM_BYTES: usize = 80;
/// Maximum number of receipts after a state, and maximum bytes of one.
const MAX_RECEIPTS: usize = 6;
const MAX_RECEIPT_BYTES: usize = 200;

/// A thing in its newest known state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entity {
    /// The kind of the thing and its id, or the question.
    pub key: Rc<str>,
    pub state: Rc<str>,
    /// Calls since that state, each with its result.
    pub since: Vec<String>,
    /// Number of the last message about it.
    pub last: u32,
    /// True if it has an id; false for a question.
    pub is_thing: bool,
}

/// See the module.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Entities {
    pub all: Vec<Entity>,
    at: HashMap<Rc<str>, usize>,
    bytes: usize,
}

/// Returns the stem of an argument name that holds an id: `reservation_id`, `issueNumber`, `key`.
fn id_stem(name: &str) -> Option<String> {
    let lower = name.to_ascii_lowercase();
    let stem = ["_id", "id", "_number", "number", "_key", "key", "uuid", "slug"]
        .iter()
        .find_map(|end| lower.strip_suffix(end))?;
    // `paid` and `grid` end in `id` but hold no id.
    let is_word = lower.ends_with("id") && !name.ends_with("_id") && !name.ends_with("Id") && lower != "id";
    (!is_word).then(|| one_line(stem.trim_end_matches('_'), MAX_STEM_BYTES))
}

fn id_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if (1..=80).contains(&text.len()) && !text.contains('\n') => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Returns the id that a call is about: the one whose argument name occurs in the tool's name, else the first. For a
/// call that creates a thing it is the id in the result.
fn entity_id(tool: &str, arguments: &Value, result: &str) -> Option<String> {
    let tool = tool.to_ascii_lowercase();
    let ids = |value: &Value| -> Vec<(String, String)> {
        let fields = value.as_object().into_iter().flatten();
        fields.filter_map(|(name, value)| Some((id_stem(name)?, id_of(value)?))).collect()
    };
    let of_call = ids(arguments);
    let named = |ids: &[(String, String)]| {
        let named = ids.iter().find(|(stem, _)| !stem.is_empty() && tool.contains(stem.as_str()));
        named.map(|(stem, id)| format!("{stem} {id}"))
    };
    let of_result = || {
        let result = result.starts_with('{').then(|| serde_json::from_str::<Value>(result).ok()).flatten()?;
        named(&ids(&result))
    };
    let first = || of_call.first().map(|(stem, id)| format!("{stem} {id}").trim().to_string());
    named(&of_call).or_else(of_result).or_else(first)
}

impl Entities {
    /// Adds a successful call and its result.
    pub fn add(&mut self, tool: &str, arguments: &str, result: &str, now: u32) {
        let given: Value = serde_json::from_str(arguments).unwrap_or(Value::Null);
        let result = result.trim();
        let found = entity_id(tool, &given, result);
        let is_thing = found.is_some();
        let is_state = result.len() >= RECEIPT_BELOW;
        let key = match found {
            Some(key) => key,
            // A question has an answer; without arguments it is about everything.
            None if is_state && arguments.len() <= 1_000 => format!("{tool} {}", format_arguments(&given)),
            None => return,
        };
        let at = match self.at.get(key.as_str()) {
            Some(&at) => at,
            None => {
                let key: Rc<str> = key.into();
                self.at.insert(Rc::clone(&key), self.all.len());
                self.all.push(Entity { key, state: "".into(), since: vec![], last: now, is_thing });
                self.all.len() - 1
            }
        };
        let entity = &mut self.all[at];
        entity.last = now;
        if is_state || entity.state.is_empty() && entity.since.is_empty() && result.is_empty() {
            self.bytes = self.bytes - entity.state.len() + result.len();
            entity.state = result.into();
            entity.since.clear();
        } else {
            let said = format!("{tool} {} -> {result}", format_arguments(&given));
            entity.since.push(said[..said.floor_char_boundary(MAX_RECEIPT_BYTES)].to_string());
            if entity.since.len() > MAX_RECEIPTS {
                entity.since.remove(0);
            }
        }
        while self.all.len() > 1 && (self.all.len() > MAX_THINGS || self.bytes > MAX_BYTES) {
            self.evict_oldest();
        }
    }

    /// Evicts the thing that was used longest ago.
    fn evict_oldest(&mut self) {
        let Some(oldest) = (0..self.all.len()).min_by_key(|&at| (self.all[at].last, at)) else { return };
        self.bytes -= self.all[oldest].state.len();
        self.all.remove(oldest);
        self.at = self.all.iter().enumerate().map(|(at, entity)| (Rc::clone(&entity.key), at)).collect();
    }
}

/// Formats arguments for a reader.
fn format_arguments(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        Value::Array(items) => items.iter().map(format_arguments).collect::<Vec<_>>().join(" "),
        Value::Object(fields) => fields.values().map(format_arguments).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    }
}
