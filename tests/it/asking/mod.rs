//! Requests to the summarising model and their shapes; odd answers; hooks, files and blocks.

mod around;
mod checks;
mod foreign;
mod forms;
mod hand_over;
mod input;
mod instructions;
mod parser;
mod shapes;

use std::rc::Rc;

use espalier::compact::asking::{Asking, HookOutcome, Trigger, Verify};
use espalier::compact::check::{lacking, trim};
use espalier::compact::context::{Breadcrumb, FileOutcome};
use espalier::compact::form::{ALL, COPILOT_CLI, EIGHT, Form, GEMINI_CLI, Markup};
use espalier::compact::instructions::{Medium, Wanted, instructions};
use espalier::compact::parse::{Unusable, parse, parse_as};
use espalier::compact::profile::{Profile, Rung};
use espalier::compact::request::clean::clean;
use espalier::compact::{Compacted, Compaction, Options, Status};
use espalier::effect::{Answer, Block, Effect, Failure, ModelRequest, Purpose, Shape, Step};
use espalier::history::draft::Draft;
use espalier::history::plan::PlanItem;
use espalier::message::{Message, Part, Role};
use espalier::tokens::{CostModel, Origin, Tokenizer};

use crate::prune::carry_out;
use crate::support::valid::check as valid;
use crate::support::{Quarter, assistant, call, meter, numbered, random, result, system, user};

/// Tokens of the tools, so that calls can be sent as calls.
const TOOLS: u64 = 100;

fn run(messages: &[Message], options: Options) -> Compaction {
    run_with(messages, TOOLS, options)
}

/// Runs without the steps that would make the model unnecessary.
fn run_with(messages: &[Message], tools: u64, options: Options) -> Compaction {
    let profile = Profile { ladder: vec![Rung::Summary, Rung::Offline, Rung::Fit].into(), ..options.profile };
    let options = Options { profile, ..options };
    Compaction::new(messages.to_vec(), tools, CostModel::Espalier, Rc::new(Quarter), Origin::Exact, options)
}

/// Carries out a compaction; returns every effect and the result.
fn driven(
    messages: &[Message],
    options: Options,
    host: impl FnMut(&Effect) -> Answer,
) -> (Vec<Effect>, Result<Compacted, espalier::error::Error>) {
    crate::support::driven(run(messages, Options { has_model: true, ..options }), host)
}

/// Returns the requests to the model, and the result.
fn asked(
    messages: &[Message],
    options: Options,
    mut model: impl FnMut(&ModelRequest) -> Answer,
) -> (Vec<ModelRequest>, Compacted) {
    let (seen, done) = driven(messages, options, |effect| match effect {
        Effect::CallModel(request) => model(request),
        other => panic!("asked for {other:?}"),
    });
    let requests = seen.into_iter().filter_map(|e| if let Effect::CallModel(r) = e { Some(r) } else { None });
    (requests.collect(), done.unwrap())
}

fn says(text: &str) -> Answer {
    Answer::Model { text: text.into(), finish_reason: None }
}

/// Returns a record in which every section has content.
fn record(form: &Form, word: &str) -> String {
    let section = |name: &str| match form.markup {
        Markup::Headings => format!("## {name}\n{word}."),
        Markup::Elements => {
            let element = name.to_lowercase().replace(' ', "_");
            format!("    <{element}>\n        {word}.\n    </{element}>")
        }
    };
    let sections: Vec<String> = form.sections.iter().map(|s| section(&s.name)).collect();
    let Form { tag, scratch, .. } = form;
    format!("<{scratch}>hm</{scratch}>\n<{tag}>\n{}\n</{tag}>", sections.join("\n"))
}

fn good() -> Answer {
    says(&record(&EIGHT, "All is well"))
}

/// Returns an agent's run on one request, with long results.
fn agent(rounds: usize) -> Vec<Message> {
    let mut messages = vec![system("You are an agent."), user("Fix the parser. Never touch the lexer.")];
    for round in 0..rounds {
        let id = format!("c{round}");
        if round % 2 == 0 {
            messages.push(call(&id, "read_file", &format!(r#"{{"path":"src/part{round}.rs"}}"#)));
            messages.push(result(&id, &"fn body() { work(); }\n".repeat(200)));
        } else {
            messages.push(call(
                &id,
                "str_replace",
                &format!(r#"{{"path":"src/part{round}.rs","old_str":"a","new_str":"b"}}"#),
            ));
            messages.push(result(&id, "ok"));
        }
    }
    numbered(messages)
}

fn with(asking: Asking) -> Options {
    Options { budget: 12_000, model_limit: Some(200_000), asking, ..Options::default() }
}

fn plain() -> Options {
    with(Asking::default())
}
