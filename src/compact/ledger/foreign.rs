//! Adds a record of another system. It is text: its summary counts as an earlier one, and quoted user messages as
//! earlier requests.

use super::user::{self, Request};
use super::{Ledger, Speaker};
use crate::compact::form::{COPILOT_CLI, EIGHT, GEMINI_CLI, headed};
use crate::compact::parse::parse_as;
use crate::history::opening::System;

/// The tag of a user message in a record of Copilot CLI.
const USER: [&str; 2] = ["<user_message>", "</user_message>"];
/// The text after the thoughts in a record of Claude Code, and the beginning of its end: words to the model.
const CLAUDE_SUMMARY: &str = "\nSummary:\n";
const CLAUDE_END: &str = "Please continue the conversation from where we left it off";

impl Ledger {
    /// Adds the record in the message `id`.
    pub(super) fn foreign(&mut self, id: &str, system: System, record: &str) {
        let (said, summary) = match system {
            System::CopilotCli => split(record),
            _ => (vec![], record),
        };
        for text in said {
            self.constrained(id, &user::constraints(text, &self.rules.markers));
            self.facts_of(id, Speaker::User, text);
            let text = text.to_string();
            self.asked(Request::new(id, text, true), None);
        }
        let summary = summary_of(system, summary);
        self.facts_of(id, Speaker::Record, &summary);
        self.earlier.push(summary);
    }
}

/// Returns the user messages in a record of Copilot CLI, and the text after them.
fn split(record: &str) -> (Vec<&str>, &str) {
    let [begins, ends] = USER;
    let mut said = Vec::new();
    let mut rest = record;
    while let Some((before, behind)) = rest.split_once(begins)
        // The summary may quote the tag.
        && !before.contains("<summary>")
        && let Some((text, after)) = behind.split_once(ends)
    {
        said.push(text.trim());
        rest = after;
    }
    (said, rest)
}

/// Returns the summary alone, with its sections under headings.
fn summary_of(system: System, record: &str) -> String {
    let form = match system {
        System::GeminiCli => &GEMINI_CLI,
        System::CopilotCli => &COPILOT_CLI,
        System::CopilotChat | System::ClaudeCode | System::Other => &EIGHT,
    };
    let mut text = record.trim();
    if system == System::CopilotChat {
        let inner = text.strip_prefix("<conversation-summary>");
        text = inner.and_then(|text| text.strip_suffix("</conversation-summary>")).unwrap_or(text).trim();
    }
    if system == System::ClaudeCode {
        text = text.split_once('\n').map_or(text, |(_, rest)| rest).trim();
        text = text.rsplit_once(CLAUDE_SUMMARY).map_or(text, |(_, summary)| summary);
        text = text.rsplit_once(CLAUDE_END).map_or(text, |(summary, _)| summary).trim();
    }
    let found = parse_as(text, form, true);
    headed(found.as_ref().map_or(text, |parsed| parsed.text.trim()))
}
