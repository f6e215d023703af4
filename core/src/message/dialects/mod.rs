//! Tool dialects: which calls of each agent read, write, edit, run, plan, ask and delegate, as data.
//!
//! In: the name of a tool and its arguments. Out: the [`Row`] that describes the call, and the dialects that have such
//! a call. One text file describes one agent; `any.txt` has the words by which unknown tools are classified. Each line
//! is one fact:
//!
//! ```text
//! names NAME LAYOUT…                     the dialect, and the session layouts that use it
//! KIND TOOL[,TOOL] [ARG=VALUE] [!ARG] ROLE:ARG[,ARG]…    a call, conditions on its arguments, what they hold
//! number | wrap | lead | cut | find | fail | stop PATTERN       how results look, see `super::tool_output`
//! ```
//!
//! Start reading at [`find`].

pub mod inline;
pub mod pattern;

use std::sync::OnceLock;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::tool_map::ToolKind;
use crate::map::HashMap;
use pattern::Pattern;

/// `any` first; then the order that decides if a call matches several dialects.
const FILES: [&str; 15] = [
    include_str!("any.txt"),
    include_str!("claude-code.txt"),
    include_str!("codex.txt"),
    include_str!("gemini-cli.txt"),
    include_str!("copilot-cli.txt"),
    include_str!("vscode-chat.txt"),
    include_str!("cline.txt"),
    include_str!("pi.txt"),
    include_str!("opencode.txt"),
    include_str!("openhands.txt"),
    include_str!("swe-agent.txt"),
    include_str!("aider.txt"),
    include_str!("cursor.txt"),
    include_str!("zed.txt"),
    include_str!("goose.txt"),
];

/// The role of an argument in a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Paths: a text, a list of texts, or objects that contain a path.
    Path,
    /// The former path of a moved file.
    Source,
    Command,
    Cwd,
    /// The whole text of a file.
    Content,
    /// Text that the call replaces.
    Old,
    /// Text that the call inserts.
    New,
    /// A list of objects with old and new texts.
    Edits,
    /// A patch or a diff.
    Patch,
    /// First line, from 1.
    From,
    /// First line, from 0; the last line is then also counted from 0.
    Zero,
    /// Last line.
    To,
    /// Number of lines.
    Count,
    /// A pair of first and last line.
    Range,
    /// The line after which text is inserted.
    Line,
    /// The line before which text is inserted; 0 means the end of the file.
    Before,
    /// True if every occurrence of the old text is replaced.
    All,
    /// Items of a plan.
    Items,
    /// A question, or the task of a sub-agent.
    Ask,
}

/// The words of the tables, in the order of [`Role`].
const ROLES: [(&str, Role); 19] = [
    ("path", Role::Path),
    ("source", Role::Source),
    ("command", Role::Command),
    ("cwd", Role::Cwd),
    ("content", Role::Content),
    ("old", Role::Old),
    ("new", Role::New),
    ("edits", Role::Edits),
    ("patch", Role::Patch),
    ("from", Role::From),
    ("zero", Role::Zero),
    ("to", Role::To),
    ("count", Role::Count),
    ("range", Role::Range),
    ("line", Role::Line),
    ("before", Role::Before),
    ("all", Role::All),
    ("items", Role::Items),
    ("ask", Role::Ask),
];

const KINDS: [(&str, ToolKind); 11] = [
    ("read", ToolKind::Read),
    ("write", ToolKind::Write),
    ("edit", ToolKind::Edit),
    ("delete", ToolKind::Delete),
    ("search", ToolKind::Search),
    ("shell", ToolKind::Shell),
    ("todo", ToolKind::Todo),
    ("ask", ToolKind::Ask),
    ("web", ToolKind::Web),
    ("delegate", ToolKind::Delegate),
    ("other", ToolKind::Other),
];

/// A condition on the arguments of a call.
#[derive(Debug, PartialEq, Eq)]
enum When {
    Is(&'static str, &'static str),
    Absent(&'static str),
}

/// One call of one agent.
#[derive(Debug, PartialEq, Eq)]
pub struct Row {
    pub kind: ToolKind,
    when: Vec<When>,
    roles: Vec<(Role, &'static str)>,
    /// Number of the dialect.
    dialect: u8,
}

impl Row {
    /// Returns the names of the arguments with this role, in the order of the table.
    pub fn arguments(&self, role: Role) -> impl Iterator<Item = &'static str> {
        self.roles.iter().filter(move |(of, _)| *of == role).map(|(_, name)| *name)
    }

    /// Returns how well the arguments match; `None` if a condition is not met.
    fn fit(&self, fields: &Map<String, Value>) -> Option<usize> {
        let is_met = |when: &When| match when {
            When::Is(name, value) => fields.get(*name).and_then(Value::as_str) == Some(value),
            When::Absent(name) => fields.get(*name).is_none_or(Value::is_null),
        };
        let present = self.roles.iter().filter(|(_, name)| fields.contains_key(*name)).count();
        self.when.iter().all(is_met).then_some(present + 4 * self.when.len())
    }
}

/// The meaning of a line in a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Says {
    /// A numbered line of a file.
    Number,
    /// A line by the tool around the content.
    Wrap,
    /// A line by the tool, with a blank line after it.
    Lead,
    /// Content is missing here.
    Cut,
    /// Content is missing in the middle of a line.
    Find,
    /// The result begins with it if the call failed.
    Fail,
    /// Everything from here on is by the tool.
    Stop,
}

const SAYS: [(&str, Says); 7] = [
    ("number", Says::Number),
    ("wrap", Says::Wrap),
    ("lead", Says::Lead),
    ("cut", Says::Cut),
    ("find", Says::Find),
    ("fail", Says::Fail),
    ("stop", Says::Stop),
];

/// A set of dialects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dialects(u32);

impl Dialects {
    /// All dialects, for an unknown agent.
    pub const ALL: Dialects = Dialects(u32::MAX);

    pub fn has(self, dialect: Dialect) -> bool {
        self.0 >> dialect.0 & 1 == 1
    }
}

/// The dialect of one agent.
///
/// ```
/// use espalier::message::dialects::Dialect;
/// assert_eq!(Dialect::named("qwen-code"), Dialect::named("gemini-cli"));
/// assert_eq!(Dialect::named("morse"), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Dialect(u8);

impl Dialect {
    /// Returns the dialect with this name, or the one of the session layout with this name.
    pub fn named(name: &str) -> Option<Dialect> {
        let at = tables().names.iter().position(|names| names.contains(&name))?;
        u8::try_from(at).ok().map(Dialect)
    }

    /// Returns the names of all dialects.
    pub fn names() -> impl Iterator<Item = &'static str> {
        tables().names.iter().filter_map(|names| names.first().copied())
    }

    /// Returns the set with only this dialect.
    pub fn alone(self) -> Dialects {
        Dialects(1 << self.0)
    }
}

impl TryFrom<String> for Dialect {
    type Error = String;

    fn try_from(name: String) -> Result<Dialect, String> {
        let known = || Dialect::names().collect::<Vec<_>>().join(", ");
        Dialect::named(&name).ok_or_else(|| format!("unknown dialect; it must be one of {}", known()))
    }
}

/// The words by which unknown tools are classified.
#[derive(Debug, Default)]
pub struct Usual {
    roles: Vec<(Role, &'static str)>,
    /// Words in tool names, in the order in which they are tried.
    pub words: Vec<(ToolKind, Vec<&'static str>)>,
    /// Values of `command` in editors with sub-commands.
    pub verbs: Vec<(ToolKind, Vec<&'static str>)>,
    /// Words in the names of tools whose results are state and not output.
    pub state: Vec<&'static str>,
    /// Fields of a plan's item that hold its text, and the states that mean done and started.
    pub item: Vec<&'static str>,
    pub done: Vec<&'static str>,
    pub started: Vec<&'static str>,
    /// Texts before an exit status, in lower case.
    pub exit: Vec<&'static str>,
}

impl Usual {
    /// Returns the usual names of arguments with this role.
    pub fn arguments(&self, role: Role) -> impl Iterator<Item = &'static str> {
        self.roles.iter().filter(move |(of, _)| *of == role).map(|(_, name)| *name)
    }
}

#[derive(Default)]
struct Tables {
    names: Vec<Vec<&'static str>>,
    tools: HashMap<&'static str, Vec<Row>>,
    usual: Usual,
    /// By meaning: every line of a result is compared with those of one.
    results: [Vec<(u8, Pattern)>; SAYS.len()],
}

fn tables() -> &'static Tables {
    static TABLES: OnceLock<Tables> = OnceLock::new();
    TABLES.get_or_init(|| {
        let mut tables = Tables::default();
        for (number, file) in (0u8..).zip(FILES) {
            for line in file.lines() {
                let has_meaning = tables.take(number, line).is_some();
                debug_assert!(has_meaning, "dialect {number}: {line:?}");
            }
            // The first table belongs to no agent.
            tables.names.resize_with(usize::from(number) + 1, Vec::new);
        }
        tables
    })
}

fn known<T: Copy>(all: &[(&str, T)], word: &str) -> Option<T> {
    all.iter().find(|(name, _)| *name == word).map(|(_, value)| *value)
}

/// Adds `role:name,name` to a list.
fn role(word: &'static str, out: &mut Vec<(Role, &'static str)>) -> Option<()> {
    let (role, names) = word.split_once(':')?;
    let role = known(&ROLES, role)?;
    out.extend(names.split(',').map(|name| (role, name)));
    Some(())
}

impl Tables {
    /// Reads one line; `None` if it has no meaning.
    fn take(&mut self, dialect: u8, line: &'static str) -> Option<()> {
        let (word, rest) = line.split_once(' ')?;
        let mut words = rest.split(' ');
        let usual = &mut self.usual;
        match word {
            "names" => self.names.push(words.collect()),
            "usual" => return words.try_for_each(|word| role(word, &mut usual.roles)),
            "word" => usual.words.push((known(&KINDS, words.next()?)?, words.collect())),
            "verb" => usual.verbs.push((known(&KINDS, words.next()?)?, words.collect())),
            "state" => usual.state.extend(words),
            "item" => usual.item.extend(words),
            "done" => usual.done.extend(words),
            "started" => usual.started.extend(words),
            "exit" => usual.exit.push(rest),
            _ => match (known(&SAYS, word), known(&KINDS, word)) {
                (Some(says), _) => self.results[says as usize].push((dialect, Pattern(rest))),
                (None, kind) => return self.tool(dialect, kind?, words),
            },
        }
        Some(())
    }

    fn tool(&mut self, dialect: u8, kind: ToolKind, mut words: std::str::Split<'static, char>) -> Option<()> {
        let names = words.next()?;
        let (mut when, mut roles) = (Vec::new(), Vec::new());
        for word in words {
            if let Some(name) = word.strip_prefix('!') {
                when.push(When::Absent(name));
            } else if let Some((name, value)) = word.split_once('=') {
                when.push(When::Is(name, value));
            } else {
                role(word, &mut roles)?;
            }
        }
        for name in names.split(',') {
            let (when, roles) = (when.iter().map(When::again).collect(), roles.clone());
            self.tools.entry(name).or_default().push(Row { kind, when, roles, dialect });
        }
        Some(())
    }
}

impl When {
    fn again(&self) -> When {
        match *self {
            When::Is(name, value) => When::Is(name, value),
            When::Absent(name) => When::Absent(name),
        }
    }
}

/// Returns the words by which unknown tools are classified.
pub fn usual() -> &'static Usual {
    &tables().usual
}

/// Returns the patterns of results with the meaning `says`, in these dialects and in the general table.
pub fn results(says: Says, dialects: Dialects) -> impl Iterator<Item = Pattern> {
    let of = move |dialect: u8| dialect == 0 || dialects.has(Dialect(dialect));
    tables().results[says as usize].iter().filter(move |(dialect, _)| of(*dialect)).map(|(_, pattern)| *pattern)
}

/// A call that tables describe.
#[derive(Debug, Clone, Copy)]
pub struct Found {
    pub row: &'static Row,
    /// The dialects to which it may belong.
    pub dialects: Dialects,
    /// False if agents whose rows match equally well disagree on its kind.
    pub is_agreed: bool,
    /// True if it has at least one of the arguments that the row names.
    pub has_arguments: bool,
}

/// Returns the row that matches a call of `name` best. Among equal matches the first table decides.
pub fn find(name: &str, fields: &Map<String, Value>, dialect: Option<Dialect>) -> Option<Found> {
    let is_asked = |row: &&Row| dialect.is_none_or(|dialect| dialect.0 == row.dialect);
    let rows = tables().tools.get(name)?.iter().filter(is_asked);
    let mut best: Option<(usize, Found)> = None;
    for row in rows {
        let Some(fit) = row.fit(fields) else { continue };
        match &mut best {
            Some((most, found)) if *most == fit => {
                found.dialects.0 |= 1 << row.dialect;
                found.is_agreed &= found.row.kind == row.kind;
            }
            Some((most, _)) if *most > fit => {}
            best => {
                let dialects = Dialects(1 << row.dialect);
                *best = Some((fit, Found { row, dialects, is_agreed: true, has_arguments: fit > 0 }));
            }
        }
    }
    // A known name with arguments that no agent uses may belong to any host.
    let is_known = |found: &Found| found.has_arguments || fields.is_empty() || found.row.roles.is_empty();
    best.map(|(_, found)| found).filter(|found| dialect.is_some() || is_known(found))
}

/// Returns every tool that a dialect names, with its kind.
pub fn tools(dialect: Dialect) -> Vec<(&'static str, ToolKind)> {
    let rows = tables().tools.iter().flat_map(|(name, rows)| rows.iter().map(move |row| (*name, row)));
    let mut tools: Vec<_> =
        rows.filter(|(_, row)| row.dialect == dialect.0).map(|(name, row)| (name, row.kind)).collect();
    crate::rank::sort_by(&mut tools, |one, other| (one.0, one.1 as u8).cmp(&(other.0, other.1 as u8)));
    tools.dedup();
    tools
}
