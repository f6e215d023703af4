//! The properties of every conversation also hold under all options together.

use espalier::history::prune::{DropMedia, Limits, Pass, Picture, prune};
use espalier::history::record::Records;
use espalier::map::{HashMap, HashSet};
use espalier::message::{Message, Part, Role};
use espalier::tokens::Origin;
use espalier_testing::runs;
use fastrand::Rng;

use super::{fresh, invariants};
use crate::support::{Quarter, meter, random};

/// Returns a conversation with everything that passes look for: long results, long arguments, pictures, documents,
/// unknown parts.
pub fn rich(rng: &mut Rng, most: usize) -> Vec<Message> {
    let mut messages = random::conversation(rng, most);
    for message in &mut messages {
        if message.role == Role::User && rng.u32(0..6) == 0 {
            message.parts.push(media(rng));
        }
        for part in &mut message.parts {
            match part {
                Part::ToolResult { content, .. } => {
                    if rng.u32(0..4) == 0 {
                        content.push(Part::Text { text: lines(rng, 400) });
                    }
                    if rng.u32(0..6) == 0 {
                        content.insert(rng.usize(0..=content.len()), media(rng));
                    }
                    if rng.u32(0..12) == 0 {
                        content.push(Part::Opaque {
                            json: "{\"odd\":1}".into(),
                            tokens: None,
                            sealed: None,
                            call_id: None,
                        });
                    }
                }
                Part::ToolCall { arguments, .. } if rng.u32(0..6) == 0 => {
                    *arguments = serde_json::json!({ "path": "a.ts", "content": lines(rng, 200) }).to_string();
                }
                _ => {}
            }
        }
    }
    messages
}

fn lines(rng: &mut Rng, most: usize) -> String {
    (0..rng.usize(0..most)).map(|n| format!("{n} a line of some tool's output\n")).collect()
}

fn media(rng: &mut Rng) -> Part {
    if rng.bool() {
        let url = Some("https://example.com/picture.png".to_string());
        Part::Image { media_type: Some("image/png".into()), data: None, url, detail: None }
    } else {
        Part::Document { media_type: Some("application/pdf".into()), data_length: rng.u64(0..40_000), pages: None }
    }
}

pub fn options(rng: &mut Rng, messages: &[Message], whole: u64) -> Limits {
    let mut order = [Pass::DROP.to_vec(), vec![Pass::Rounds, Pass::Requests]].concat();
    let order = match rng.u32(0..5) {
        0 => None,
        1 => Some(Pass::SHRINK.to_vec()),
        2 => {
            rng.shuffle(&mut order);
            Some(order)
        }
        3 => {
            rng.shuffle(&mut order);
            order.truncate(rng.usize(0..9));
            Some(order)
        }
        _ => Some(order),
    };
    let some = |rng: &mut Rng| -> Vec<String> {
        let chosen = messages.iter().filter(|_| rng.u32(0..10) == 0).map(|m| m.id.clone()).collect();
        if rng.u32(0..3) == 0 { chosen } else { vec![] }
    };
    let keep: HashSet<String> = some(rng).into_iter().collect();
    let priorities: HashMap<String, f64> = some(rng).into_iter().map(|id| (id, f64::from(rng.i32(-2..3)))).collect();
    let drop_media = [DropMedia::None, DropMedia::None, DropMedia::Old, DropMedia::All][rng.usize(0..4)];
    Limits {
        receiver: None,
        records: Records::Sealed,
        budget: rng.u64(0..=whole + 20),
        headroom: if rng.bool() { 0 } else { rng.u64(0..50) },
        keep,
        backfill: rng.u32(0..4) == 0,
        order,
        priorities,
        note: rng.u32(0..3) == 0,
        sentences: None,
        previous: None,
        cache_step_share: if rng.bool() { 0.0 } else { 0.1 },
        drop_media,
        pictures: pictures(rng, messages),
        picture_bytes: rng.bool().then(|| rng.u64(0..3_000)),
        written: None,
        thinking: rng.bool().then(HashSet::default),
    }
}

/// Returns the sizes of the pictures in results, and of some that do not exist.
fn pictures(rng: &mut Rng, messages: &[Message]) -> Vec<Picture> {
    let mut out = vec![];
    for message in messages {
        for (part, what) in message.parts.iter().enumerate() {
            let Part::ToolResult { content, .. } = what else { continue };
            for item in 0..content.len() {
                if rng.u32(0..4) > 0 {
                    out.push(Picture { id: message.id.clone(), part, item, bytes: rng.u64(0..1_000) });
                }
            }
        }
    }
    out
}

fn check(seed: u64, times: usize, most: impl Fn(&mut Rng, usize) -> usize) {
    let mut rng = Rng::with_seed(seed);
    for round in 0..times {
        let most = most(&mut rng, round);
        let messages = rich(&mut rng, most);
        let whole = fresh(&messages, &Quarter);
        let limits = options(&mut rng, &messages, whole);
        invariants(&messages, &limits, &Quarter);
    }
}

#[test]
fn invariants_hold_under_all_options() {
    check(3, runs(8_000), |rng, round| rng.usize(0..3 + 40 * round / runs(8_000)));
}

#[test]
fn invariants_hold_on_long_conversations() {
    check(5, 4, |rng, _| rng.usize(1_000..5_000));
}

#[test]
fn cuts_of_other_conversations_do_no_harm() {
    let mut rng = Rng::with_seed(9);
    for _ in 0..runs(3_000) {
        let length = rng.usize(0..30);
        let messages = rich(&mut rng, length);
        let whole = fresh(&messages, &Quarter);
        let limits = options(&mut rng, &messages, whole);
        let Ok(first) = prune(&messages, meter(&Quarter), Origin::Exact, &limits) else { continue };
        // Another conversation, or this one with a change, an addition or a removal at its beginning.
        let mut next = if rng.u32(0..3) == 0 { rich(&mut rng, length) } else { messages };
        if rng.bool() && !next.is_empty() {
            next.remove(rng.usize(0..next.len()));
        }
        next.extend(random::conversation(&mut rng, 4).into_iter().enumerate().map(|(at, mut message)| {
            message.id = format!("n{at}");
            message
        }));
        let whole = fresh(&next, &Quarter);
        let limits = Limits { previous: Some(first.cut), ..options(&mut rng, &next, whole) };
        invariants(&next, &limits, &Quarter);
    }
}
