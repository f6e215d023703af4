//! Reads the results of calls: how commands ended, what failed, and which failures a later success closed.

use super::action;
use super::command::{self, Status, Tests};
use super::decision::{self, By, Decision};
use super::ended::{Run, ending, is_quoted, own_lines};
use super::error::{self, Failure};
use super::place::{bare, places};
use super::same::{self, Same};
use super::shell::Touch;
use super::text::one_line;
use super::{FIRST_ERRORS, LAST_ERRORS, Ledger, Open, Pending, SUBJECT_BYTES, Source};
use crate::compact::facts::Speaker;
use crate::compact::placeholder::{is_placeholder, is_recalled};
use crate::map::HashMap;
use crate::message::Part;
use crate::message::dialects::Dialects;
use crate::message::path;
use crate::message::tool_output::{body, exit_status, says_failed};

impl Ledger {
    pub(super) fn result(&mut self, id: &str, call_id: &str, content: &[Part], is_error: bool) {
        let Some(Pending { open, same, actions, changes }) = self.open.remove(call_id) else { return };
        let text = content
            .iter()
            .filter_map(|part| if let Part::Text { text } = part { Some(text.as_str()) } else { None })
            .collect::<Vec<_>>()
            .join("\n");
        let exit = exit_status(&text);
        let text = body(&text);
        if is_recalled(&text) {
            return;
        }
        // A file or a page may contain a user's approval. For such calls only a refusal counts, and only if the host
        // flags it.
        let only_shows = match &open {
            Open::Files(files) => files.iter().all(|(_, touch)| *touch == Touch::Read),
            Open::Commands { run, .. } => run.only_shows,
            Open::Shown(_) => true,
            Open::Question(_) | Open::Other(_) => false,
        };
        let said = if !only_shows {
            decision::verdict(&text)
        } else if is_error {
            decision::refusal(&text)
        } else {
            None
        };
        if let Some(said) = said {
            let sentence = decision::of_call(&self.subject(&open), &said);
            self.decisions.push(Decision { id: id.to_string(), by: By::User, sentence });
        }
        // Many hosts do not flag failures; the content of files must not be read as one.
        let reads = matches!(&open, Open::Files(files) if files.iter().all(|(_, touch)| *touch == Touch::Read));
        let is_other = matches!(open, Open::Other(_) | Open::Shown(_));
        let failed = is_error
            || !reads && says_failed(&text, Dialects::ALL)
            || is_other && action::fields_say_failed(&text)
            || !actions.is_empty() && is_other && action::says_failed(&text);
        if !failed {
            for (file, names) in changes {
                self.changed_in_turn(file, names);
            }
        }
        if !reads && !matches!(open, Open::Commands { .. } | Open::Question(_) | Open::Shown(_)) {
            self.turn_failed(failed);
        }
        if !matches!(open, Open::Commands { .. }) && !is_placeholder(&text) {
            for action in &mut self.actions[actions.clone()] {
                let said = action::telling(&text, &action.what);
                action.ended(failed, &said);
            }
        }
        match open {
            Open::Commands { commands, run } => {
                let (failed, said) = self.ended(id, &commands, run, &same, (&text, exit), is_error);
                if !run.only_shows {
                    self.turn_failed(failed);
                }
                for action in self.actions[actions].iter_mut().filter(|_| !is_placeholder(&text)) {
                    action.ended(failed, &said);
                }
            }
            Open::Files(touched) if failed => {
                for (at, touch) in touched {
                    let file = &mut self.files[at];
                    match touch {
                        Touch::Edit => file.edits = file.edits.saturating_sub(1),
                        Touch::Create => file.writes = file.writes.saturating_sub(1),
                        Touch::Delete => file.deleted = false,
                        Touch::Read => continue,
                    }
                    file.failed += 1;
                }
                // The text after the first line may quote the file.
                self.errors_of(id, told(&text).into_iter().map(|line| (line, None)), &same);
            }
            Open::Question(question) => {
                let answer = one_line(&text, 160);
                if !answer.is_empty() {
                    let sentence = format!("{question} -> {answer}");
                    self.decisions.push(Decision { id: id.to_string(), by: By::User, sentence });
                }
            }
            // The content of files is not an error.
            Open::Shown(_) | Open::Other(_) if failed => {
                let found: Vec<&str> = own_lines(&text).filter(|line| error::is_error_line(line)).collect();
                if found.is_empty() {
                    self.errors_of(id, told(&text).into_iter().map(|line| (line, None)), &same);
                } else {
                    self.errors_of(id, self.placed(&text, &found).into_iter(), &same);
                }
            }
            Open::Other(_) => {
                self.passed(id, &same.closes, None);
                self.facts.add(id, Speaker::Tool, &text);
            }
            Open::Files(_) | Open::Shown(_) => self.passed(id, &same.closes, None),
        }
    }

    /// The subject of a call: its command line, its file, or its tool.
    fn subject(&self, open: &Open) -> String {
        match open {
            Open::Commands { commands, .. } => {
                commands.first().map_or(String::new(), |&at| one_line(&self.commands[at].line, SUBJECT_BYTES))
            }
            Open::Files(touched) => touched.first().map_or(String::new(), |&(at, _)| self.files[at].path.clone()),
            Open::Question(question) => question.clone(),
            Open::Shown(name) | Open::Other(name) => name.clone(),
        }
    }

    /// Reads the result of command lines that ran in one call: whether they failed, and their error lines.
    fn ended(
        &mut self,
        id: &str,
        commands: &[usize],
        run: Run,
        same: &Same,
        (text, exit): (&str, Option<i64>),
        is_error: bool,
    ) -> (bool, String) {
        let is_test_run = commands.iter().any(|&at| command::is_test_run(&self.commands[at].line));
        let tests = if is_test_run { Tests::read(text) } else { None };
        let end = ending(run, text, exit, is_error, tests.as_ref());
        let last = match end.errors.first() {
            Some(error) => error,
            None => command::last_line(text, is_test_run),
        };
        for &at in commands {
            let command = &mut self.commands[at];
            command.status = end.status;
            command.last_line = one_line(last, command::COMMAND_BYTES);
            if command::is_test_run(&command.line) {
                command.tests = tests.clone();
            }
        }
        let failed = matches!(end.status, Status::Failed(_));
        let said = if failed { last } else { command::news(text).unwrap_or(last) }.to_string();
        let is_clean = end.errors.is_empty();
        self.errors_of(id, self.placed(text, &end.errors).into_iter(), same);
        if end.status == Status::Ok || end.status == Status::Ended && is_clean {
            self.passed(id, &same.closes, same.folder.as_deref());
            let echoed: Vec<String> = same::echoed(text).collect();
            self.passed(id, &echoed, None);
        }
        (failed, said)
    }

    /// Closes the errors of calls that these keys close.
    fn passed(&mut self, id: &str, closes: &[String], folder: Option<&str>) {
        for key in closes {
            let Some(all) = self.closed_by.remove(key) else { continue };
            let mut other: Vec<usize> = Vec::new();
            for at in all {
                let source = &mut self.sources[at];
                // The same line in two folders is two commands.
                if folder.zip(source.folder.as_deref()).is_some_and(|(one, two)| one != two) {
                    other.push(at);
                    continue;
                }
                for error in std::mem::take(&mut source.errors) {
                    let error = &mut self.errors[error];
                    // A line that another call has printed since then belongs to that call.
                    error.resolved |= error.source == Some(at) && error.id != id;
                }
            }
            if !other.is_empty() {
                self.closed_by.insert(key.clone(), other);
            }
        }
    }

    /// Returns error lines of a result, each with the place that the lines around it name.
    fn placed(&self, text: &str, errors: &[&str]) -> Vec<(String, Option<String>)> {
        let under = |place| path::under(self.rules.root.as_deref(), place);
        let places = places(text, errors).into_iter().map(|place| place.map(under));
        errors.iter().map(|line| bare(line).to_string()).zip(places).collect()
    }

    /// Adds the error lines of a failed call, with their places.
    fn errors_of(&mut self, id: &str, lines: impl Iterator<Item = (String, Option<String>)>, same: &Same) {
        // Each error of this result once, in order of appearance.
        let mut order: Vec<(String, Failure)> = Vec::new();
        let mut known: HashMap<String, usize> = HashMap::default();
        // The line that replaces a cleared result names a command, not an error.
        for (line, place) in lines.filter(|(line, _)| !is_placeholder(line)) {
            let line = error::kept_line(&line);
            let key = error::key(&line);
            match known.get(&key) {
                Some(&at) => {
                    let failure: &mut Failure = &mut order[at].1;
                    failure.count += 1;
                    failure.moved_to(line, place);
                }
                None => {
                    known.insert(key.clone(), order.len());
                    order.push((key, Failure { place, ..Failure::new(id, &line, self.seen) }));
                }
            }
        }
        if order.is_empty() {
            return;
        }
        let source = self.source(same);
        let skip_to = order.len().saturating_sub(LAST_ERRORS).max(FIRST_ERRORS);
        for (number, (key, mut failure)) in order.into_iter().enumerate() {
            failure.source = Some(source);
            if number >= FIRST_ERRORS && number < skip_to {
                *self.left_out.entry("errors").or_default() += 1;
            } else {
                self.error(key, failure);
            }
        }
    }

    /// Returns the text of a record about the failed call of an open error.
    pub(super) fn source_of(&self, error: &Failure) -> Option<&str> {
        self.sources.get(error.source.filter(|_| !error.resolved)?)?.words.as_deref()
    }

    /// Returns the index of a failed call.
    pub(super) fn source(&mut self, same: &Same) -> usize {
        let at = match self.source_at.get(same) {
            Some(&at) => at,
            None => {
                self.source_at.insert(same.clone(), self.sources.len());
                self.sources.push(Source { folder: same.folder.clone(), words: same.to_words(), errors: vec![] });
                self.sources.len() - 1
            }
        };
        if self.sources[at].errors.is_empty() {
            for key in &same.closed_by {
                self.closed_by.entry(key.clone()).or_default().push(at);
            }
        }
        at
    }

    pub(super) fn error(&mut self, key: String, failure: Failure) {
        let source = failure.source;
        let at = match self.error_at.get(&key) {
            Some(&at) => {
                let entry = &mut self.errors[at];
                let count = entry.count + failure.count;
                entry.moved_to(failure.line.clone(), failure.place.clone());
                for place in &failure.also {
                    entry.add_place(place.clone());
                }
                let (place, also) = (entry.place.take(), std::mem::take(&mut entry.also));
                *entry = Failure { count, place, also, ..failure };
                at
            }
            None => {
                self.error_at.insert(key, self.errors.len());
                self.errors.push(failure);
                self.errors.len() - 1
            }
        };
        if let Some(source) = source.map(|source| &mut self.sources[source])
            && source.errors.last() != Some(&at)
        {
            source.errors.push(at);
        }
    }
}

/// Returns the first informative line of a result; a word alone (`ERROR:`) together with the next line.
fn told(text: &str) -> Option<String> {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !is_quoted(line));
    let first = lines.next().or_else(|| text.lines().map(str::trim).find(|line| !line.is_empty()))?;
    let is_heading = first.len() <= 20 && (first.ends_with(':') || first.ends_with('>')) && !first.contains(' ');
    match lines.next().filter(|_| is_heading) {
        Some(next) => Some(format!("{first} {next}")),
        None => Some(first.to_string()),
    }
}
