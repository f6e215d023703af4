//! What a compaction without a model keeps of real conversations, and how long it takes: every transcript of a folder at every
//! budget smaller than the conversation.
//!
//! `cargo run --release --features tiktoken-rs --example retention -- [--show] FOLDER [BUDGET...]`
//!
//! A folder holds files of OpenAI chat messages (`{"messages": [...]}`), as `tests/fixtures/transcripts` does. `--show` prints the
//! records too. Lines are shares of entries that are in the view whole or with a line of their own; `literal` columns are the
//! stricter share of those that are there word for word.

use std::rc::Rc;
use std::time::Instant;

use espalier::compact::{Compacted, Compaction, Options};
use espalier::effect::Step;
use espalier::history::plan::PlanItem;
use espalier::message::Message;
use espalier::tokens::{CostModel, Encoding, EncodingName, Origin, Tokenizer};

#[path = "../../tests/shared/read.rs"]
mod read;
#[path = "../../scripts/vocabulary.rs"]
mod vocabulary;

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let show = arguments.first().is_some_and(|a| a == "--show");
    if show {
        arguments.remove(0);
    }
    let folder = arguments.first().cloned().unwrap_or_else(|| "tests/fixtures/transcripts".into());
    let mut budgets: Vec<u64> = arguments.iter().skip(1).filter_map(|a| a.parse().ok()).collect();
    if budgets.is_empty() {
        budgets = vec![16_000, 32_000, 64_000, 128_000];
    }
    let name = EncodingName::O200kBase;
    let encoding = Rc::new(Encoding::load(name, &vocabulary::file(name)).expect("our own file loads"));
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .unwrap_or_else(|e| panic!("{folder}: {e}"))
        .filter_map(|entry| entry.ok().map(|e| e.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "json"))
        .collect();
    files.sort();
    println!(
        "{:28} {:>7} {:>7} {:>7} {:>5} {:>14} {:>14} {:>16} {:>16} {:>13} {:>13} {:>6} {:>9}",
        "transcript",
        "budget",
        "before",
        "after",
        "rec",
        "modified",
        "users",
        "errors/literal",
        "commands/literal",
        "constraints",
        "read",
        "ms",
        "ms/100k"
    );
    for path in files {
        let text = std::fs::read_to_string(&path).expect("readable");
        let Some(messages) = read::messages(&text) else { continue };
        for &budget in &budgets {
            one(&path.file_stem().unwrap_or_default().to_string_lossy(), &messages, budget, &encoding, show);
        }
    }
}

fn one(name: &str, messages: &[Message], budget: u64, encoding: &Rc<Encoding>, show: bool) {
    let options = Options { budget, ..Options::default() };
    let tokenizer: Rc<dyn Tokenizer> = encoding.clone();
    let mut run = Compaction::new(messages.to_vec(), 0, CostModel::Espalier, tokenizer, Origin::Exact, options);
    // Counting the history is the host's anyway; what is timed is the compaction.
    let start = Instant::now();
    let done = match run.poll() {
        Ok(Step::Done { result }) => result,
        Ok(Step::Ask { .. }) => unreachable!("there is no model"),
        Err(error) => return println!("{name:28} {budget:>7} {error}"),
    };
    let ms = start.elapsed().as_secs_f64() * 1e3;
    if done.quality.is_some() {
        row(name, budget, &done, ms);
    }
    if show {
        for item in &done.plan {
            if let PlanItem::Insert { message } = item {
                println!("{}\n", message.text());
            }
        }
    }
}

fn row(name: &str, budget: u64, done: &Compacted, ms: f64) {
    let Some(quality) = &done.quality else { return };
    let cell = |kind: &str, literal: bool| {
        let Some(r) = quality.of(kind) else { return String::new() };
        let share = |n: usize| if r.all == 0 { 100.0 } else { 100.0 * n as f64 / r.all as f64 };
        let first = format!("{:.0}% {}/{}", share(r.own_line), r.own_line, r.all);
        if literal { format!("{first} {:.0}%", share(r.literal)) } else { first }
    };
    let size = quality.size.as_ref();
    println!(
        "{name:28} {budget:>7} {:>7} {:>7} {:>5} {:>14} {:>14} {:>16} {:>16} {:>13} {:>13} {ms:>6.0} {:>9.1}",
        done.before.total,
        done.after.total,
        size.map_or(0, |s| s.summary),
        cell("modifiedFiles", false),
        cell("requests", false),
        cell("errors", true),
        cell("commands", true),
        cell("constraints", false),
        cell("readFiles", false),
        ms / (done.before.total as f64 / 100_000.0),
    );
}
