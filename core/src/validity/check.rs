//! Lists what a provider would refuse.

use serde::Serialize;

use super::Target;
use super::pairs::{Call, Fate, Matching, Pairs, Place, Spoken, is_note, is_note_alone, pair};
use super::picture::is_picture;
use super::rules::{Last, Provider, Rules};
use crate::message::{Part, Role};
use crate::tokens::image::is_data_url;

/// One problem: the provider would refuse it, or would not read it as intended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// Stable name of the rule.
    pub rule: &'static str,
    /// Index of the message, if a message has the problem.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
    /// Index of the part in the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<usize>,
    /// Index of the item in the content of a tool result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item: Option<usize>,
    /// Index of the tool definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<usize>,
    /// One sentence for people.
    pub message: String,
}

/// The content of a message, as far as it matters for the order of results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Frame,
    Assistant,
    /// Only tool results, and notes about calls.
    Results,
    /// Tool results and other parts.
    Mixed,
    Words,
}

/// Lists what `target` would refuse, in the order of the messages. The list is empty if the conversation is valid.
/// Linear.
///
/// ```
/// use espalier::message::{Message, Part, Role};
/// use espalier::validity::{Provider, Target, check};
/// let orphan = Part::ToolResult { call_id: "c1".into(), name: None, content: vec![], is_error: false };
/// let message = Message { id: "m0".into(), role: Role::User, name: None, parts: vec![orphan] };
/// let found = check(&[message], &Target::new(Provider::Anthropic));
/// assert_eq!((found[0].rule, found[0].index, found[0].part), ("orphan-result", Some(0), Some(0)));
/// ```
pub fn check<T: Spoken>(messages: &[T], target: &Target) -> Vec<Finding> {
    let rules = target.provider.rules();
    let pairs = pair(messages.iter().enumerate(), matching(target));
    let mut check = Check { target, rules, found: Vec::new() };
    let kinds: Vec<Kind> = messages.iter().map(kind).collect();
    for (index, message) in messages.iter().enumerate() {
        check.message(index, message);
    }
    check.calls(&pairs);
    check.places(messages, &kinds, &pairs);
    check.turns(messages, &kinds, &pairs);
    check.tools(messages);
    // Each sort is stable and keeps the order of the sort before it, so the least important key comes first. Findings
    // of one place stay in the order of the rules.
    let places: [fn(&Finding) -> Option<usize>; 4] =
        [|found| found.item, |found| found.part, |found| found.index, |found| found.tool];
    for place in places {
        crate::rank::sort(&mut check.found, |found| crate::rank::place(place(found)));
    }
    check.found
}

/// Returns how calls and results are matched for a provider.
pub(super) fn matching(target: &Target) -> Matching {
    Matching { names: target.provider.rules().names_match, by_items: target.by_items }
}

fn kind(message: &impl Spoken) -> Kind {
    if message.role().is_frame() {
        return Kind::Frame;
    }
    if message.role() == Role::Assistant {
        return Kind::Assistant;
    }
    let (mut results, mut words) = (false, false);
    for part in message.parts() {
        match part {
            Part::ToolResult { .. } => results = true,
            Part::CacheMark | Part::Boundary => {}
            _ => words |= !is_note(message.role(), part),
        }
    }
    match (results, words) {
        (true, true) => Kind::Mixed,
        (true, false) => Kind::Results,
        _ if is_note_alone(message) => Kind::Results,
        _ => Kind::Words,
    }
}

/// Returns, for each message, how many runs of assistant messages have begun up to and including it. An item of
/// `messages` is (is by the assistant, is in the system prompt).
pub(super) fn runs(messages: impl Iterator<Item = (bool, bool)>) -> Vec<usize> {
    let (mut count, mut in_run) = (0, false);
    messages
        .map(|(by_assistant, is_frame)| {
            count += usize::from(by_assistant && !in_run);
            in_run = by_assistant || is_frame && in_run;
            count
        })
        .collect()
}

/// Returns whether a part has no content for any provider.
pub fn is_blank(part: &Part) -> bool {
    matches!(part, Part::Text { text } if text.trim().is_empty()) || part.is_mark()
}

/// Returns whether the provider would refuse a message with these parts as empty.
pub(super) fn is_empty(message: &impl Spoken, rules: &Rules) -> bool {
    if message.role().is_frame() {
        return false;
    }
    let may_be = rules.others_may_be_empty && message.role() != Role::Assistant;
    let counts =
        |part: &Part| !is_blank(part) && (rules.thoughts_are_content || !matches!(part, Part::Reasoning { .. }));
    !(message.parts().any(counts) || may_be && message.parts().next().is_some())
}

/// Returns whether an assistant message holds only reasoning.
pub(super) fn is_thought(message: &impl Spoken) -> bool {
    let mut parts = message.parts().filter(|part| !part.is_mark()).peekable();
    message.role() == Role::Assistant
        && parts.peek().is_some()
        && parts.all(|part| matches!(part, Part::Reasoning { .. }))
}

/// Returns the rule by which a part must not hold an image or a document, and why; `None` if it may.
pub(super) fn media_trouble(
    part: &Part,
    role: Role,
    in_result: bool,
    target: &Target,
) -> Option<(&'static str, &'static str)> {
    let pictures = target.provider.rules().pictures;
    match part {
        _ if target.trusts_host => None,
        Part::Image { .. } | Part::Document { .. } if target.special.text_only => {
            Some(("media-model", "the model reads texts only"))
        }
        Part::Image { .. } if target.special.no_pictures => Some(("media-model", "this request takes no pictures")),
        Part::Image { data, url, .. } => {
            let allowed = match (in_result, role) {
                (true, _) => pictures.result,
                (false, Role::Assistant) => pictures.assistant,
                (false, role) => !role.is_frame(),
            };
            if !allowed {
                return Some(("image-place", "the provider takes no pictures here"));
            }
            let inline = data.as_deref().or_else(|| url.as_deref().filter(|url| is_data_url(url)));
            let is_reachable = |url: &str| !["file:", "blob:"].iter().any(|scheme| url.starts_with(scheme));
            let is_known = match inline {
                Some(data) => is_picture(data, pictures.heif),
                None => url.as_deref().is_some_and(is_reachable),
            };
            (!is_known).then_some(("bad-image", "the data is no picture of a kind that is taken"))
        }
        _ => None,
    }
}

/// Returns the rule by which a call needs another id, and why; `None` if its id is valid.
pub(super) fn id_trouble(call: &Call, target: &Target) -> Option<(&'static str, &'static str)> {
    let rules = target.provider.rules();
    let id = call.id.as_str();
    // Calls in OpenAI's old form have no ids. The adapter makes these ids up and does not send them.
    let is_old = target.wire && target.provider == Provider::OpenAiChat && id.starts_with("function:");
    let trusts = target.trusts_host;
    if !trusts && (id.is_empty() || !rules.ids_optional && is_made_up(id)) {
        Some(("missing-id", "the call has no id"))
    } else if !trusts && !rules.internal_ids && without_suffix(id).is_some() {
        Some(("internal-id", "the id has a suffix that VS Code adds for itself"))
    } else if call.renamed.is_some() && !(rules.ids_reusable && call.is_reused) {
        Some(("double-id", "another call has this id already"))
    } else if !trusts && !is_old && !rules.call_id.takes(id) {
        Some(("call-id", "the id is longer than the provider takes, or has other characters"))
    } else {
        None
    }
}

/// Returns the id without the suffix by which VS Code distinguishes its calls; `None` if it has none.
///
/// The suffix is `__vscode-` and digits.
pub fn without_suffix(id: &str) -> Option<&str> {
    let (base, digits) = id.rsplit_once("__vscode-")?;
    (!base.is_empty() && !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())).then_some(base)
}

/// Returns whether an adapter made up this id for a call without one: `call:<message>.<call>`.
fn is_made_up(id: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    id.strip_prefix("call:").and_then(|rest| rest.split_once('.')).is_some_and(|(a, b)| is_number(a) && is_number(b))
}

struct Check<'t> {
    target: &'t Target,
    rules: &'static Rules,
    found: Vec<Finding>,
}

impl Check<'_> {
    fn find(&mut self, rule: &'static str, (index, part): Place, message: &str) {
        let message = message.to_string();
        self.found.push(Finding { rule, index: Some(index), part: Some(part), item: None, tool: None, message });
    }

    fn find_message(&mut self, rule: &'static str, index: Option<usize>, message: &str) {
        self.found.push(Finding { rule, index, part: None, item: None, tool: None, message: message.to_string() });
    }

    /// Checks each message by itself.
    fn message<T: Spoken>(&mut self, index: usize, message: &T) {
        let role = message.role();
        let empty = is_empty(message, self.rules);
        if empty {
            self.find_message("empty", Some(index), "a message that says nothing is refused");
        }
        for (number, part) in message.parts().enumerate() {
            let at = (index, number);
            if let Some((rule, why)) = media_trouble(part, role, false, self.target) {
                self.find(rule, at, why);
            }
            match part {
                Part::Text { text }
                    if self.rules.no_blank_text && !empty && !role.is_frame() && text.trim().is_empty() =>
                {
                    self.find("blank-text", at, "a text without anything but white space is refused");
                }
                Part::ToolCall { name, .. } => {
                    if role != Role::Assistant {
                        self.find("call-role", at, "only the assistant calls tools");
                    }
                    if !self.target.takes_tool(name) {
                        self.find("tool-name", at, "the provider takes no such name of a tool");
                    }
                }
                Part::ToolResult { content, .. } => {
                    if role.is_frame() || role == Role::Assistant && !self.target.own_results {
                        self.find("result-role", at, "results do not come from here");
                    }
                    for (item, inner) in content.iter().enumerate() {
                        if let Some((rule, why)) = media_trouble(inner, role, true, self.target) {
                            self.find(rule, at, why);
                            if let Some(found) = self.found.last_mut() {
                                found.item = Some(item);
                            }
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// Checks ids, and reports calls and results without a counterpart.
    fn calls(&mut self, pairs: &Pairs) {
        for call in &pairs.calls {
            if let Some((rule, why)) = id_trouble(call, self.target) {
                self.find(rule, call.at, why);
            }
            match call.fate {
                Fate::Lost { .. } => self.find("lost-call", call.at, "the call has no result"),
                Fate::Pending if self.target.pending => {
                    self.find("pending-call", call.at, "the call has no result yet; send it when it has one");
                }
                _ => {}
            }
        }
        for &at in &pairs.orphans {
            self.find("orphan-result", at, "the result answers no call");
        }
    }

    /// Reports results in the wrong place.
    fn places<T: Spoken>(&mut self, messages: &[T], kinds: &[Kind], pairs: &Pairs) {
        if self.rules.results_anywhere {
            return;
        }
        // For each message, `breaks` counts the earlier messages that hold more than results, and `words` those of them
        // by a user or a tool. `next` is the first message from its index on that is neither the assistant's nor in the
        // system prompt.
        let (mut breaks, mut sum) = (Vec::with_capacity(kinds.len() + 1), 0usize);
        let (mut words, mut spoken) = (Vec::with_capacity(kinds.len() + 1), 0usize);
        for kind in kinds {
            breaks.push(sum);
            words.push(spoken);
            sum += usize::from(*kind != Kind::Results);
            spoken += usize::from(matches!(kind, Kind::Words | Kind::Mixed));
        }
        breaks.push(sum);
        words.push(spoken);
        let runs = runs(kinds.iter().map(|kind| (*kind == Kind::Assistant, *kind == Kind::Frame)));
        let mut next = vec![kinds.len(); kinds.len() + 1];
        for at in (0..kinds.len()).rev() {
            next[at] = if matches!(kinds[at], Kind::Frame | Kind::Assistant) { next[at + 1] } else { at };
        }
        for call in &pairs.calls {
            let Fate::Answered(result) = call.fate else { continue };
            let (asked, answered) = (call.at.0, result.0);
            if messages[answered].role() == Role::Assistant || messages[answered].role().is_frame() {
                continue;
            }
            if self.rules.direct {
                if breaks[answered] != breaks[asked + 1] {
                    self.find("result-place", result, "the result does not directly follow the message that called");
                }
                continue;
            }
            if words[answered] != words[asked + 1] || runs[answered] != runs[asked] {
                self.find("result-place", result, "somebody speaks between the call and its result");
            } else if self.target.wire && self.rules.single && next[asked + 1] != answered {
                self.find("result-split", result, "all results of a round belong into the one message behind it");
            }
        }
        if self.rules.results_first {
            for (index, message) in messages.iter().enumerate().filter(|&(index, _)| kinds[index] == Kind::Mixed) {
                let mut said = false;
                for (number, part) in message.parts().enumerate() {
                    let is_result = matches!(part, Part::ToolResult { .. });
                    if is_result && said {
                        self.find("words-before-result", (index, number), "results must come before words");
                    }
                    said |= !is_result && !part.is_mark();
                }
            }
        }
    }

    /// Checks the order of the roles.
    fn turns<T: Spoken>(&mut self, messages: &[T], kinds: &[Kind], pairs: &Pairs) {
        let spoken: Vec<usize> = (0..kinds.len()).filter(|&at| kinds[at] != Kind::Frame).collect();
        let (Some(&first), Some(&last)) = (spoken.first(), spoken.last()) else {
            self.find_message("no-messages", None, "there is nothing to answer");
            return;
        };
        let by_assistant = |at: usize| kinds[at] == Kind::Assistant;
        if self.rules.first_user && by_assistant(first) {
            self.find_message("first-role", Some(first), "the first message must be the user's");
        }
        if self.rules.alternate && self.target.wire {
            for two in spoken.windows(2).filter(|two| by_assistant(two[0]) == by_assistant(two[1])) {
                self.find_message("same-role", Some(two[1]), "it has the same role as the message before it");
            }
        }
        if self.target.special.answers_results {
            let follows = |two: &&[usize]| kinds[two[0]] == Kind::Results && kinds[two[1]] == Kind::Words;
            for two in spoken.windows(2).filter(follows) {
                self.find_message(
                    "unanswered-result",
                    Some(two[1]),
                    "the assistant must speak before it, behind a result",
                );
            }
        }
        if self.rules.thoughts_introduce && self.target.wire {
            let mut introduces = false;
            for &at in spoken.iter().rev() {
                let is_thought = is_thought(&messages[at]);
                if is_thought && !introduces {
                    self.find_message("lone-thought", Some(at), "what came of the thought must follow it");
                }
                introduces = by_assistant(at) && (introduces || !is_thought);
            }
        }
        let waits = pairs.calls.last().is_some_and(|call| call.at.0 == last && call.fate == Fate::Pending);
        if by_assistant(last) && !waits && !self.target.open_end {
            self.last(last, messages[last].parts().enumerate().filter(|(_, part)| !part.is_mark()).last());
        }
    }

    /// Checks a conversation that ends with an assistant message.
    fn last(&mut self, index: usize, newest: Option<(usize, &Part)>) {
        let resumes = self.rules.last == Last::UserOrPrefill;
        let prefill = resumes && !self.target.special.no_prefill;
        match newest {
            _ if self.rules.last == Last::Anybody && !self.target.special.no_prefill => {}
            Some((number, Part::Text { text })) if prefill => {
                if text.ends_with(char::is_whitespace) && !text.trim().is_empty() {
                    self.find(
                        "prefill-space",
                        (index, number),
                        "the beginning of an answer must not end in white space",
                    );
                }
            }
            // A turn that was paused in a tool that the provider runs is resumed as it is, also by models without
            // prefill.
            Some((_, Part::Opaque { .. } | Part::ToolResult { .. })) if resumes => {}
            _ => self.find_message("last-role", Some(index), "the last message must be the user's"),
        }
    }

    /// Checks the tool definitions.
    fn tools<T: Spoken>(&mut self, messages: &[T]) {
        let Some(tools) = &self.target.tools else { return };
        for (tool, name) in tools.iter().enumerate() {
            if !self.rules.tool_name.takes(name) {
                let message = format!("the provider takes no tool of the name {name:?}");
                self.found.push(Finding {
                    rule: "tool-name",
                    index: None,
                    part: None,
                    item: None,
                    tool: Some(tool),
                    message,
                });
            }
        }
        let uses = |part: &Part| matches!(part, Part::ToolCall { .. } | Part::ToolResult { .. });
        if self.rules.tools_listed && tools.is_empty() && messages.iter().any(|message| message.parts().any(uses)) {
            self.find_message("tools-missing", None, "there are calls, but the request lists no tools");
        }
    }
}
