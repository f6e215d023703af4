//! Results that must be the same natively and in wasm, byte for byte: compared by `tests/it` and `tests/web.rs`.

use std::rc::Rc;

use espalier::compact::{Compacted, Compaction, Options};
use espalier::effect::{Answer, Step};
use espalier::history::draft::Meter;
use espalier::history::log::entry::Pin;
use espalier::history::log::{Counting, Log};
use espalier::history::prune::{Limits, prune};
use espalier::message::Message;
use espalier::tokens::{CostModel, Encoding, Origin};

/// The small transcripts in the neutral form, as `js/formats` reads them.
const CONVERSATIONS: [(&str, &str); 3] = [
    ("tau-airline-0", include_str!("../../tests/fixtures/neutral/tau-airline-0.json")),
    ("sweagent-marshmallow-1867", include_str!("../../tests/fixtures/neutral/sweagent-marshmallow-1867.json")),
    ("cline-sidebar", include_str!("../../tests/fixtures/neutral/cline-sidebar.json")),
];

/// The recorded results. `ESPALIER_UPDATE=1 cargo test --test it golden` records them again.
pub const RECORDED: &str = include_str!("../../tests/fixtures/golden.txt");

/// One line for each conversation, operation and budget with the resulting tokens and a hash of everything returned,
/// then one line for the conversation's log after it is read again.
pub fn lines(encoding: &Rc<Encoding>) -> String {
    let mut out = String::new();
    for (name, text) in CONVERSATIONS {
        let messages: Vec<Message> = serde_json::from_str(text).expect("a fixture");
        let meter =
            Meter { model: CostModel::Espalier, tokenizer: &**encoding, tools: 0, by_items: false, provider: None };
        let whole: u64 = 3 + messages.iter().map(|m| meter.message(m)).sum::<u64>();
        for percent in [30, 50, 80] {
            let budget = whole * percent / 100;
            let limits = Limits { budget, ..Limits::default() };
            let pruned = prune(&messages, meter, Origin::Exact, &limits);
            out.push_str(&line(name, "prune", percent, &pruned.map(|p| (p.after.total, json(&p)))));
            for (operation, has_model) in [("offline", false), ("model", true)] {
                let options = Options { budget, has_model, ..Options::default() };
                let model = CostModel::Espalier;
                let mut run = Compaction::new(messages.clone(), 0, model, encoding.clone(), Origin::Exact, options);
                let result = loop {
                    match run.poll() {
                        Err(error) => break Err(error),
                        Ok(Step::Done { result }) => break Ok((result.after.total, json(&result))),
                        Ok(Step::Ask { effects }) => {
                            for ask in effects {
                                let text = format!("<summary>{}</summary>", hash(&json(&ask)));
                                run.resume(ask.id, Answer::Model { text, finish_reason: None }).expect("it was asked");
                            }
                        }
                    }
                };
                out.push_str(&line(name, operation, percent, &result));
            }
        }
        out.push_str(&replayed(name, &messages, encoding));
    }
    out
}

/// Builds a log with every kind of record and reads it again from its lines. Gives the tokens of its view, and hashes
/// of the lines, of the view and of the next plan.
fn replayed(name: &str, messages: &[Message], encoding: &Rc<Encoding>) -> String {
    let model = CostModel::Espalier;
    let counting = || Counting {
        model,
        tokenizer: encoding.clone(),
        tools: 40,
        origin: Origin::Exact,
        by_items: false,
        provider: None,
    };
    let planned = |log: &Log| -> espalier::error::Result<Compacted> {
        let options = Options {
            budget: log.view().after.total * 7 / 10,
            force: true,
            // As in a conversation, the newest request stays unchanged.
            target_share: Some(0.9),
            ..Options::default()
        };
        let mut run =
            Compaction::new(log.messages(), 40, CostModel::Espalier, encoding.clone(), Origin::Exact, options);
        match run.poll()? {
            Step::Done { result } => Ok(result),
            Step::Ask { effects } => panic!("{name}: {effects:?}"),
        }
    };
    let mut log = Log::new(counting());
    let mut time = 1_700_000_000_000;
    let mut adopted = vec![];
    for (number, chunk) in messages.chunks(messages.len().div_ceil(4)).enumerate() {
        time += 1_000;
        log.append_all(chunk.to_vec(), time).expect("messages of a fixture");
        if number == 1 {
            let (message, reason) = (Some(chunk[1].id.clone()), Some("golden".to_string()));
            log.pin(Pin { message, part: None, range: None, fact: None, reason }, time).expect("it is there");
        }
        if number > 0 {
            // In one of the conversations, the frame takes most of the tokens, so that a plan may fail.
            let edits = planned(&log).map(|done| done.edits).unwrap_or_default();
            adopted.push(log.adopt(&edits, time).expect("edits of its own view").len());
        }
    }
    // Undoes the newest step, redoes it, and undoes it once more.
    log.undo(None, time).expect("there is one").expect("there is one");
    log.redo(None, time).expect("it was taken back").expect("it was taken back");
    log.undo(None, time).expect("there is one").expect("there is one");
    log.rewind(Some(&messages[messages.len() - 2].id), time).expect("it is there");
    let lines = log.export(0);
    let read = Log::import(&lines, counting(), false).expect("its own lines");
    assert!(read.problems.is_empty() && read.verbatim && read.log.export(0) == lines, "{:?}", read.problems);
    assert!(adopted.iter().any(|&edits| edits > 0), "{name}: nothing was compacted");
    let view = read.log.view();
    assert_eq!(view, log.view(), "{name}");
    let plan = planned(&read.log).map(|done| json(&done)).map_err(|error| error.code.as_str());
    assert!(plan == planned(&log).map(|done| json(&done)).map_err(|error| error.code.as_str()), "{name}");
    let hashes = [hash(&lines), hash(&json(&view)), plan.map_or_else(str::to_string, |plan| hash(&plan))];
    format!("{name} replay {} {}\n", view.after.total, hashes.join(" "))
}

fn line(name: &str, operation: &str, percent: u64, result: &espalier::error::Result<(u64, String)>) -> String {
    match result {
        Ok((tokens, text)) => format!("{name} {operation} {percent}% {tokens} {}\n", hash(text)),
        Err(error) => format!("{name} {operation} {percent}% {}\n", error.code.as_str()),
    }
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("plain data")
}

/// FNV-1a with 64 bits, which needs no dependency and is the same on every platform.
fn hash(text: &str) -> String {
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{hash:016x}")
}
