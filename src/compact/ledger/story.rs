//! The outcome of each user request: how its turn ended, what the last answer says, what was changed and done.
//!
//! A turn is a request and everything until the next. Its outcome is a line `=> ...` below the request. Conversations
//! without tools have the same: question and answer.

use super::Ledger;
use super::file::File;
use super::shell::Touch;
use super::symbol::changed;
use super::text::{clip, one_line};
use crate::compact::facts::sentences;
use crate::message::change::Change;

/// Events since a request, as far as its outcome reports them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Turn {
    /// Index of the assistant's last answer.
    pub answer: Option<usize>,
    /// That answer, if the ledger no longer has the assistant's texts.
    pub answered: Option<String>,
    /// Changed files, by index, and the names in their changed lines.
    pub changed: Vec<(usize, Vec<String>)>,
    /// Calls that change the world, by index.
    pub actions: Vec<usize>,
    /// True if the last call with a known outcome failed.
    pub has_failed: bool,
    /// True if something followed the last answer.
    pub goes_on: bool,
    /// The outcome, once the turn is over, or from a record.
    pub told: Option<Outcome>,
}

/// An outcome in forms of one line, the shortest first, without the arrow.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    pub forms: [String; FORMS],
}

/// Number of forms.
pub const FORMS: usize = 4;
/// Begins the line of an outcome.
pub const ARROW: &str = "=> ";

/// How a turn ended, at the beginning of its outcome.
const STATES: [&str; 3] = [OPEN, INTERRUPTED, FAILED];
const OPEN: &str = "open";
const INTERRUPTED: &str = "interrupted";
const FAILED: &str = "failed";

/// Maximum bytes of an answer in each form.
const BYTES: [usize; FORMS] = [40, 140, 300, 700];
/// Maximum changed files and names in each form.
const FILES: [usize; FORMS] = [2, 3, 5, 12];
const NAMES: [usize; FORMS] = [0, 2, 4, 10];
/// Maximum names kept for one file in one turn.
pub const MAX_NAMES: usize = 24;
/// Maximum sentences of an answer that are considered, and maximum bytes of it.
const MAX_SENTENCES: usize = 400;
const MAX_BYTES: usize = 60_000;

impl Ledger {
    /// Returns the outcome of a request, by index. If `is_last_told`, the last answer is only named.
    pub(super) fn outcome(&self, request: usize, is_last_told: bool) -> Outcome {
        match self.turns.get(request) {
            Some(Turn { told: Some(told), .. }) => told.clone(),
            Some(turn) => self.told(turn, !self.is_elsewhere && request + 1 == self.turns.len(), is_last_told),
            None => Outcome::default(),
        }
    }

    /// Returns the turn to which the next message belongs.
    pub(super) fn turn(&mut self) -> Option<&mut Turn> {
        self.turns.last_mut().filter(|_| !self.is_elsewhere)
    }

    /// Records the outcome of the turn that a new request ends.
    pub(super) fn close_turn(&mut self) {
        let Some(turn) = self.turns.last().filter(|turn| turn.told.is_none()) else { return };
        let told = self.told(turn, false, false);
        if let Some(turn) = self.turns.last_mut() {
            turn.told = Some(told);
        }
    }

    /// Records that the current turn changed a file.
    pub(super) fn changed_in_turn(&mut self, file: usize, names: Vec<String>) {
        let Some(turn) = self.turn() else { return };
        let at = turn.changed.iter().position(|(known, _)| *known == file);
        // The newest are last.
        let mut entry = at.map_or_else(|| (file, vec![]), |at| turn.changed.remove(at));
        for name in names {
            if entry.1.len() < MAX_NAMES && !entry.1.contains(&name) {
                entry.1.push(name);
            }
        }
        turn.changed.push(entry);
    }

    /// Removes the assistant's texts, which an earlier record contains.
    pub(in crate::compact) fn forget_said(&mut self) {
        let said = std::mem::take(&mut self.said);
        if let Some(turn) = self.turns.last_mut()
            && let Some((_, text)) = turn.answer.take().and_then(|at| said.into_iter().nth(at))
        {
            turn.answered = Some(text);
        }
    }

    pub(super) fn turn_failed(&mut self, has_failed: bool) {
        if let Some(turn) = self.turn() {
            turn.has_failed = has_failed;
        }
    }

    /// Returns the names in the changed lines of files.
    pub(super) fn changed_names(
        &self,
        files: &[(usize, Touch)],
        changes: &[(Option<String>, Vec<String>)],
    ) -> Vec<(usize, Vec<String>)> {
        let mut out: Vec<(usize, Vec<String>)> = Vec::new();
        for &(at, touch) in files.iter().filter(|(_, touch)| *touch != Touch::Read) {
            let path = self.files[at].path.as_str();
            let is_of = |of: &Option<String>| of.as_deref().is_none_or(|of| of.ends_with(path) || path.ends_with(of));
            let changes = changes.iter().filter(|(of, _)| touch != Touch::Delete && is_of(of));
            out.push((at, changes.flat_map(|(_, names)| names).take(MAX_NAMES).cloned().collect()));
        }
        out
    }

    /// `is_last` says that the turn may continue, `is_last_told` that the last answer is only named.
    fn told(&self, turn: &Turn, is_last: bool, is_last_told: bool) -> Outcome {
        let answer = turn.answer.and_then(|at| self.said.get(at)).map(|(_, text)| text);
        let answer = answer.or(turn.answered.as_ref()).map_or("", String::as_str);
        let id = turn.answer.filter(|at| is_last_told && at + 1 == self.said.len()).map(|at| &self.said[at].0);
        let state = match (turn.goes_on, is_last) {
            (true, true) => OPEN,
            (true, false) => INTERRUPTED,
            (false, _) if turn.has_failed => FAILED,
            (false, _) => "",
        };
        let best = Answer::read(answer);
        let form = |which: usize| {
            let mut parts: Vec<String> = Vec::new();
            let answer = id.map_or_else(|| best.within(BYTES[which]), |id| format!("see {id}"));
            // An announcement says less than the work itself.
            let goes_on = turn.goes_on && !(turn.changed.is_empty() && turn.actions.is_empty());
            let answer = if which < 2 && goes_on { String::new() } else { answer };
            let rest = if which > 1 || answer.is_empty() { self.effects(turn, which) } else { String::new() };
            parts.extend([answer, rest].into_iter().filter(|part| !part.is_empty()));
            match (state, parts.is_empty()) {
                ("", true) => "no answer".to_string(),
                ("", false) => parts.join(" | "),
                (state, true) => state.to_string(),
                (state, false) => format!("{state}: {}", parts.join(" | ")),
            }
        };
        Outcome { forms: std::array::from_fn(form) }
    }

    /// Returns what a turn changed and did: `changed a.rs (parse, Lexer); did book_room x2`.
    fn effects(&self, turn: &Turn, which: usize) -> String {
        let mut files: Vec<String> = Vec::new();
        for (at, names) in turn.changed.iter().rev().take(FILES[which]) {
            let Some(File { path, .. }) = self.files.get(*at) else { continue };
            let name = path.rsplit('/').next().unwrap_or(path);
            let names = &names[..names.len().min(NAMES[which])];
            files.push(if names.is_empty() { name.to_string() } else { format!("{name} ({})", names.join(", ")) });
        }
        let more = turn.changed.len().saturating_sub(FILES[which]);
        if more > 0 {
            files.push(format!("{more} more"));
        }
        let mut did: Vec<(&str, usize)> = Vec::new();
        for action in turn.actions.iter().filter_map(|at| self.actions.get(*at)) {
            let name = action.name();
            match did.iter_mut().find(|(known, _)| *known == name) {
                Some((_, count)) => *count += 1,
                None => did.push((name, 1)),
            }
        }
        let counted =
            |(name, count): &(&str, usize)| if *count > 1 { format!("{name} x{count}") } else { name.to_string() };
        let did: Vec<String> = did.iter().take(FILES[which]).map(counted).collect();
        let part = |word: &str, all: Vec<String>| (!all.is_empty()).then(|| format!("{word} {}", all.join(", ")));
        let parts: Vec<String> = [part("changed", files), part("did", did)].into_iter().flatten().collect();
        parts.join("; ")
    }
}

/// The sentences of an answer with their worth.
struct Answer<'t> {
    /// Sentence and worth, in order.
    sentences: Vec<(&'t str, f64)>,
}

impl<'t> Answer<'t> {
    fn read(text: &'t str) -> Answer<'t> {
        let text = &text[..text.floor_char_boundary(MAX_BYTES)];
        let mut all: Vec<&str> =
            prose(text).flat_map(sentences).filter(|sentence| says(sentence)).take(MAX_SENTENCES).collect();
        // What it also says is kept unless it says nothing else.
        for less in [is_courtesy, announces] {
            if !all.iter().all(|sentence| less(sentence)) {
                all.retain(|sentence| !less(sentence));
            }
        }
        let last = all.len().saturating_sub(1);
        let worth = |(at, sentence): (usize, &&'t str)| {
            // An answer names its subject first and its conclusion last.
            let place = if at == 0 || at == last { 2.2 } else { 1.0 };
            (*sentence, worth(sentence) * place)
        };
        Answer { sentences: all.iter().enumerate().map(worth).collect() }
    }

    /// Returns the best sentences of at most `bytes`, in their order.
    fn within(&self, bytes: usize) -> String {
        let mut order: Vec<usize> = (0..self.sentences.len()).collect();
        crate::rank::sort(&mut order, |&at| !crate::rank::of(self.sentences[at].1));
        let mut chosen = vec![false; self.sentences.len()];
        let mut left = bytes;
        for &at in &order {
            let cost = self.sentences[at].0.len() + 1;
            if cost <= left {
                left -= cost;
                chosen[at] = true;
            }
        }
        if !chosen.contains(&true) {
            return order.first().map_or(String::new(), |&at| clip(self.sentences[at].0, bytes));
        }
        let mut out = String::new();
        let mut is_gap = false;
        for (at, (sentence, _)) in self.sentences.iter().enumerate() {
            if !chosen[at] {
                is_gap = !out.is_empty();
                continue;
            }
            out.push_str(if out.is_empty() {
                ""
            } else if is_gap {
                " … "
            } else {
                " "
            });
            out.push_str(&one_line(sentence, bytes));
            is_gap = false;
        }
        out
    }
}

/// Returns the lines outside fences.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut in_fence = false;
    let mut rest = text;
    // Whole paragraphs: a sentence may span several lines.
    std::iter::from_fn(move || {
        while !rest.is_empty() {
            let mut end = 0;
            let mut next = rest.len();
            for line in rest.split_inclusive('\n') {
                let is_fence = line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
                if is_fence {
                    in_fence = !in_fence;
                    next = end + line.len();
                    break;
                }
                if in_fence {
                    next = end + line.len();
                    break;
                }
                end += line.len();
            }
            let (piece, behind) = (&rest[..end], &rest[next..]);
            rest = behind;
            if !piece.trim().is_empty() {
                return Some(piece);
            }
        }
        None
    })
}

/// True for a sentence with content: not a heading, a rule or a mark alone.
fn says(sentence: &str) -> bool {
    let line = sentence.trim();
    !line.starts_with('#') && !line.starts_with('<') && line.chars().filter(|c| c.is_alphanumeric()).count() >= 4
}

/// True for a sentence that announces a list or code.
fn announces(sentence: &str) -> bool {
    sentence.trim_end().ends_with([':', '：'])
}

/// True for what an assistant says before or after its answer.
fn is_courtesy(sentence: &str) -> bool {
    const COURTESIES: [&str; 38] = [
        "certainly",
        "sure",
        "sure thing",
        "of course",
        "absolutely",
        "great",
        "perfect",
        "excellent",
        "got it",
        "understood",
        "i understand",
        "no problem",
        "good point",
        "good catch",
        "good question",
        "great question",
        "you're right",
        "you're absolutely right",
        "you're welcome",
        "thank you",
        "thanks",
        "my apologies",
        "i apologize",
        "i apologize for the confusion",
        "i apologize for the inconvenience",
        "i can help you with that",
        "i can help with that",
        "i can assist you with that",
        "sure, i can help you with that",
        "i'd be happy to help",
        "i'd be happy to help with that",
        "have a great day",
        "natürlich",
        "gerne",
        "bien sûr",
        "claro",
        "por supuesto",
        "конечно",
    ];
    let bare = sentence.trim().trim_matches(|c: char| !c.is_alphanumeric());
    bare.len() <= 40 && COURTESIES.contains(&bare.to_lowercase().replace('’', "'").as_str())
}

/// Returns the worth of a sentence: names, figures and words for their length.
fn worth(sentence: &str) -> f64 {
    let mut sum = 1.0;
    let mut is_first = true;
    for word in sentence.split_whitespace() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
        let mut chars = bare.chars();
        let starts_upper = chars.next().is_some_and(char::is_uppercase);
        let wide = bare
            .chars()
            .filter(|c| !c.is_ascii() && c.is_alphabetic() && !c.is_lowercase() && !c.is_uppercase())
            .count();
        sum += if bare.bytes().any(|b| b.is_ascii_digit()) {
            2.5
        } else if bare.contains(['_', '/', '.', ':']) || word.contains('`') || chars.any(char::is_uppercase) {
            2.0
        } else if starts_upper && !is_first {
            1.5
        } else {
            0.3 + 0.4 * wide as f64
        };
        is_first = false;
    }
    let asks = sentence.trim_end().ends_with(['?', '？']);
    let factor = if asks { 0.7 } else { 1.0 };
    factor * sum / (sentence.len() as f64 + 40.0).sqrt()
}

/// Returns the names in the changed lines.
pub(super) fn names_in(change: &Change) -> Vec<String> {
    match change {
        Change::Write { text } => changed("", text),
        Change::Replace { old, new, .. } => changed(old, new),
        Change::Insert { text, .. } | Change::Lines { text, .. } | Change::Somewhere { text } => changed("", text),
        Change::Hunk { old, new, .. } => changed(&old.join("\n"), &new.join("\n")),
        Change::Delete | Change::MovedFrom { .. } => vec![],
    }
}

impl Outcome {
    /// Parses the outcome in a record, in the form that it has there.
    pub(super) fn of_record(text: &str) -> Outcome {
        // Leaves room for how the turn ended.
        let state = STATES.iter().find(|state| text.starts_with(**state)).map_or(0, |state| state.len() + 2);
        let form = |which: usize| if which + 1 == FORMS { text.to_string() } else { clip(text, BYTES[which] + state) };
        Outcome { forms: std::array::from_fn(form) }
    }
}
