//! The event log of a conversation: an object to which entries are added. Every method decodes, calls and encodes.

use js_sys::Array;
use serde::Serialize;
use wasm_bindgen::prelude::*;

use super::compact::of_log;
use super::decode::{from_js, into_js, options_from_js};
use super::error::JsResult;
use super::options::{Counting, messages};
use super::validity;
use crate::error::{Code, Error};
use crate::history::edit;
use crate::history::log::entry::{Checkpoint, Edit, Pin, RecordKind};
use crate::history::log::{Counting as Counted, Log, Made, Problem};
use crate::message::Message;

/// The outcome of reading a log.
#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
struct Report {
    /// Number of the log's entries, including salvaged ones.
    entries: usize,
    /// Empty if there are none.
    problems: Vec<Problem>,
    /// Number of lines from the first untrusted one on; they are not part of the log, so keep the text.
    left: usize,
    /// Lines that `salvage` found and added after those of the text.
    salvaged: Vec<String>,
    verbatim: bool,
}

/// See `history::log`. JavaScript keeps the lines, so a lost instance can be created again.
#[wasm_bindgen]
pub struct EventLog {
    inner: Log,
    report: Report,
    encoding: &'static str,
}

fn counting(options: JsValue) -> JsResult<(Counted, &'static str)> {
    let options = Counting::of(&options)?;
    let counter = options.counter()?;
    let counted = Counted {
        model: counter.cost_model,
        tools: counter.tools.total,
        origin: counter.origin,
        by_items: counter.by_items,
        provider: counter.provider,
        tokenizer: counter.tokenizer,
    };
    Ok((counted, counter.name))
}

impl EventLog {
    /// Returns the log, for other bindings in the same crossing.
    pub(super) fn inner_mut(&mut self) -> &mut Log {
        &mut self.inner
    }
}

/// Exports methods that differ only in what they call: those that add an entry made from a value or by an id, and those
/// that only read.
macro_rules! exported {
    ($($change:ident($value:ty, $code:ident))*; $($by_id:ident)*; $($read:ident)*) => {
        #[wasm_bindgen]
        impl EventLog {
            $(pub fn $change(&mut self, value: JsValue, time: f64) -> JsResult {
                let value: $value = from_js(value, stringify!($change), Code::$code)?;
                into_js(&self.inner.$change(value, time as i64)?)
            })*

            $(pub fn $by_id(&mut self, id: Option<String>, time: f64) -> JsResult {
                into_js(&self.inner.$by_id(id.as_deref(), time as i64)?)
            })*

            $(pub fn $read(&self) -> JsResult {
                into_js(&self.inner.$read())
            })*
        }
    };
}

exported! {
    edit(Edit, BadEdit) pin(Pin, BadInput) checkpoint(Checkpoint, BadInput);
    undo redo rewind;
    totals edits pins checkpoints
}

#[wasm_bindgen]
impl EventLog {
    #[wasm_bindgen(constructor)]
    pub fn new(options: JsValue) -> JsResult<EventLog> {
        let (counting, encoding) = counting(options)?;
        Ok(EventLog { inner: Log::new(counting), report: Report::default(), encoding })
    }

    /// Reads lines; `report` describes the result.
    pub fn read(text: &str, options: JsValue, salvage: bool) -> JsResult<EventLog> {
        let (counting, encoding) = counting(options)?;
        let read = Log::import(text, counting, salvage)?;
        let salvaged = read.salvaged.into_iter().map(|added| added.line).collect();
        let (entries, verbatim) = (read.log.len(), read.verbatim);
        let report = Report { entries, problems: read.problems, left: read.left, salvaged, verbatim };
        Ok(EventLog { inner: read.log, report, encoding })
    }

    pub fn report(&self) -> JsResult {
        into_js(&self.report)
    }

    /// Adds all messages or none.
    pub fn append(&mut self, conversation: JsValue, time: f64) -> JsResult {
        let conversation = messages(conversation)?;
        into_js(&self.inner.append_all(conversation, time as i64)?)
    }

    pub fn record(&mut self, kind: JsValue, json: String, time: f64) -> JsResult {
        let kind: RecordKind = from_js(kind, "kind", Code::BadInput)?;
        into_js(&self.inner.record(kind, json, time as i64)?)
    }

    /// Records the edits of a compaction, all or none.
    pub fn adopt(&mut self, edits: JsValue, made: JsValue, time: f64) -> JsResult {
        let edits: Vec<edit::Edit> = from_js(edits, "edits", Code::BadEdit)?;
        let made: Made = from_js(made, "options", Code::BadInput)?;
        into_js(&self.inner.adopt_made(&edits, &made, time as i64)?)
    }

    /// Begins a compaction of the view. See `beginCompaction`.
    #[wasm_bindgen(js_name = "beginCompaction", unchecked_return_type = "[string, Compaction | undefined]")]
    pub fn begin_compaction(&self, options: JsValue) -> JsResult<Array> {
        of_log(&self.inner, self.encoding, &options)?.first()
    }

    /// Returns the view that these edits would produce, in runs.
    #[wasm_bindgen(js_name = "previewAdopted")]
    pub fn preview_adopted(&mut self, edits: JsValue, made: JsValue) -> JsResult {
        let edits: Vec<edit::Edit> = from_js(edits, "edits", Code::BadEdit)?;
        let made: Made = from_js(made, "options", Code::BadInput)?;
        into_js(&self.inner.preview_adopted(&edits, &made)?)
    }

    /// Sets the tool definitions of the next requests.
    #[wasm_bindgen(js_name = "setTools")]
    pub fn set_tools(&mut self, options: JsValue) -> JsResult<()> {
        self.inner.set_tools(counting(options)?.0.tools);
        Ok(())
    }

    pub fn preview(&mut self, edit: JsValue) -> JsResult {
        let edit: Edit = from_js(edit, "edit", Code::BadEdit)?;
        into_js(&self.inner.preview(edit)?)
    }

    pub fn unpin(&mut self, id: &str, time: f64) -> JsResult {
        into_js(&self.inner.unpin(id, time as i64)?)
    }

    /// Returns the view with its plan in runs.
    #[wasm_bindgen(js_name = "viewInRuns")]
    pub fn view_in_runs(&self) -> JsResult {
        into_js(&self.inner.view_in_runs())
    }

    /// Returns the view as a provider takes it. Without repairs it has no plan, since that is the view's.
    pub fn mended(&self, receiver: JsValue) -> JsResult {
        let receiver = options_from_js::<validity::Options>(&receiver)?.receiver()?;
        into_js(&self.inner.mended(&receiver))
    }

    #[wasm_bindgen(js_name = "tokensOf")]
    pub fn tokens_of(&self, ids: Vec<String>) -> f64 {
        self.inner.tokens_of(&ids.into_iter().collect()) as f64
    }

    /// Returns the messages of the view, in the neutral form.
    pub fn messages(&self) -> JsResult {
        let (messages, _) = self.inner.counted_messages();
        into_js(&messages.iter().map(|message| &**message).collect::<Vec<_>>())
    }

    /// Returns the user's latest request: the text of the newest message with any, at most `characters`; empty if there
    /// is none.
    #[wasm_bindgen(js_name = "newestRequest")]
    pub fn newest_request(&self, characters: usize) -> String {
        self.inner.newest_request().chars().take(characters).collect()
    }

    pub fn recall(&self, id: &str) -> JsResult {
        into_js(&self.inner.recall(id)?)
    }

    pub fn search(&self, query: &str, most: u32) -> JsResult {
        into_js(&self.inner.search(query, most as usize))
    }

    pub fn compare(&self, a: u32, b: u32) -> JsResult {
        into_js(&self.inner.compare(a as usize, b as usize)?)
    }

    pub fn fingerprint(&self, ids: JsValue) -> JsResult<String> {
        let ids: Vec<String> = from_js(ids, "ids", Code::BadInput)?;
        Ok(self.inner.fingerprint(&ids)?)
    }

    /// True if the log's message with the same id is equal.
    pub fn has(&self, message: JsValue) -> JsResult<bool> {
        let message: Message = from_js(message, "message", Code::BadMessage)?;
        Ok(self.inner.original(&message.id) == Some(&message))
    }

    /// Returns `{ message, origin, parts }`: tokens of an original message, and of each of its parts.
    pub fn counts(&self, id: &str) -> JsResult {
        #[derive(Serialize)]
        struct Counts<'a> {
            #[serde(flatten)]
            message: crate::tokens::Cost,
            parts: &'a [u64],
        }
        let unknown = || Error::new(Code::UnknownId, format!("there is no message with the id {id:?}")).at("id");
        let counts = self.inner.counts(id).ok_or_else(unknown)?;
        into_js(&Counts { message: counts.message, parts: &counts.parts })
    }

    pub fn lines(&self, from: u32) -> String {
        self.inner.export(from as usize)
    }

    pub fn hash(&self) -> String {
        self.inner.hash()
    }
}
