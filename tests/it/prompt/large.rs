//! Trees that are deep, broad or full.

use espalier::message::Role;
use espalier::prompt::{Counter, Element, Prompt};
use espalier::tokens::{CostModel, EncodingName};

use super::{Tree, builtin, encoding, finish, finish_counted, options};

fn check(tree: &Tree, budget: f64) {
    let (name, model) = (EncodingName::O200kBase, CostModel::Espalier);
    let mut prompt = Prompt::new(tree.ops.clone(), builtin(name, model), options(budget)).unwrap();
    let outcome = finish(&mut prompt);
    assert!(outcome.failure.is_none());
    assert!(outcome.tokens <= budget);
    assert_eq!(outcome.tokens, tree.fresh(&outcome.messages, model, &*encoding(name)));
    let counted = finish_counted(tree, &mut Prompt::new(tree.ops.clone(), Counter::Host, options(budget)).unwrap());
    assert!(counted.tokens <= budget && counted.failure.is_none());
}

#[test]
fn ten_thousand_levels() {
    let mut tree = Tree::default();
    tree.open(Element::default()).message(Role::User, None);
    for level in 0..10_000 {
        tree.text("word ", f64::from(level % 7), false);
        tree.open(Element { priority: Some(f64::from(level % 5)), ..Element::default() });
    }
    for _ in 0..10_002 {
        tree.close();
    }
    for budget in [1e9, 5_000.0, 10.0] {
        check(&tree, budget);
    }
}

#[test]
fn two_hundred_thousand_children() {
    for pass_priority in [false, true] {
        let mut tree = Tree::default();
        tree.open(Element::default()).message(Role::User, None).open(Element { pass_priority, ..Element::default() });
        for at in 0..200_000 {
            tree.text("some words", f64::from(at * 7919 % 1000), true);
        }
        tree.close().close().close();
        for budget in [1e9, 300_000.0] {
            check(&tree, budget);
        }
    }
}

#[test]
fn texts_without_any_cut() {
    let mut tree = Tree::default();
    tree.open(Element::default()).message(Role::User, None);
    for at in 0..3_000 {
        tree.text("漢字", f64::from(at % 11), false);
    }
    tree.close().close();
    check(&tree, 2_000.0);
}

/// Texts that were cut to nothing. Each removal once went over all of them for each of them; the shape `emptied`
/// of the benchmark of prompts has the time.
#[test]
fn many_empty_texts_are_removed_as_others() {
    for text in ["some words", ""] {
        let mut tree = Tree::default();
        tree.open(Element::default()).message(Role::User, None);
        for at in 0..1_600 {
            tree.text(if at < 1_500 { text } else { "the last words" }, 1.0, true);
        }
        tree.close().close();
        check(&tree, 100.0);
    }
}
