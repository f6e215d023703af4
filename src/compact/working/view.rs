//! What a view shows already: its lines and its names.

use std::collections::hash_map::Entry;
use std::hash::{BuildHasher, Hasher};
use std::rc::Rc;

use serde_json::Value;

use super::{names, strings_in};
use crate::map::{HashMap, HashSet};
use crate::message::{Message, Part};

/// The lines of a message, as hashes without the blanks around them, and its names; each once.
#[derive(Debug, Clone, Default)]
pub struct Shown {
    lines: HashSet<u64>,
    names: HashSet<u64>,
}

/// The lines and names of several messages, and in how many of them each is.
#[derive(Debug, Clone, Default)]
pub struct Lines {
    lines: HashMap<u64, u32>,
    names: HashMap<u64, u32>,
}

/// What a view shows: messages, and texts beside them.
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

/// A line of a result behind its number, as tools print them.
fn behind_number(line: &str) -> Option<&str> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = (digits > 0).then(|| &line[digits..])?;
    let end = rest.strip_prefix(['\t', '→', ':', '|', '-']).or_else(|| rest.strip_prefix(" | "))?;
    Some(end.trim())
}

impl Shown {
    /// What a message shows.
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
        // Ids and dates are one word in a text.
        for word in text.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',' | '(' | ')' | '`' | ':')) {
            self.names.insert(hash(word));
        }
    }
}

impl Lines {
    /// Takes in what a message shows.
    pub fn add(&mut self, shown: &Shown) {
        shown.lines.iter().for_each(|line| *self.lines.entry(*line).or_default() += 1);
        shown.names.iter().for_each(|name| *self.names.entry(*name).or_default() += 1);
    }

    /// Takes out what a message shows that was taken in.
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
    /// What these messages show.
    pub fn of<'a>(messages: impl IntoIterator<Item = &'a Message>) -> View {
        let mut view = View::default();
        messages.into_iter().for_each(|message| view.message(message));
        view
    }

    /// What messages show that are read already.
    pub fn over(messages: Rc<Lines>) -> View {
        View { messages, texts: Shown::default() }
    }

    /// Takes in one more message.
    pub fn message(&mut self, message: &Message) {
        self.texts.message(message);
    }

    /// Takes in a text that the view shows.
    pub fn text(&mut self, text: &str) {
        self.texts.text(text);
    }

    /// True if a line of the view is this one.
    pub fn has_line(&self, line: &str) -> bool {
        let line = hash(line.trim());
        self.messages.lines.contains_key(&line) || self.texts.lines.contains(&line)
    }

    /// True if the view names this.
    pub fn has_name(&self, name: &str) -> bool {
        let name = hash(name);
        self.messages.names.contains_key(&name) || self.texts.names.contains(&name)
    }
}
