//! The four profiles compared with their systems: numbers, limits, cuts, requests, replacements, and intended
//! differences.

mod alone;
mod copilot_chat;
mod copilot_cli;
mod fields;
mod gemini_cli;
mod models;
mod newer;
mod numbers;

use std::rc::Rc;

use espalier::compact::asking::{Asking, Trigger};
use espalier::compact::profile::Profile;
use espalier::compact::{Compacted, Compaction, Options};
use espalier::effect::{Answer, Effect, ModelRequest};
use espalier::error::Error;
use espalier::message::Message;
use espalier::tokens::{CostModel, Origin};
use serde_json::Value;

use crate::support::{Quarter, call, numbered, result, system, user};

fn vectors(text: &str, list: &str) -> Vec<Value> {
    let file: Value = serde_json::from_str(text).expect("a fixture");
    file[list].as_array().expect(list).clone()
}

fn profile(text: &str) -> Profile {
    Profile::read(text, "profile").unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Compacts with a scripted model and hook; returns the effects and the result.
fn asked(
    messages: &[Message],
    tools: u64,
    options: Options,
    model: impl FnMut(&ModelRequest) -> Answer,
) -> (Vec<Effect>, Result<Compacted, Error>) {
    driven(messages, tools, options, false, model)
}

/// Returns the result if the hook postpones the compaction.
fn hooked(messages: &[Message], options: Options, skip: bool) -> Compacted {
    driven(messages, 100, options, skip, |_| summary()).1.unwrap()
}

fn driven(
    messages: &[Message],
    tools: u64,
    options: Options,
    skip: bool,
    mut model: impl FnMut(&ModelRequest) -> Answer,
) -> (Vec<Effect>, Result<Compacted, Error>) {
    let options = Options { has_model: true, ..options };
    let run = Compaction::new(messages.to_vec(), tools, CostModel::Espalier, Rc::new(Quarter), Origin::Exact, options);
    crate::support::driven(run, |effect| match effect {
        Effect::CallModel(request) => model(request),
        Effect::RunHook(_) => Answer::Hook { instructions: None, keep: vec![], blocks: vec![], skip },
        Effect::ReadFile { .. } => panic!("no files here"),
    })
}

/// Returns the requests to the model among the effects.
fn requests(seen: &[Effect]) -> Vec<&ModelRequest> {
    seen.iter()
        .filter_map(|effect| if let Effect::CallModel(request) = effect { Some(request) } else { None })
        .collect()
}

fn says(text: &str) -> Answer {
    Answer::Model { text: text.into(), finish_reason: None }
}

/// Returns a summary with one section; tests that check sections disable the check.
fn summary() -> Answer {
    says("<summary>\n## Overview\nAll is well.\n</summary>")
}

/// Returns an agent's run on one request: rounds of a call and a result of about `tokens`.
fn agent(rounds: usize, tokens: usize) -> Vec<Message> {
    let mut messages = vec![system("You are an agent."), user("Fix the parser.")];
    for n in 0..rounds {
        let id = format!("c{n}");
        messages.extend([call(&id, "look", &format!("{{\"n\":{n}}}")), result(&id, &"word".repeat(tokens))]);
    }
    numbered(messages)
}

fn forced(profile: Profile, trigger: Trigger) -> Options {
    let verify = profile.summary.verify;
    let asking = Asking { trigger, verify, ..Asking::default() };
    Options { budget: 100_000, force: true, profile, asking, ..Options::default() }
}
