//! The lines and names that a view already shows.
//!
//! In: messages and texts of the view. Out: [`View`], which says whether it has a line or a name. Start reading there.

use std::collections::hash_map::Entry;
use std::hash::{BuildHasher, Hasher};
use std::rc::Rc;

use serde_json::Value;

use super::{names, strings_in};
use crate::map::{HashMap, HashSet};
use crate::message::{Message, Part};

/// The hashes of a message's lines, without surrounding blanks, and of its names.
#[derive(Debug, Clone, Default)]
pub struct Shown {
    lines: HashSet<u64>,
    names: HashSet<u64>,
}

/// The lines and names of several messages, each with the number of messages that contain it.
#[derive(Debug, Clone, Default)]
pub struct Lines {
    lines: HashMap<u64, u32>,
    names: HashMap<u64, u32>,
}

/// The content of a view: messages, and texts beside them.
#[derive(Debug, Clone, Default)]
pub struct View {
    messages: Rc<Lines>,
    texts: Shown,
}

fn hash(text: &str) -> u64 {
    let mut hasher = foldhash::fast::FixedState::default().build_hasher();
    hasher.write(text.as_bytes());
    hasher.finish()
}

/// Returns the text of a result's line behind its line number.
fn behind_number(line: &str) -> Option<&str> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = (digits > 0).then(|| &line[digits..])?;
    let end = rest.strip_prefix(['\t', '→', ':', '|', '-']).or_else(|| rest.strip_prefix(" | "))?;
    Some(end.trim())
}

impl Shown {
    /// Returns the lines and names of a message.
    pub fn of(message: &Message) -> Shown {
        let mut shown = Shown::default();
        shown.message(message);
        shown
    }

    fn message(&mut self, message: &Message) {
        message.parts.iter().for_each(|part| self.part(part));
    }

    fn part(&mut self, part: &Part) {
        match part {
            Part::Text { text } => self.text(text),
            Part::ToolResult { content, .. } => content.iter().for_each(|part| self.part(part)),
            Part::ToolCall { arguments, .. } => {
                let mut strings = Vec::new();
                strings_in(&serde_json::from_str(arguments).unwrap_or(Value::Null), 0, &mut strings);
                for text in &strings {
                    self.text(text);
                    self.names.insert(hash(text));
                }
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        for line in text.lines() {
            let line = line.trim();
            self.lines.insert(hash(line));
            if let Some(line) = behind_number(line) {
                self.lines.insert(hash(line));
            }
        }
        names::each(text, |name, _| {
            self.names.insert(hash(name));
        });
        // Ids and dates count as one name each, separators included.
        for word in text.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',' | '(' | ')' | '`' | ':')) {
            self.names.insert(hash(word));
        }
    }
}

impl Lines {
    /// Adds the lines and names of a message.
    pub fn add(&mut self, shown: &Shown) {
        shown.lines.iter().for_each(|line| *self.lines.entry(*line).or_default() += 1);
        shown.names.iter().for_each(|name| *self.names.entry(*name).or_default() += 1);
    }

    /// Removes the lines and names of a message that was added.
    pub fn remove(&mut self, shown: &Shown) {
        let take_out = |from: &mut HashMap<u64, u32>, all: &HashSet<u64>| {
            for one in all {
                if let Entry::Occupied(mut count) = from.entry(*one) {
                    *count.get_mut() -= 1;
                    if *count.get() == 0 {
                        count.remove();
                    }
                }
            }
        };
        take_out(&mut self.lines, &shown.lines);
        take_out(&mut self.names, &shown.names);
    }
}

impl View {
    /// Returns the view of these messages.
    pub fn of<'a>(messages: impl IntoIterator<Item = &'a Message>) -> View {
        let mut view = View::default();
        messages.into_iter().for_each(|message| view.message(message));
        view
    }

    /// Returns the view of messages that were already read.
    pub fn over(messages: Rc<Lines>) -> View {
        View { messages, texts: Shown::default() }
    }

    /// Adds a message.
    pub fn message(&mut self, message: &Message) {
        self.texts.message(message);
    }

    /// Adds a text of the view.
    pub fn text(&mut self, text: &str) {
        self.texts.text(text);
    }

    /// True if the view has this line.
    pub fn has_line(&self, line: &str) -> bool {
        let line = hash(line.trim());
        self.messages.lines.contains_key(&line) || self.texts.lines.contains(&line)
    }

    /// True if the view has this name.
    pub fn has_name(&self, name: &str) -> bool {
        let name = hash(name);
        self.messages.names.contains_key(&name) || self.texts.names.contains(&name)
    }
}
