//! Tags in a user's message, and whose text they contain. Each name is in one row of the table; the names that a
//! breakdown knows ([`tokens::TAGS`](crate::tokens::TAGS)) contain quoted text, too.

use crate::tokens;

/// Whose text a tag contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// Somebody else's text: a file, a page, a log.
    Quoted,
    /// Text that a harness sends as a message of the user: the output of a command, the command's name.
    Output,
    /// Text that a harness adds to the user's words: Cline, Roo Code, Codex, Claude Code and Copilot Chat do so.
    Added,
    /// The user's words.
    Words,
    /// The user's words if the message begins with the tag: others write such tags, too.
    FirstWords,
}

const TAGS: [(Content, &[&str]); 5] = [
    (
        Content::Quoted,
        &[
            "blockquote",
            "code",
            "codebase",
            "content",
            "context",
            "conversation-summary",
            "diff",
            "email",
            "environment_info",
            "error",
            "example",
            "excerpt",
            "file_content",
            "file_contents",
            "hook",
            "ide_selection",
            "log",
            "notification",
            "page",
            "pre",
            "quote",
            "repository_info",
            "result",
            "search_results",
            "selection",
            "snippet",
            "source",
            "stderr",
            "stdout",
            "terminal",
            "tool_result",
            "user_info",
            "webpage",
            "workspace_info",
        ],
    ),
    (
        Content::Output,
        &[
            "bash-stderr",
            "bash-stdout",
            "command-message",
            "command-name",
            "local-command-caveat",
            "local-command-stderr",
            "local-command-stdout",
        ],
    ),
    (
        Content::Added,
        &[
            "environment_context",
            "environment_details",
            "ide_opened_file",
            "reminderInstructions",
            "system-reminder",
            "system_reminder",
            "task-notification",
            "user-prompt-submit-hook",
        ],
    ),
    (Content::Words, &["userRequest", "user_input", "user_message", "user_query"]),
    (Content::FirstWords, &["feedback", "task"]),
];

/// A tag with which a text begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tag<'a> {
    pub name: &'a str,
    pub kind: Kind,
    /// Its length in bytes.
    pub length: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Opening,
    Closing,
    /// A tag without content: `<file/>`.
    Empty,
}

impl<'a> Tag<'a> {
    /// Returns the tag with which the text begins.
    ///
    /// ```
    /// use espalier::compact::ledger::tags::{Kind, Tag};
    /// let tag = Tag::at("<file path=\"a\">text</file>").unwrap();
    /// assert_eq!((tag.name, tag.kind, tag.length), ("file", Kind::Opening, 15));
    /// assert_eq!(Tag::at("<3 of them>"), None);
    /// ```
    pub fn at(text: &'a str) -> Option<Tag<'a>> {
        let inner = text.strip_prefix('<')?;
        let closing = inner.strip_prefix('/').map(str::trim_start);
        let inner = closing.unwrap_or(inner);
        let length = inner.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-')?;
        let (name, attributes) = inner.split_at(length);
        let end = attributes.find(['>', '<'])?;
        let (attributes, behind) = attributes.split_at(end);
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic());
        let is_separated = attributes.is_empty() || attributes.starts_with(|c: char| c.is_whitespace() || c == '/');
        if !(is_name && is_separated && behind.starts_with('>')) {
            return None;
        }
        let kind = match closing {
            Some(_) => Kind::Closing,
            None if attributes.ends_with('/') => Kind::Empty,
            None => Kind::Opening,
        };
        Some(Tag { name, kind, length: text.len() - behind.len() + 1 })
    }

    /// Returns what the tag contains, if its name is in the table.
    pub fn content(&self) -> Option<Content> {
        TAGS.iter().find(|(_, names)| names.contains(&self.name)).map(|(content, _)| *content)
    }

    /// True if the user did not write what the tag contains. Letters' case does not matter.
    pub fn is_foreign(&self) -> bool {
        let foreign = TAGS.iter().filter(|row| !matches!(row.0, Content::Words | Content::FirstWords));
        let names = foreign.flat_map(|(_, names)| names.iter()).chain(tokens::TAGS.iter().map(|(name, _)| name));
        names.into_iter().any(|name| name.eq_ignore_ascii_case(self.name))
    }

    /// Returns where the first closing tag of this name begins and ends in the text behind this tag.
    pub fn closing_in(&self, behind: &str) -> Option<std::ops::Range<usize>> {
        let closing = format!("</{}>", self.name);
        behind.find(&closing).map(|start| start..start + closing.len())
    }
}
