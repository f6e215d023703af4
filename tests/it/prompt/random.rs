//! Random trees.

use espalier::message::Role;
use espalier::prompt::{Call, Element, MessageShape, Shape};
use fastrand::Rng;

use super::{Tree, shape};

const TEXTS: [&str; 24] = [
    "alpha beta",
    "x",
    "",
    " ",
    "\n",
    "end.\n",
    "  indented",
    "漢字",
    "かな。",
    "「引用」",
    "can't",
    "'s",
    "123",
    "4567",
    "…",
    "a\n\n",
    "\tb",
    "💡",
    "é",
    "/",
    "//",
    "The quick brown fox jumps over the lazy dog.",
    "line one\nline two",
    "\u{3000}全角",
];

/// Returns a tree of up to about `size` nodes: messages of every kind with all possible content.
pub fn tree(rng: &mut Rng, size: usize) -> Tree {
    let mut tree = Tree::default();
    tree.open(Element::default());
    let mut left = size;
    while left > 0 {
        outside(rng, &mut tree, &mut left, 3);
    }
    tree.close();
    tree
}

fn priority(rng: &mut Rng) -> Option<f64> {
    (rng.u32(0..4) > 0).then(|| f64::from(rng.u32(0..6)))
}

fn container(rng: &mut Rng, left: usize) -> Element {
    Element {
        priority: priority(rng),
        pass_priority: rng.u32(0..3) == 0,
        chunk: rng.u32(0..6) == 0,
        legacy: rng.u32(0..20) == 0,
        keep_with: (rng.u32(0..5) == 0).then(|| rng.u32(0..3)),
        limit: (rng.u32(0..8) == 0).then(|| f64::from(rng.u32(0..60 + left as u32))),
        ..Element::default()
    }
}

fn outside(rng: &mut Rng, tree: &mut Tree, left: &mut usize, depth: usize) {
    *left = left.saturating_sub(1);
    if depth > 0 && rng.u32(0..3) == 0 {
        tree.open(container(rng, *left));
        for _ in 0..rng.usize(0..4) {
            outside(rng, tree, left, depth - 1);
        }
        tree.close();
        return;
    }
    let role = [Role::System, Role::User, Role::Assistant, Role::Tool][rng.usize(0..4)];
    let mut fields = MessageShape { name: (rng.u32(0..8) == 0).then(|| "ann".into()), ..shape(role) };
    if role == Role::Assistant && rng.bool() {
        let call = |at: usize, keep_with| Call {
            call_id: format!("c{at}"),
            name: "run".into(),
            arguments: "{\"a\":1}".into(),
            keep_with,
        };
        fields.calls = (0..rng.usize(1..3)).map(|at| call(at, (at == 0).then_some(0))).collect();
    }
    if role == Role::Tool {
        fields.call_id = Some("c0".into());
    }
    tree.open(Element { shape: Shape::Message(fields), priority: priority(rng), ..Element::default() });
    for _ in 0..rng.usize(0..12) {
        inside(rng, tree, left, 3, true);
    }
    tree.close();
}

fn inside(rng: &mut Rng, tree: &mut Tree, left: &mut usize, depth: usize, direct: bool) {
    *left = left.saturating_sub(1);
    match rng.u32(0..12) {
        0 | 1 if depth > 0 => {
            tree.open(container(rng, *left));
            for _ in 0..rng.usize(0..5) {
                inside(rng, tree, left, depth - 1, false);
            }
            tree.close();
        }
        2 if rng.u32(0..3) == 0 => {
            let tokens = rng.bool().then_some(5);
            tree.opaque("{\"kind\":\"widget\"}", tokens, f64::from(rng.u32(0..6)));
        }
        3 if direct && rng.u32(0..6) == 0 => {
            tree.breakpoint();
        }
        _ => {
            let text: String = (0..rng.usize(1..4)).map(|_| TEXTS[rng.usize(0..TEXTS.len())]).collect();
            tree.text(&text, priority(rng).unwrap_or(1e15), rng.bool());
        }
    }
}
