//! Errors of hosts.

use espalier::error::Code;
use espalier::message::Role;
use espalier::prompt::{Ask, Counter, Element, Malformed, Op, Prompt, Step};
use espalier::tokens::{CostModel, EncodingName};

use super::{Tree, builtin, finish, options};

fn host(tree: Tree, budget: f64) -> Prompt {
    Prompt::new(tree.ops, Counter::Host, options(budget)).unwrap()
}

fn simple() -> Tree {
    let mut tree = Tree::default();
    tree.open(Element::default()).message(Role::User, None).text("a", 1.0, true).text("b", 2.0, true).close().close();
    tree
}

#[test]
fn lists_that_do_not_close() {
    let open = || Op::Open(Box::default());
    for ops in [
        vec![],
        vec![open()],
        vec![Op::Close],
        vec![open(), Op::Close, Op::Close],
        vec![open(), Op::Close, open(), Op::Close],
    ] {
        assert_eq!(Prompt::new(ops, Counter::Host, options(10.0)).err().map(|error| error.code), Some(Code::BadInput));
    }
}

#[test]
fn an_unstated_budget_limits_nothing() {
    let whole = finish(
        &mut Prompt::new(simple().ops, builtin(EncodingName::O200kBase, CostModel::Espalier), options(1e9)).unwrap(),
    );
    for budget in [f64::NAN, f64::INFINITY] {
        let mut prompt =
            Prompt::new(simple().ops, builtin(EncodingName::O200kBase, CostModel::Espalier), options(budget)).unwrap();
        assert_eq!(finish(&mut prompt), whole);
        prompt.recut(0.0);
        assert!(finish(&mut prompt).tokens < whole.tokens);
        prompt.recut(budget);
        assert_eq!(finish(&mut prompt), whole);
    }
}

#[test]
fn a_breakpoint_outside_a_message() {
    let mut tree = Tree::default();
    tree.open(Element::default()).breakpoint().close();
    assert_eq!(Prompt::new(tree.ops, Counter::Host, options(10.0)).err().unwrap().code, Code::BadInput);
}

#[test]
fn text_outside_messages_and_alternatives_of_one() {
    let mut tree = Tree::default();
    tree.open(Element::default()).open(Element::default()).text("stray", 1.0, true).close().close();
    assert_eq!(host(tree, 10.0).poll().unwrap(), Step::Malformed(Malformed::Stray(2)));
    let mut tree = Tree::default();
    tree.open(Element { alternate: true, ..Element::default() }).close();
    assert_eq!(host(tree, 10.0).poll().unwrap(), Step::Malformed(Malformed::Alternative(0)));
}

#[test]
fn answers_that_do_not_fit() {
    let mut prompt = host(simple(), 4.0);
    let Step::Ask(id, Ask::Count(questions)) = prompt.poll().unwrap() else { panic!() };
    assert_eq!(prompt.resume_counts(id + 1, &[1.0]).unwrap_err().code, Code::UnknownEffect);
    // Polling again returns the same request.
    assert_eq!(prompt.poll().unwrap(), Step::Ask(id, Ask::Count(questions.clone())));
    assert_eq!(prompt.resume_counts(id, &[]).unwrap_err().code, Code::BadInput);
    for bad in [f64::NAN, f64::INFINITY, -1.0] {
        let mut prompt = host(simple(), 4.0);
        let Step::Ask(id, _) = prompt.poll().unwrap() else { panic!() };
        let error = prompt.resume_counts(id, &vec![bad; questions.len()]).unwrap_err();
        assert_eq!((error.code, error.path.as_deref()), (Code::BadInput, Some("tokenizer")));
    }
    let mut prompt = host(simple(), 4.0);
    let Step::Ask(id, _) = prompt.poll().unwrap() else { panic!() };
    assert_eq!(prompt.resume_rendered(id, vec![], &[]).unwrap_err().code, Code::UnknownEffect);
}

#[test]
fn a_tokenizer_with_a_mind_of_its_own_ends_somewhere() {
    for seed in 0..200 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let tree = super::random::tree(&mut rng, 40);
        let mut prompt = host(tree, f64::from(rng.u32(0..100)));
        for _ in 0..10_000 {
            match prompt.poll().unwrap() {
                Step::Ask(id, Ask::Count(questions)) => {
                    let counts: Vec<f64> = questions.iter().map(|_| f64::from(rng.u32(0..50))).collect();
                    prompt.resume_counts(id, &counts).unwrap();
                }
                _ => break,
            }
        }
        assert_eq!(prompt.poll().unwrap(), Step::Done);
    }
}
