//! Every number of every profile, and who says so.

use espalier::compact::profile::{COPILOT_CHAT, COPILOT_CLI, ESPALIER, GEMINI_CLI, Profile, explain};
use serde_json::{Value, json};

const OURS: &str = "ours";
const OWN_RUN: &str = "measured on a run of an agent of 400,000 tokens";
const CHAT: &str = "Copilot Chat, source of July 2026";
const MARCH: &str = "Copilot Chat, March 2026";
const GEMINI: &str = "gemini-cli at 29b3aa8";
const CLI: &str = "Copilot CLI, SDK types";
const LOG: &str = "Copilot CLI, changelog";
const CODEX: &str = "OpenAI codex";
const OPENCODE: &str = "opencode";

/// Field, number, origin. `null` is "no such line".
type Row = (&'static str, Value, &'static str);

fn espalier() -> Vec<Row> {
    vec![
        ("limit.window", json!(null), OURS),
        ("limit.fallback", json!(null), OURS),
        ("limit.retryBuffer", json!(0.05), OURS),
        ("limit.mostRetryBuffer", json!(0.25), OURS),
        ("start.warm", json!(0.78), CHAT),
        ("start.spread", json!(0.04), CHAT),
        ("start.cold", json!(0.9), CHAT),
        ("block", json!(0.95), CLI),
        ("applyMin", json!(0.65), CHAT),
        ("minMessages.automatic", json!(4), CLI),
        ("minMessages.manual", json!(2), CLI),
        ("withTools", json!(1.0), OURS),
        ("shares.relief", json!(0.6), OURS),
        ("shares.target", json!(0.985), OURS),
        ("shares.ongoing", json!(0.4), OURS),
        ("shares.keepRecent.of", json!(0.2), OURS),
        ("shares.keepRecent.least", json!(0), OURS),
        ("shares.keepRecent.most", json!(null), OURS),
        ("shares.working.of", json!(0.35), OURS),
        ("shares.working.least", json!(0), OURS),
        ("shares.working.most", json!(null), OURS),
        ("shares.names.of", json!(0.1), OURS),
        ("shares.names.least", json!(0), OURS),
        ("shares.names.most", json!(null), OURS),
        ("shares.users.of", json!(0.14), OURS),
        ("shares.users.least", json!(0), OURS),
        ("shares.users.most", json!(20_000), CODEX),
        ("shares.ledger.of", json!(0.05), OURS),
        ("shares.ledger.least", json!(0), OURS),
        ("shares.ledger.most", json!(12_000), OURS),
        ("shares.entries.of", json!(0.25), OWN_RUN),
        ("shares.entries.least", json!(0), OURS),
        ("shares.entries.most", json!(40_000), OWN_RUN),
        ("shares.errorLines.of", json!(0.1), OURS),
        ("shares.errorLines.least", json!(0), OURS),
        ("shares.errorLines.most", json!(12_000), OURS),
        ("shares.summary.of", json!(0.04), OURS),
        ("shares.summary.least", json!(512), OURS),
        ("shares.summary.most", json!(8_000), OURS),
        ("gain.stale.of", json!(0.02), OURS),
        ("gain.stale.least", json!(0), OURS),
        ("gain.stale.most", json!(null), OURS),
        ("gain.media.of", json!(0.02), OURS),
        ("gain.media.least", json!(0), OURS),
        ("gain.media.most", json!(null), OURS),
        ("gain.cap.of", json!(0.02), OURS),
        ("gain.cap.least", json!(0), OURS),
        ("gain.cap.most", json!(null), OURS),
        ("gain.clear.of", json!(0.1), OURS),
        ("gain.clear.least", json!(0), OURS),
        ("gain.clear.most", json!(20_000), OPENCODE),
        ("gain.summary.of", json!(0.05), OURS),
        ("gain.summary.least", json!(0), OURS),
        ("gain.summary.most", json!(null), OURS),
        ("gain.covered", json!(0.2), OURS),
        ("protect.results", json!(3), OURS),
        ("protect.rounds", json!(2), OURS),
        ("protect.tokens.of", json!(0.2), OURS),
        ("protect.tokens.least", json!(0), OURS),
        ("protect.tokens.most", json!(40_000), OPENCODE),
        ("cap.all", json!(null), OURS),
        ("cap.each", json!(null), OURS),
        ("cap.eachOfLimit", json!(null), OURS),
        ("clear.argumentCharacters", json!(500), OURS),
        ("cut.window", json!([0.5, 1.25]), OURS),
        ("cut.insideTurn", json!(0.15), OURS),
        ("cut.beforeCheck", json!(0.5), OURS),
        ("cut.openFailure", json!(0.25), OURS),
        ("cut.fraction", json!(0.7), GEMINI),
        ("summary.temperature", json!(0.0), CHAT),
        ("summary.overlong", json!(1.5), OURS),
        ("summary.argumentUnits", json!(200), CHAT),
        ("summary.simpleResults", json!(0.5), CHAT),
        ("summary.handoffResults", json!(2_000), CHAT),
        ("summary.fullHeadroom", json!(1.0), CHAT),
        ("replacement.acknowledgement", json!(null), OURS),
        ("replacement.head", json!(0.6), OURS),
        ("failure.requests", json!(2), OURS),
        ("failure.tokens", json!(0.05), OURS),
        ("failure.gainTokens", json!(0.1), OURS),
        ("timeouts.wait", json!(60_000), OURS),
        ("timeouts.hook", json!(10_000), OURS),
        ("timeouts.model", json!(120_000), OURS),
    ]
}

/// What differs from ours, numbers, words and switches alike.
fn copilot_chat() -> Vec<Row> {
    vec![
        ("shares.target", json!(0.4), OURS),
        ("shares.keepRecent.of", json!(0.375), OURS),
        ("shares.working.of", json!(0.0), OURS),
        ("shares.names.of", json!(0.0), OURS),
        ("shares.users.of", json!(0.1), OURS),
        ("measured", json!("atLeastReported"), CHAT),
        ("block", json!(null), CHAT),
        ("early", json!("dropped"), CHAT),
        ("minMessages.automatic", json!(2), CHAT),
        ("withTools", json!(0.9), CHAT),
        ("cancelsOnSwitch", json!(true), CHAT),
        ("ladder", json!(["cap", "summary", "offline", "fit"]), CHAT),
        ("protect.results", json!(0), CHAT),
        ("protect.rounds", json!(0), CHAT),
        ("protect.tokens.of", json!(0.0), CHAT),
        ("protect.tokens.most", json!(null), CHAT),
        ("media.media", json!("keep"), CHAT),
        ("media.reasoning", json!("keep"), CHAT),
        ("cap.eachOfLimit", json!(0.5), CHAT),
        ("cut.at", json!("lastRound"), CHAT),
        ("summary.verify", json!("never"), CHAT),
        ("summary.fork", json!("background"), CHAT),
        ("hook.twoTriggers", json!(true), MARCH),
        ("hook.veto", json!(false), MARCH),
    ]
}

fn gemini_cli() -> Vec<Row> {
    vec![
        ("shares.target", json!(0.4), OURS),
        ("shares.keepRecent.of", json!(0.375), OURS),
        ("shares.working.of", json!(0.0), OURS),
        ("shares.names.of", json!(0.0), OURS),
        ("shares.users.of", json!(0.1), OURS),
        ("limit.window", json!(1_048_576), GEMINI),
        ("measured", json!("reported"), GEMINI),
        ("start.warm", json!(0.5), GEMINI),
        ("start.spread", json!(0.0), GEMINI),
        ("start.cold", json!(0.5), GEMINI),
        ("block", json!(null), GEMINI),
        ("applyMin", json!(0.0), GEMINI),
        ("early", json!("dropped"), GEMINI),
        ("minMessages.automatic", json!(2), GEMINI),
        ("background", json!(false), GEMINI),
        ("ladder", json!(["cap", "clear", "summary", "offline", "fit"]), GEMINI),
        ("gain.clear.of", json!(0.0), GEMINI),
        ("gain.clear.least", json!(30_000), GEMINI),
        ("gain.clear.most", json!(null), GEMINI),
        ("gain.summary.of", json!(0.0), GEMINI),
        ("gain.covered", json!(0.0), GEMINI),
        ("protect.results", json!(0), GEMINI),
        ("protect.rounds", json!(0), GEMINI),
        ("protect.tokens.of", json!(0.0), GEMINI),
        ("protect.tokens.least", json!(50_000), GEMINI),
        ("protect.tokens.most", json!(null), GEMINI),
        ("protect.turn", json!(true), GEMINI),
        ("media.media", json!("keep"), GEMINI),
        ("media.reasoning", json!("keep"), GEMINI),
        ("cap.all", json!(50_000), GEMINI),
        ("cap.each", json!(10_000), GEMINI),
        ("cut.at", json!("fraction"), GEMINI),
        ("summary.verify", json!("always"), GEMINI),
        ("summary.fork", json!("never"), GEMINI),
        ("replacement.form", json!("summary"), GEMINI),
        ("replacement.acknowledgement", json!("Got it. Thanks for the additional context!"), GEMINI),
        ("failure.flag", json!(true), GEMINI),
        ("hook.twoTriggers", json!(true), GEMINI),
        ("hook.veto", json!(false), GEMINI),
    ]
}

fn copilot_cli() -> Vec<Row> {
    vec![
        ("shares.target", json!(0.4), OURS),
        ("shares.keepRecent.of", json!(0.375), OURS),
        ("shares.working.of", json!(0.0), OURS),
        ("shares.names.of", json!(0.0), OURS),
        ("shares.users.of", json!(0.1), OURS),
        ("limit.fallback", json!(128_000), CLI),
        ("start.warm", json!(0.8), CLI),
        ("start.spread", json!(0.0), CLI),
        ("start.cold", json!(0.8), CLI),
        ("applyMin", json!(0.0), CLI),
        ("early", json!("dropped"), CLI),
        ("minMessages.system", json!(true), CLI),
        ("ladder", json!(["summary", "offline", "fit"]), CLI),
        ("gain.summary.of", json!(0.0), CLI),
        ("gain.covered", json!(0.0), CLI),
        ("protect.results", json!(0), CLI),
        ("protect.rounds", json!(0), CLI),
        ("protect.tokens.of", json!(0.0), CLI),
        ("protect.tokens.most", json!(null), CLI),
        ("media.media", json!("keep"), LOG),
        ("media.reasoning", json!("keep"), LOG),
        ("cut.at", json!("snapshot"), CLI),
        ("summary.verify", json!("never"), CLI),
        ("summary.fork", json!("always"), CLI),
        ("replacement.form", json!("messages"), CLI),
    ]
}

/// Fields in their order, as far as they are numbers or could be.
fn numbers(value: &Value, at: &str, out: &mut Vec<(String, Value)>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, value)| {
            let path = if at.is_empty() { key.clone() } else { format!("{at}.{key}") };
            numbers(value, &path, out);
        }),
        Value::Number(_) | Value::Null => out.push((at.into(), value.clone())),
        Value::Array(items) if items.iter().all(Value::is_number) => out.push((at.into(), value.clone())),
        _ => {}
    }
}

fn sorted(rows: Vec<Row>) -> Vec<(String, Value)> {
    let mut out: Vec<(String, Value)> = rows.into_iter().map(|(field, value, _)| (field.to_string(), value)).collect();
    out.sort_by(|a, b| a.0.cmp(&b.0));
    out
}

#[test]
fn every_number_is_a_field_and_has_an_origin() {
    let mut found = Vec::new();
    numbers(&serde_json::to_value(&ESPALIER).unwrap(), "", &mut found);
    found.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(found, sorted(espalier()));
    let check = |profile: &Profile, rows: Vec<Row>| {
        let mut found: Vec<(String, Value)> =
            explain(&ESPALIER, profile).into_iter().map(|difference| (difference.field, difference.b)).collect();
        found.sort_by(|a, b| a.0.cmp(&b.0));
        assert_eq!(found, sorted(rows), "{}", profile.name);
    };
    check(&COPILOT_CHAT, copilot_chat());
    check(&GEMINI_CLI, gemini_cli());
    check(&COPILOT_CLI, copilot_cli());
    let all = [espalier(), copilot_chat(), gemini_cli(), copilot_cli()].concat();
    assert!(all.iter().all(|(_, _, origin)| !origin.is_empty()));
}
