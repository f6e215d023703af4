//! JSON read as a tape: it accepts what a parser accepts, and finds the same values.

use espalier::tool_result::tape::{Kind, Node, read};
use serde_json::Value;

/// Rebuilds a value from its node.
fn value(text: &str, nodes: &[Node], number: usize) -> Value {
    let node = nodes[number];
    let mut child = number + 1;
    match node.kind {
        Kind::List => (0..node.items)
            .map(|_| {
                let item = value(text, nodes, child);
                child = nodes[child].next;
                item
            })
            .collect(),
        Kind::Object => {
            let mut fields = serde_json::Map::new();
            for _ in 0..node.items {
                let Value::String(name) = value(text, nodes, child) else { panic!("a name") };
                fields.insert(name, value(text, nodes, child + 1));
                child = nodes[child + 1].next;
            }
            Value::Object(fields)
        }
        Kind::Text | Kind::Other => serde_json::from_str(&text[node.start..node.end]).expect("a value"),
    }
}

fn random(rng: &mut fastrand::Rng, depth: usize) -> Value {
    match rng.u8(0..if depth > 4 { 4 } else { 6 }) {
        0 => Value::Null,
        1 => rng.bool().into(),
        2 => [Value::from(1), (-2.5).into(), 1e300.into(), 0.into(), 123_456_789.into()][rng.usize(0..5)].clone(),
        3 => ["", "a", "\"\\\n\u{1}", "👍🏽 语", "\u{2028}</script>"][rng.usize(0..5)].into(),
        4 => (0..rng.usize(0..5)).map(|_| random(rng, depth + 1)).collect(),
        _ => Value::Object((0..rng.usize(0..5)).map(|at| (format!("k\"{at}"), random(rng, depth + 1))).collect()),
    }
}

#[test]
fn random_values_come_back() {
    for seed in 0..2_000 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let wanted = random(&mut rng, 0);
        for text in [wanted.to_string(), serde_json::to_string_pretty(&wanted).unwrap()] {
            let nodes = read(&text).unwrap_or_else(|| panic!("{seed}: {text}"));
            assert_eq!(value(&text, &nodes, 0), wanted, "{seed}");
            assert_eq!(nodes[0].next, nodes.len());
        }
    }
}

/// Damaged JSON is refused, as by a parser. (Halves of surrogate pairs and endless numbers are accepted: they are only
/// copied.)
#[test]
fn what_a_parser_refuses_is_refused() {
    for seed in 0..20_000 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut text: Vec<char> = random(&mut rng, 0).to_string().chars().collect();
        for _ in 0..rng.usize(1..3) {
            let at = rng.usize(0..text.len().max(1));
            let marks: Vec<char> = "[]{},:\"\\ -.e0u\u{7f}x".chars().collect();
            match rng.u8(0..3) {
                0 if !text.is_empty() => drop(text.remove(at)),
                1 => text.insert(at, marks[rng.usize(0..marks.len())]),
                _ if !text.is_empty() => text[at] = marks[rng.usize(0..marks.len())],
                _ => {}
            }
        }
        let text: String = text.into_iter().collect();
        let parsed = serde_json::from_str::<Value>(&text);
        // A number that is too large for a parser is accepted.
        let is_range = parsed.as_ref().is_err_and(|error| error.to_string().contains("out of range"));
        assert!(read(&text).is_some() == parsed.is_ok() || is_range, "{seed}: {text} {parsed:?}");
    }
}

#[test]
fn depth_has_an_end() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(read(&nested(128)).is_some() && read(&nested(129)).is_none() && read(&nested(1_000_000)).is_none());
    for text in
        ["", " ", "[", "\"", "\"\\", "\"\\u12", "-", "1.", "1e", "tru", "nul", "{\"a\"}", "{a:1}", "[1 2]", "\u{0}"]
    {
        assert!(read(text).is_none(), "{text}");
    }
}
