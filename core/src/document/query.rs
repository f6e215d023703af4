//! Structure queries: which nodes of a syntax tree make up the structure of a document.
//!
//! The syntax is the part of tree-sitter's query syntax that describes a node and its descendants:
//!
//! ```text
//! (comment) @comment                                   a node of a kind; what is captured becomes a node of the overlay
//! [(if_statement) (for_statement)] @statement          one of several
//! (interface_declaration (_ (method_signature) @m))    children, at any place but in order; `(_)` any named node, `_` any
//! (for_statement condition: (_) @c.exclude_captures)   a child in a field; nothing of that very range is captured at all
//! (call !arguments) "async"                            a field that is missing; a token
//! (object (pair) @member.lines)                        nothing is captured of a node that ends in its first line
//! ```
//!
//! Quantifiers, anchors, groups and predicates are refused. Matching takes time linear in the tree, since a pattern
//! looks only at a node and the descendants that it names.

use super::syntax::{Kinds, NONE, NodeIndex, SyntaxTree};
use crate::error::{Code, Error, Result};

/// The suffix of a capture that removes its range from the overlay.
const EXCLUDE: &str = ".exclude_captures";
/// The suffix of a capture of nodes of several lines. Elements of a list that share a line are kept or left out
/// together, so a node for each is of no use, and a table can have a million of them.
const LINES: &str = ".lines";
/// The maximum depth of a pattern, to which matching recurses.
const MOST_DEPTH: usize = 32;

/// A parsed query that is not yet bound to a grammar.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    patterns: Vec<Pattern>,
    /// The names of captures in the order of their first occurrence.
    captures: Vec<Capture>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Capture {
    name: Box<str>,
    flags: Flags,
}

/// What the suffix of a capture says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Flags {
    excludes: bool,
    lines: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Pattern {
    matches: Matches,
    captures: Vec<u32>,
    /// The field that the node must be in.
    field: Option<Box<str>>,
    /// The fields that must be missing.
    without: Vec<Box<str>>,
    children: Vec<Pattern>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Matches {
    /// `_`
    Any,
    /// `(_)`
    Named,
    /// A kind, named or anonymous.
    Kind(Box<str>, bool),
    /// `[…]`
    OneOf(Vec<Pattern>),
}

impl Query {
    /// Parses a query.
    ///
    /// ```
    /// use espalier::document::query::Query;
    /// assert!(Query::parse("(function_definition body: (_) @body) @function").is_ok());
    /// assert!(Query::parse("(function_definition").unwrap_err().message.contains("line 1"));
    /// ```
    ///
    /// # Errors
    /// [`Code::BadQuery`] with the line and the column of the error.
    pub fn parse(text: &str) -> Result<Query> {
        let mut reader = Reader { text, at: 0, query: Query::default(), depth: 0 };
        loop {
            reader.blank();
            if reader.at == text.len() {
                return Ok(reader.query);
            }
            let pattern = reader.pattern()?;
            reader.query.patterns.push(pattern);
        }
    }

    /// Adds a pattern for each of `kinds`, captured as `capture`.
    pub(super) fn capture_kinds<'k>(&mut self, capture: &str, kinds: impl IntoIterator<Item = &'k str>) {
        let capture = self.capture(capture);
        self.patterns.extend(kinds.into_iter().map(|kind| Pattern {
            matches: Matches::Kind(kind.into(), true),
            captures: vec![capture],
            field: None,
            without: Vec::new(),
            children: Vec::new(),
        }));
    }

    fn capture(&mut self, name: &str) -> u32 {
        if let Some(at) = self.captures.iter().position(|capture| &*capture.name == name) {
            return at as u32;
        }
        let flags = Flags { excludes: name.ends_with(EXCLUDE), lines: name.ends_with(LINES) };
        self.captures.push(Capture { name: name.into(), flags });
        self.captures.len() as u32 - 1
    }
}

// ---------------------------------------------------------------- reading

struct Reader<'q> {
    text: &'q str,
    at: usize,
    query: Query,
    depth: usize,
}

impl Reader<'_> {
    fn fail<T>(&self, what: &str) -> Result<T> {
        let before = &self.text[..self.at];
        let line = before.matches('\n').count() + 1;
        let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1) + 1;
        Err(Error::new(Code::BadQuery, format!("{what}, in line {line}, column {column} of the query")))
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    /// Skips blanks and comments.
    fn blank(&mut self) {
        loop {
            let rest = self.text[self.at..].trim_start();
            self.at = self.text.len() - rest.len();
            if !rest.starts_with(';') {
                return;
            }
            self.at += rest.find('\n').unwrap_or(rest.len());
        }
    }

    fn name(&mut self) -> &str {
        let rest = &self.text[self.at..];
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        let len = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        self.at += len;
        &rest[..len]
    }

    fn pattern(&mut self) -> Result<Pattern> {
        if self.depth == MOST_DEPTH {
            return self.fail("patterns are nested too deeply");
        }
        self.depth += 1;
        let mut pattern = self.bare()?;
        self.depth -= 1;
        loop {
            self.blank();
            match self.peek() {
                Some('@') => {
                    self.at += 1;
                    let name = self.name().to_string();
                    if name.is_empty() {
                        return self.fail("a capture needs a name");
                    }
                    let capture = self.query.capture(&name);
                    pattern.captures.push(capture);
                }
                Some('*' | '+' | '?') => return self.fail("quantifiers are not supported"),
                Some('.') => return self.fail("anchors are not supported"),
                _ => return Ok(pattern),
            }
        }
    }

    fn bare(&mut self) -> Result<Pattern> {
        let mut pattern = Pattern {
            matches: Matches::Any,
            captures: Vec::new(),
            field: None,
            without: Vec::new(),
            children: Vec::new(),
        };
        if self.take('"') {
            pattern.matches = Matches::Kind(self.token()?, false);
        } else if self.take('[') {
            let mut several = Vec::new();
            loop {
                self.blank();
                if self.take(']') {
                    break;
                }
                several.push(self.pattern()?);
            }
            pattern.matches = Matches::OneOf(several);
        } else if self.take('(') {
            self.blank();
            match self.peek() {
                Some('#') => return self.fail("predicates are not supported"),
                Some('(' | '[' | '"') => return self.fail("groups are not supported"),
                _ => {}
            }
            pattern.matches = match self.name() {
                "" => return self.fail("a kind of node is missing"),
                "_" => Matches::Named,
                "MISSING" => return self.fail("MISSING is not supported"),
                kind => Matches::Kind(kind.into(), true),
            };
            loop {
                self.blank();
                if self.take(')') {
                    break;
                }
                match self.peek() {
                    None => return self.fail("`)` is missing"),
                    Some('.') => return self.fail("anchors are not supported"),
                    Some('/') => return self.fail("supertypes are not supported"),
                    Some('!') => {
                        self.at += 1;
                        let name: Box<str> = self.name().into();
                        pattern.without.push(name);
                    }
                    _ => {
                        let child = self.pattern()?;
                        pattern.children.push(child);
                    }
                }
            }
        } else {
            let name: Box<str> = self.name().into();
            if &*name == "_" {
                return Ok(pattern);
            }
            self.blank();
            if name.is_empty() || !self.take(':') {
                return self.fail("a pattern is expected here");
            }
            self.blank();
            pattern = self.pattern()?;
            if pattern.field.replace(name).is_some() {
                return self.fail("a node stands in one field only");
            }
        }
        Ok(pattern)
    }

    fn token(&mut self) -> Result<Box<str>> {
        let mut token = String::new();
        let mut characters = self.text[self.at..].char_indices();
        while let Some((at, character)) = characters.next() {
            match character {
                '"' => {
                    self.at += at + 1;
                    return Ok(token.into());
                }
                '\\' => match characters.next() {
                    Some((_, 'n')) => token.push('\n'),
                    Some((_, 't')) => token.push('\t'),
                    Some((_, other)) => token.push(other),
                    None => break,
                },
                other => token.push(other),
            }
        }
        self.fail("`\"` is missing")
    }
}

// ---------------------------------------------------------------- binding to a grammar

/// A kind that a grammar hides: a class of nodes that are distinguished by their parent.
#[derive(Debug, Clone, Copy)]
pub struct Supertype {
    /// The name of its capture.
    pub capture: &'static str,
    /// Its kinds, separated by blanks.
    pub kinds: &'static str,
    /// Where such a node counts.
    pub place: Place,
}

/// Where a node counts as one of its supertype.
#[derive(Debug, Clone, Copy)]
pub enum Place {
    /// Below nodes of these kinds.
    Under(&'static str),
    /// Below nodes of any other kind.
    NotUnder(&'static str),
}

/// A query that is bound to the kinds of a grammar.
#[derive(Debug, Default)]
pub struct Bound {
    patterns: Vec<BoundPattern>,
    supertypes: Vec<BoundSupertype>,
    /// Patterns by kind, in their order in the query.
    by_kind: Vec<Vec<Rule>>,
    /// Of each capture.
    flags: Vec<Flags>,
}

#[derive(Debug, Clone, Copy)]
enum Rule {
    Pattern(u32),
    Supertype(u32),
}

#[derive(Debug)]
struct BoundSupertype {
    capture: u32,
    /// By kind.
    parents: Vec<bool>,
    wanted: bool,
}

#[derive(Debug)]
struct BoundPattern {
    /// `None` if `named_only` decides.
    kinds: Option<Vec<u32>>,
    named_only: bool,
    one_of: Vec<BoundPattern>,
    captures: Vec<u32>,
    field: Option<u32>,
    without: Vec<u32>,
    children: Vec<BoundPattern>,
    /// Whether the pattern names a kind or field that this grammar does not have.
    never: bool,
}

/// How names are treated that the grammar does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unknown {
    /// The pattern never matches. For our own queries, which serve several versions of a grammar.
    Never,
    /// An error. For queries of the host.
    Refused,
}

impl Query {
    /// Binds the query to a grammar.
    ///
    /// # Errors
    /// [`Code::BadQuery`] if the query names a kind or field that the grammar does not have and `unknown` refuses that.
    pub fn bind(&self, kinds: &Kinds, supertypes: &[Supertype], unknown: Unknown) -> Result<Bound> {
        let mut bound = Bound {
            flags: self.captures.iter().map(|capture| capture.flags).collect(),
            by_kind: vec![Vec::new(); kinds.len()],
            ..Bound::default()
        };
        for pattern in &self.patterns {
            let pattern = bind(pattern, kinds, unknown)?;
            let number = bound.patterns.len() as u32;
            let mut roots = vec![false; kinds.len()];
            pattern.roots(kinds, &mut roots);
            let rules = bound.by_kind.iter_mut().zip(roots).filter(|(_, root)| *root);
            rules.for_each(|(rules, _)| rules.push(Rule::Pattern(number)));
            bound.patterns.push(pattern);
        }
        let mut names: Vec<&str> = self.captures.iter().map(|capture| &*capture.name).collect();
        for supertype in supertypes {
            let known = names.iter().position(|name| *name == supertype.capture);
            let capture = known.unwrap_or_else(|| {
                names.push(supertype.capture);
                bound.flags.push(Flags::default());
                names.len() - 1
            }) as u32;
            let (parents, wanted) = match supertype.place {
                Place::Under(parents) => (parents, true),
                Place::NotUnder(parents) => (parents, false),
            };
            // Words are kinds, signs are tokens.
            let find = |names: &str| -> Vec<u32> {
                let named = |name: &str| name.starts_with(|c: char| c.is_alphabetic() || c == '_');
                names.split_whitespace().flat_map(|name| kinds.find(name, named(name))).copied().collect()
            };
            let number = bound.supertypes.len() as u32;
            for kind in find(supertype.kinds) {
                bound.by_kind[kind as usize].push(Rule::Supertype(number));
            }
            let mut under = vec![false; kinds.len()];
            find(parents).into_iter().for_each(|kind| under[kind as usize] = true);
            bound.supertypes.push(BoundSupertype { capture, parents: under, wanted });
        }
        Ok(bound)
    }
}

fn bind(pattern: &Pattern, kinds: &Kinds, unknown: Unknown) -> Result<BoundPattern> {
    let mut bound = BoundPattern {
        kinds: None,
        named_only: false,
        one_of: Vec::new(),
        captures: pattern.captures.clone(),
        field: None,
        without: Vec::new(),
        children: Vec::new(),
        never: false,
    };
    let missing = |what: &str, name: &str| match unknown {
        Unknown::Never => Ok(()),
        Unknown::Refused => Err(Error::new(Code::BadQuery, format!("the grammar has no {what} {name:?}"))),
    };
    match &pattern.matches {
        Matches::Any => {}
        Matches::Named => bound.named_only = true,
        Matches::Kind(name, named) => {
            let found = kinds.find(name, *named);
            if found.is_empty() {
                missing(if *named { "kind of node" } else { "token" }, name)?;
                bound.never = true;
            }
            bound.kinds = Some(found.to_vec());
        }
        Matches::OneOf(patterns) => {
            bound.one_of = patterns.iter().map(|pattern| bind(pattern, kinds, unknown)).collect::<Result<_>>()?;
            bound.never = bound.one_of.is_empty();
        }
    }
    for (name, required) in
        pattern.field.iter().map(|name| (name, true)).chain(pattern.without.iter().map(|name| (name, false)))
    {
        match (kinds.field(name), required) {
            (Some(field), true) => bound.field = Some(field),
            (Some(field), false) => bound.without.push(field),
            (None, required) => {
                missing("field", name)?;
                bound.never |= required;
            }
        }
    }
    bound.children = pattern.children.iter().map(|child| bind(child, kinds, unknown)).collect::<Result<_>>()?;
    Ok(bound)
}

impl BoundPattern {
    /// Returns the kinds of nodes that a pattern can match.
    fn roots(&self, kinds: &Kinds, roots: &mut [bool]) {
        match &self.kinds {
            Some(kinds) => kinds.iter().for_each(|kind| roots[*kind as usize] = true),
            None if !self.one_of.is_empty() => self.one_of.iter().for_each(|pattern| pattern.roots(kinds, roots)),
            None if self.never => {}
            None => {
                roots.iter_mut().zip(0..).for_each(|(root, kind)| *root |= !self.named_only || kinds.is_named(kind))
            }
        }
    }
}

// ---------------------------------------------------------------- matching

/// A captured node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Captured {
    /// The node.
    pub node: NodeIndex,
    /// The index of the capture. A node that is captured under two names occurs twice.
    pub capture: u32,
    /// Whether the range is removed from the overlay.
    pub excludes: bool,
    /// Whether the node counts only if it has several lines.
    pub lines: bool,
}

impl Bound {
    /// Returns every capture of every match in preorder, each node once per name.
    pub fn run(&self, tree: &SyntaxTree, kinds: &Kinds) -> Vec<Captured> {
        let mut found = Vec::new();
        for (at, node) in tree.nodes().iter().enumerate() {
            let at = at as NodeIndex;
            for rule in self.by_kind.get(node.kind as usize).into_iter().flatten() {
                match rule {
                    Rule::Pattern(number) => {
                        let pattern = &self.patterns[*number as usize];
                        if matches(pattern, tree, kinds, at) {
                            collect(pattern, tree, kinds, at, &mut found);
                        }
                    }
                    Rule::Supertype(number) => {
                        let supertype = &self.supertypes[*number as usize];
                        let parent = tree.nodes().get(node.parent as usize).map(|node| node.kind);
                        let under = parent.is_some_and(|kind| supertype.parents.get(kind as usize) == Some(&true));
                        if under == supertype.wanted {
                            found.push((at, supertype.capture));
                        }
                    }
                }
            }
        }
        // By node, in the order of the patterns.
        crate::rank::sort(&mut found, |(node, _)| u64::from(*node));
        let mut names: Vec<u32> = Vec::new();
        let mut last = NONE;
        found.retain(|(node, capture)| {
            if std::mem::replace(&mut last, *node) != *node {
                names.clear();
            }
            let fresh = !names.contains(capture);
            names.push(*capture);
            fresh
        });
        let captured = |(node, capture): (u32, u32)| {
            let Flags { excludes, lines } = self.flags.get(capture as usize).copied().unwrap_or_default();
            Captured { node, capture, excludes, lines }
        };
        found.into_iter().map(captured).collect()
    }
}

fn matches(pattern: &BoundPattern, tree: &SyntaxTree, kinds: &Kinds, at: NodeIndex) -> bool {
    let node = tree.node(at);
    if pattern.never || pattern.field.is_some_and(|field| field != node.field) {
        return false;
    }
    if let Some(wanted) = &pattern.kinds
        && !wanted.contains(&node.kind)
    {
        return false;
    }
    if pattern.named_only && !kinds.is_named(node.kind) {
        return false;
    }
    if !pattern.one_of.is_empty() && !pattern.one_of.iter().any(|pattern| matches(pattern, tree, kinds, at)) {
        return false;
    }
    if !pattern.without.is_empty() {
        let has = |field: &u32| tree.children(at).any(|child| tree.node(child).field == *field && *field != NONE);
        if pattern.without.iter().any(has) {
            return false;
        }
    }
    // Children match in order, with others between them. The first match of each is as good as any, since it leaves
    // most for the rest.
    let mut children = tree.children(at);
    pattern.children.iter().all(|wanted| children.by_ref().any(|child| matches(wanted, tree, kinds, child)))
}

/// Adds the captures of every way in which a pattern matches at a node and below it.
fn collect(pattern: &BoundPattern, tree: &SyntaxTree, kinds: &Kinds, at: NodeIndex, found: &mut Vec<(NodeIndex, u32)>) {
    found.extend(pattern.captures.iter().map(|capture| (at, *capture)));
    for pattern in pattern.one_of.iter().filter(|pattern| matches(pattern, tree, kinds, at)) {
        collect(pattern, tree, kinds, at, found);
    }
    if pattern.children.is_empty() {
        return;
    }
    let children: Vec<NodeIndex> = tree.children(at).collect();
    // A child can match the n-th pattern if the earlier patterns match before it and the later ones behind it.
    let mut earliest = Vec::with_capacity(pattern.children.len());
    let mut from = 0;
    for wanted in &pattern.children {
        earliest.push(from);
        while from < children.len() && !matches(wanted, tree, kinds, children[from]) {
            from += 1;
        }
        from += 1;
    }
    let mut to = children.len();
    for (wanted, earliest) in pattern.children.iter().zip(earliest).rev() {
        let mut last = None;
        for place in (earliest..to).filter(|place| matches(wanted, tree, kinds, children[*place])) {
            collect(wanted, tree, kinds, children[place], found);
            last = Some(place);
        }
        to = last.unwrap_or(earliest);
    }
}
