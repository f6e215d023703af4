//! The cost of planning a long conversation, natively: the time to the plan (cheap steps and cut), to the model's
//! request, and of a whole compaction by rules.
//!
//! `cargo run --release --features tiktoken-rs --example plan -- [TOKENS] [ROUNDS]`

use std::rc::Rc;
use std::time::Instant;

use espalier::compact::{Compaction, Options};
use espalier::history::log::{Counting, Log};
use espalier::message::{Message, Part, Role};
use espalier::tokens::{CostModel, Encoding, EncodingName, Origin, Tokenizer};
use espalier_testing::conversations;

fn main() {
    let mut arguments = std::env::args().skip(1).map(|a| a.parse::<u64>().expect("a number"));
    let (wanted, rounds) = (arguments.next().unwrap_or(500_000), arguments.next().unwrap_or(5));
    let name = EncodingName::O200kBase;
    let encoding = Rc::new(Encoding::load(name, &espalier_vocabulary::file(name)).expect("our own file loads"));
    let tokenizer: Rc<dyn Tokenizer> = encoding;
    let text = std::fs::read_to_string("tests/fixtures/transcripts/pi-refactor-long.json").expect("a transcript");
    let recorded = conversations::messages(&text).expect("messages");
    let mut messages: Vec<Message> = Vec::new();
    let mut tokens = 0;
    for turn in 0.. {
        for message in recorded.iter().skip(usize::from(turn > 0)) {
            if tokens >= wanted {
                break;
            }
            let mut message = message.clone();
            message.id = format!("m{}", messages.len());
            for part in &mut message.parts {
                if let Part::ToolCall { call_id, .. } | Part::ToolResult { call_id, .. } = part {
                    *call_id = format!("{turn}-{call_id}");
                }
            }
            tokens += CostModel::Espalier.message(&message, &*tokenizer).tokens;
            messages.push(message);
        }
        if tokens >= wanted {
            break;
        }
    }
    println!("{} messages, {tokens} tokens", messages.len());
    for (what, has_model, pre_hook) in [("plan", true, true), ("request", true, false), ("by rules", false, false)] {
        for _ in 0..rounds.min(5) {
            let mut options = Options { budget: tokens * 8 / 10, force: true, has_model, ..Options::default() };
            options.asking.pre_hook = pre_hook;
            let start = Instant::now();
            let mut run =
                Compaction::new(messages.clone(), 0, CostModel::Espalier, tokenizer.clone(), Origin::Exact, options);
            let counted = start.elapsed();
            run.poll().expect("a step");
            let all = start.elapsed();
            println!("{what:10} counted {counted:>10.1?}, then {:>10.1?}", all - counted);
        }
    }
    // The same for a log, with one more message each time: the results for the other messages are cached.
    let (model, origin) = (CostModel::Espalier, Origin::Exact);
    let counting = Counting { model, tokenizer, tools: 0, origin, by_items: false, provider: None };
    let mut log = Log::new(counting);
    log.append_all(messages, 0).expect("messages");
    for round in 0..rounds {
        let parts = vec![Part::Text { text: format!("And now step {round}.") }];
        log.append(Message { id: format!("n{round}"), role: Role::User, name: None, parts }, 0).expect("a message");
        let mut options = Options { budget: tokens * 8 / 10, force: true, has_model: true, ..Options::default() };
        options.asking.pre_hook = true;
        let start = Instant::now();
        Compaction::of_log(&log, options).poll().expect("a step");
        println!("one more message, then planned {:>10.1?}", start.elapsed());
    }
}
