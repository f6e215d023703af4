//! The form of a record as data, for each profile: what the model must write, and how its answer is parsed.
//!
//! A form is a tag, the markup of its sections, and the sections. Names of sections and tags are those of the systems
//! that a profile follows; their descriptions are our own words.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::ledger::escape;

/// One section.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Section {
    /// Its heading. Its element has the same name in lower case, with `_` for blanks.
    pub name: Cow<'static, str>,
    /// The content of the section.
    pub content: Cow<'static, str>,
    /// True if it is cut last: without it nobody can continue the work.
    #[serde(default, rename = "vital")]
    pub is_vital: bool,
}

impl Section {
    /// Returns the name of its element.
    ///
    /// ```
    /// use espalier::compact::form::GEMINI_CLI;
    /// assert_eq!(GEMINI_CLI.sections[4].element(), "file_system_state");
    /// ```
    pub fn element(&self) -> String {
        self.name.chars().map(|c| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect()
    }

    fn is_element(&self, name: &str) -> bool {
        let plain = |c: char| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
        self.name.chars().map(plain).eq(name.chars().map(plain))
    }
}

/// The form of the sections in a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Markup {
    /// Each under a Markdown heading.
    Headings,
    /// Each in an XML element.
    Elements,
}

/// The tag for records if a form has no other. The record's own message uses it too.
pub const SUMMARY: &str = "summary";
/// Maximum characters of a title.
const TITLE: usize = 80;
/// Maximum sections of a form, and maximum characters of a name.
const MAX_SECTIONS: usize = 40;
const MAX_NAME: usize = 80;

/// The form of a record: what the request to the model describes, and how its answer is parsed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Form {
    /// The element around the record: `summary`, or gemini-cli's `state_snapshot`.
    pub tag: Cow<'static, str>,
    /// The element in which the model thinks first. It is not stored.
    pub scratch: Cow<'static, str>,
    pub markup: Markup,
    /// The section with the title; nothing else belongs in it.
    pub title: Option<Cow<'static, str>>,
    /// The sections in order.
    pub sections: Cow<'static, [Section]>,
}

const fn section(name: &'static str, content: &'static str) -> Section {
    Section { name: Cow::Borrowed(name), content: Cow::Borrowed(content), is_vital: false }
}

const fn vital(name: &'static str, content: &'static str) -> Section {
    Section { name: Cow::Borrowed(name), content: Cow::Borrowed(content), is_vital: true }
}

static EIGHT_SECTIONS: [Section; 8] = [
    section(
        "Conversation Overview",
        "the user's goals, in their words where that matters, and how the intent developed",
    ),
    section("Technical Foundation", "languages, frameworks, tools, conventions and constraints in force"),
    section(
        "Codebase Status",
        "for each file that matters: path, purpose, state, and the code that is needed to go on",
    ),
    section("Problem Resolution", "problems met, their causes, how they were solved or what is still open"),
    section("Progress Tracking", "what is done, what is partly done, what was validated and how"),
    vital("Active Work State", "what is being worked on right now, down to the function or line"),
    section("Recent Operations", "the latest operations with their results"),
    vital("Continuation Plan", "what remains, in order, beginning with the immediate next step"),
];

/// Our form, and Copilot Chat's: eight sections.
pub static EIGHT: Form = eight();

pub(super) const fn eight() -> Form {
    Form {
        tag: Cow::Borrowed(SUMMARY),
        scratch: Cow::Borrowed("analysis"),
        markup: Markup::Headings,
        title: None,
        sections: Cow::Borrowed(&EIGHT_SECTIONS),
    }
}

static GEMINI_CLI_SECTIONS: [Section; 7] = [
    section("Overall Goal", "what the user wants in the end, in one sentence"),
    section(
        "Active Constraints",
        "every rule, preference and limit that the user or the project set and that still holds",
    ),
    section("Key Knowledge", "facts, commands, addresses and decisions that the work rests on"),
    section("Artifact Trail", "what was changed, file by file, and why"),
    section("File System State", "where the work is done; files read, made, changed and removed, as they are now"),
    section("Recent Actions", "the latest steps and what came of them"),
    vital(
        "Task State",
        "the steps of the plan, each marked [DONE], [IN PROGRESS] or [TODO]; the immediate next step is named",
    ),
];

/// gemini-cli's form: seven elements of a state snapshot.
pub static GEMINI_CLI: Form = gemini_cli();

pub(super) const fn gemini_cli() -> Form {
    Form {
        tag: Cow::Borrowed("state_snapshot"),
        scratch: Cow::Borrowed("scratchpad"),
        markup: Markup::Elements,
        title: None,
        sections: Cow::Borrowed(&GEMINI_CLI_SECTIONS),
    }
}

static COPILOT_CLI_SECTIONS: [Section; 7] = [
    section("Overview", "what the user wants and where things stand"),
    section("History", "what was asked and done, in order"),
    section("Work Done", "what is finished: files, changes, checks"),
    section("Technical Details", "decisions, findings, conventions and open questions that matter for going on"),
    section("Important Files", "for each: path, what it is for, what was changed in it, what is still to do there"),
    vital("Next Steps", "what remains, in order, beginning with the immediate next step"),
    section("Checkpoint Title", "two to six words that name this state of the work"),
];

/// Copilot CLI's form: seven elements, the last being the checkpoint's title.
pub static COPILOT_CLI: Form = copilot_cli();

pub(super) const fn copilot_cli() -> Form {
    Form {
        tag: Cow::Borrowed(SUMMARY),
        scratch: Cow::Borrowed("analysis"),
        markup: Markup::Elements,
        title: Some(Cow::Borrowed("Checkpoint Title")),
        sections: Cow::Borrowed(&COPILOT_CLI_SECTIONS),
    }
}

/// All forms.
pub static ALL: [&Form; 3] = [&EIGHT, &GEMINI_CLI, &COPILOT_CLI];

impl Form {
    /// Returns the form of a profile; the eight sections if it has no other.
    ///
    /// ```
    /// use espalier::compact::form::Form;
    /// assert_eq!(Form::of_profile("gemini-cli").sections.len(), 7);
    /// assert_eq!(Form::of_profile("copilot-chat").sections.len(), 8);
    /// ```
    pub fn of_profile(name: &str) -> &'static Form {
        match name {
            "gemini-cli" => &GEMINI_CLI,
            "copilot-cli" => &COPILOT_CLI,
            _ => &EIGHT,
        }
    }

    /// Returns the title of a record if the form has one: the first words under its heading.
    ///
    /// ```
    /// use espalier::compact::form::{COPILOT_CLI, EIGHT};
    /// let text = "## Next Steps\nShip it.\n## Checkpoint Title\n\n**Parser fixed**\n";
    /// assert_eq!(COPILOT_CLI.title_of(text).as_deref(), Some("Parser fixed"));
    /// let text = "<next_steps>\nShip it.\n</next_steps>\n<checkpoint_title>Parser fixed</checkpoint_title>";
    /// assert_eq!(COPILOT_CLI.title_of(text).as_deref(), Some("Parser fixed"));
    /// assert_eq!(EIGHT.title_of(text), None);
    /// ```
    pub fn title_of(&self, text: &str) -> Option<String> {
        let title = self.title.as_deref()?;
        let mut lines =
            text.lines().skip_while(|line| self.opens(line).is_none_or(|(section, _)| section.name != title));
        let (_, same_line) = self.opens(lines.next()?)?;
        let line = if same_line.is_empty() { lines.find(|line| !line.trim().is_empty())? } else { same_line };
        let bare = line.trim_matches(|c: char| c.is_whitespace() || "#*_`\"'.-".contains(c));
        let is_title = self.opens(line).is_none() && !self.is_bare_tag(line) && !bare.is_empty();
        is_title.then(|| bare.chars().take(TITLE).collect())
    }

    /// Returns the section that a line opens, and the rest of the line. A section opens with its element, a Markdown
    /// heading, a number, emphasis around the name, or a colon after it, whichever markup was requested.
    ///
    /// ```
    /// use espalier::compact::form::{EIGHT, GEMINI_CLI};
    /// let (section, rest) = EIGHT.opens("**8. Continuation Plan**: run the tests").unwrap();
    /// assert_eq!((section.name.as_ref(), rest), ("Continuation Plan", "run the tests"));
    /// assert!(EIGHT.opens("The Continuation Plan is clear.").is_none());
    /// assert!(EIGHT.opens("## Continuation Plan（后续计划）").is_some());
    /// let (section, rest) = GEMINI_CLI.opens("  <overall_goal>Ship it.</overall_goal>").unwrap();
    /// assert_eq!((section.name.as_ref(), rest), ("Overall Goal", "Ship it."));
    /// ```
    pub fn opens<'t>(&self, line: &'t str) -> Option<(&Section, &'t str)> {
        if let Some((name, rest)) = opening(line) {
            let section = self.sections.iter().find(|section| section.is_element(name))?;
            let end = rest.rfind("</").filter(|at| is_end_of(&rest[*at..], name));
            return Some((section, rest[..end.unwrap_or(rest.len())].trim()));
        }
        let is_mark = |c: char| c.is_whitespace() || c.is_ascii_digit() || "#*.:)(-_．：、（）".contains(c);
        let bare = line.trim_start_matches(is_mark);
        self.sections.iter().find_map(|section| {
            let head = bare.get(..section.name.len())?;
            if !head.eq_ignore_ascii_case(&section.name) {
                return None;
            }
            // Models that write another language translate the name in brackets.
            let rest = without_note(&bare[section.name.len()..]);
            let inner = rest.trim_start_matches(|c: char| c.is_whitespace() || "#*_:)-：）".contains(c));
            // A sentence that begins with the name continues without a mark.
            let is_heading = inner.is_empty() || rest.trim_start_matches(['*', '_', ' ']).starts_with([':', '：']);
            is_heading.then_some((section, inner))
        })
    }

    /// Returns the text with every section element on a line of its own.
    pub fn apart(&self, text: &str) -> String {
        let mut out = text.to_string();
        for section in self.sections.iter().filter(|_| self.markup == Markup::Elements) {
            let element = section.element();
            if out.contains(&format!("><{element}>")) {
                out = out.replace(&format!("><{element}>"), &format!(">\n<{element}>"));
            }
        }
        out
    }

    /// True for a line that only ends a section, or only begins or ends the record.
    pub fn is_bare_tag(&self, line: &str) -> bool {
        let line = line.trim();
        let inner = line.strip_prefix('<').and_then(|line| line.strip_suffix('>')).map(|inner| inner.trim());
        let Some(inner) = inner else { return false };
        match inner.strip_prefix('/') {
            Some(name) => *name == self.tag || self.sections.iter().any(|section| section.is_element(name.trim())),
            None => inner == self.tag,
        }
    }

    /// True if a text has at least half of the sections.
    pub fn has_half(&self, text: &str) -> bool {
        let mut there: Vec<&str> = text.lines().filter_map(|line| self.opens(line)).map(|(s, _)| &*s.name).collect();
        crate::rank::sort_by(&mut there, |one, other| one.cmp(other));
        there.dedup();
        there.len() * 2 >= self.sections.len()
    }

    /// Returns the faulty field of a host's form and the reason; `None` if the form is valid.
    pub fn fault(&self) -> Option<(&'static str, &'static str)> {
        let is_name = |tag: &str| {
            let is_first = |c: char| c.is_ascii_alphabetic() || c == '_';
            let is_other = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
            tag.starts_with(is_first) && tag.chars().all(is_other) && tag.len() <= MAX_NAME
        };
        if !is_name(&self.tag) || self.tag != SUMMARY && escape::is_own(&self.tag) {
            return Some(("tag", "the name of an element that records do not use themselves"));
        }
        if !is_name(&self.scratch) || self.scratch == self.tag || escape::is_own(&self.scratch) {
            return Some(("scratch", "the name of an element that records do not use themselves, and not the tag"));
        }
        if self.sections.is_empty() || self.sections.len() > MAX_SECTIONS {
            return Some(("sections", "1 to 40 sections"));
        }
        let is_plain = |name: &str| {
            let is_word =
                |c: char| c.is_alphanumeric() || c.is_ascii_punctuation() && !"<>&\"'".contains(c) || c == ' ';
            name.trim() == name && name.starts_with(char::is_alphabetic) && name.chars().all(is_word)
        };
        let mut elements: Vec<String> = Vec::new();
        for section in self.sections.iter() {
            let element = section.element();
            let is_free = !elements.contains(&element) && element != self.tag && !escape::is_own(&element);
            if !is_plain(&section.name) || section.name.len() > MAX_NAME || !is_free {
                return Some(("sections", "names of up to 80 bytes that begin with a letter, each once"));
            }
            elements.push(element);
        }
        let title = self.title.as_deref();
        (title.is_some_and(|title| self.sections.iter().all(|section| section.name != title)))
            .then_some(("title", "the name of a section"))
    }
}

/// Returns the element's name and the rest of a line that begins with an opening tag.
fn opening(line: &str) -> Option<(&str, &str)> {
    let (tag, rest) = line.trim_start().strip_prefix('<')?.split_once('>')?;
    let name = tag.split(char::is_whitespace).next().filter(|name| name.starts_with(char::is_alphabetic))?;
    Some((name, rest))
}

/// True if a text is only the closing tag of an element.
fn is_end_of(text: &str, name: &str) -> bool {
    let inner = text.trim().strip_prefix("</").and_then(|text| text.strip_suffix('>'));
    inner.is_some_and(|inner| inner.trim().eq_ignore_ascii_case(name))
}

/// Returns a record of elements as one of headings: `<key_knowledge>` becomes `## Key knowledge`. Any other text is
/// returned unchanged.
///
/// ```
/// use espalier::compact::form::headed;
/// let snapshot = "<state_snapshot>\n<overall_goal>\nShip it.\n</overall_goal>\n</state_snapshot>";
/// assert_eq!(headed(snapshot), "## Overall goal\nShip it.");
/// assert_eq!(headed("Ship <b>it</b>."), "Ship <b>it</b>.");
/// ```
pub fn headed(text: &str) -> String {
    let whole = text.trim();
    let inner = opening(whole).and_then(|(name, rest)| {
        let end = rest.rfind("</").filter(|at| is_end_of(&rest[*at..], name))?;
        Some(rest[..end].trim()).filter(|inner| inner.starts_with('<'))
    });
    sections(inner.unwrap_or(whole)).or_else(|| sections(whole)).unwrap_or_else(|| text.to_string())
}

/// Returns the elements of a text under headings; `None` if it does not consist of elements alone.
fn sections(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (name, behind) = opening(rest)?;
        let close = format!("</{name}>");
        let end = behind.find(close.as_str())?;
        let mut words = name.replace(['_', '-'], " ");
        words.get_mut(..1)?.make_ascii_uppercase();
        let gap = if out.is_empty() { "" } else { "\n\n" };
        out.push_str(&format!("{gap}## {words}\n{}", behind[..end].trim()));
        rest = behind[end + close.len()..].trim_start();
    }
    (!out.is_empty()).then_some(out)
}

/// Returns the text behind a note in brackets.
fn without_note(text: &str) -> &str {
    let inner = text.trim_start().strip_prefix(['(', '（']);
    inner.and_then(|inner| inner.split_once([')', '）'])).map_or(text, |(_, rest)| rest)
}
