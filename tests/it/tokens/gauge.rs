//! Estimates, calibration and the breakdown.

use crate::encodings::encoding;
use espalier::message::{Message, Part, Role, Tool};
use espalier::tokens::{
    Calibration, CostModel, EncodingName, Estimator, Label, Origin, Outcome, Request, Room, TAGS, Tokenizer, breakdown,
};
use serde_json::Value;

/// A tokenizer in which a text costs its length.
struct Length;

impl Tokenizer for Length {
    fn count(&self, text: &str) -> u64 {
        text.len() as u64
    }
}

#[test]
fn estimates() {
    let check = |rule: Estimator, text: &str, wanted: u64| {
        let estimate = rule.estimate(text, &Length);
        assert_eq!((estimate.tokens, estimate.origin), (wanted, Origin::Estimate), "{rule:?} {text:?}");
    };
    check(Estimator::Quarter, "", 0);
    check(Estimator::Quarter, "12345", 2);
    check(Estimator::Quarter, "😀😀😀", 2);
    check(Estimator::ThreeQuarters, "12345", 4);
    check(Estimator::Gemini, "12345678", 2);
    check(Estimator::Gemini, "日本語", 3);
    check(Estimator::Gemini, "😀", 2);
    check(Estimator::Gemini, &"日".repeat(100_001), 25_000);
    let short = Estimator::Sample.estimate("hello", &Length);
    assert_eq!((short.tokens, short.bound, short.origin), (5, Some(0), Origin::Exact));
    for name in ["quarter", "three-quarters", "gemini", "sample"] {
        assert_eq!(serde_json::to_value(Estimator::from_name(name).expect("known")).expect("plain"), name);
    }
    assert_eq!(Estimator::from_name("half").unwrap_err().code.as_str(), "bad_option");
}

#[test]
fn samples_say_how_far_off_they_are() {
    let o200k = encoding(EncodingName::O200kBase);
    let words = "The quick brown fox jumps over the lazy dog. ".repeat(2_000);
    let mixed = format!("{words}{}{}", "日本語のテキスト。".repeat(4_000), "0x7fffdead ".repeat(3_000));
    for text in [words, mixed, "😀".repeat(40_000)] {
        let (exact, sampled) = (o200k.count(&text), Estimator::Sample.estimate(&text, o200k));
        assert_eq!(sampled.origin, Origin::Estimate);
        assert!(exact.abs_diff(sampled.tokens) <= sampled.bound.expect("a bound"), "{exact} against {sampled:?}");
    }
}

/// Reports rounds of a conversation from a provider that counts `k` times our tokens plus `overhead`.
struct Provider {
    calibration: Calibration,
    model: String,
    frame: String,
    round: u32,
}

impl Provider {
    fn new(model: &str) -> Provider {
        Provider { calibration: Calibration::new(model), model: model.into(), frame: String::new(), round: 0 }
    }

    fn report(&mut self, ours: u64, theirs: u64) -> Outcome {
        self.round += 1;
        let id = format!("r{}", self.round);
        let (model, frame) = (self.model.clone(), self.frame.clone());
        self.calibration.sent(Request { id: id.clone(), model, frame, tokens: ours });
        self.calibration.report(&id, theirs)
    }

    fn error(&self, ours: u64, theirs: u64) -> f64 {
        self.calibration.predict(ours).tokens.abs_diff(theirs) as f64 / theirs as f64
    }
}

#[test]
fn before_any_report() {
    let check = |model: &str, tokens: u64, bound: u64, origin: Origin| {
        let prediction = Calibration::new(model).predict(10_000);
        assert_eq!((prediction.tokens, prediction.bound, prediction.origin), (tokens, bound, origin), "{model}");
    };
    check("gpt-4o", 10_000, 200, Origin::Exact);
    check("claude-sonnet-4", 13_000, 3_000, Origin::Prior);
    check("llama-3.1-70b", 10_700, 3_000, Origin::Prior);
    check("some-other", 10_000, 3_000, Origin::Prior);
    let kept = Calibration::with_k("claude-sonnet-4", 1.1).predict(10_000);
    assert_eq!((kept.tokens, kept.origin), (11_000, Origin::Prior));
    assert_eq!(Calibration::with_k("claude-sonnet-4", f64::NAN).k(), 1.3);
    assert_eq!(Calibration::new("gpt-4o").predict(0).tokens, 0);
}

#[test]
fn learns_factor_and_overhead() {
    let mut provider = Provider::new("claude-opus-4-5");
    let theirs = |ours: u64| ours * 3 / 2 + 30_000;
    for round in 1..=12 {
        let ours = 1_000 * round;
        assert_eq!(provider.report(ours, theirs(ours)), Outcome::Used);
    }
    assert!((provider.calibration.k() - 1.5).abs() < 0.01, "k = {}", provider.calibration.k());
    let prediction = provider.calibration.predict(20_000);
    assert_eq!(prediction.origin, Origin::Calibrated);
    assert!(prediction.tokens.abs_diff(theirs(20_000)) <= prediction.bound);
    // Shrinking the conversation keeps the line.
    assert!(provider.error(2_000, theirs(2_000)) < 0.01);
}

#[test]
fn reports_of_other_requests_change_nothing() {
    let mut provider = Provider::new("claude-opus-4-5");
    for round in 1..=5 {
        provider.report(1_000 * round, 2_000 * round);
    }
    let before = provider.calibration.clone();
    assert_eq!(provider.calibration.report("title", 103_000), Outcome::Ignored);
    assert_eq!(provider.calibration.report("r5", 103_000), Outcome::Ignored, "reported already");
    assert_eq!(provider.calibration, before);
}

#[test]
fn one_odd_report_is_set_aside_and_two_start_anew() {
    let mut provider = Provider::new("gpt-4o");
    for round in 1..=5 {
        assert_eq!(provider.report(10_000 * round, 10_000 * round + 500), Outcome::Used);
    }
    assert_eq!(provider.report(60_000, 5_000), Outcome::SetAside);
    assert_eq!(provider.report(61_000, 61_500), Outcome::Used);
    assert_eq!(provider.report(62_000, 162_000), Outcome::SetAside);
    assert_eq!(provider.report(63_000, 163_000), Outcome::Restarted);
    assert!(provider.error(64_000, 164_000) < 0.01);
}

#[test]
fn another_model_or_frame_recovers_within_three_reports() {
    let mut provider = Provider::new("gpt-4o");
    for round in 1..=6 {
        provider.report(5_000 * round, 5_000 * round + 800);
    }
    provider.frame = "more tools".into();
    provider.report(31_000, 31_000 + 9_000);
    assert!(provider.error(32_000, 41_000) < 0.01);
    provider.model = "claude-opus-4-5".into();
    let theirs = |ours: u64| ours * 14 / 10 + 20_000;
    for ours in [33_000, 36_000, 40_000] {
        provider.report(ours, theirs(ours));
    }
    assert!(provider.error(41_000, theirs(41_000)) < 0.01);
}

#[test]
fn its_state_is_plain_data() {
    let mut provider = Provider::new("claude-opus-4-5");
    provider.report(1_000, 31_000);
    let json = serde_json::to_string(&provider.calibration).expect("plain data");
    let back: Calibration = serde_json::from_str(&json).expect("the same data");
    assert_eq!(back, provider.calibration);
}

#[test]
fn state_stays_small() {
    let mut provider = Provider::new("gpt-4o");
    for round in 0..2_000u64 {
        let id = format!("never reported {round}");
        provider.calibration.sent(Request { id, model: "gpt-4o".into(), frame: String::new(), tokens: 1 });
        provider.report(1_000 + round, 1_000 + round);
    }
    let json = serde_json::to_string(&provider.calibration).expect("plain data");
    assert!(json.len() < 20_000, "{} bytes", json.len());
}

/// Returns the sum of all strings of a recorded message in the form in which a conversation sends it.
fn counted(message: &Value, tokenizer: &dyn Tokenizer) -> u64 {
    let strings = [&message["content"], &message["tool_calls"]].map(|value| match value {
        Value::Null => 0,
        Value::String(text) => tokenizer.count(text),
        other => tokenizer.count(&other.to_string()),
    });
    strings.iter().sum::<u64>() + 4
}

/// Recorded sessions whose reports belong to their own prompt: after ten reports, the mean error of the next prediction
/// is at most 1 %, and it is within the bound in 19 of 20 cases.
#[test]
fn recorded_sessions() {
    let o200k = encoding(EncodingName::O200kBase);
    let check = |file: &str, until: usize| {
        let path = format!("{}/tests/fixtures/transcripts/{file}.json", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let transcript: Value = serde_json::from_str(&text).expect("a transcript");
        let mut provider = Provider::new("claude-opus-4-5");
        let (mut ours, mut errors, mut within) = (0, Vec::new(), 0);
        for message in transcript["messages"].as_array().expect("messages").iter().take(until) {
            if let Some(theirs) = message["x_usage"]["prompt_total"].as_u64() {
                if provider.round >= 10 {
                    errors.push(provider.error(ours, theirs));
                    let prediction = provider.calibration.predict(ours);
                    within += usize::from(prediction.tokens.abs_diff(theirs) <= prediction.bound);
                }
                provider.report(ours, theirs);
            }
            ours += counted(message, o200k);
        }
        let mean = errors.iter().sum::<f64>() / errors.len() as f64;
        assert!(mean <= 0.01, "{file}: {:.3} %", mean * 100.0);
        assert!(within * 100 >= errors.len() * 95, "{file}: {within} of {} within the bound", errors.len());
    };
    check("openhands-ponyc-4593", usize::MAX);
    // Up to the first compaction, which the recording's messages do not show.
    check("pi-refactor-long", 354);
}

/// Returns the recorded sessions as series of numbers: `None` where a summary replaced older messages.
fn series(name: &str) -> Vec<Option<(u64, u64)>> {
    let path = format!("{}/tests/fixtures/reported-usage.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let file: Value = serde_json::from_str(&text).expect("series");
    let sessions = file["sessions"].as_array().expect("sessions");
    let session = sessions.iter().find(|session| session["name"] == name).expect(name);
    let pair = |point: &Value| Some((point[0].as_u64()?, point[1].as_u64()?));
    session["points"].as_array().expect("points").iter().map(pair).collect()
}

/// The same for whole sessions: a compaction keeps the calibration.
#[test]
fn recorded_series() {
    let check = |name: &str, reports: usize, compactions: usize| {
        let mut provider = Provider::new("claude-opus-4-5");
        let (mut errors, mut within, mut compacted) = (Vec::new(), 0, 0);
        for point in series(name) {
            let Some((ours, theirs)) = point else {
                compacted += 1;
                continue;
            };
            if provider.round >= 10 {
                errors.push(provider.error(ours, theirs));
                let prediction = provider.calibration.predict(ours);
                within += usize::from(prediction.tokens.abs_diff(theirs) <= prediction.bound);
            }
            provider.report(ours, theirs);
        }
        let mean = errors.iter().sum::<f64>() / errors.len() as f64;
        println!("{name}: {:.3} %, {within} of {} within the bound", mean * 100.0, errors.len());
        assert!(mean <= 0.01, "{name}: {:.3} %", mean * 100.0);
        assert!(within * 100 >= errors.len() * 95, "{name}: {within} of {}", errors.len());
        assert_eq!((provider.round as usize, compacted), (reports, compactions), "{name}");
    };
    check("openhands-ponyc-4593", 33, 0);
    check("openhands-ponyc-4595", 23, 0);
    check("pi-refactor-long", 471, 2);
}

/// The recording jumps between 24,000 and 103,000, because its reports include other requests of the account. Reports
/// with other ids have no effect; without ids, a single odd one is set aside.
#[test]
fn interleaved_reports_of_other_requests() {
    let points: Vec<(u64, u64)> = series("cline-sidebar").into_iter().flatten().collect();
    let mut provider = Provider::new("claude-opus-4-5");
    let mut alone = Provider::new("claude-opus-4-5");
    for (round, &(ours, theirs)) in points.iter().enumerate() {
        // A conversation with its own reports, interleaved with those of the recording.
        let own = ours * 13 / 10 + 30_000;
        assert_eq!(provider.calibration.report(&format!("other {round}"), theirs), Outcome::Ignored);
        assert_eq!(provider.report(ours, own), alone.report(ours, own));
    }
    assert_eq!(provider.calibration, alone.calibration);
    assert_eq!(points.iter().map(|point| point.1).max(), Some(103_011));
}

/// A provider that counts 1.5 times our tokens plus 30,000, and a host that compacts when the prediction reaches 80 %
/// of the window: it starts within 2 % of that line by the provider's own count.
#[test]
fn compaction_starts_at_its_line() {
    let line = 160_000u64;
    let theirs = |ours: u64| ours * 3 / 2 + 30_000;
    for steps in [1, 700, 1_900] {
        let mut provider = Provider::new("claude-opus-4-5");
        let (mut ours, mut starts) = (2_000u64, 0);
        for round in 0..300u64 {
            if round >= 3 && provider.calibration.predict(ours).tokens >= line {
                let off = theirs(ours) as f64 / line as f64;
                assert!((0.98..1.02).contains(&off), "round {round}: started at {off:.3} of the line");
                ours = ours * 3 / 10;
                starts += 1;
            }
            assert!(round < 3 || theirs(ours) < line + line / 50, "round {round}: it should have started");
            provider.report(ours, theirs(ours));
            ours += 100 + steps + round * 37 % 400;
        }
        assert!(starts >= 1 || steps == 1, "{starts}");
    }
}

/// A provider that counts 1.5 times our tokens plus 30,000: after three reports, a request that is predicted to fit
/// does fit.
#[test]
fn a_limit_is_not_exceeded_once_calibrated() {
    let (limit, mut ours) = (200_000u64, 2_000u64);
    let theirs = |ours: u64| ours * 3 / 2 + 30_000;
    let mut provider = Provider::new("claude-opus-4-5");
    for round in 0..300u64 {
        let prediction = provider.calibration.predict(ours);
        if prediction.tokens + prediction.bound > limit {
            // The host compacts.
            let line = theirs(ours) as f64 / limit as f64;
            assert!(round < 3 || line > 0.9, "compacted at {line:.3} of the limit");
            ours /= 4;
        }
        assert!(round < 3 || theirs(ours) <= limit, "round {round}");
        provider.report(ours, theirs(ours));
        ours += 700 + round * 37 % 2_900;
    }
}

fn text(role: Role, text: &str) -> Message {
    Message { id: "m".into(), role, name: None, parts: vec![Part::Text { text: text.into() }] }
}

#[test]
fn where_the_tokens_go() {
    let picture = Part::Image { media_type: None, data: None, url: Some("https://x".into()), detail: None };
    let result = Part::ToolResult {
        call_id: "c".into(),
        name: None,
        content: vec![Part::Text { text: "0123456789".into() }],
        is_error: false,
    };
    let messages = [
        text(Role::System, "system"),
        text(
            Role::User,
            "do <attachment id=\"1\">abc <reminder>x</reminder></attachment> and <reminder>be kind</reminder>",
        ),
        Message { parts: vec![picture], ..text(Role::User, "") },
        text(Role::Assistant, "<attachment>mine</attachment>"),
        Message { parts: vec![result], ..text(Role::Tool, "") },
        text(Role::User, "<analysis>done</analysis><attachment>never closed <odd>x</odd>"),
    ];
    let tools = [Tool { name: "read".into(), description: "reads".into(), schema: String::new() }];
    let room = Room { window: 2_000, output_reserve: 100, block_line: 1_800, reported: None };
    for model in [CostModel::Espalier, CostModel::CopilotChat] {
        let split = breakdown(&messages, &tools, model, TAGS, room, &Length);
        let share =
            |label: Label| split.shares.iter().find(|share| share.label == label).map_or(0, |share| share.tokens);
        let own: u64 = messages.iter().map(|message| model.message(message, &Length).tokens).sum();
        let total = own + model.tools(&tools, &Length).total + model.list_overhead();
        assert_eq!(split.total, total);
        assert_eq!(split.shares.iter().map(|share| share.tokens).sum::<u64>(), total, "the parts sum to the total");
        let attachment = "<attachment id=\"1\">abc <reminder>x</reminder></attachment>".len() as u64;
        let picture = model.part(Role::User, &messages[2].parts[0], &Length).tokens;
        assert_eq!(share(Label::Files), attachment + picture);
        let reminder = "<reminder>be kind</reminder>".len() as u64;
        assert_eq!(share(Label::System), model.message(&messages[0], &Length).tokens + reminder);
        let analysis = "<analysis>done</analysis>".len() as u64;
        assert_eq!(share(Label::ToolResults), model.message(&messages[4], &Length).tokens + analysis);
        assert_eq!(split.tools.len(), 1);
        assert_eq!((split.free, split.origin), (2_000 - total - 100, Origin::Estimate));
    }
    let reported = Room { reported: Some(1_000), ..Room::default() };
    let split = breakdown(&messages[..1], &[], CostModel::Espalier, TAGS, reported, &Length);
    assert_eq!((split.total, split.shares[0].percent, split.free), (1_000, 1, 0));
    // A system prompt alone: the overhead of the list is not a message.
    let labels = |messages: &[Message]| {
        let split = breakdown(messages, &[], CostModel::Espalier, TAGS, Room::default(), &Length);
        split.shares.iter().map(|share| (share.label, share.percent)).collect::<Vec<_>>()
    };
    assert_eq!(labels(&messages[..1]), [(Label::System, 100)]);
    assert_eq!(labels(&[]), [(Label::Messages, 100)]);
    assert_eq!(labels(&messages[3..4]), [(Label::Messages, 100)]);
    let nothing = breakdown(&[], &[], CostModel::Espalier, TAGS, Room { reported: Some(0), ..room }, &Length);
    assert_eq!(nothing.shares.iter().map(|share| share.percent).sum::<u64>(), 0);
}

#[test]
fn markup_that_never_ends() {
    let check = |text_of: String| {
        let messages = [text(Role::User, &text_of)];
        let split = breakdown(&messages, &[], CostModel::Espalier, TAGS, Room::default(), &Length);
        assert_eq!(split.total, text_of.len() as u64 + 4 + 3);
    };
    check("<a".repeat(100_000));
    check("<".repeat(100_000));
    check("<file>".repeat(50_000));
    check((0..20_000).map(|n| format!("<t{n}>")).collect());
    check("</file><file></file".into());
    check("<日本>x</日本>".into());
}

/// A host that reports the prediction plus its bound teaches nothing; its bound stays that of an estimate.
#[test]
fn the_bound_has_a_ceiling() {
    let mut calibration = Calibration::new("claude-sonnet-4");
    for request in 0..100 {
        let tokens = 1_000 + request;
        let before = calibration.predict(tokens);
        assert!(before.bound <= (tokens * 3).div_ceil(10), "{before:?}");
        let id = request.to_string();
        calibration.sent(Request { id: id.clone(), model: "claude-sonnet-4".into(), frame: String::new(), tokens });
        calibration.report(&id, before.tokens + before.bound);
    }
}

#[test]
fn a_report_below_every_tokenizer_is_no_point() {
    let mut calibration = Calibration::new("gpt-4o");
    for (request, tokens) in [1_010, 1_036, 1_062].into_iter().enumerate() {
        let id = request.to_string();
        calibration.sent(Request { id: id.clone(), model: "gpt-4o".into(), frame: String::new(), tokens });
        assert_eq!(calibration.report(&id, 26), Outcome::SetAside);
    }
    assert_eq!(calibration.predict(2_000).tokens, 2_000);
}
