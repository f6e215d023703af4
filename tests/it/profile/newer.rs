//! gemini-cli's newer context manager, which is off by default there: which parts are the same engine with other
//! numbers, which are not, and why.

use std::collections::BTreeSet;
use std::path::Path;

use espalier::compact::Status;
use espalier::compact::asking::Trigger;
use espalier::tokens::{Calibration, Request};

use super::gemini_cli::history;
use super::{agent, asked, forced, profile, says, summary, vectors};
use crate::prune::carry_out;

const WATERMARKS: &str = include_str!("../../fixtures/vectors/gemini-cli/head-agent-history-provider.json");
const WEIGHTS: &str = include_str!("../../fixtures/vectors/gemini-cli/head-adaptive-weight.json");
const PATCHES: &str = include_str!("../../fixtures/vectors/gemini-cli/head-snapshot-merge.json");

/// The files of the system's vectors, and the tests that read them.
const CLAIMED: [(&str, &str); 10] = [
    ("compress", "tests/it/profile/gemini_cli.rs"),
    ("format-truncated", "tests/it/profile/gemini_cli.rs"),
    ("split-point", "tests/it/ladder/profiles.rs"),
    ("state-machine", "tests/it/ladder/profiles.rs"),
    ("tool-budget", "tests/js/results/whole.test.ts"),
    ("tool-masking", "tests/js/results/whole.test.ts"),
    ("curated-history", "tests/js/validity/vectors.test.ts"),
    ("estimate-tokens", "tests/js/conversation/stored.test.ts"),
    ("head-history-hardening", "tests/js/validity/vectors.test.ts"),
    ("head-agent-history-provider", "tests/it/profile/newer.rs"),
];

/// Those that no profile follows, with the reason.
const DIFFERENT: [(&str, &str); 3] = [
    (
        "head-adaptive-weight",
        "one factor follows each report by a fifth; ours fits a line to them, and says how wrong it may be",
    ),
    (
        "head-snapshot-merge",
        "a JSON state that the model patches by number; here facts are kept by rule, and a summary is words",
    ),
    (
        "head-truncation",
        "characters for guessed tokens, down to the marker alone; ours cuts to counted tokens and never grows",
    ),
];

#[test]
fn every_file_is_followed_or_differs_for_a_reason() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let found: BTreeSet<String> = std::fs::read_dir(root.join("tests/fixtures/vectors/gemini-cli"))
        .unwrap()
        .map(|file| file.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    let known = CLAIMED.iter().chain(&DIFFERENT).map(|(name, _)| (*name).to_string()).collect();
    assert_eq!(found, known);
    for (name, file) in CLAIMED {
        let test = std::fs::read_to_string(root.join(file)).unwrap();
        assert!(test.contains(name), "{file} reads {name}");
    }
}

/// A tail of a number of tokens stays after a summary; the newest messages stay, whatever their size.
#[test]
fn a_low_mark_is_a_tail() {
    for case in vectors(WATERMARKS, "cases") {
        let id = case["id"].as_str().unwrap();
        // A response of fields without output cannot be a history of the test; cutting results is a separate step.
        if id == "normalise-tool" {
            continue;
        }
        let messages = history(&case["history"], 1);
        let kept = &case["config"]["retainedTokens"];
        let rule = profile(&format!(
            r#"{{"name":"gemini-cli","cut":{{"at":"tokens"}},"shares":{{"keepRecent":{{"share":0,"minTokens":{kept},"maxTokens":{kept}}}}},
                "replacement":{{"acknowledgement":null}},"summary":{{"verify":"never"}}}}"#
        ));
        let done = asked(&messages, 0, forced(rule, Trigger::Manual), |_| summary()).1.unwrap();
        let view = carry_out(&messages, &done.plan);
        assert_eq!(view.last(), messages.last(), "{id}");
        if id == "merge-into-user" {
            assert_eq!(done.status, Status::Applied);
            let sizes: Vec<usize> = view.iter().map(|message| message.text().len()).collect();
            assert_eq!(sizes[1..], [400, 400, 200], "the request that stays is a message of its own");
        }
    }
}

/// The first report counts fully, not by a fifth.
#[test]
fn a_prediction_follows_what_was_reported() {
    for case in vectors(WEIGHTS, "cases") {
        let mut calibration = Calibration::new("gemini-3-pro");
        let event = &case["events"][0];
        let tokens = event[1].as_u64().unwrap() + case["overheadTokens"].as_u64().unwrap();
        calibration.sent(Request { id: "r".into(), model: "gemini-3-pro".into(), frame: String::new(), tokens });
        calibration.report("r", event[0].as_u64().unwrap());
        // A report below half of our count belongs to another text.
        let reported = event[0].as_u64().unwrap();
        let predicted = if reported * 2 < tokens { tokens } else { reported };
        assert_eq!(calibration.predict(tokens).tokens, predicted, "{}", case["id"]);
    }
}

/// A model's changes to a state are not a summary.
#[test]
fn a_patch_is_no_summary() {
    let messages = agent(20, 200);
    for case in vectors(PATCHES, "cases") {
        let answer = says(&case["patch"].to_string());
        let rule = profile(r#"{"name":"gemini-cli","ladder":["summary"]}"#);
        let done = asked(&messages, 100, forced(rule, Trigger::Manual), |_| answer.clone()).1.unwrap();
        assert_eq!((done.status, done.edits.len()), (Status::NoSummaryTag, 0), "{}", case["id"]);
    }
}
