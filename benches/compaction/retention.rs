//! Measures what a compaction keeps of real conversations, whether it reaches its target, and its time: every
//! transcript of a folder at every budget smaller than the conversation.
//!
//! `cargo run --release --features tiktoken-rs --example retention -- [--show] [--poor] FOLDER [BUDGET...]`
//!
//! A folder has files of OpenAI chat messages (`{"messages": [...]}`), as `tests/fixtures/transcripts` does. A budget
//! is a number of tokens or a share of the conversation (`50%`), then at least 8,000. `--show` also prints the records;
//! `--poor` uses a model that says almost nothing, without it there is no model. Lines are shares of entries that are
//! in the view whole or with a line of their own; `literal` columns are the stricter share of those that are there
//! verbatim. `target` is the target of the compaction: the frame and 0.40 of the rest.

use std::rc::Rc;
use std::time::Instant;

use espalier::compact::budget::Budget;
use espalier::compact::form::EIGHT;
use espalier::compact::{Compacted, Compaction, Options};
use espalier::effect::{Answer, Step};
use espalier::history::draft::Meter;
use espalier::history::plan::PlanItem;
use espalier::message::Message;
use espalier::tokens::{CostModel, Encoding, EncodingName, Origin, Tokenizer};
use espalier_testing::conversations;

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut flag = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name);
        at.map(|at| arguments.remove(at)).is_some()
    };
    let (show, poor) = (flag("--show"), flag("--poor"));
    let folder = arguments.first().cloned().unwrap_or_else(|| "tests/fixtures/transcripts".into());
    let mut budgets: Vec<String> = arguments.into_iter().skip(1).collect();
    if budgets.is_empty() {
        budgets = ["50%", "25%", "8000", "16000", "32000", "64000", "128000"].map(String::from).to_vec();
    }
    let name = EncodingName::O200kBase;
    let encoding = Rc::new(Encoding::load(name, &espalier_vocabulary::file(name)).expect("our own file loads"));
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .unwrap_or_else(|e| panic!("{folder}: {e}"))
        .filter_map(|entry| entry.ok().map(|e| e.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "json"))
        .collect();
    files.sort();
    println!(
        "{:28} {:>7} {:>7} {:>7} {:>7} {:>6} {:>6} {:>14} {:>14} {:>16} {:>16} {:>13} {:>13} {:>6} {:>9}",
        "transcript",
        "budget",
        "before",
        "after",
        "target",
        "floor",
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
        let Some(messages) = conversations::messages(&text) else { continue };
        let meter =
            Meter { model: CostModel::Espalier, tokenizer: &*encoding, tools: 0, by_items: false, provider: None };
        let whole: u64 = messages.iter().map(|message| meter.message(message)).sum();
        for budget in &budgets {
            let budget = match budget.strip_suffix('%').and_then(|share| share.parse::<u64>().ok()) {
                Some(share) => (whole * share / 100).max(8_000),
                None => budget.parse().unwrap_or_else(|_| panic!("{budget} is no budget")),
            };
            if budget < whole {
                one(
                    &path.file_stem().unwrap_or_default().to_string_lossy(),
                    &messages,
                    budget,
                    &encoding,
                    (show, poor),
                );
            }
        }
    }
}

fn one(name: &str, messages: &[Message], budget: u64, encoding: &Rc<Encoding>, (show, poor): (bool, bool)) {
    let options = Options { budget, has_model: poor, ..Options::default() };
    let tokenizer: Rc<dyn Tokenizer> = encoding.clone();
    let mut run = Compaction::new(messages.to_vec(), 0, CostModel::Espalier, tokenizer, Origin::Exact, options);
    let sections: Vec<String> = EIGHT.sections.iter().map(|section| format!("## {}\nWork.", section.name)).collect();
    let text = format!("<summary>\n{}\n</summary>", sections.join("\n"));
    // The host counts the history in any case; only the compaction is timed.
    let start = Instant::now();
    let done = loop {
        match run.poll() {
            Ok(Step::Done { result }) => break result,
            Ok(Step::Ask { effects }) => {
                for ask in effects {
                    let answer = Answer::Model { text: text.clone(), finish_reason: None };
                    run.resume(ask.id, answer).expect("it was asked");
                }
            }
            Err(error) => return println!("{name:28} {budget:>7} {error}"),
        }
    };
    let ms = start.elapsed().as_secs_f64() * 1e3;
    if done.quality.is_some() {
        row(name, budget, &done, ms);
    }
    if show {
        for item in &done.plan {
            if let PlanItem::Insert { message, .. } = item {
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
    let target = Budget::new(budget.min(done.before.total), done.before.frame + done.before.tools).target;
    let floor = done.aim.map_or(String::new(), |aim| {
        format!("{}{}", aim.floor, if done.after.total > aim.floor.max(aim.target) { "!" } else { "" })
    });
    println!(
        "{name:28} {budget:>7} {:>7} {:>7} {:>7} {floor:>6} {:>6} {:>14} {:>14} {:>16} {:>16} {:>13} {:>13} {ms:>6.0} {:>9.1}",
        done.before.total,
        done.after.total,
        format!("{target}{}", if done.after.total > target { "!" } else { "" }),
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
