//! Budgets and the form in which a provider takes the messages.

use espalier_testing::runs;
use std::rc::Rc;

use espalier::compact::{Compaction, Options, Status};
use espalier::effect::Step;
use espalier::error::Code;
use espalier::history::draft::Meter;
use espalier::history::mend::Receiver;
use espalier::history::prune::{Limits, prune};
use espalier::message::Message;
use espalier::tokens::{CostModel, Origin, Tokenizer};
use espalier::validity::{Provider, Purpose, Special, Target};
use fastrand::Rng;

use crate::prune::fresh;
use crate::support::{Chars, assistant, calls, numbered, random, result, user};

/// Returns receivers of the formats of providers, with a model that refuses a conversation that ends with the
/// assistant.
pub fn receivers() -> Vec<Receiver> {
    [
        (Provider::Gemini, "gemini-3-pro"),
        (Provider::Anthropic, "claude-opus-4-6"),
        (Provider::Anthropic, "claude-opus-4-5"),
        (Provider::OpenAiChat, "gpt-5"),
        (Provider::OpenAiResponses, "gpt-5"),
    ]
    .into_iter()
    .map(|(provider, model)| Receiver {
        target: Target {
            wire: false,
            trusts_host: true,
            special: Special::of(provider, model, Purpose::Answer, &[]),
            ..Target::new(provider)
        },
        written: Some(provider),
    })
    .collect()
}

fn meter(receiver: &Receiver) -> Meter<'static> {
    let provider = receiver.written;
    let by_items = provider == Some(Provider::OpenAiResponses);
    Meter { model: CostModel::Espalier, tokenizer: &Chars, tools: 0, by_items, provider }
}

fn talk(rng: &mut Rng) -> Vec<Message> {
    let mut list = Vec::new();
    for n in 0..rng.usize(1..12) {
        let words = "w".repeat(rng.usize(1..60));
        match rng.u32(0..4) {
            0 | 1 => list.push(user(&words)),
            2 => list.push(assistant(&words)),
            _ => list.extend([calls(&[&n.to_string()]), result(&n.to_string(), &words)]),
        }
    }
    numbered(list)
}

#[test]
fn the_tokens_that_a_refusal_names_are_enough_and_no_fewer_are() {
    let mut rng = Rng::with_seed(2);
    let mut refused = 0;
    for round in 0..runs(4_000) {
        let messages = if round % 4 == 0 { random::conversation(&mut rng, 12) } else { talk(&mut rng) };
        for receiver in receivers() {
            let meter = meter(&receiver);
            let cut = |budget, headroom| {
                let limits = Limits {
                    budget,
                    headroom,
                    written: receiver.written,
                    receiver: Some(receiver.clone()),
                    ..Limits::default()
                };
                prune(&messages, meter, Origin::Exact, &limits)
            };
            let headroom = if rng.bool() { 0 } else { 5 };
            let Err(error) = cut(rng.u64(0..=fresh(&messages, &Chars)), headroom) else { continue };
            assert_eq!(error.code, Code::BudgetExceeded);
            let needed = error.budget.unwrap().needed;
            let (at, below) = (cut(needed, headroom), cut(needed - 1, headroom));
            let sketch = crate::prune::sketch(&messages);
            assert!(at.is_ok(), "{needed}: {at:?} {:?} {sketch}", receiver.written);
            assert!(below.is_err(), "{needed}: {:?} {:?} {sketch}", below.unwrap().after, receiver.written);
            refused += 1;
        }
    }
    assert!(refused > runs(1_000), "{refused}");
}

/// A provider's form may have more tokens than the messages.
#[test]
fn a_compaction_fits_in_the_form_that_is_sent() {
    let mut rng = Rng::with_seed(3);
    let mut seen = [0; 2];
    for _ in 0..runs(100) {
        let messages = talk(&mut rng);
        let whole = fresh(&messages, &Chars);
        for receiver in receivers() {
            for budget in whole.saturating_sub(20)..whole + 30 {
                let options = Options {
                    budget,
                    provider: receiver.written,
                    receiver: Some(receiver.clone()),
                    by_items: receiver.written == Some(Provider::OpenAiResponses),
                    ..Options::default()
                };
                let tokenizer: Rc<dyn Tokenizer> = Rc::new(Chars);
                let mut run =
                    Compaction::new(messages.clone(), 0, CostModel::Espalier, tokenizer, Origin::Exact, options);
                match run.poll() {
                    Ok(Step::Done { result }) => {
                        let after = result.after.total;
                        assert!(after <= budget, "{after} of {budget}: {:?}", result.status);
                        seen[usize::from(result.status == Status::Unchanged)] += 1;
                    }
                    Ok(Step::Ask { .. }) => panic!("asked for a model"),
                    Err(error) => assert!(error.budget.unwrap().needed > budget),
                }
            }
        }
    }
    assert!(seen.iter().all(|count| *count > runs(800)), "{seen:?}");
}
