use espalier::compact::profile::{COPILOT_CHAT, COPILOT_CLI, ESPALIER, Profile};
use espalier::conversation::job::{Jobs, Next, Phase};

use super::vectors;

const SCRIPTS: &str = include_str!("../../fixtures/vectors/copilot-chat/background-state-machine.json");

/// Copilot Chat's scripts. It treats any job that settles as the running one; our jobs have numbers.
#[test]
fn scripts() {
    let mut quirks = 0;
    for case in vectors(SCRIPTS, "cases") {
        let mut jobs: Jobs<String> = Jobs::default();
        let mut numbers = std::collections::HashMap::new();
        let mut differed = false;
        for step in case["steps"].as_array().unwrap() {
            let op = step["op"].as_str().unwrap();
            let (name, job) = op.split_once(':').unwrap_or((op, ""));
            let mut taken = None;
            match name {
                "start" => {
                    numbers.extend(jobs.start(|_| false).map(|number| (job.to_string(), number)));
                }
                "resolve" => {
                    jobs.settle(numbers[job], Ok(format!("S-{job}")));
                }
                "reject" => {
                    jobs.settle(numbers[job], Err(format!("E-{job}")));
                }
                "consume" => taken = jobs.take(),
                "cancel" => {
                    jobs.cancel();
                }
                // Waiting changes nothing, and the end of the call decides, not the end of the request that started it.
                "wait" | "parentCancel" => {}
                other => panic!("{other}"),
            }
            let state = match jobs.phase() {
                Phase::Idle => "Idle",
                Phase::Running => "InProgress",
                Phase::Ready | Phase::Parked => "Completed",
                Phase::Failed => "Failed",
            };
            let same = step["state"].as_str() == Some(state)
                && step["error"].as_str() == jobs.error()
                && (name != "consume" || step["returned"].as_str() == taken.as_deref());
            differed |= !same;
            assert!(same || case["quirk"] == "stale-job-settles-new-one", "{op} of {}", case["script"]);
        }
        quirks += u32::from(differed);
    }
    assert_eq!(quirks, 3);
}

fn ready(result: u32) -> Jobs<u32> {
    let mut jobs = Jobs::default();
    let job = jobs.start(|_| false).unwrap();
    assert!(jobs.settle(job, Ok(result)));
    jobs
}

#[test]
fn a_result_is_used_parked_or_dropped() {
    let check = |profile: &Profile, ratio, overflows, next: Next<u32>, phase| {
        let mut jobs = ready(7);
        assert_eq!(
            (jobs.at_request(profile, ratio, overflows), jobs.phase()),
            (next, phase),
            "{} {ratio}",
            profile.name
        );
    };
    check(&ESPALIER, 0.65, false, Next::Apply(7), Phase::Idle);
    check(&ESPALIER, 0.64, false, Next::GoOn, Phase::Parked);
    check(&ESPALIER, 0.64, true, Next::Apply(7), Phase::Idle);
    check(&COPILOT_CHAT, 0.65, false, Next::Apply(7), Phase::Idle);
    check(&COPILOT_CHAT, 0.64, false, Next::Dropped(7), Phase::Idle);
    check(&COPILOT_CLI, 0.0, false, Next::Apply(7), Phase::Idle);
}

#[test]
fn a_parked_result_waits_for_its_hour() {
    let mut jobs = ready(7);
    assert_eq!(jobs.at_request(&ESPALIER, 0.3, false), Next::GoOn);
    assert_eq!(jobs.start(|_| false), None);
    assert_eq!(jobs.at_request(&ESPALIER, 0.7, false), Next::Apply(7));
    let mut jobs = ready(7);
    jobs.at_request(&ESPALIER, 0.3, false);
    assert_eq!((jobs.start(|result| *result == 7), jobs.phase()), (Some(2), Phase::Running));
}

#[test]
fn a_full_request_waits_for_a_running_job() {
    let check = |profile: &Profile, ratio, overflows, waits: bool| {
        let mut jobs: Jobs<u32> = Jobs::default();
        jobs.start(|_| false);
        let next = jobs.at_request(profile, ratio, overflows);
        assert_eq!(next, if waits { Next::Wait(1) } else { Next::GoOn }, "{} {ratio}", profile.name);
    };
    check(&ESPALIER, 0.94, false, false);
    check(&ESPALIER, 0.95, false, true);
    check(&ESPALIER, 0.10, true, true);
    check(&COPILOT_CHAT, 0.99, false, false);
    check(&COPILOT_CHAT, 1.01, true, true);
}

/// Every order of events for two jobs: a result is used once, and only the running job's result.
#[test]
fn two_jobs_cannot_cross() {
    #[derive(Clone, Copy, Debug)]
    enum Op {
        Start,
        Settle(u32, bool),
        Cancel,
        Request(f64),
        Take,
    }
    let ops = [
        Op::Start,
        Op::Settle(1, true),
        Op::Settle(1, false),
        Op::Settle(2, true),
        Op::Settle(2, false),
        Op::Cancel,
        Op::Request(0.5),
        Op::Request(0.99),
        Op::Take,
    ];
    let mut script = vec![0; 6];
    loop {
        let mut jobs: Jobs<u32> = Jobs::default();
        let (mut running, mut settled, mut used) = (None, Vec::new(), Vec::new());
        for &at in &script {
            match ops[at] {
                Op::Start => {
                    if let Some(job) = jobs.start(|_| false) {
                        assert!(running.is_none());
                        running = Some(job);
                    }
                }
                Op::Settle(job, well) => {
                    let accepted = jobs.settle(job, if well { Ok(job) } else { Err("no".into()) });
                    assert_eq!(accepted, running == Some(job));
                    if accepted {
                        running = None;
                        settled.push(job);
                    }
                }
                Op::Cancel => {
                    assert_eq!(jobs.cancel(), running.take());
                    assert_eq!(jobs.phase(), Phase::Idle);
                }
                Op::Request(ratio) => {
                    if let Next::Apply(job) = jobs.at_request(&ESPALIER, ratio, false) {
                        used.push(job);
                    }
                }
                Op::Take => used.extend(jobs.take()),
            }
            assert_eq!(jobs.phase() == Phase::Running, running.is_some());
        }
        assert!(used.iter().all(|job| settled.contains(job)));
        let mut once = used.clone();
        once.dedup();
        assert_eq!(once, used);
        // The next script: counts in the base of the number of operations.
        let Some(at) = script.iter().position(|op| op + 1 < ops.len()) else { return };
        script[at] += 1;
        script[..at].fill(0);
    }
}
