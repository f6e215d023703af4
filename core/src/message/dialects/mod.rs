//! Tool dialects: which calls of each agent read, write, edit, run, plan, ask and delegate, as data.
//!
//! In: the name of a tool and its arguments. Out: the [`Row`] that describes the call, and the dialects that have such a
//! call. One text file holds one agent; `any.txt` holds what unknown tools are classified by. Each line is one fact:
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

/// `any` first; then the order in which a call that fits several dialects is resolved.
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

/// What an argument of a call holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Paths: a text, a list of texts, or objects with a path in them.
    Path,
    /// The path that a file is moved from.
    Source,
    Command,
    Cwd,
    /// The whole text of a file.
    Content,
    /// Text that is replaced.
    Old,
    /// Text that is put in.
    New,
    /// A list of objects with old and new texts.
    Edits,
    /// A patch or a diff.
    Patch,
    /// First line, from 1.
    From,
    /// First line, from 0; the last line then counts from 0, too.
    Zero,
    /// Last line.
    To,
    /// Number of lines.
    Count,
    /// A pair of first and last line.
    Range,
    /// The line behind which text is inserted.
    Line,
    /// The line before which text is inserted; 0 is the end of the file.
    Before,
    /// The replacement is made wherever the old text occurs.
    All,
    /// Items of a plan.
    Items,
    /// A question, or the task of a sub-agent.
    Ask,
}

/// As the tables write them, in the order of [`Role`].
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
    /// Names of the arguments that hold `role`, in the order of the table.
    pub fn arguments(&self, role: Role) -> impl Iterator<Item = &'static str> {
        self.roles.iter().filter(move |(of, _)| *of == role).map(|(_, name)| *name)
    }

    /// How well the arguments fit; none if a condition is not met.
    fn fit(&self, fields: &Map<String, Value>) -> Option<usize> {
        let is_met = |when: &When| match when {
            When::Is(name, value) => fields.get(*name).and_then(Value::as_str) == Some(value),
            When::Absent(name) => fields.get(*name).is_none_or(Value::is_null),
        };
        let present = self.roles.iter().filter(|(_, name)| fields.contains_key(*name)).count();
        self.when.iter().all(is_met).then_some(present + 4 * self.when.len())
    }
}

/// What a line of a result says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Says {
    /// A line of a file behind its number.
    Number,
    /// A line of the tool around the content.
    Wrap,
    /// The same, with a blank line behind it.
    Lead,
    /// Something is missing here.
    Cut,
    /// The same, in the middle of a line.
    Find,
    /// The result begins so if the call failed.
    Fail,
    /// From here on the tool speaks.
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
    /// Every dialect: nothing is known.
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
    /// The dialect of that name, or that the session layout of that name uses.
    pub fn named(name: &str) -> Option<Dialect> {
        let at = tables().names.iter().position(|names| names.contains(&name))?;
        u8::try_from(at).ok().map(Dialect)
    }

    /// Names of all dialects.
    pub fn names() -> impl Iterator<Item = &'static str> {
        tables().names.iter().filter_map(|names| names.first().copied())
    }

    /// The set of this one.
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

/// What unknown tools are classified by.
#[derive(Debug, Default)]
pub struct Usual {
    roles: Vec<(Role, &'static str)>,
    /// Words in names, in the order in which they are tried.
    pub words: Vec<(ToolKind, Vec<&'static str>)>,
    /// What editors with sub-commands have in `command`.
    pub verbs: Vec<(ToolKind, Vec<&'static str>)>,
    /// Words in the names of tools whose results are state rather than output.
    pub state: Vec<&'static str>,
    /// Where the text of a plan's item is, and which states are done or started.
    pub item: Vec<&'static str>,
    pub done: Vec<&'static str>,
    pub started: Vec<&'static str>,
    /// What stands before an exit status, in lower case.
    pub exit: Vec<&'static str>,
}

impl Usual {
    /// The usual names of arguments that hold `role`.
    pub fn arguments(&self, role: Role) -> impl Iterator<Item = &'static str> {
        self.roles.iter().filter(move |(of, _)| *of == role).map(|(_, name)| *name)
    }
}

#[derive(Default)]
struct Tables {
    names: Vec<Vec<&'static str>>,
    tools: HashMap<&'static str, Vec<Row>>,
    usual: Usual,
    results: Vec<(u8, Says, Pattern)>,
}

fn tables() -> &'static Tables {
    static TABLES: OnceLock<Tables> = OnceLock::new();
    TABLES.get_or_init(|| {
        let mut tables = Tables::default();
        for (number, file) in (0u8..).zip(FILES) {
            for line in file.lines() {
                // A line that says nothing is a mistake, which a test looks for.
                let _ = tables.take(number, line);
            }
            // The first table is of no agent.
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
    /// Takes in one line; none if it is not one.
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
                (Some(says), _) => self.results.push((dialect, says, Pattern(rest))),
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

/// What unknown tools are classified by.
pub fn usual() -> &'static Usual {
    &tables().usual
}

/// The patterns of results that say `says`, in these dialects; those of no agent always.
pub fn results(says: Says, dialects: Dialects) -> impl Iterator<Item = Pattern> {
    let of = move |dialect: u8| dialect == 0 || dialects.has(Dialect(dialect));
    tables().results.iter().filter(move |(dialect, is, _)| *is == says && of(*dialect)).map(|(_, _, pattern)| *pattern)
}

/// A call that tables describe.
#[derive(Debug, Clone, Copy)]
pub struct Found {
    pub row: &'static Row,
    /// Whose it may be.
    pub dialects: Dialects,
    /// False where agents that it fits equally well disagree on what it does.
    pub is_agreed: bool,
    /// False if it has none of the arguments that the row names.
    pub has_arguments: bool,
}

/// The row that fits a call of `name` best. In equal cases the first table decides.
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
    // A name alone, with arguments that none of the agents knows, may be any host's.
    let is_known = |found: &Found| found.has_arguments || fields.is_empty() || found.row.roles.is_empty();
    best.map(|(_, found)| found).filter(|found| dialect.is_some() || is_known(found))
}

/// Lines of the tables that say nothing, with their file: mistakes.
pub fn mistakes() -> Vec<(usize, &'static str)> {
    let mut tables = Tables::default();
    let lines = FILES.iter().enumerate().flat_map(|(at, file)| file.lines().map(move |line| (at, line)));
    lines.filter(|(_, line)| tables.take(0, line).is_none()).collect()
}

/// Every tool that a dialect names, with what it does.
pub fn tools(dialect: Dialect) -> Vec<(&'static str, ToolKind)> {
    let rows = tables().tools.iter().flat_map(|(name, rows)| rows.iter().map(move |row| (*name, row)));
    let mut tools: Vec<_> =
        rows.filter(|(_, row)| row.dialect == dialect.0).map(|(name, row)| (name, row.kind)).collect();
    tools.sort_by_key(|(name, kind)| (*name, *kind as u8));
    tools.dedup();
    tools
}
