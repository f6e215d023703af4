//! Recognises the beginning of a history that another system compacted: its environment turn, and its record.
//!
//! A record must have the right place, role and form. It is the first text after the system prompt and the environment,
//! it is a whole text part of a user message, and it has the form of one of the systems below. The same words in a tool
//! result, in an answer, or among other text of the user are ordinary text. A recognised record is treated as text: its
//! lists are not read.

use crate::message::{Message, Part, Role};

/// The system that left a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum System {
    CopilotChat,
    CopilotCli,
    GeminiCli,
    ClaudeCode,
    /// Unknown; the host says that the message is a record.
    Other,
}

/// A record of another system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Foreign {
    /// Id of the message.
    pub id: String,
    /// Index of the part with the record, and where the record ends in its text.
    pub part: usize,
    pub end: usize,
    pub system: System,
    /// True if the message holds nothing else: it is no request.
    pub is_alone: bool,
    /// Id of the standard answer that the system itself put behind the record.
    pub reply: Option<String>,
}

/// See the module.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Opening {
    pub record: Option<Foreign>,
    /// Ids of gemini-cli's environment turn, and of the answer to it in older versions.
    pub environment: Vec<String>,
}

const CHAT_TAG: &str = "<conversation-summary>";
const CHAT_END: &str = "</conversation-summary>";
/// A reminder for models that tend to stop early.
const CHAT_REMINDER: [&str; 2] = ["<reminderInstructions>", "</reminderInstructions>"];
const CLI_LINE: &str = "Some of the conversation history has been summarized";
const SNAPSHOT: &str = "<state_snapshot>";
const SNAPSHOT_END: &str = "</state_snapshot>";
const SCRATCHPAD: &str = "<scratchpad>";
/// gemini-cli's answers to a record and to its environment turn.
const GEMINI_REPLY: &str = "Got it. Thanks for the additional context!";
const GEMINI_GREETING: &str = "Got it. Thanks for the context!";
const CLAUDE_LINE: &str = "This session is being continued from a previous conversation";

/// Beginnings of gemini-cli's environment turn: newer and older versions, and a fork.
const GEMINI_ENVIRONMENT: [&str; 4] = [
    "<session_context>",
    "This is the Gemini CLI. We are setting up the context",
    "This is Gemini CLI. We are setting up the context",
    "This is the Qwen Code. We are setting up the context",
];
/// Beginnings of texts that other systems put in front of everything.
const ENVIRONMENT: [&str; 3] = ["<environment_info>", "<workspace_info>", "<system-reminder>"];

/// Reads the beginning of a history. `named` is the id of a message that the host knows to be a record.
///
/// ```
/// use espalier::history::opening::{System, opening};
/// use espalier::message::{Message, Part, Role};
/// let says = |id: &str, role, text: &str| {
///     Message { id: id.into(), role, name: None, parts: vec![Part::Text { text: text.into() }] }
/// };
/// let record = says("m0", Role::User, "<conversation-summary>\nAll is well.\n</conversation-summary>");
/// let asked = says("m1", Role::User, "Go on.");
/// let found = opening([&record, &asked].into_iter(), None).record.unwrap();
/// assert_eq!((found.id.as_str(), found.system), ("m0", System::CopilotChat));
/// assert_eq!(opening([&asked, &record].into_iter(), None).record, None);
/// ```
pub fn opening<'a>(messages: impl Iterator<Item = &'a Message>, named: Option<&str>) -> Opening {
    let mut messages = messages.filter(|message| !message.role.is_frame()).peekable();
    let mut found = Opening::default();
    while let Some(message) = messages.next() {
        let is_greeting = || message.text().trim() == GEMINI_GREETING && message.calls().next().is_none();
        match message.role {
            Role::User if message.results().next().is_none() => {}
            Role::Assistant if found.environment.len() == 1 && is_greeting() => {
                found.environment.push(message.id.clone());
                continue;
            }
            _ => break,
        }
        let is_named = named == Some(message.id.as_str());
        let mut texts = texts(message).filter(|(_, text)| !text.trim().is_empty()).peekable();
        if texts.peek().is_none() {
            break;
        }
        let said = texts.find(|(_, text)| is_named || !is_environment(text));
        let Some((part, text)) = said else {
            // Only a message of one text: otherwise other content of the user would be taken for the environment.
            let is_gemini = |text: &str| GEMINI_ENVIRONMENT.iter().any(|begins| text.trim_start().starts_with(begins));
            if found.environment.is_empty() && message.parts.len() == 1 && is_gemini(&message.text()) {
                found.environment.push(message.id.clone());
            }
            continue;
        };
        let next = messages.peek().filter(|next| next.role == Role::Assistant).map(|next| (next, next.text()));
        let known = form(text, next.as_ref().map(|(_, text)| text.as_str()));
        let known = known.or_else(|| is_named.then_some((System::Other, text.len())));
        found.record = known.map(|(system, end)| {
            let reply = next.filter(|(_, text)| text.trim() == GEMINI_REPLY).map(|(next, _)| next.id.clone());
            let mut record = Foreign { id: message.id.clone(), part, end, system, is_alone: false, reply };
            let is_text = |part: &Part| matches!(part, Part::Text { .. }) || part.is_mark();
            record.is_alone = message.parts.iter().all(is_text) && record.beside(message).is_empty();
            record
        });
        break;
    }
    found
}

/// Returns the texts of a message with the indices of their parts.
fn texts(message: &Message) -> impl Iterator<Item = (usize, &str)> {
    message.parts.iter().enumerate().filter_map(|(at, part)| match part {
        Part::Text { text } => Some((at, text.as_str())),
        _ => None,
    })
}

fn is_environment(text: &str) -> bool {
    let text = text.trim_start();
    GEMINI_ENVIRONMENT.iter().chain(&ENVIRONMENT).any(|begins| text.starts_with(begins))
}

/// Returns the system whose form the text has, and where the record ends in it.
fn form(text: &str, reply: Option<&str>) -> Option<(System, usize)> {
    let bare = text.trim();
    let whole = |system| Some((system, text.len()));
    if bare.starts_with(CHAT_TAG) {
        return Some((System::CopilotChat, text.rfind(CHAT_END)? + CHAT_END.len()));
    }
    if (bare.starts_with(SNAPSHOT) || bare.starts_with(SCRATCHPAD)) && bare.ends_with(SNAPSHOT_END) {
        // Text that the user typed has no such answer.
        let is_answered = reply.is_some_and(|reply| reply.trim_start().starts_with(GEMINI_REPLY));
        return if is_answered && bare.contains(SNAPSHOT) { whole(System::GeminiCli) } else { None };
    }
    if bare.starts_with(CLI_LINE) && bare.contains("<summary>") && bare.ends_with("</summary>") {
        return whole(System::CopilotCli);
    }
    (bare.starts_with(CLAUDE_LINE) && bare.contains('\n')).then_some((System::ClaudeCode, text.len()))
}

impl Foreign {
    /// Returns the text of the record in its message.
    pub fn text<'a>(&self, message: &'a Message) -> &'a str {
        match message.parts.get(self.part) {
            Some(Part::Text { text }) => text.get(..self.end).unwrap_or(text),
            _ => "",
        }
    }

    /// Returns the user's other text in the same message: hosts join messages of the same role.
    pub fn beside(&self, message: &Message) -> String {
        let rest = |(at, text)| if at == self.part { str::get(text, self.end..).unwrap_or_default() } else { text };
        let said = texts(message).map(rest).map(str::trim).filter(|text| !is_environment(text) && !is_reminder(text));
        said.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
    }
}

fn is_reminder(text: &str) -> bool {
    let [begins, ends] = CHAT_REMINDER;
    text.starts_with(begins) && text.ends_with(ends)
}
