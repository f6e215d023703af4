//! Compactions on a log: their edits have the effect that they had in the plan.

use std::rc::Rc;

use espalier::compact::{Compacted, Compaction, Options};
use espalier::effect::Step;
use espalier::error::Code;
use espalier::history::edit;
use espalier::history::log::{Log, Place};
use espalier::message::{Message, Part};
use espalier::tokens::{CostModel, Origin};

use super::counting;
use crate::prune::carry_out;
use crate::support::{Quarter, TRANSCRIPTS, transcript, user};

fn compact(messages: &[Message], budget: u64) -> Option<Compacted> {
    let options = Options { budget, ..Options::default() };
    let mut run = Compaction::new(messages.to_vec(), 0, CostModel::Espalier, Rc::new(Quarter), Origin::Exact, options);
    match run.poll() {
        Ok(Step::Done { result }) => Some(result),
        _ => None,
    }
}

/// Normalises the ids of summaries, and of calls whose id occurred twice: covered calls do not count as occurrences.
fn said(messages: &[Message]) -> Vec<Message> {
    let mut messages = messages.to_vec();
    for message in &mut messages {
        if message.id.ends_with(":summary") {
            message.id = "summary".into();
        }
        for part in &mut message.parts {
            if let Part::ToolCall { call_id, .. } | Part::ToolResult { call_id, .. } = part {
                *call_id = call_id.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('-').to_string();
            }
        }
    }
    messages
}

#[test]
fn compactions_one_after_the_other_show_what_they_showed() {
    let mut adopted = 0;
    for name in TRANSCRIPTS {
        let messages = transcript(name);
        let mut log = Log::new(counting(Quarter));
        let step = messages.len().div_ceil(5).max(1);
        for chunk in messages.chunks(step) {
            log.append_all(chunk.to_vec(), 1).unwrap();
            let before = log.messages();
            let budget = (log.view().after.total * 6 / 10).max(2_000);
            let Some(done) = compact(&before, budget) else { continue };
            if done.edits.iter().any(|edit| edit.rule == "long-request") {
                continue;
            }
            let plain = log.export(0);
            match log.adopt(&done.edits, 2) {
                Ok(added) => {
                    assert_eq!(said(&log.messages()), said(&carry_out(&before, &done.plan)), "{name}");
                    assert_eq!(log.view().after.total, done.after.total, "{name}");
                    assert_eq!(added.len(), done.edits.len());
                    adopted += added.len();
                    // Undone in any order, the view is the previous one.
                    for added in &added {
                        log.undo(Some(&added.id), 3).unwrap();
                    }
                    assert_eq!(log.messages(), before, "{name}");
                    for added in added.iter() {
                        log.redo(Some(&added.id), 4).unwrap();
                    }
                    assert_eq!(said(&log.messages()), said(&carry_out(&before, &done.plan)), "{name}");
                }
                Err(error) => {
                    assert_eq!(error.code, Code::BadEdit, "{name}: {error}");
                    assert_eq!(log.export(0), plain);
                    panic!("{name}: {error}");
                }
            }
        }
        for message in &messages {
            let recalled = log.recall(&message.id).unwrap();
            assert_eq!(recalled[0].message, message);
            assert_ne!(recalled[0].place, Place::Rewound);
        }
    }
    assert!(adopted >= 15, "{adopted}");
}

#[test]
fn all_edits_are_adopted_or_none() {
    let mut log = super::log(vec![user("a"), user("b"), user("c")]);
    let dropped = |ids: &[&str]| edit::Edit {
        id: "e0".into(),
        kind: edit::Kind::Drop,
        targets: ids.iter().map(|id| edit::Target::message(*id)).collect(),
        rule: "old-request",
        author: edit::Author::Rule,
        tokens_before: 0,
        tokens_after: 0,
        message: None,
        before: None,
        reply: None,
        thinking: None,
        newer: None,
    };
    let before = (log.export(0), super::shown(&log));
    super::refused(log.adopt(&[dropped(&["m0"]), dropped(&["m2"])], 1), Code::BadEdit, "edits[1].targets[0].message");
    assert_eq!((log.export(0), super::shown(&log)), before);
    log.adopt(&[dropped(&["m0"]), dropped(&["m1"])], 1).unwrap();
    assert_eq!(super::shown(&log), "m2");
}
