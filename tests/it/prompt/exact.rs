//! Counts are exact, budgets hold, and nothing is removed without need.

use espalier::prompt::{Inside, Options, Prompt};
use espalier::tokens::{CostModel, EncodingName};
use fastrand::Rng;

use super::{builtin, encoding, finish, options, random};

const MODELS: [CostModel; 2] = [CostModel::Espalier, CostModel::CopilotChat];
const ENCODINGS: [EncodingName; 2] = [EncodingName::O200kBase, EncodingName::Cl100kBase];

/// Runs trees, each with several budgets from 0 to slightly more than it needs.
fn each(trees: u64, mut check: impl FnMut(&super::Tree, Options, EncodingName, CostModel)) {
    for seed in 0..trees {
        let mut rng = Rng::with_seed(seed);
        let size = rng.usize(2..120);
        let tree = random::tree(&mut rng, size);
        let (name, model) = (ENCODINGS[seed as usize % 2], MODELS[seed as usize / 2 % 2]);
        let mut whole = Prompt::new(tree.ops.clone(), builtin(name, model), options(1e9)).unwrap();
        let full = finish(&mut whole).tokens;
        for _ in 0..4 {
            let budget = (full * f64::from(rng.u32(0..110)) / 100.0).floor();
            let inside = if rng.bool() { Inside::Exact } else { Inside::Bounds };
            let options = Options { inside, backfill: rng.u32(0..3) == 0, ..options(budget) };
            check(&tree, options, name, model);
        }
    }
}

#[test]
fn counts_are_those_of_the_messages_and_never_above_the_budget() {
    each(1500, |tree, options, name, model| {
        let mut prompt = Prompt::new(tree.ops.clone(), builtin(name, model), options).unwrap();
        let outcome = finish(&mut prompt);
        assert_eq!(outcome.tokens, tree.fresh(&outcome.messages, model, &*encoding(name)));
        assert!(outcome.failure.is_some() || outcome.tokens <= options.budget, "{} {options:?}", outcome.tokens);
    });
}

#[test]
fn the_last_step_was_needed() {
    let mut needed = 0;
    each(1500, |tree, options, name, model| {
        let options = Options { backfill: false, ..options };
        let mut prompt = Prompt::new(tree.ops.clone(), builtin(name, model), options).unwrap();
        let outcome = finish(&mut prompt);
        let Some(last) = outcome.removals.last().filter(|last| last.limit == 0 && outcome.failure.is_none()) else {
            return;
        };
        // With the tokens that it had before that step as budget, the same tree stops one step earlier.
        let before = outcome.tokens + last.tokens;
        assert!(before > options.budget, "{before} would have fitted {}", options.budget);
        prompt.recut(before);
        let earlier = finish(&mut prompt);
        assert!(earlier.tokens <= before);
        // Limits above the budget are ignored, so that more of them take effect with a larger one.
        let limited =
            tree.ops.iter().any(|op| matches!(op, espalier::prompt::Op::Open(element) if element.limit.is_some()));
        if !limited && earlier.tokens == before {
            let steps = |outcome: &espalier::prompt::Outcome| outcome.removals.last().map_or(0, |last| last.step + 1);
            assert!(steps(&earlier) < steps(&outcome));
            needed += 1;
        }
    });
    assert!(needed > 100, "{needed}");
}

#[test]
fn cutting_again_is_rendering_anew() {
    each(300, |tree, options, name, model| {
        let mut prompt = Prompt::new(tree.ops.clone(), builtin(name, model), options).unwrap();
        finish(&mut prompt);
        for tenth in 0..10 {
            let budget = options.budget * f64::from(tenth) / 8.0;
            prompt.recut(budget);
            let mut anew = Prompt::new(tree.ops.clone(), builtin(name, model), Options { budget, ..options }).unwrap();
            let mut again = finish(&mut prompt);
            let mut other = finish(&mut anew);
            // The freed tokens of uncounted nodes are NaN, and no two NaN are equal.
            for removal in again.removals.iter_mut().chain(&mut other.removals) {
                removal.tokens = removal.tokens.max(0.0);
            }
            assert_eq!(again, other);
        }
    });
}

#[test]
fn backfill_fills_and_never_overfills() {
    let (mut better, mut same) = (0, 0);
    each(1500, |tree, options, name, model| {
        let render = |backfill| {
            let options = Options { backfill, ..options };
            finish(&mut Prompt::new(tree.ops.clone(), builtin(name, model), options).unwrap())
        };
        let (without, with) = (render(false), render(true));
        assert_eq!(with.failure.is_some(), without.failure.is_some());
        if with.failure.is_some() {
            return;
        }
        assert_eq!(with.tokens, tree.fresh(&with.messages, model, &*encoding(name)));
        assert!(
            without.tokens <= with.tokens && with.tokens <= options.budget,
            "{} {} {options:?}",
            without.tokens,
            with.tokens
        );
        if with.tokens == without.tokens {
            same += 1;
        } else {
            better += 1;
        }
    });
    assert!(better > 200 && same > 200, "{better} {same}");
}
