//! Inline context at the boundary.
//!
//! In: a document with a cursor, neighbour files, items of providers, events of an editor. Out: the offsets of prefix
//! and suffix in the document, and items with reasons, as JSON. Start reading at [`inline_context`], one call for a
//! request, and at [`InlineSession`], which keeps files, edits and caches from one request to the next.

mod options;
mod report;
mod request;
mod session;

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::Function;
use wasm_bindgen::prelude::*;

use espalier_core::error::Result;
use espalier_core::tokens::{Encoding, EncodingName, Fit, Tokenizer};
use espalier_count::error::to_js;
use espalier_count::tokens::{by_name, loaded};
use espalier_inline::{EditHistory, Memory, Tokens, available_tokens, server_budgets};

use options::Given;
use request::{Asked, Files, Items};

/// The tokenizer.
pub(crate) enum Counting {
    Encoding(Rc<Encoding>),
    /// A function of the host, wrapped by JavaScript: it never throws, and returns whole numbers.
    Host(Function),
}

impl Counting {
    fn new(encoding: &str, tokenizer: Option<Function>) -> std::result::Result<Counting, JsValue> {
        match tokenizer {
            Some(tokenizer) => Ok(Counting::Host(tokenizer)),
            None => by_name(encoding).map(Counting::Encoding),
        }
    }
}

impl Tokenizer for Counting {
    fn count(&self, text: &str) -> u64 {
        match self {
            Counting::Encoding(encoding) => encoding.count(text),
            Counting::Host(tokenizer) => {
                let tokens = tokenizer.call1(&JsValue::UNDEFINED, &text.into());
                tokens.ok().and_then(|tokens| tokens.as_f64()).unwrap_or_default() as u64
            }
        }
    }

    fn has_cuts(&self) -> bool {
        matches!(self, Counting::Encoding(_))
    }

    fn prefix_within(&self, text: &str, most: u64) -> Fit {
        match self {
            Counting::Encoding(encoding) => encoding.prefix_within(text, most),
            Counting::Host(_) => Halving(self).prefix_within(text, most),
        }
    }

    fn suffix_within(&self, text: &str, most: u64) -> Fit {
        match self {
            Counting::Encoding(encoding) => encoding.suffix_within(text, most),
            Counting::Host(_) => Halving(self).suffix_within(text, most),
        }
    }
}

impl Tokens for Counting {
    fn first_ids(&self, text: &str, max: usize) -> Vec<u32> {
        match self {
            Counting::Encoding(encoding) => Tokens::first_ids(&**encoding, text, max),
            Counting::Host(_) => Halving(self).first_ids(text, max),
        }
    }
}

/// Fits texts by bisection, because a host's function only counts.
struct Halving<'a>(&'a Counting);

impl Tokenizer for Halving<'_> {
    fn count(&self, text: &str) -> u64 {
        self.0.count(text)
    }
}

impl Tokens for Halving<'_> {}

thread_local! {
    /// Caches of words and line counts for [`inline_context`], one for each encoding: they change no result.
    static SHARED: RefCell<[Memory; 2]> = RefCell::new([Memory::default(), Memory::default()]);
}

/// Finds the context of one completion; keeps no state that a later call could notice.
///
/// `files` has four texts for each neighbour (path, language, scheme, text) and `focused` its time, NaN for never.
/// `items` has three (id, path, text; an empty path for none) and `numbers` four numbers for each: kind (0 snippet, 1
/// trait, 2 diagnostic), priority, weight, time of arrival (NaN for not yet). `edits` has three texts (path, text
/// before, text behind) and `edit_times` one time for each.
#[wasm_bindgen(js_name = "inlineContext")]
#[allow(clippy::too_many_arguments)]
pub fn inline_context(
    options: &str,
    encoding: &str,
    tokenizer: Option<Function>,
    document: Vec<String>,
    numbers: &[f64],
    text: &str,
    files: Vec<String>,
    focused: &[f64],
    items: Vec<String>,
    item_numbers: &[f64],
    edits: Vec<String>,
    edit_times: &[f64],
) -> std::result::Result<String, JsValue> {
    let mut given = Given::read(options).map_err(to_js)?;
    let history = history(&given, &edits, edit_times);
    let files = Files::new(files, focused);
    let items = Items { texts: items, numbers: item_numbers.to_vec() };
    let asked = Asked { document: &document, numbers, text, items: &items };
    let counting = Counting::new(encoding, tokenizer)?;
    given.options.similar = given.similar(asked.language());
    let run = |memory: &mut Memory| {
        memory.forget_last();
        let neighbours = files.neighbours();
        asked.run(&neighbours, Some(&history), None, &given.options, &counting, memory)
    };
    // A late request compares only cached files; files cached by other calls must not be used.
    let is_late = numbers.get(1).is_some_and(|now| *now >= given.options.building_ms as f64);
    match &counting {
        // The host may pass a different function each time.
        Counting::Host(_) => run(&mut Memory::default()),
        Counting::Encoding(_) if is_late => run(&mut Memory::default()),
        Counting::Encoding(_) => {
            let name = EncodingName::from_name(encoding).map_err(to_js)?;
            SHARED.with_borrow_mut(|shared| run(&mut shared[name as usize]))
        }
    }
    .map_err(to_js)
}

fn history(given: &Given, edits: &[String], times: &[f64]) -> EditHistory {
    let mut history = EditHistory::new(given.edits.clone());
    for (edit, time) in edits.chunks_exact(3).zip(times) {
        history.open(&edit[0], &edit[1]);
        history.change(&edit[0], &edit[2], *time as u64);
    }
    history.settle(u64::MAX);
    history
}

/// Returns an error unless the encoding is loaded, so that a session fails at its creation and not at the first
/// keystroke.
fn check_encoding(encoding: &str) -> Result<()> {
    EncodingName::from_name(encoding).and_then(loaded).map(|_| ())
}

/// Returns the tokens that provider items may have beside a document of `length` UTF-16 code units (0 or less: none),
/// and the characters of the primary and of the secondary budget that a language server keeps.
#[wasm_bindgen(js_name = "inlineBudgets")]
pub fn inline_budgets(length: f64) -> Vec<f64> {
    let (primary, secondary) = server_budgets(None);
    vec![available_tokens(length as usize) as f64, primary as f64, secondary as f64]
}
