//! What a view shows already: its lines and its names.

use std::hash::{BuildHasher, Hasher};

use serde_json::Value;

use super::{names, strings_in};
use crate::map::HashSet;
use crate::message::{Message, Part};

/// Lines, as hashes without the blanks around them, and names.
#[derive(Debug, Clone, Default)]
pub struct View {
    lines: HashSet<u64>,
    names: HashSet<u64>,
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

impl View {
    /// What these messages show.
    pub fn of<'a>(messages: impl IntoIterator<Item = &'a Message>) -> View {
        let mut view = View::default();
        for message in messages {
            for part in &message.parts {
                view.part(part);
            }
        }
        view
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

    /// Takes in a text that the view shows.
    pub fn text(&mut self, text: &str) {
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

    /// True if a line of the view is this one.
    pub fn has_line(&self, line: &str) -> bool {
        self.lines.contains(&hash(line.trim()))
    }

    /// True if the view names this.
    pub fn has_name(&self, name: &str) -> bool {
        self.names.contains(&hash(name))
    }
}
