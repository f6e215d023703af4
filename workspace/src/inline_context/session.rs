//! The state of an editor's session in the engine, so that a keystroke passes little data across the boundary.

use js_sys::Function;
use wasm_bindgen::prelude::*;

use espalier_count::error::to_js;
use espalier_inline::{
    Ask, Completions, CursorHistory, CursorMove, EditHistory, Memory, Moment, MovedBy, RecentFiles, Schedule, Started,
};

use super::options::Given;
use super::request::{Asked, File, Files, Items};
use super::{Counting, check_encoding};

/// Neighbour files, recent edits, cursor positions, caches and the schedule of providers.
#[wasm_bindgen]
pub struct InlineSession {
    given: Given,
    encoding: String,
    tokenizer: Option<Function>,
    files: Files,
    edits: EditHistory,
    memory: Memory,
    visits: CursorHistory,
    recent: RecentFiles,
    completions: Completions,
    schedule: Schedule,
}

/// Converts a version or an offset that JavaScript passed as a number.
fn whole(number: f64) -> u64 {
    number as u64
}

fn ask(path: &str, version: f64, cursor: f64) -> Ask {
    Ask { path: path.to_string(), version: whole(version), cursor: whole(cursor) as usize }
}

/// Writes a started request as JSON.
fn started(started: Option<Started>) -> Option<String> {
    let Started { number, ask } = started?;
    let json = serde_json::json!({ "number": number, "path": ask.path, "version": ask.version, "cursor": ask.cursor });
    Some(json.to_string())
}

#[wasm_bindgen]
impl InlineSession {
    #[wasm_bindgen(constructor)]
    pub fn new(options: &str, encoding: &str, tokenizer: Option<Function>) -> Result<InlineSession, JsValue> {
        let given = Given::read(options).map_err(to_js)?;
        if tokenizer.is_none() {
            check_encoding(encoding).map_err(to_js)?;
        }
        Ok(InlineSession {
            edits: EditHistory::new(given.edits.clone()),
            memory: Memory::new(given.max_bytes),
            visits: CursorHistory::new(given.max_places, given.near_place_lines),
            recent: RecentFiles::new(given.max_recent),
            completions: Completions::new(given.max_completions),
            schedule: Schedule::new(given.debounce_ms),
            files: Files::default(),
            encoding: encoding.to_string(),
            tokenizer,
            given,
        })
    }

    /// Adds a neighbour file, or replaces it.
    #[wasm_bindgen(js_name = "putFile")]
    pub fn put_file(&mut self, path: String, language: String, scheme: String, text: String, focused: f64) {
        self.files.put(File::new(path, language, scheme, text, focused));
    }

    #[wasm_bindgen(js_name = "removeFile")]
    pub fn remove_file(&mut self, path: &str) {
        self.files.remove(path);
    }

    #[wasm_bindgen(js_name = "focusFile")]
    pub fn focus_file(&mut self, path: &str, now: f64) {
        self.files.focus(path, now);
    }

    /// Finds the context of a completion. `document`, `numbers` and items are those of `inlineContext`; a fourth number
    /// is the time, by which changes that are old enough become edits.
    pub fn context(
        &mut self,
        document: Vec<String>,
        numbers: &[f64],
        text: &str,
        items: Vec<String>,
        item_numbers: &[f64],
    ) -> Result<String, JsValue> {
        let items = Items { texts: items, numbers: item_numbers.to_vec() };
        self.edits.settle(numbers.get(3).map_or(0, |now| whole(*now)));
        let asked = Asked { document: &document, numbers, text, items: &items };
        let counting = Counting::new(&self.encoding, self.tokenizer.clone())?;
        self.given.options.similar = self.given.similar(asked.language());
        let neighbours = self.files.neighbours();
        let (edits, visits) = (Some(&self.edits), Some(&self.visits));
        asked.run(&neighbours, edits, visits, &self.given.options, &counting, &mut self.memory).map_err(to_js)
    }

    /// Returns the approximate bytes of the caches.
    #[wasm_bindgen(js_name = "cacheMemory")]
    pub fn cache_memory(&self) -> f64 {
        self.memory.memory() as f64
    }

    #[wasm_bindgen(js_name = "openEdits")]
    pub fn open_edits(&mut self, path: &str, text: &str) {
        self.edits.open(path, text);
    }

    #[wasm_bindgen(js_name = "changeEdits")]
    pub fn change_edits(&mut self, path: &str, text: &str, now: f64) {
        self.edits.change(path, text, whole(now));
    }

    #[wasm_bindgen(js_name = "closeEdits")]
    pub fn close_edits(&mut self, path: &str) {
        self.edits.close(path);
    }

    /// Records a cursor position.
    pub fn visit(&mut self, path: &str, line: f64, now: f64) {
        self.visits.visit(path, whole(line) as usize, whole(now));
    }

    pub fn activate(&mut self, path: &str) {
        self.recent.activate(path);
    }

    #[wasm_bindgen(js_name = "closeTab")]
    pub fn close_tab(&mut self, path: &str) {
        self.recent.close_tab(path);
    }

    #[wasm_bindgen(js_name = "closeDocument")]
    pub fn close_document(&mut self, path: &str) {
        self.recent.close_document(path);
    }

    #[wasm_bindgen(js_name = "recentFiles")]
    pub fn recent_files(&self, current: &str) -> Vec<String> {
        self.recent.paths(current).into_iter().map(str::to_string).collect()
    }

    #[wasm_bindgen(js_name = "putCompletion")]
    pub fn put_completion(&mut self, path: &str, before: &str, after: &str, completion: &str) {
        self.completions.put(path, before, after, completion);
    }

    #[wasm_bindgen(js_name = "getCompletion")]
    pub fn get_completion(&self, path: &str, before: &str, after: &str) -> Option<String> {
        self.completions.get(path, before, after).map(str::to_string)
    }

    #[wasm_bindgen(js_name = "completionCount")]
    pub fn completion_count(&self) -> usize {
        self.completions.len()
    }

    /// Records a change of a document for the schedule.
    #[wasm_bindgen(js_name = "scheduleChange")]
    pub fn schedule_change(&mut self, path: &str, now: f64) {
        self.schedule.change(path, whole(now));
    }

    /// Records a cursor move. `by`: 0 keyboard, 1 mouse, 2 command; `flags`: 1 active editor, 2 one empty selection,
    /// 4 blank line, 8 line end.
    #[wasm_bindgen(js_name = "scheduleMove")]
    pub fn schedule_move(
        &mut self,
        path: &str,
        version: f64,
        cursor: f64,
        by: u8,
        flags: u8,
        now: f64,
    ) -> Option<String> {
        let moved = CursorMove {
            to: ask(path, version, cursor),
            by: match by {
                1 => MovedBy::Mouse,
                2 => MovedBy::Command,
                _ => MovedBy::Keyboard,
            },
            is_active_editor: flags & 1 != 0,
            is_one_cursor: flags & 2 != 0,
            is_blank_line: flags & 4 != 0,
            is_line_end: flags & 8 != 0,
        };
        started(self.schedule.move_cursor(&moved, whole(now)))
    }

    /// Asks for a request to providers; starts it unless one runs.
    #[wasm_bindgen(js_name = "scheduleRequest")]
    pub fn schedule_request(&mut self, path: &str, version: f64, cursor: f64) -> Option<String> {
        started(self.schedule.request(ask(path, version, cursor)))
    }

    #[wasm_bindgen(js_name = "scheduleTick")]
    pub fn schedule_tick(&mut self, now: f64) -> Option<String> {
        started(self.schedule.tick(whole(now)))
    }

    #[wasm_bindgen(js_name = "scheduleNext")]
    pub fn schedule_next(&self) -> Option<f64> {
        self.schedule.next_ms().map(|ms| ms as f64)
    }

    /// Records the end of a request; `path`, `version` and `cursor` describe what the editor shows now.
    #[wasm_bindgen(js_name = "scheduleFinish")]
    pub fn schedule_finish(&mut self, number: f64, path: &str, version: f64, cursor: f64) -> Option<String> {
        started(self.schedule.finish(whole(number), Some(&ask(path, version, cursor))))
    }

    #[wasm_bindgen(js_name = "scheduleWait")]
    pub fn schedule_wait(&self, path: &str, budget: f64) -> f64 {
        self.schedule.wait_ms(path, whole(budget)) as f64
    }

    /// True if a cached item is returned; `moment`: 0 start, 1 after the race, 2 at the timeout.
    #[wasm_bindgen(js_name = "handsOut")]
    pub fn hands_out(&self, path: &str, is_for_timeout: bool, moment: u8) -> bool {
        let moment = match moment {
            0 => Moment::Start,
            1 => Moment::Raced,
            _ => Moment::TimedOut,
        };
        self.schedule.hands_out(path, is_for_timeout, moment)
    }
}
