//! Decisions of a search, with a scripted host and a simulated clock.

use espalier_search::{
    Answer, Callbacks, Combine, Effect, Ending, Keyword, Outcome, Plan, PlanOptions, Scored, Stage, Step, Strategy,
    Timeouts, WholeLimits,
};
use std::collections::HashMap;

/// The host's answer to each kind of effect, and its delay. Missing kinds never get an answer.
type Script = HashMap<&'static str, (u64, Answer)>;

struct Ran {
    outcome: Outcome,
    at: u64,
    /// Kinds of effects with the time of the first request.
    asked: Vec<(&'static str, u64)>,
    cancelled: Vec<&'static str>,
    words: Option<String>,
}

fn kind(effect: &Effect) -> &'static str {
    match effect {
        Effect::ReadWorkspace => "whole",
        Effect::Remote { .. } => "remote",
        Effect::Embed { .. } => "embed",
        Effect::Nearest { .. } => "nearest",
        Effect::Keywords { .. } => "keywords",
        Effect::Lexical { .. } => "lexical",
        Effect::Read { .. } => "read",
        Effect::Rerank { .. } => "rerank",
    }
}

/// Runs a plan to its end. Cancelled effects are answered as well, and all answers come twice.
fn run(options: &PlanOptions, script: &Script) -> Ran {
    let mut plan = Plan::new(options.clone()).unwrap();
    let (mut now, mut asked, mut words) = (1_000_000, Vec::new(), None);
    let mut kinds: HashMap<u32, &'static str> = HashMap::new();
    let mut due: Vec<(u64, u32, Answer)> = Vec::new();
    let mut open: Vec<u32> = Vec::new();
    let mut cancelled = Vec::new();
    let mut log: Vec<(u64, Option<(u32, Answer)>)> = Vec::new();
    for _ in 0..200 {
        log.push((now, None));
        let step = plan.poll(now);
        assert_eq!(step, plan.poll(now));
        let effects = match &step {
            Step::Ask { effects, .. } => effects.as_slice(),
            Step::Done { .. } => &[],
        };
        for ask in effects {
            if kinds.insert(ask.id, kind(&ask.effect)).is_none() {
                asked.push((kind(&ask.effect), now - 1_000_000));
                open.push(ask.id);
                if let Effect::Lexical { query, .. } = &ask.effect {
                    words = Some(query.clone());
                }
                if let Some((delay, answer)) = script.get(kind(&ask.effect)) {
                    due.push((now + delay, ask.id, answer.clone()));
                    due.push((now + delay, ask.id, answer.clone()));
                }
            }
        }
        let listed: Vec<u32> = effects.iter().map(|ask| ask.id).collect();
        cancelled.extend(open.iter().filter(|id| !listed.contains(id)).map(|id| kinds[id]));
        open = listed;
        match step {
            Step::Done { result } => {
                for (_, id, answer) in due {
                    assert_eq!(plan.resume(id, answer, now + 1).unwrap_err().code.as_str(), "unknown_effect");
                }
                assert_eq!(plan.poll(now + 2), Step::Done { result: result.clone() });
                replay(options, &log, &result);
                return Ran { outcome: result, at: now - 1_000_000, asked, cancelled, words };
            }
            Step::Ask { next_ms, .. } => {
                let answered = due.iter().map(|(at, ..)| *at).min();
                now = match (answered, next_ms) {
                    (None, None) => panic!("nothing is left to wait for: {asked:?}"),
                    (one, other) => one.into_iter().chain(other).min().unwrap_or(now).max(now),
                };
                let place = due.iter().position(|(at, ..)| *at <= now);
                if let Some((_, id, answer)) = place.map(|place| due.remove(place)) {
                    log.push((now, Some((id, answer.clone()))));
                    let is_taken = plan.resume(id, answer, now).is_ok();
                    assert!(!is_taken || open.contains(&id), "an answer to an effect that is not open");
                    open.retain(|one| !(is_taken && *one == id));
                }
            }
        }
    }
    panic!("it does not end: {asked:?}");
}

/// The same events give the same result.
fn replay(options: &PlanOptions, log: &[(u64, Option<(u32, Answer)>)], expected: &Outcome) {
    let mut plan = Plan::new(options.clone()).unwrap();
    let mut last = None;
    for (now, event) in log {
        match event {
            None => last = Some(plan.poll(*now)),
            Some((id, answer)) => drop(plan.resume(*id, answer.clone(), *now)),
        }
    }
    assert_eq!(last, Some(Step::Done { result: expected.clone() }));
}

fn hits(scored: &[(u32, f64)]) -> Answer {
    Answer::Hits { hits: scored.iter().map(|(hit, score)| Scored { hit: *hit, score: Some(*score) }).collect() }
}

fn failed(reason: &str) -> Answer {
    Answer::Failed { reason: reason.into() }
}

fn read() -> (&'static str, (u64, Answer)) {
    ("read", (1, Answer::Read { missing: vec![] }))
}

/// Returns a host that can do everything, each in 100 ms.
fn able() -> Script {
    HashMap::from([
        ("whole", (100, Answer::Whole { hits: vec![Scored { hit: 50, score: None }], tokens: 500 })),
        ("remote", (100, hits(&[(1, 0.9), (2, 0.8)]))),
        ("embed", (100, Answer::Done)),
        ("nearest", (100, hits(&[(3, 0.9), (4, 0.6), (5, 0.5)]))),
        ("keywords", (100, Answer::Keywords { keywords: vec![keyword("oak", &["oaks"]), keyword("tree", &[])] })),
        ("lexical", (1, hits(&[(5, 9.0), (6, 3.0), (3, 1.0)]))),
        read(),
        ("rerank", (100, Answer::Order { order: vec![1, 0] })),
    ])
}

fn keyword(keyword: &str, variations: &[&str]) -> Keyword {
    Keyword { keyword: keyword.into(), variations: variations.iter().map(|one| one.to_string()).collect() }
}

fn all() -> PlanOptions {
    PlanOptions {
        query: "where is the oak".into(),
        files: 5_000,
        tokens: 1_000_000,
        vectors: 100,
        callbacks: Callbacks { remote: true, embed: true, keywords: true, rerank: false },
        ..PlanOptions::default()
    }
}

fn without(callbacks: Callbacks) -> PlanOptions {
    PlanOptions { callbacks, ..all() }
}

fn local() -> PlanOptions {
    without(Callbacks { embed: true, ..Callbacks::default() })
}

fn found(ran: &Ran) -> Vec<u32> {
    ran.outcome.hits.iter().map(|one| one.hit).collect()
}

fn endings(ran: &Ran) -> Vec<(Stage, Ending)> {
    let tried = ran.outcome.tried.iter().filter(|one| one.ending != Ending::Skipped && one.stage != Stage::Read);
    tried.map(|one| (one.stage, one.ending)).collect()
}

fn why(ran: &Ran, stage: Stage) -> String {
    let tried = ran.outcome.tried.iter().find(|one| one.stage == stage);
    tried.and_then(|one| one.why.clone()).unwrap_or_default()
}

/// Checks strategy, hits, time and endings of a search with parts of the script changed.
fn check(
    options: PlanOptions,
    changes: &[(&'static str, Option<(u64, Answer)>)],
    expected: (Option<Strategy>, &[u32], u64),
    tried: &[(Stage, Ending)],
) -> Ran {
    let mut script = able();
    for (kind, change) in changes {
        match change {
            Some(answer) => script.insert(kind, answer.clone()),
            None => script.remove(kind),
        };
    }
    let ran = run(&options, &script);
    assert_eq!((ran.outcome.strategy, found(&ran).as_slice(), ran.at), expected, "{:?}", ran.outcome);
    assert_eq!(endings(&ran), tried, "{:?}", ran.outcome.tried);
    ran
}

#[test]
fn small_workspaces_are_returned_whole() {
    use Ending::*;
    let small = |files, tokens| PlanOptions { files, tokens, ..all() };
    let whole = (Some(Strategy::FullWorkspace), &[50][..], 100);
    let ran = check(small(99, 31_999), &[], whole, &[(Stage::FullWorkspace, Won)]);
    assert_eq!(ran.asked, [("whole", 0)]);
    let remote = (Some(Strategy::Remote), &[1, 2][..], 101);
    check(small(100, 10), &[], remote, &[(Stage::Remote, Won)]);
    check(small(9, 32_000), &[], remote, &[(Stage::Remote, Won)]);
    check(PlanOptions { full_workspace: None, ..small(1, 1) }, &[], remote, &[(Stage::Remote, Won)]);
    check(PlanOptions { budget: 400, ..small(9, 401) }, &[], remote, &[(Stage::Remote, Won)]);
    let more = PlanOptions { full_workspace: Some(WholeLimits { files: 9, tokens: 9 }), ..small(8, 8) };
    // The tokens that were read decide, not the estimate.
    let late = (Some(Strategy::Remote), &[1, 2][..], 201);
    let ran = check(more, &[], late, &[(Stage::Remote, Won)]);
    assert_eq!(why(&ran, Stage::FullWorkspace), "500 tokens are not below 9");
    let broken = [("whole", Some((100, failed("disk"))))];
    check(small(9, 9), &broken, late, &[(Stage::FullWorkspace, Failed), (Stage::Remote, Won)]);
    let hanging = (Some(Strategy::Remote), &[1, 2][..], 8_101);
    check(small(9, 9), &[("whole", None)], hanging, &[(Stage::FullWorkspace, TimedOut), (Stage::Remote, Won)]);
}

#[test]
fn a_remote_search_in_time_ends_it() {
    let ran = check(all(), &[], (Some(Strategy::Remote), &[1, 2], 101), &[(Stage::Remote, Ending::Won)]);
    // The vector of the query is requested immediately, and cancelled with the rest.
    assert_eq!(ran.asked, [("embed", 0), ("remote", 0), ("read", 100)]);
    let slow = [("embed", Some((1_000, Answer::Done)))];
    let ran = check(all(), &slow, (Some(Strategy::Remote), &[1, 2], 101), &[(Stage::Remote, Ending::Won)]);
    assert_eq!(ran.cancelled, ["embed"]);
}

#[test]
fn a_late_remote_search_runs_beside_the_local_one() {
    use Ending::*;
    let late = |delay| ("remote", Some((delay, hits(&[(1, 0.9)]))));
    // It is late, but first.
    let ran = check(
        all(),
        &[late(12_550)],
        (Some(Strategy::Remote), &[1], 12_551),
        &[(Stage::Remote, Won), (Stage::Embeddings, Cancelled)],
    );
    assert_eq!(why(&ran, Stage::Remote), "after its 12500 ms");
    assert_eq!(why(&ran, Stage::Embeddings), "remote was first");
    assert_eq!(ran.cancelled, ["nearest"]);
    // The local search is first, with the vector that is already there.
    let ran = check(
        all(),
        &[late(12_700)],
        (Some(Strategy::Embeddings), &[3, 4], 12_601),
        &[(Stage::Remote, TimedOut), (Stage::Embeddings, Won)],
    );
    assert_eq!(ran.outcome.spread, [5]);
    assert_eq!(why(&ran, Stage::Remote), "no answer within 12500 ms");
    check(
        all(),
        &[("remote", None)],
        (Some(Strategy::Embeddings), &[3, 4], 12_601),
        &[(Stage::Remote, TimedOut), (Stage::Embeddings, Won)],
    );
    // With a time of 0 both run from the beginning.
    let timeouts = Timeouts { remote: 0, ..Timeouts::default() };
    let both = PlanOptions { timeouts, ..all() };
    let ends = [(Stage::Remote, TimedOut), (Stage::Embeddings, Won)];
    check(both, &[late(300)], (Some(Strategy::Embeddings), &[3, 4], 201), &ends);
    // It fails: the local one begins at once.
    let ran = check(
        all(),
        &[("remote", Some((50, failed("401"))))],
        (Some(Strategy::Embeddings), &[3, 4], 201),
        &[(Stage::Remote, Failed), (Stage::Embeddings, Won)],
    );
    assert_eq!(why(&ran, Stage::Remote), "401");
    // It finds nothing, which is no success.
    let none = [("remote", Some((50, hits(&[]))))];
    let ends = [(Stage::Remote, Done), (Stage::Embeddings, Won)];
    check(all(), &none, (Some(Strategy::Embeddings), &[3, 4], 201), &ends);
}

#[test]
fn words_come_to_late_embeddings() {
    use Ending::*;
    let words = (Some(Strategy::Lexical), &[5, 6, 3][..], 8_002);
    let ends = [(Stage::Embeddings, TimedOut), (Stage::Lexical, Won)];
    check(local(), &[("embed", None)], words, &ends);
    check(local(), &[("nearest", None)], words, &ends);
    let ran = check(local(), &[("nearest", Some((7_950, hits(&[(3, 0.9)]))))], words, &ends);
    assert_eq!(ran.asked, [("embed", 0), ("nearest", 100), ("lexical", 8_000), ("read", 8_001)]);
    // Late, but first.
    let slow = ("lexical", Some((500, hits(&[(5, 9.0)]))));
    let ran = check(
        local(),
        &[slow.clone(), ("nearest", Some((8_000, hits(&[(3, 0.9)]))))],
        (Some(Strategy::Embeddings), &[3], 8_101),
        &[(Stage::Embeddings, Won), (Stage::Lexical, Cancelled)],
    );
    assert_eq!(why(&ran, Stage::Lexical), "embeddings was first");
    for (answer, ending) in [(failed("429"), Failed), (Answer::Cancelled, Cancelled), (hits(&[]), Failed)] {
        let ends = [(Stage::Embeddings, ending), (Stage::Lexical, Won)];
        check(local(), &[("embed", Some((100, answer)))], (Some(Strategy::Lexical), &[5, 6, 3], 102), &ends);
    }
    // The search does not wait for a vector that failed while the remote search ran.
    let changes = [("remote", Some((300, failed("401")))), ("embed", Some((100, failed("429"))))];
    let ends = [(Stage::Remote, Failed), (Stage::Embeddings, Failed), (Stage::Lexical, Won)];
    let options = without(Callbacks { remote: true, embed: true, ..Callbacks::default() });
    check(options, &changes, (Some(Strategy::Lexical), &[5, 6, 3], 302), &ends);
    // Neighbours without a finite score are ignored.
    let none = [("nearest", Some((1, hits(&[(3, f64::NAN), (4, f64::INFINITY)]))))];
    let ends = [(Stage::Embeddings, Done), (Stage::Lexical, Won)];
    check(local(), &none, (Some(Strategy::Lexical), &[5, 6, 3], 103), &ends);
}

#[test]
fn keywords_become_the_words() {
    use Ending::*;
    let options = without(Callbacks { keywords: true, ..Callbacks::default() });
    let of = |answer: Option<(u64, Answer)>, at: u64, ending: Ending, words: &str| {
        let ends = [(Stage::Keywords, ending), (Stage::Lexical, Won)];
        let hits = (Some(Strategy::Lexical), &[5, 6, 3][..], at);
        let ran = check(options.clone(), &[("keywords", answer)], hits, &ends);
        assert_eq!((ran.words.as_deref(), ran.outcome.words.as_deref()), (Some(words), Some(words)));
    };
    let own = "where is the oak";
    let given = |keywords: &[Keyword]| Some((100, Answer::Keywords { keywords: keywords.to_vec() }));
    of(given(&[keyword("oak", &["oaks"]), keyword(" tree", &[])]), 102, Done, "oak, oaks, tree");
    of(given(&[]), 102, Failed, own);
    of(given(&[keyword("", &[" "])]), 102, Failed, own);
    of(Some((100, failed("no model"))), 102, Failed, own);
    of(Some((100, hits(&[(1, 1.0)]))), 102, Failed, own);
    of(Some((8_000, Answer::Cancelled)), 8_002, TimedOut, own);
    of(None, 8_002, TimedOut, own);
}

#[test]
fn a_reranker_orders() {
    use Ending::*;
    let options = without(Callbacks { rerank: true, ..Callbacks::default() });
    let order = |order: &[i64]| Some((100, Answer::Order { order: order.to_vec() }));
    let of = |answer: Option<(u64, Answer)>, hits: &[u32], at: u64, ending: Ending, reason: &str| {
        let ends = [(Stage::Lexical, Won), (Stage::Rerank, ending)];
        let ran = check(options.clone(), &[("rerank", answer)], (Some(Strategy::Lexical), hits, at), &ends);
        assert_eq!(why(&ran, Stage::Rerank), reason);
    };
    of(order(&[2, 0, 1]), &[3, 5, 6], 102, Done, "");
    of(order(&[2]), &[3, 5, 6], 102, Done, "");
    of(order(&[]), &[5, 6, 3], 102, Done, "");
    of(order(&[1, 1, -1, 3, i64::MAX]), &[6, 5, 3], 102, Done, "4 indexes are repeated or belong to no chunk");
    of(order(&[3, 4]), &[5, 6, 3], 102, Failed, "no index in the answer belongs to a chunk");
    of(Some((100, failed("503"))), &[5, 6, 3], 102, Failed, "503");
    of(Some((100, hits(&[(1, 1.0)]))), &[5, 6, 3], 102, Failed, "the answer is not one to this effect");
    of(None, &[5, 6, 3], 8_002, TimedOut, "no answer within 8000 ms");
    // It sees embeddings that are far from the best; without its answer they are dropped.
    let options = without(Callbacks { embed: true, rerank: true, ..Callbacks::default() });
    let last = [("rerank", Some((100, Answer::Order { order: vec![2] })))];
    let ends = [(Stage::Embeddings, Won), (Stage::Rerank, Done)];
    check(options.clone(), &last, (Some(Strategy::Embeddings), &[5, 3, 4], 301), &ends);
    let ends = [(Stage::Embeddings, Won), (Stage::Rerank, TimedOut)];
    let ran = check(options, &[("rerank", None)], (Some(Strategy::Embeddings), &[3, 4], 8_201), &ends);
    assert_eq!(ran.outcome.spread, [5]);
    // One hit has one order, and a whole workspace has none.
    let alone = [("lexical", Some((1, hits(&[(5, 1.0)]))))];
    let options = without(Callbacks { rerank: true, ..Callbacks::default() });
    check(options.clone(), &alone, (Some(Strategy::Lexical), &[5], 2), &[(Stage::Lexical, Won)]);
    let whole = PlanOptions { files: 5, tokens: 5, ..options };
    check(whole, &[], (Some(Strategy::FullWorkspace), &[50], 100), &[(Stage::FullWorkspace, Won)]);
}

#[test]
fn embeddings_and_words_can_be_fused() {
    use Ending::*;
    let fuse = PlanOptions { combine: Combine::Fuse, ..local() };
    let ends = [(Stage::Embeddings, Won), (Stage::Lexical, Won)];
    let ran = check(fuse.clone(), &[], (Some(Strategy::Fused), &[3, 5, 4, 6], 201), &ends);
    assert_eq!(ran.asked, [("embed", 0), ("lexical", 0), ("nearest", 100), ("read", 200)]);
    assert!((ran.outcome.hits[0].score - (1.0 / 61.0 + 1.0 / 63.0)).abs() < 1e-15);
    assert!(ran.outcome.spread.is_empty(), "it is far from the best, and has the words");
    let ends = [(Stage::Embeddings, TimedOut), (Stage::Lexical, Won)];
    check(fuse.clone(), &[("nearest", None)], (Some(Strategy::Lexical), &[5, 6, 3], 8_001), &ends);
    let ends = [(Stage::Embeddings, Failed), (Stage::Lexical, Won)];
    check(fuse.clone(), &[("embed", Some((9, failed("429"))))], (Some(Strategy::Lexical), &[5, 6, 3], 10), &ends);
    let ends = [(Stage::Embeddings, Won), (Stage::Lexical, Done)];
    check(fuse.clone(), &[("lexical", Some((9, hits(&[]))))], (Some(Strategy::Embeddings), &[3, 4], 201), &ends);
    let slow = [("lexical", Some((900, hits(&[(8, 1.0)]))))];
    let ends = [(Stage::Embeddings, Won), (Stage::Lexical, Won)];
    check(fuse.clone(), &slow, (Some(Strategy::Fused), &[3, 8, 4], 901), &ends);
    let few = PlanOptions { max_results: 2, ..fuse };
    check(few, &slow, (Some(Strategy::Fused), &[3, 8], 901), &ends);
}

#[test]
fn nothing_is_found() {
    use Ending::*;
    let none = |delay| Some((delay, hits(&[])));
    let plain = without(Callbacks::default());
    let ran = check(plain.clone(), &[("lexical", none(1))], (None, &[], 1), &[(Stage::Lexical, Done)]);
    assert_eq!((why(&ran, Stage::Lexical).as_str(), &ran.outcome.failure), ("it found nothing", &None));
    // The late remote search had its time.
    let ends = [(Stage::Remote, TimedOut), (Stage::Lexical, Done)];
    let remote = without(Callbacks { remote: true, ..Callbacks::default() });
    let ran = check(remote.clone(), &[("remote", None), ("lexical", none(1))], (None, &[], 12_501), &ends);
    assert_eq!(ran.outcome.failure, None);
    let broken = [("remote", Some((1, failed("401")))), ("lexical", Some((1, failed("the engine crashed"))))];
    let ran = check(remote, &broken, (None, &[], 2), &[(Stage::Remote, Failed), (Stage::Lexical, Failed)]);
    assert_eq!(ran.outcome.failure.as_deref(), Some("remote: 401; lexical: the engine crashed"));
    for (options, reason) in [
        (PlanOptions { query: " \n".into(), ..all() }, "the query is empty"),
        (PlanOptions { files: 0, ..all() }, "there is no file to search"),
    ] {
        let ran = check(options, &[], (None, &[], 0), &[]);
        assert!(ran.asked.is_empty() && ran.outcome.tried.iter().all(|one| one.why.as_deref() == Some(reason)));
    }
    let ran = check(plain, &[], (Some(Strategy::Lexical), &[5, 6, 3], 2), &[(Stage::Lexical, Won)]);
    for stage in [Stage::Remote, Stage::Embeddings, Stage::Keywords, Stage::Rerank] {
        assert!(why(&ran, stage).contains(" callback"), "{stage:?}");
    }
    let without_vectors = PlanOptions { vectors: 0, ..local() };
    let ran = check(without_vectors, &[], (Some(Strategy::Lexical), &[5, 6, 3], 2), &[(Stage::Lexical, Won)]);
    assert_eq!(why(&ran, Stage::Embeddings), "no chunk has an embedding");
}

#[test]
fn texts_that_cannot_be_read() {
    use Ending::*;
    let plain = without(Callbacks::default());
    let gone = |missing: &[u32]| [("read", Some((5, Answer::Read { missing: missing.to_vec() })))];
    let ran = check(plain.clone(), &gone(&[6, 9]), (Some(Strategy::Lexical), &[5, 3], 6), &[(Stage::Lexical, Won)]);
    assert_eq!(ran.outcome.missing, [6]);
    check(plain.clone(), &gone(&[3, 5, 6]), (None, &[], 6), &[(Stage::Lexical, Won)]);
    // Texts that the host has by then are used.
    let late =
        check(plain.clone(), &[("read", None)], (Some(Strategy::Lexical), &[5, 6, 3], 8_001), &[(Stage::Lexical, Won)]);
    assert!(late.outcome.tried.iter().any(|one| (one.stage, one.ending) == (Stage::Read, TimedOut)));
    check(
        plain,
        &[("read", Some((5, failed("disk"))))],
        (Some(Strategy::Lexical), &[5, 6, 3], 6),
        &[(Stage::Lexical, Won)],
    );
}

#[test]
fn hits_are_cut_and_made_distinct() {
    let plain = without(Callbacks::default());
    let spread = PlanOptions { max_spread: Some(0.75), max_results: 3, ..plain.clone() };
    let many = hits(&[(1, 8.0), (1, 7.0), (2, 2.0), (3, 1.9), (4, 1.8)]);
    let ran = run(&spread, &HashMap::from([("lexical", (1, many)), read()]));
    // Copilot Chat counts first.
    assert_eq!((found(&ran), ran.outcome.spread), (vec![1, 2], vec![3, 4]));
    let remote = without(Callbacks { remote: true, ..Callbacks::default() });
    for score in [None, Some(f64::NAN)] {
        let hits = [1, 2, 1].map(|hit| Scored { hit, score }).to_vec();
        let ran = run(&remote, &HashMap::from([("remote", (1, Answer::Hits { hits })), read()]));
        let scores: Vec<f64> = ran.outcome.hits.iter().map(|one| one.score).collect();
        assert_eq!((found(&ran), scores), (vec![1, 2], vec![1.0, 0.5]));
    }
}

#[test]
fn senseless_options_are_refused() {
    for (options, path) in [
        (PlanOptions { max_results: 0, ..all() }, "options.maxResults"),
        (PlanOptions { max_spread: Some(f64::NAN), ..all() }, "options.maxSpread"),
        (PlanOptions { min_similarity_share: 1.5, ..all() }, "options.minSimilarityShare"),
        (PlanOptions { rrf_k: -1.0, ..all() }, "options.rrfK"),
    ] {
        let error = Plan::new(options).unwrap_err();
        assert_eq!((error.code.as_str(), error.path.as_deref()), ("bad_option", Some(path)));
    }
}

#[test]
fn cancellation_of_each_effect() {
    for cancelled in ["whole", "remote", "embed", "nearest", "keywords", "lexical", "read", "rerank"] {
        for files in [5, 5_000] {
            let callbacks = Callbacks { remote: true, embed: true, keywords: true, rerank: true };
            for combine in [Combine::Race, Combine::Fuse] {
                let options = PlanOptions { files, tokens: 10, callbacks, combine, ..all() };
                let mut script = able();
                script.insert(cancelled, (50, Answer::Cancelled));
                let ran = run(&options, &script);
                assert!(ran.outcome.strategy.is_some(), "{cancelled}");
            }
        }
    }
}

#[test]
fn any_host_comes_to_an_end() {
    let random = &mut fastrand::Rng::with_seed(1);
    let kinds = ["whole", "remote", "embed", "nearest", "keywords", "lexical", "read", "rerank"];
    let mut strategies = HashMap::new();
    for _ in 0..5_000 {
        let mut script = Script::new();
        for kind in kinds {
            let delay = [0, 1, 100, 7_999, 8_000, 8_001, 12_499, 12_500, 12_501, 30_000][random.usize(..10)];
            let some: Vec<(u32, f64)> = (0..random.u32(..6)).map(|_| (random.u32(..9), random.f64())).collect();
            let answer = match random.u32(..12) {
                0 => failed("x"),
                1 => Answer::Cancelled,
                2 => Answer::Order { order: vec![random.i64(-2..9), random.i64(-2..9)] },
                3 => hits(&some),
                _ => match kind {
                    "whole" => {
                        Answer::Whole { hits: vec![Scored { hit: 1, score: None }], tokens: random.u64(..40_000) }
                    }
                    "embed" => Answer::Done,
                    "keywords" => Answer::Keywords { keywords: vec![keyword("a", &["b"])] },
                    "read" => Answer::Read { missing: vec![random.u32(..9)] },
                    "rerank" => Answer::Order { order: vec![random.i64(..3), random.i64(..3)] },
                    _ => hits(&some),
                },
            };
            // Words are searched in this process: an answer always comes.
            if kind == "lexical" || random.u32(..6) > 0 {
                script.insert(kind, (if kind == "lexical" { delay % 500 } else { delay }, answer));
            }
        }
        let callbacks =
            Callbacks { remote: random.bool(), embed: random.bool(), keywords: random.bool(), rerank: random.bool() };
        let options = PlanOptions {
            callbacks,
            files: [0, 5, 5_000][random.usize(..3)],
            tokens: 10,
            combine: [Combine::Race, Combine::Fuse][random.usize(..2)],
            max_results: random.usize(1..5),
            max_spread: random.bool().then(|| random.f64()),
            ..all()
        };
        let ran = run(&options, &script);
        let Outcome { strategy, hits, tried, failure, .. } = &ran.outcome;
        *strategies.entry(format!("{strategy:?} {}", failure.is_some())).or_insert(0) += 1;
        assert!(ran.at <= 8_000 + 12_500 + 8_000 + 8_000 + 8_000 + 8_000);
        assert_eq!(strategy.is_none(), hits.is_empty());
        assert!(hits.len() <= options.max_results && hits.iter().all(|one| one.score.is_finite()));
        let distinct: std::collections::HashSet<u32> = hits.iter().map(|one| one.hit).collect();
        assert_eq!(distinct.len(), hits.len());
        assert!(tried.iter().all(|one| one.start_ms <= one.end_ms && one.end_ms <= ran.at));
        assert!(tried.is_sorted_by_key(|one| one.start_ms));
        assert!(tried.iter().all(|one| one.why.is_some() || matches!(one.ending, Ending::Won | Ending::Done)));
        let won = tried.iter().filter(|one| one.ending == Ending::Won).count();
        let expected = if *strategy == Some(Strategy::Fused) { 2 } else { 1 };
        assert!(won == expected || strategy.is_none() && won <= 2, "{tried:?}");
    }
    assert_eq!(strategies.len(), 7, "{strategies:?}");
}
