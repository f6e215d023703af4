//! Random sequences of all operations.

use espalier::error::Code;
use espalier::history::draft::Draft;
use espalier::history::edit::{Kind, Target, Thinking};
use espalier::history::log::entry::{Checkpoint, Edit, Pin, RecordKind};
use espalier::history::log::{Counting, Log, Place};
use espalier::history::mend::mend;
use espalier::history::pairs::repair;
use espalier::history::plan::{Becomes, PartEdit};
use espalier::message::{Message, Part};
use fastrand::Rng;

use super::{blank, counting, on, range, text};
use crate::receiver::receivers;
use crate::support::valid::check as valid;
use crate::support::{Quarter, assistant, calls, numbered, random, result, system, user};

/// Takes one step: adds a message, or applies any operation. Refusals are part of it.
fn step(log: &mut Log, rng: &mut Rng, waiting: &mut Vec<Message>) {
    let known: Vec<String> = log.messages().into_iter().map(|m| m.id).chain(["m0".into(), "m3".into()]).collect();
    let some = |rng: &mut Rng| known[rng.usize(0..known.len())].clone();
    let entry = |log: &Log, rng: &mut Rng| format!("e{}", rng.usize(0..log.len() + 1));
    let before = log.export(0);
    let count = log.len();
    let refused = match rng.u32(0..20) {
        0..=7 => waiting.pop().and_then(|message| log.append(message, 1).err()),
        8 | 9 => {
            let (a, b) = (some(rng), some(rng));
            let mut edit = range(&a, &b);
            if rng.u32(0..3) == 0 {
                edit.range.as_mut().unwrap().carried.push(some(rng));
            }
            if rng.bool() {
                edit.range.as_mut().unwrap().thinking = thought(log, &a, &b);
            }
            log.edit(edit, 2).err()
        }
        10 => {
            // Whole rounds, more often than not.
            let first = rng.usize(0..known.len());
            let count = rng.usize(1..4);
            let ids: Vec<&str> = known.iter().skip(first).take(count).map(String::as_str).collect();
            log.edit(super::drop(&ids), 2).err()
        }
        11..=13 => log.edit(parts(log, rng, &known), 2).err(),
        14 => log.undo(Some(&entry(log, rng)), 3).err(),
        15 => {
            let newest = if rng.bool() { log.undo(None, 3) } else { log.redo(None, 3) };
            newest.err()
        }
        16 => log.redo(Some(&entry(log, rng)), 3).err(),
        17 => {
            let part = rng.bool().then(|| rng.usize(0..2));
            let range = part.filter(|_| rng.bool()).map(|_| (rng.usize(0..3), rng.usize(1..9)));
            let pin = Pin { part, range, ..on(&some(rng)) };
            log.pin(pin, 4).err()
        }
        18 => log.unpin(&entry(log, rng), 4).err(),
        _ => match rng.u32(0..4) {
            0 => log.rewind(Some(&some(rng)), 5).err(),
            1 => log.record(RecordKind::Note, "{\"a\": 1}".into(), 5).err(),
            2 => {
                let number = log.next_checkpoint();
                log.checkpoint(Checkpoint { number, title: "t".into(), path: None, edits: vec![] }, 5).err()
            }
            _ => None,
        },
    };
    if let Some(error) = refused {
        let code = error.code;
        assert!(matches!(code, Code::BadEdit | Code::UnknownId | Code::BadInput), "{error}");
        assert_eq!((log.len(), log.export(0)), (count, before), "a refusal changes nothing");
    }
}

/// Returns the last thought of a range and the first calls after it.
fn thought(log: &Log, from: &str, to: &str) -> Option<Thinking> {
    let messages = log.messages();
    let at = |id: &str| messages.iter().position(|message| message.id == id);
    let (first, last) = (at(from)?, at(to)?);
    let of = messages.get(first..=last)?.iter().rev().find(|message| !thoughts(message).is_empty())?;
    let calls = |message: &&Message| message.calls().next().is_some() && thoughts(message).is_empty();
    let to = messages[last + 1..].iter().find(calls)?;
    Some(Thinking { from: of.id.clone(), part: *thoughts(log.original(&of.id)?).last()?, to: to.id.clone() })
}

fn thoughts(message: &Message) -> Vec<usize> {
    let is_thought = |&at: &usize| matches!(message.parts[at], Part::Reasoning { .. });
    (0..message.parts.len()).filter(is_thought).collect()
}

/// Returns an edit of parts that usually applies.
fn parts(log: &Log, rng: &mut Rng, known: &[String]) -> Edit {
    let mut targets = Vec::new();
    let mut kind = Kind::ClearResult;
    for _ in 0..rng.usize(1..4) {
        let id = &known[rng.usize(0..known.len())];
        let Some(message) = log.original(id).filter(|m| !m.parts.is_empty()) else { continue };
        let part = rng.usize(0..message.parts.len());
        let (of_part, to) = match &message.parts[part] {
            Part::ToolCall { arguments, .. } => {
                (Kind::ClearArguments, Becomes::Arguments { arguments: arguments.clone() })
            }
            Part::ToolResult { .. } if rng.bool() => (Kind::ClearResult, text("[gone]")),
            Part::Reasoning { .. } => (Kind::DropReasoning, Becomes::Gone),
            _ => (Kind::Truncate, text("al…")),
        };
        kind = of_part;
        targets.push(Target { message: id.clone(), part: Some(part), to: Some(to) });
    }
    Edit { targets, ..blank(kind) }
}

/// Returns the view, repaired without what the log knows of it.
fn walked(log: &Log) -> Draft<'_> {
    let mut draft = log.draft();
    repair(&mut draft);
    repair(&mut draft);
    draft
}

/// Returns a conversation that no provider refuses.
fn talk(rng: &mut Rng, steps: usize) -> Vec<Message> {
    let mut messages = vec![system("be brief"), user("go")];
    while messages.len() < steps {
        let id = messages.len().to_string();
        match rng.u32(0..3) {
            0 => messages.extend([assistant("done"), user("next")]),
            _ => messages.extend([calls(&[&id]), result(&id, "found")]),
        }
    }
    numbered(messages)
}

fn view(log: &Log) -> String {
    serde_json::to_string(&(log.view().plan, log.messages(), log.view().after)).unwrap()
}

/// Returns a conversation with thoughts in some of the calls.
fn conversation(rng: &mut Rng, steps: usize) -> Vec<Message> {
    let mut messages = random::conversation(rng, steps);
    for message in messages.iter_mut().filter(|message| message.calls().next().is_some()) {
        if rng.u32(0..3) == 0 {
            message.parts.insert(0, Part::Reasoning { text: "so it is".into(), sealed: None });
        }
    }
    messages
}

fn play(seed: u64, steps: usize, each: impl FnMut(&mut Log, &mut Rng)) -> Log {
    let mut rng = Rng::with_seed(seed);
    let waiting = conversation(&mut rng, steps);
    play_with(rng, waiting, steps, each)
}

/// Takes random steps over these messages, which are added one by one.
pub fn play_with(
    mut rng: Rng,
    mut waiting: Vec<Message>,
    steps: usize,
    mut each: impl FnMut(&mut Log, &mut Rng),
) -> Log {
    waiting.reverse();
    let mut log = Log::new(counting(Quarter));
    for _ in 0..steps {
        step(&mut log, &mut rng, &mut waiting);
        each(&mut log, &mut rng);
    }
    log
}

#[test]
fn views_pair_up_and_add_up_whatever_happens() {
    let (mut applied, mut led) = (0, 0);
    for seed in 0..150 {
        let log = play(seed, 60, |log, _| {
            let messages = log.messages();
            assert_eq!(valid(&messages), Ok(()), "seed {seed}");
            let of = |item: &PartEdit| item.from.is_some();
            led += log.draft().entries.iter().filter(|row| row.edits.iter().flatten().any(of)).count();
            let draft = log.draft();
            assert_eq!(log.totals(), draft.after(), "seed {seed}: held totals are those of the rows");
            let counted: u64 = messages.iter().map(|m| draft.meter.message(m)).sum();
            assert_eq!(log.view().after.total, counted + 3, "seed {seed}: tokens are those of the messages");
            // The log knows whether anything must be repaired; a full pass gives the same.
            let walked = walked(log);
            assert_eq!((log.view().plan, log.view().repaired), (walked.plan(), walked.removed), "seed {seed}");
            // Edits create no orphans: only oddities of the history itself are repaired.
            let plain: Vec<Message> = draft
                .entries
                .iter()
                .filter(|e| !e.is_new)
                .filter_map(|e| log.original(&e.message.id))
                .cloned()
                .collect();
            if valid(&plain).is_ok() {
                // An empty request that was the only content is empty beside a summary; repair handles that.
                let broken = valid(&draft.messages()).err().filter(|(_, why)| *why != "empty message");
                assert_eq!(broken, None, "seed {seed}");
            }
        });
        applied += log.edits().len();
    }
    assert!(led > 100, "{led} thoughts were carried: too few to say anything");
    assert!(applied > 500, "{applied} edits got in: too few to say anything");
}

/// What is known of the view before an added message is used for the next one.
#[test]
fn a_view_that_grows_is_that_of_a_log_that_is_read_anew() {
    let mut accepted = [0; 5];
    for seed in 0..400 {
        let number = seed as usize % accepted.len();
        let receiver = &receivers()[number];
        let counting = || Counting { provider: receiver.written, ..counting(Quarter) };
        let mut log = Log::new(counting());
        let mut rng = Rng::with_seed(seed);
        let mut waiting = if seed % 3 == 0 { conversation(&mut rng, 30) } else { talk(&mut rng, 30) };
        waiting.reverse();
        for at in 0..40 {
            step(&mut log, &mut rng, &mut waiting);
            let again = Log::import(&log.export(0), counting(), false).unwrap().log;
            assert_eq!(log.view_in_runs(), again.view_in_runs(), "seed {seed} at {at}");
            assert_eq!(log.view(), again.view(), "seed {seed} at {at}");
            let mended = log.mended(receiver);
            accepted[number] += usize::from(mended.plan.is_none() && log.len() > 5);
            let expected = mend(&walked(&again), receiver);
            let json = |mended| serde_json::to_string(&mended).unwrap();
            assert_eq!(json(mended), json(expected), "seed {seed} at {at}");
        }
    }
    assert!(accepted.iter().all(|&count| count > 200), "{accepted:?}: too few to say anything");
}

#[test]
fn every_prefix_replays_byte_for_byte() {
    for seed in 200..230 {
        let mut views: Vec<(usize, String, String)> = Vec::new();
        let log = play(seed, 60, |log, _| views.push((log.len(), view(log), log.export(0))));
        let lines = log.export(0);
        for (length, seen, exported) in views {
            assert!(lines.starts_with(&exported), "seed {seed}: a log only grows");
            let again = Log::import(&exported, counting(Quarter), false).unwrap();
            assert_eq!((again.problems, again.left), (vec![], 0), "seed {seed}");
            assert_eq!(again.log.len(), length);
            assert_eq!(view(&again.log), seen, "seed {seed} at {length}");
            assert_eq!(again.log.export(0), exported);
            assert_eq!(again.log.hash(), again.log.export(length.saturating_sub(1)).get_hash());
            // The view of a position is the same at a later position.
            let difference = log.compare(length, length).unwrap();
            assert_eq!(difference.after.total, again.log.view().after.total);
            assert_eq!(
                again.log.edits().iter().map(|e| &e.id).collect::<Vec<_>>(),
                log.edits().iter().map(|e| &e.id).take(again.log.edits().len()).collect::<Vec<_>>()
            );
        }
    }
}

trait GetHash {
    fn get_hash(&self) -> String;
}

impl GetHash for String {
    /// Returns the hash in the last line.
    fn get_hash(&self) -> String {
        match self.trim_end().rsplit_once("\"hash\":\"") {
            Some((_, hash)) => hash.trim_end_matches("\"}").to_string(),
            None => "cbf29ce484222325".to_string(),
        }
    }
}

#[test]
fn undoing_restores_the_view_before_byte_for_byte() {
    let mut undone = 0;
    for seed in 300..400 {
        let mut before = String::new();
        let mut count = 0;
        let log = play(seed, 50, |log, _| {
            let now = view(log);
            if log.edits().len() > count {
                // The newest entry is an edit: undo and redo of it are exact.
                log.undo(None, 9).unwrap().unwrap();
                assert_eq!(view(log), before, "seed {seed}");
                log.redo(None, 9).unwrap().unwrap();
                assert_eq!(view(log), now, "seed {seed}");
                undone += 1;
            }
            count = log.edits().len();
            before = now;
        });
        let mut log = log;
        // Undoing everything gives the plain history, with or without pins.
        let mut views = vec![view(&log)];
        let mut rows = 0;
        while log.undo(None, 10).unwrap().is_some() {
            views.push(view(&log));
            rows += 1;
        }
        let live: Vec<Message> = log
            .records()
            .iter()
            .filter_map(|r| {
                if let espalier::history::log::entry::Entry::Message { message } = &r.entry {
                    Some(message)
                } else {
                    None
                }
            })
            .filter(|m| log.recall(&m.id).unwrap()[0].place != Place::Rewound)
            .map(|m| Message::clone(m))
            .collect();
        let plain = log.draft().messages();
        assert_eq!(plain, live, "seed {seed}");
        // Redoing everything gives every view again, newest last.
        views.pop();
        for _ in 0..rows {
            log.redo(None, 11).unwrap().unwrap();
            assert_eq!(Some(view(&log)), views.pop(), "seed {seed}");
        }
    }
    assert!(undone > 300, "{undone}");
}

#[test]
fn whatever_is_hidden_can_be_recalled() {
    let mut hidden = 0;
    for seed in 500..560 {
        let log = play(seed, 60, |_, _| {});
        let mut rng = Rng::with_seed(seed);
        let originals = conversation(&mut rng, 60);
        let shown: std::collections::HashMap<String, Message> =
            log.draft().messages().into_iter().map(|m| (m.id.clone(), m)).collect();
        for original in originals.iter().filter(|m| log.original(&m.id).is_some()) {
            let recalled = &log.recall(&original.id).unwrap()[0];
            assert_eq!(recalled.message, original, "seed {seed}");
            let expected = match shown.get(&original.id) {
                Some(message) if message == original => recalled.place == Place::Shown || !recalled.by.is_empty(),
                Some(_) => recalled.place == Place::Changed && !recalled.by.is_empty(),
                None => recalled.by.len() == 1 && !matches!(recalled.place, Place::Shown | Place::Changed),
            };
            assert!(expected, "seed {seed}: {recalled:?}");
            hidden += usize::from(recalled.place != Place::Shown);
        }
    }
    assert!(hidden > 100, "{hidden}");
}

#[test]
fn groups_that_were_cut_grow_as_if_nothing_had_been_there() {
    use espalier::history::group::Grouper;
    for seed in 600..700 {
        let mut rng = Rng::with_seed(seed);
        let messages = random::conversation(&mut rng, 40);
        let fresh = |max: usize| {
            let mut grouper = Grouper::default();
            messages.iter().enumerate().take(max).for_each(|(at, message)| {
                grouper.push(at, message);
            });
            grouper
        };
        for _ in 0..10 {
            let (index, max) = (rng.usize(0..41), rng.usize(0..41));
            let mut grouper = fresh(40);
            let from = grouper.cut(index);
            assert!(from <= index);
            for (at, message) in messages.iter().enumerate().take(max.max(index).min(40)).skip(from) {
                let group = grouper.push(at, message);
                assert!(grouper.groups[group].entries.contains(&at));
            }
            let plain = fresh(max.max(index).min(40));
            assert_eq!(grouper.groups, plain.groups, "seed {seed}: cut at {index}");
            assert_eq!(grouper.waiting(), plain.waiting(), "seed {seed}: cut at {index}");
        }
    }
}
