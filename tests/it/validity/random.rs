//! Repaired output contains nothing that a provider refuses, whatever the input; and valid input is unchanged.

use espalier_testing::runs;
use std::rc::Rc;

use espalier::compact::{Compaction, Options};
use espalier::effect::Step;
use espalier::history::prune::{Limits, prune};
use espalier::message::edit::PlanItem;
use espalier::message::{Message, Part, Role};
use espalier::tokens::{CostModel, Origin};
use espalier::validity::{Lost, Orphans, Pending, Provider, Settings, Target, check, repair};
use fastrand::Rng;

use super::{carry_out, sketch, targets};
use crate::support::{Quarter, meter, numbered, random};

const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

fn picture(rng: &mut Rng) -> Part {
    let data = [Some(PNG), Some("aGVsbG8="), None][rng.usize(0..3)].map(str::to_string);
    let url = rng.bool().then(|| "https://example.org/a.png".to_string());
    Part::Image { media_type: None, data, url, detail: None }
}

/// Returns a random conversation with everything odd that parts can contain, and messages out of order.
pub fn odd(rng: &mut Rng, max: usize) -> Vec<Message> {
    let mut messages = random::conversation(rng, max);
    let mess = rng.u32(1..30);
    let odd = |rng: &mut Rng| rng.u32(0..100) < mess;
    for message in &mut messages {
        if odd(rng) {
            let roles = [Role::System, Role::Developer, Role::User, Role::Assistant, Role::Tool];
            message.role = roles[rng.usize(0..5)];
        }
        if odd(rng) {
            let part = match rng.u32(0..6) {
                0 => picture(rng),
                1 => Part::Reasoning { text: "hm".into(), sealed: None },
                2 => Part::CacheMark,
                3 => Part::Opaque { json: "{}".into(), tokens: None, sealed: None, call_id: None },
                4 => Part::Document { media_type: None, data_length: 4, pages: None },
                _ => Part::Text { text: [" ", "", "so "][rng.usize(0..3)].into() },
            };
            let at = rng.usize(0..=message.parts.len());
            message.parts.insert(at, part);
        }
        for part in &mut message.parts {
            let odd_name = ["", "näh!", "1st", "mcp.server/tool"][rng.usize(0..4)];
            match part {
                Part::ToolCall { call_id, name, .. } => {
                    if rng.u32(0..100) < mess {
                        *call_id = odd_id(rng, call_id);
                    }
                    if rng.u32(0..100) < mess {
                        *name = odd_name.into();
                    }
                }
                Part::ToolResult { call_id, name, content, .. } => {
                    if rng.u32(0..100) < mess {
                        *call_id = odd_id(rng, call_id);
                    }
                    if rng.u32(0..100) < mess {
                        *name = Some(["bash", odd_name][rng.usize(0..2)].into());
                    }
                    if rng.u32(0..100) < mess {
                        content.push(picture(rng));
                    }
                }
                _ => {}
            }
        }
    }
    if rng.bool() {
        for _ in 0..rng.usize(0..=messages.len()) {
            let (a, b) = (rng.usize(0..messages.len()), rng.usize(0..messages.len()));
            if rng.u32(0..100) < mess {
                messages.swap(a, b);
            }
        }
    }
    numbered(messages)
}

fn odd_id(rng: &mut Rng, id: &str) -> String {
    match rng.u32(0..7) {
        0 => String::new(),
        1 => format!("{id}__vscode-{}", rng.u32(0..3)),
        2 => format!("call:{}.0", rng.u32(0..9)),
        3 => "ä b".into(),
        4 => id.repeat(30),
        5 => "1".repeat(70),
        _ => format!("c{}", rng.u32(0..4)),
    }
}

fn settings(rng: &mut Rng) -> Settings {
    Settings {
        orphans: [Orphans::Drop, Orphans::Text][rng.usize(0..2)],
        lost_calls: [Lost::Synthesize, Lost::Drop][rng.usize(0..2)],
        pending: [Pending::Keep, Pending::Synthesize, Pending::Drop][rng.usize(0..3)],
        drop_thoughts: rng.u32(0..4) == 0,
        ..Settings::default()
    }
}

fn invariants(messages: &[Message], target: &Target, settings: &Settings) {
    let before = messages.to_vec();
    let repaired = repair(messages, target, settings);
    assert_eq!(messages, before, "the input was changed");
    let target = Target { pending: settings.pending != Pending::Keep, ..target.clone() };
    let out = numbered(carry_out(messages, &repaired.plan));
    let context = || format!("{target:?} {settings:?}\n{}\n{}", sketch(messages), sketch(&out));
    assert_eq!(check(&out, &target), [], "still refused: {}", context());
    let parts = |messages: &[Message]| messages.iter().map(|m| m.parts.clone()).collect::<Vec<_>>();
    assert_eq!(parts(&out), parts(&repaired.messages), "the plan is not the result: {}", context());
    let is_kept =
        |plan: &[PlanItem]| plan.iter().zip(&out).all(|(item, message)| *item == PlanItem::keep(message.id.clone()));
    let again = repair(&out, &target, settings);
    assert!(
        is_kept(&again.plan) && again.plan.len() == out.len() && again.changes.is_empty(),
        "not idempotent: {}",
        context()
    );
    if check(messages, &target).is_empty() && !settings.drop_thoughts && target.special.drop_tools.is_empty() {
        assert!(is_kept(&repaired.plan) && repaired.changes.is_empty(), "a valid one was changed: {}", context());
    }
    // All words of the user are still there, in order.
    let words = |messages: &[Message]| -> Vec<String> {
        let said = messages.iter().filter(|m| matches!(m.role, Role::User | Role::Tool)).flat_map(|m| m.parts.iter());
        said.filter_map(|p| if let Part::Text { text } = p { Some(text.clone()) } else { None })
            .filter(|text| !text.trim().is_empty())
            .collect()
    };
    let (had, has) = (words(messages), words(&out));
    let mut rest = has.iter();
    assert!(had.iter().all(|text| rest.any(|other| other == text)), "the user's words went: {}", context());
}

#[test]
fn repaired_conversations_are_valid() {
    let mut rng = Rng::with_seed(3);
    for round in 0..runs(6_000) {
        let max = rng.usize(0..3 + 30 * round / runs(6_000));
        let messages = odd(&mut rng, max);
        for target in targets() {
            let mut target = target;
            target.special.text_only = rng.u32(0..8) == 0;
            target.special.no_prefill = rng.bool();
            target.special.answers_results = target.provider == Provider::OpenAiChat && rng.bool();
            target.own_results = !target.wire && rng.u32(0..8) == 0;
            if rng.u32(0..8) == 0 {
                target.special.drop_tools = vec!["bash".into()];
            }
            invariants(&messages, &target, &settings(&mut rng));
        }
    }
}

/// The output of pruning and compaction satisfies every rule of every provider, with these exceptions: rules about the
/// first and last role, which a history need not satisfy, and rules about blank texts and an empty only request, which
/// stay as the host made them.
#[test]
fn outputs_of_the_engine_are_valid() {
    const HOSTS: [&str; 6] = ["first-role", "last-role", "prefill-space", "no-messages", "blank-text", "empty"];
    let mut rng = Rng::with_seed(5);
    for round in 0..runs(4_000) {
        let max = rng.usize(1..3 + 40 * round / runs(4_000));
        let messages = random::conversation(&mut rng, max);
        let budget = rng.u64(20..4_000);
        let limits = Limits { budget, ..Limits::default() };
        let pruned = prune(&messages, meter(&Quarter), Origin::Exact, &limits).map(|pruned| pruned.plan);
        let mut run = Compaction::new(
            messages.clone(),
            0,
            CostModel::Espalier,
            Rc::new(Quarter),
            Origin::Exact,
            Options { budget, ..Options::default() },
        );
        let compacted = run.poll().ok().and_then(|step| match step {
            Step::Done { result } => Some(result.plan),
            Step::Ask { .. } => None,
        });
        for plan in pruned.ok().into_iter().chain(compacted) {
            let out = crate::prune::carry_out(&messages, &plan);
            let requests = |m: &&Message| m.role == Role::User;
            let only_empty = out.iter().filter(requests).all(|m| m.text().trim().is_empty());
            // Neutral messages: a provider's adapter joins results and roles.
            for target in targets().into_iter().filter(|target| !target.wire) {
                for finding in check(&out, &Target { pending: false, ..target.clone() }) {
                    let is_ours = !HOSTS.contains(&finding.rule) || finding.rule == "empty" && !only_empty;
                    assert!(
                        !is_ours,
                        "{finding:?} {target:?}
{}
{}",
                        sketch(&messages),
                        sketch(&out)
                    );
                }
            }
        }
    }
}
