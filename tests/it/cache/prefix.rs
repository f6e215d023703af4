//! The prefix that two requests share.

use espalier::cache::{DifferenceKind, FateRow, SharedPrefix, stable_prefix};
use espalier::message::{Message, Part, Tool};
use espalier::tokens::CostModel;
use fastrand::Rng;

use crate::support::{Chars, assistant, call, numbered, random, result, system, user};

fn shared(before: &[Message], after: &[Message]) -> SharedPrefix {
    stable_prefix((&[], before), (&[], after), CostModel::Espalier, &Chars)
}

#[test]
fn first_differences() {
    let check = |before: Vec<Message>,
                 after: Vec<Message>,
                 messages: usize,
                 tokens: u64,
                 wanted: Option<(DifferenceKind, Option<usize>, Option<usize>)>| {
        let found = shared(&numbered(before), &numbered(after));
        let difference = found.difference.as_ref().map(|it| (it.kind, it.part, it.offset));
        assert_eq!((found.messages, found.tokens, difference), (messages, tokens, wanted));
        assert_eq!(found.extends, wanted.is_none());
    };
    let with = |parts: Vec<Part>| Message { parts, ..user("") };
    let text = |text: &str| Part::Text { text: text.into() };
    use DifferenceKind as Kind;
    check(vec![], vec![], 0, 0, None);
    check(vec![], vec![user("a")], 0, 0, None);
    check(vec![user("a")], vec![user("a"), assistant("b")], 1, 3 + 5, None);
    check(vec![user("a"), assistant("b")], vec![user("a")], 1, 3 + 5, Some((Kind::MessagesRemoved, None, None)));
    check(vec![user("abc")], vec![user("abd")], 0, 0, Some((Kind::Text, Some(0), Some(2))));
    check(vec![user("💡a")], vec![user("💡b")], 0, 0, Some((Kind::Text, Some(0), Some(2))));
    check(vec![user("a")], vec![assistant("a")], 0, 0, Some((Kind::Role, None, None)));
    let named = |name: &str| Message { name: Some(name.into()), ..user("a") };
    check(vec![named("x")], vec![named("y")], 0, 0, Some((Kind::Name, None, None)));
    check(vec![call("c", "f", "{}")], vec![call("c", "f", "[]")], 0, 0, Some((Kind::Call, Some(0), None)));
    check(vec![result("c", "ab")], vec![result("c", "ax")], 0, 0, Some((Kind::Result, Some(0), Some(1))));
    check(
        vec![with(vec![text("ab")])],
        vec![with(vec![text("ab"), text("c")])],
        0,
        2,
        Some((Kind::PartsAdded, Some(1), None)),
    );
    check(
        vec![with(vec![text("ab"), text("c")])],
        vec![with(vec![text("ab")])],
        0,
        2,
        Some((Kind::PartsRemoved, Some(1), None)),
    );
    let picture = |url: &str| Part::Image { media_type: None, data: None, url: Some(url.into()), detail: None };
    check(vec![with(vec![picture("a")])], vec![with(vec![picture("b")])], 0, 0, Some((Kind::Media, Some(0), None)));
    check(vec![with(vec![picture("a")])], vec![with(vec![text("b")])], 0, 0, Some((Kind::Kind, Some(0), None)));
    let opaque = |json: &str| Part::Opaque { json: json.into(), tokens: None, sealed: None, call_id: None };
    check(vec![with(vec![opaque("1")])], vec![with(vec![opaque("2")])], 0, 0, Some((Kind::Opaque, Some(0), None)));
    // Marks and ids are not content.
    check(vec![with(vec![text("a"), Part::CacheMark])], vec![with(vec![text("a")])], 1, 8, None);
    let same = Message { id: "other".into(), ..user("a") };
    assert!(shared(&[user("a")], &[same]).extends);
}

#[test]
fn tools_stand_in_front() {
    let tool = |name: &str| Tool { name: name.into(), description: String::new(), schema: String::new() };
    let messages = [user("a")];
    let check = |before: &[Tool], after: &[Tool], tokens: u64, at: Option<usize>| {
        let found = stable_prefix((before, &messages), (after, &messages), CostModel::Espalier, &Chars);
        assert_eq!((found.tokens, found.difference.map(|it| it.index)), (tokens, at));
        assert_eq!(found.messages, usize::from(at.is_none()));
    };
    check(&[tool("a")], &[tool("a")], 16 + 9 + 3 + 5, None);
    check(&[tool("a")], &[tool("a"), tool("b")], 16 + 9, Some(1));
    check(&[tool("a"), tool("b")], &[tool("a")], 16 + 9, Some(1));
    check(&[tool("a")], &[tool("b")], 0, Some(0));
    check(&[], &[tool("b")], 0, Some(0));
}

/// Computes the shared prefix in the plain way: whole messages and then whole parts, by equality.
fn naive(before: &[Message], after: &[Message]) -> (usize, u64, bool) {
    let bare = |messages: &[Message]| -> Vec<Message> {
        let strip = |message: &Message| {
            let parts = message.parts.iter().filter(|part| !matches!(part, Part::CacheMark)).cloned().collect();
            Message { id: String::new(), parts, ..message.clone() }
        };
        messages.iter().map(strip).collect()
    };
    let (before, after) = (bare(before), bare(after));
    let mut same = 0;
    while same < before.len() && same < after.len() && before[same] == after[same] {
        same += 1;
    }
    let mut tokens = if same > 0 { 3 } else { 0 };
    tokens += after[..same].iter().map(|message| CostModel::Espalier.message(message, &Chars).tokens).sum::<u64>();
    if let (Some(one), Some(other)) = (before.get(same), after.get(same))
        && one.role == other.role
        && one.name == other.name
    {
        let parts = one.parts.iter().zip(&other.parts).take_while(|(one, other)| one == other);
        tokens += parts.map(|(_, part)| CostModel::Espalier.part(other.role, part, &Chars).tokens).sum::<u64>();
    }
    (same, tokens, same == before.len())
}

#[test]
fn the_same_as_the_plain_comparison() {
    let mut rng = Rng::with_seed(5);
    let mut kinds = std::collections::BTreeMap::new();
    for _ in 0..4_000 {
        let most = rng.usize(0..20);
        let before = random::conversation(&mut rng, most);
        let mut after = before.clone();
        for _ in 0..rng.usize(0..3) {
            if after.is_empty() {
                break;
            }
            let at = rng.usize(0..after.len());
            match rng.u32(0..6) {
                0 => drop(after.remove(at)),
                1 => after.insert(at, user("new")),
                2 => after[at].parts.push(Part::CacheMark),
                3 => after[at].parts.push(Part::Text { text: "more".into() }),
                4 => drop(after[at].parts.pop()),
                _ => after.truncate(at),
            }
        }
        after.extend((0..rng.usize(0..3)).map(|_| assistant("and on")));
        let found = shared(&before, &after);
        assert_eq!((found.messages, found.tokens, found.extends), naive(&before, &after));
        assert_eq!(found.difference.is_none(), found.extends);
        *kinds.entry(found.difference.map(|it| format!("{:?}", it.kind))).or_insert(0) += 1;
    }
    assert!(kinds.len() >= 6, "{kinds:?}");
}

#[test]
fn causes() {
    let row = |id: &str, fate: &str, rule: &str| FateRow {
        id: id.into(),
        fate: fate.into(),
        rule: (!rule.is_empty()).then(|| rule.into()),
    };
    let check =
        |before: &[Message], after: &[Message], rows: &[FateRow], earlier: &[FateRow], rule: &str, ids: &[&str]| {
            let mut found = shared(before, after);
            found.blame(rows, earlier);
            let cause = found.difference.expect("a difference").cause.expect("a cause");
            let found: Vec<&str> = cause.ids.iter().map(String::as_str).collect();
            assert_eq!((cause.rule.as_str(), found.as_slice()), (rule, ids));
        };
    let (a, b, c, d) = (user("a"), assistant("b"), user("c"), assistant("d"));
    let all = [a.clone(), b.clone(), c.clone(), d.clone()];
    let kept = |id: &str| row(id, "kept", "");
    // b and c were removed; d differs.
    let rows = [kept("a"), row("b", "dropped", "old-round"), row("c", "dropped", "old-turn"), kept("d")];
    check(&all, &[a.clone(), d.clone()], &rows, &[], "old-turn", &["b", "c"]);
    // b was removed earlier: only c is the cause.
    let earlier = [kept("a"), row("b", "dropped", "old-round"), kept("c"), kept("d")];
    check(&[a.clone(), c.clone(), d.clone()], &[a.clone(), d.clone()], &rows, &earlier, "old-turn", &["c"]);
    let changed = [kept("a"), row("b", "changed", "long-result"), kept("c"), kept("d")];
    check(&all, &[a.clone(), assistant("b..."), c.clone(), d.clone()], &changed, &[], "long-result", &["b"]);
    let inserted = [
        row("s", "inserted", "summary"),
        row("a", "covered", "summary"),
        row("b", "covered", "summary"),
        kept("c"),
        kept("d"),
    ];
    check(&all, &[system("so far"), c.clone(), d.clone()], &inserted, &[], "summary", &["s"]);
    // The last messages were removed.
    let ended = [kept("a"), kept("b"), row("c", "dropped", "orphan"), row("d", "dropped", "empty")];
    check(&all, &[a.clone(), b.clone()], &ended, &[], "empty", &["c", "d"]);
    // The host's message differs.
    let untouched = [kept("a"), kept("b"), kept("c"), kept("d")];
    let own = Message { id: "m1".into(), ..assistant("no") };
    check(&all, &[a, own, c, d], &untouched, &[], "input", &["m1"]);
}
