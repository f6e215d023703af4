use espalier::compact::profile::{COPILOT_CHAT, ESPALIER, GEMINI_CLI};
use espalier::conversation::window::{Sizes, effective, ratio, threshold};
use espalier::error::Code;
use serde_json::Value;

use super::vectors;

const BUDGET: &str = include_str!("../../fixtures/vectors/copilot-chat/budget.json");
const KICK_OFF: &str = include_str!("../../fixtures/vectors/copilot-chat/background-kickoff.json");

fn number(value: &Value) -> Option<f64> {
    // JSON has no infinity.
    value.as_f64().or((value.as_str() == Some("Infinity")).then_some(f64::INFINITY))
}

#[test]
fn thresholds() {
    for case in vectors(BUDGET, "threshold") {
        let found = threshold(case["value"].as_f64().unwrap_or(f64::NAN), case["max"].as_u64().unwrap());
        match case["result"].as_str() {
            Some(_) => assert_eq!(found.unwrap_err().code, Code::BadThreshold, "{case}"),
            None => assert_eq!(found, Ok(case["result"].as_f64()), "{case}"),
        }
    }
}

#[test]
fn context_sizes() {
    for case in vectors(BUDGET, "contextSize") {
        let sizes = Sizes {
            max: case["max"].as_u64().unwrap(),
            picked: number(&case["selected"]),
            default_tier: case["defaultTier"].as_u64(),
            surcharge: case["longContextSurcharge"].as_bool().unwrap(),
            prefer_long: case["preferLongContext"].as_bool().unwrap(),
        };
        assert_eq!(Some(effective(sizes)), case["effectiveMax"].as_f64(), "{case}");
    }
}

#[test]
fn message_budgets() {
    for case in vectors(BUDGET, "messageBudget") {
        let field = |name: &str| case[name].as_u64().unwrap();
        if case["appliedToEndpoint"].as_bool() == Some(true) {
            assert_eq!(
                COPILOT_CHAT.for_messages(field("baseBudget"), field("toolTokens")),
                field("messageBudget"),
                "{case}"
            );
        }
    }
}

#[test]
fn ratios() {
    for case in vectors(BUDGET, "ratio") {
        let field = |name: &str| case[name].as_u64().unwrap();
        let used = field("renderTokens") + field("toolTokens");
        let reported = case["serverPromptTokens"].as_u64().map(|reported| (reported, used));
        let found = ratio(COPILOT_CHAT.measured.of(used, used, reported), field("baseBudget"));
        assert_eq!(Some(found), case["ratio"].as_f64(), "{case}");
    }
    assert_eq!(ratio(5, 0), 0.0);
}

#[test]
fn starts() {
    for case in vectors(KICK_OFF, "cases") {
        let mut draws = 0;
        let draw = || {
            draws += 1;
            case["rng"].as_f64().unwrap()
        };
        let started = COPILOT_CHAT.starts(case["ratio"].as_f64().unwrap(), case["warm"].as_bool().unwrap(), draw);
        assert_eq!((Some(started), Some(draws)), (case["kick"].as_bool(), case["rngCalls"].as_u64()), "{case}");
    }
    assert!(GEMINI_CLI.starts(0.5, false, || unreachable!()) && !ESPALIER.starts(0.77, true, || 0.0));
}
