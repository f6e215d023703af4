//! Shared by the test modules: tokenizers, transcripts, random conversations.

pub mod random;
pub mod valid;

use espalier::compact::{Compacted, Compaction};
use espalier::effect::{Answer, Effect, Step};
use espalier::error::Error;
use espalier::history::draft::Meter;
use espalier::history::log::{Counting, Log};
use espalier::history::record::seal;
use espalier::message::{Message, Part, Role};
use espalier::tokens::{CostModel, Tokenizer};
use espalier_testing::conversations;

/// Carries out a compaction; returns every effect and the result.
pub fn driven(mut run: Compaction, mut host: impl FnMut(&Effect) -> Answer) -> (Vec<Effect>, Result<Compacted, Error>) {
    let mut seen = Vec::new();
    loop {
        match run.poll() {
            Err(error) => return (seen, Err(error)),
            Ok(Step::Done { result }) => return (seen, Ok(result)),
            Ok(Step::Ask { effects }) => {
                for ask in effects {
                    run.resume(ask.id, host(&ask.effect)).unwrap();
                    seen.push(ask.effect);
                }
            }
        }
    }
}

/// One token for every four characters, rounded up: cheap, and easy to calculate by hand.
pub struct Quarter;

impl Tokenizer for Quarter {
    fn count(&self, text: &str) -> u64 {
        text.chars().count().div_ceil(4) as u64
    }
}

/// Every character is a token.
pub struct Chars;

impl Tokenizer for Chars {
    fn count(&self, text: &str) -> u64 {
        text.chars().count() as u64
    }
}

/// The reference implementation of o200k_base.
pub struct Reference;

impl Tokenizer for Reference {
    fn count(&self, text: &str) -> u64 {
        tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len() as u64
    }
}

pub fn meter(tokenizer: &dyn Tokenizer) -> Meter<'_> {
    Meter { model: CostModel::Espalier, tokenizer, tools: 0, by_items: false, provider: None }
}

/// Returns the log of a conversation whose messages have the same time.
pub fn log_of(messages: Vec<Message>, time: i64, counting: Counting) -> Result<Log, Error> {
    let mut log = Log::new(counting);
    log.append_all(messages, time)?;
    Ok(log)
}

/// The transcripts of `tests/fixtures/transcripts`, small to large.
pub const TRANSCRIPTS: [&str; 6] = [
    "tau-airline-11",
    "tau-airline-0",
    "sweagent-marshmallow-1867",
    "cline-sidebar",
    "openhands-ponyc-4593",
    "pi-refactor-long",
];

/// Reads a transcript (OpenAI chat messages) into the neutral model, as `js/formats/openai/read-chat.ts` does.
pub fn transcript(name: &str) -> Vec<Message> {
    transcript_in("tests/fixtures/transcripts", name)
}

/// Reads a transcript in another folder of the repository.
pub fn transcript_in(folder: &str, name: &str) -> Vec<Message> {
    let path = format!("{}/{folder}/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    conversations::messages(&text).expect("a transcript")
}

// ---------------------------------------------------------------- short forms for conversations

fn message(role: Role, parts: Vec<Part>) -> Message {
    Message { id: String::new(), role, name: None, parts }
}

pub fn system(text: &str) -> Message {
    message(Role::System, vec![Part::Text { text: text.into() }])
}

/// Returns the record of an earlier compaction.
pub fn record(text: &str) -> Message {
    user(&seal(text))
}

pub fn user(text: &str) -> Message {
    message(Role::User, vec![Part::Text { text: text.into() }])
}

pub fn assistant(text: &str) -> Message {
    message(Role::Assistant, vec![Part::Text { text: text.into() }])
}

/// Returns an assistant message that calls one tool per id.
pub fn calls(ids: &[&str]) -> Message {
    let call = |id: &&str| Part::ToolCall { call_id: id.to_string(), name: "bash".into(), arguments: "{}".into() };
    message(Role::Assistant, ids.iter().map(call).collect())
}

/// Returns a call of a named tool.
pub fn call(id: &str, name: &str, arguments: &str) -> Message {
    let part = Part::ToolCall { call_id: id.into(), name: name.into(), arguments: arguments.into() };
    message(Role::Assistant, vec![part])
}

pub fn result(id: &str, text: &str) -> Message {
    message(Role::Tool, vec![result_part(id, text)])
}

pub fn result_part(id: &str, text: &str) -> Part {
    Part::ToolResult {
        call_id: id.into(),
        name: None,
        content: vec![Part::Text { text: text.into() }],
        is_error: false,
    }
}

/// Numbers the messages m0, m1, …
pub fn numbered(mut messages: Vec<Message>) -> Vec<Message> {
    for (at, message) in messages.iter_mut().enumerate() {
        message.id = format!("m{at}");
    }
    messages
}
