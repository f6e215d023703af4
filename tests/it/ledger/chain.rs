//! Chains of compactions, each of the result of the one before it and what came since, without a log.

use std::rc::Rc;

use espalier::compact::{Compaction, Options};
use espalier::effect::Step;
use espalier::error::Code;
use espalier::history::record::is_sealed;
use espalier::message::{Message, Part, Role};
use espalier::tokens::{CostModel, Origin, Tokenizer};

use crate::prune::carry_out;
use crate::support::{Quarter, TRANSCRIPTS, assistant, call, numbered, result, transcript, user};

/// Compacts messages to a budget; returns them unchanged if that is not possible.
fn compacted(messages: &[Message], budget: u64) -> Vec<Message> {
    let messages = numbered(messages.to_vec());
    let options = Options { budget, ..Options::default() };
    let mut run = Compaction::new(messages.clone(), 0, CostModel::Espalier, Rc::new(Quarter), Origin::Exact, options);
    match run.poll() {
        Ok(Step::Done { result }) => carry_out(&messages, &result.plan),
        Ok(Step::Ask { .. }) => panic!("asked for a model"),
        Err(error) => {
            assert_eq!(error.code, Code::BudgetExceeded);
            messages
        }
    }
}

/// Checks that the tags of a record are in pairs, none of its lines is escaped because a tag was cut off, and it says
/// how many entries are missing at the beginning of a list only.
fn sound(record: &str) {
    let mut open: Vec<&str> = Vec::new();
    for line in record.lines() {
        assert!(!line.starts_with("<\\"), "a tag became text:\n{record}");
        let Some(tag) = line.strip_prefix('<').and_then(|line| line.strip_suffix('>')) else { continue };
        let name = tag.split(' ').next().unwrap_or(tag);
        match name.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name), "{record}"),
            None => {
                assert!(open.len() < 2, "{name} within {open:?}:\n{record}");
                open.push(name);
            }
        }
    }
    assert!(open.is_empty(), "{open:?} stay open:\n{record}");
}

#[test]
fn a_record_is_never_cut_through_its_lists() {
    let mut records = 0;
    for name in TRANSCRIPTS {
        let whole = transcript(name);
        let all: u64 = whole.iter().map(|message| Quarter.count(&message.text())).sum();
        for share in [0.05, 0.15, 0.25] {
            let budget = (all as f64 * share) as u64 + 200;
            let mut view: Vec<Message> = Vec::new();
            let mut since = 0;
            for message in &whole {
                since += Quarter.count(&message.text());
                view.push(message.clone());
                if message.role != Role::Assistant && since > budget / 2 {
                    (view, since) = (compacted(&view, budget), 0);
                }
                for text in view.iter().map(Message::text).filter(|text| is_sealed(text)) {
                    sound(&text);
                    records += 1;
                }
            }
        }
    }
    assert!(records > 300, "{records}");
}

/// Decisions of the user outlive rules of the moment.
#[test]
fn decisions_and_rules_of_the_user_outlive_chatter_in_any_chain() {
    let decided = [
        "Use parking_lot::Mutex for the locks.",
        "Let's go with Postgres 16 for storage.",
        "We decided against async; keep the API synchronous.",
        "Never edit files under vendor/.",
    ];
    let chatter = [
        "How is it going?",
        "Do not touch the second part for now.",
        "Just look at the first half only.",
        "Keep this one short, no long explanations.",
        "Don't run the build yet, I am still editing.",
        "I like the new layout of the module.",
    ];
    let filler = |round: usize, words: usize| -> String {
        (0..words)
            .map(|word| format!("{} ", ["cache", "shard", "lock", "probe", "index"][(round * 7 + word * 3) % 5]))
            .collect()
    };
    for (is_agent, budget) in [(true, 1_000), (true, 3_000), (false, 1_000), (false, 3_000)] {
        let mut view = vec![user(&format!("I want a cache for the server. {}", decided[0]))];
        for round in 1..40 {
            for step in 0..3 {
                let number = round * 3 + step;
                if is_agent {
                    let id = format!("c{number}");
                    view.push(call(&id, "read", &format!(r#"{{"path":"src/part{number}.rs"}}"#)));
                    view.push(result(&id, &filler(number, 60)));
                }
                view.push(assistant(&format!("Part {number} has {}.", filler(number, 25))));
                let said = format!("{} It concerns {}{number}.", chatter[number % chatter.len()], filler(number, 9));
                let more = decided.get(round).filter(|_| step == 1).map_or(String::new(), |more| format!(" {more}"));
                view.push(user(&format!("{said}{more}")));
            }
            view = compacted(&view, budget);
            let texts: String = view.iter().flat_map(|message| &message.parts).filter_map(text_of).collect();
            for sentence in &decided[..decided.len().min(round)] {
                let sentence = sentence.trim_end_matches('.');
                assert!(texts.contains(sentence), "{sentence} is lost in round {round}, {budget} tokens:\n{texts}");
            }
        }
    }
}

fn text_of(part: &Part) -> Option<&str> {
    if let Part::Text { text } = part { Some(text) } else { None }
}
