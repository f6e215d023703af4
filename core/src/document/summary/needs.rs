//! Rows that need other rows to be read as in the document: the row that closes a bracket and the row that opens it, a
//! body without braces and its head, the later rows of a statement and the first one.
//!
//! The nodes of an overlay do not say this, since a node that is cut is one statement, and indentation says it only of
//! rows that are indented as usual. So the text is read, with as much of its lexical rules as keeps brackets in
//! comments and strings apart. A mistake costs rows that show needlessly, or room for others, nothing else.

use super::page::Page;
use crate::document::comment_syntax;

/// Which rows need which others, of the parts of a document that were read so far.
#[derive(Debug, Default)]
pub(super) struct Needs {
    /// Stretches of rows that were read.
    read: Vec<(u32, u32)>,
    /// Rows with a row that each needs, in order.
    pairs: Vec<(u32, u32)>,
    /// Rows with a parenthesis and a row of the expression in it, in order. Without any of them each row needs all.
    groups: Vec<(u32, u32)>,
}

/// How a language marks what is no code.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lexis {
    line: &'static str,
    block: (&'static str, &'static str),
    /// Whether `'` begins strings of any length.
    single: bool,
    /// Whether a `/` can begin a regular expression, and `${` continues code in backticks.
    script: bool,
    /// Whether strings in `"` go on behind the end of a line.
    long: bool,
    /// Whether a statement without a body ends with a semicolon, not with its line.
    semicolons: bool,
}

impl Lexis {
    /// Returns the rules of a language; `None` if its brackets do not come in pairs.
    pub fn of(language: &str) -> Option<Lexis> {
        let comments = comment_syntax::of(language);
        let script = matches!(language, "javascript" | "javascriptreact" | "typescript" | "typescriptreact");
        let single = script || matches!(language, "python" | "ruby" | "php");
        let long = matches!(language, "rust" | "ruby" | "php");
        let semicolons = matches!(language, "c" | "cpp" | "csharp" | "java" | "rust");
        let line = comments.line.filter(|line| *line == "//" || single)?;
        Some(Lexis { line, block: comments.block.unwrap_or(("", "")), single, script, long, semicolons })
    }
}

impl Needs {
    /// Reads a stretch of rows that begins outside of all brackets.
    pub fn read(&mut self, page: Page<'_>, lexis: Lexis, (from, to): (u32, u32)) {
        if from >= to || self.read.iter().any(|(start, end)| *start <= from && to <= *end) {
            return;
        }
        self.read.push((from, to));
        let (open, levels, tags) = (Vec::new(), vec![Level::default()], Vec::new());
        let mut reader = Reader { page, lexis, open, levels, tags, pairs: Vec::new(), groups: Vec::new() };
        reader.read(from, to);
        for (all, mut read) in [(&mut self.pairs, reader.pairs), (&mut self.groups, reader.groups)] {
            // What does not end in the stretch is not read as in the document.
            read.retain(|(row, need)| (from..to).contains(row) && (from..to).contains(need));
            crate::rank::sort(&mut read, |(row, need)| u64::from(*row) << 32 | u64::from(*need));
            read.dedup();
            // They replace those of smaller stretches in this one.
            all.splice(place(all, from)..place(all, to), read);
        }
    }

    /// Returns the rows that stretches of rows, which ascend, need beside themselves. `shows` tells which rows show
    /// already.
    pub fn missing(&self, stretches: &[(u32, u32)], shows: impl Fn(u32) -> bool) -> Vec<u32> {
        let has = |row: u32| {
            let at = stretches.partition_point(|(_, to)| *to <= row);
            stretches.get(at).is_some_and(|(from, _)| *from <= row)
        };
        let mut others: Vec<u32> = Vec::new();
        let add = |others: &mut Vec<u32>, (from, to): (u32, u32)| {
            let mut need = |row: u32| {
                if !has(row) && !others.contains(&row) {
                    others.push(row);
                }
            };
            between(&self.pairs, from, to).iter().for_each(|(_, row)| need(*row));
            for group in between(&self.groups, from, to).chunk_by(|(one, _), (other, _)| one == other) {
                if !group.iter().any(|(_, row)| has(*row) || shows(*row)) {
                    group.iter().for_each(|(_, row)| need(*row));
                }
            }
        };
        stretches.iter().for_each(|stretch| add(&mut others, *stretch));
        let mut read = 0;
        while let Some(row) = others.get(read).copied() {
            add(&mut others, (row, row + 1));
            read += 1;
        }
        others
    }

    /// Returns the rows that open and close what is around some rows, as stretches.
    pub fn around(&self, first: u32, last: u32) -> Vec<(u32, u32)> {
        // Only a row that opens something needs a later one.
        let pairs = self.pairs.iter().filter(|(open, close)| *open < first && *close > last);
        let mut rows: Vec<u32> = pairs.flat_map(|(open, close)| [*open, *close]).collect();
        crate::rank::sort(&mut rows, |row| u64::from(*row));
        rows.dedup();
        rows.into_iter().map(|row| (row, row + 1)).collect()
    }

    /// Returns the memory in bytes.
    pub fn memory(&self) -> usize {
        (self.read.len() + self.pairs.len() + self.groups.len()) * 8
    }
}

/// Returns the index of the first pair of a row or a later one.
fn place(pairs: &[(u32, u32)], row: u32) -> usize {
    pairs.partition_point(|(other, _)| *other < row)
}

/// Returns the pairs of a stretch of rows.
fn between(pairs: &[(u32, u32)], from: u32, to: u32) -> &[(u32, u32)] {
    &pairs[place(pairs, from)..place(pairs, to)]
}

/// What comes before the body of a statement like `if`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Head {
    #[default]
    None,
    /// A condition in parentheses is still to come.
    Begun,
    /// The body comes next.
    Whole,
}

/// The newest statement between two brackets.
#[derive(Debug, Clone, Copy, Default)]
struct Level {
    /// Its first row.
    first: Option<u32>,
    head: Head,
    /// Whether the brackets are parentheses around an expression, which cannot be empty.
    grouped: bool,
}

/// An element of JSX that begins a row.
#[derive(Debug, Clone, Copy)]
struct Tag {
    row: u32,
    indent: usize,
    /// The number of brackets that are open before it.
    depth: usize,
    /// Whether its opening tag goes on.
    is_open: bool,
}

struct Reader<'d> {
    page: Page<'d>,
    lexis: Lexis,
    /// Open brackets and backticks, each with its row.
    open: Vec<(u8, u32)>,
    /// One more than brackets.
    levels: Vec<Level>,
    /// Elements around a row, each indented deeper than the one before it.
    tags: Vec<Tag>,
    pairs: Vec<(u32, u32)>,
    groups: Vec<(u32, u32)>,
}

impl Reader<'_> {
    fn read(&mut self, from: u32, to: u32) {
        let byte_of =
            |row: u32| self.page.rows.get(row as usize).map_or(self.page.text.len(), |row| row.start as usize);
        let (bytes, limit) = (self.page.text.as_bytes(), byte_of(to));
        let first = |text: &str| text.as_bytes().first().copied();
        let comments = (first(self.lexis.line), first(self.lexis.block.0));
        let (mut at, mut row, mut row_end) = (byte_of(from), from, 0);
        // Whether the row has no code so far except closing brackets, and whether it has those.
        let (mut fresh, mut closed) = (true, false);
        // The last two bytes of code, and their row.
        let (mut last, mut last_row) = ([0, 0], 0);
        while let Some(byte) = bytes.get(at).copied().filter(|_| at < limit) {
            let in_text = matches!(self.open.last(), Some((b'`', _)));
            if !in_text && byte.is_ascii_whitespace() {
                at += 1;
                continue;
            }
            if at >= row_end {
                row = self.row_of(at + 1, row);
                row_end = self.page.rows.get(row as usize).map_or(usize::MAX, |row| row.end as usize);
                (fresh, closed) = (true, false);
                if self.lexis.script {
                    self.end_tag(last, last_row);
                }
            }
            if in_text {
                at += self.template(at, byte, row);
                (last, last_row, fresh) = ([0, b'`'], row, false);
                continue;
            }
            if (comments.0 == Some(byte) || comments.1 == Some(byte))
                && let Some(end) = self.comment(at)
            {
                self.pair(row, self.row_of(end, row));
                at = end;
                continue;
            }
            if let Some(kind) = opener(byte) {
                self.close(kind, row);
                closed |= fresh;
            } else if fresh {
                if self.lexis.script && byte == b'<' {
                    self.begin_tag(bytes.get(at + 1).copied().unwrap_or(0), row);
                }
                self.begin(at, row, closed, last, last_row);
                fresh = false;
            } else if let Some(level) = self.levels.last_mut()
                && (level.head == Head::Whole || matches!(byte, b'{' | b';'))
            {
                level.head = Head::None;
            }
            let end = match byte {
                b'(' | b'[' | b'{' | b'`' => {
                    self.open.push((byte, row));
                    let grouped = byte == b'(' && groups(&bytes[..at]);
                    self.levels.push(Level { grouped, ..Level::default() });
                    at + 1
                }
                b'"' | b'\'' => self.string(at, byte),
                // A macro, or a statement that goes on.
                b'\\' if !self.lexis.script && matches!(bytes.get(at + 1), Some(b'\n' | b'\r')) => {
                    self.pair(row, row + 1);
                    at + 1
                }
                b'/' if self.lexis.script => self.expression(at, last[1]),
                _ if is_word(byte) => at + word(&bytes[at..]),
                _ => at + 1,
            };
            last = if end > at + 1 { [bytes[end - 2], bytes[end - 1]] } else { [last[1], byte] };
            last_row = row;
            if end > row_end {
                last_row = self.row_of(end, row);
                self.pair(row, last_row);
            }
            at = end;
        }
    }

    /// Returns the row of the byte before `end`, which is `row` or a later one.
    fn row_of(&self, end: usize, row: u32) -> u32 {
        let rows = self.page.rows.get(row as usize..).unwrap_or_default();
        match rows.iter().take(2).position(|row| end <= row.end as usize) {
            Some(behind) => row + behind as u32,
            None => self.page.row_of(end as u32 - 1),
        }
    }

    /// Each of two rows needs the other.
    fn pair(&mut self, one: u32, other: u32) {
        if one != other {
            self.pairs.extend([(one, other), (other, one)]);
        }
    }

    /// Reads the tag that begins a row: the opening one of an element, or a closing one. `next` is the byte behind its
    /// `<`. Rows of an element are recognised by their indentation.
    fn begin_tag(&mut self, next: u8, row: u32) {
        let (indent, depth, closes) = (self.page.indent(row).len(), self.open.len(), next == b'/');
        self.tags.retain(|tag| tag.indent < indent || closes && tag.indent == indent);
        if !closes && (next == b'>' || next.is_ascii_alphabetic()) {
            self.tags.push(Tag { row, indent, depth, is_open: true });
        } else if let Some(tag) = self.tags.pop_if(|tag| closes && tag.indent == indent) {
            self.pair(tag.row, row);
        }
    }

    /// Ends the opening tag that goes on if `last`, the last bytes of a row, end it.
    fn end_tag(&mut self, last: [u8; 2], row: u32) {
        let depth = self.open.len();
        let ends = last[1] == b'>' && last[0] != b'=';
        let Some(tag) = self.tags.last_mut().filter(|tag| ends && tag.is_open && tag.depth == depth) else { return };
        tag.is_open = false;
        let first = tag.row;
        if last[0] == b'/' {
            self.tags.pop();
        }
        self.pair(first, row);
    }

    /// Begins a row with code at `at`, behind the `last` bytes of code and behind the brackets that the row closes.
    fn begin(&mut self, at: usize, row: u32, closed: bool, last: [u8; 2], last_row: u32) {
        let rest = &self.page.text.as_bytes()[at..];
        let first = &rest[..word(rest)];
        let Some(level) = self.levels.last_mut() else { return };
        let (head, before) = (level.head, level.first);
        // Children of an element can be omitted.
        level.grouped &= before.is_some() || rest.first() != Some(&b'<');
        let grouped = level.grouped;
        level.head = match first {
            b"if" | b"for" | b"foreach" | b"while" | b"with" | b"elseif" => Head::Begun,
            b"do" => Head::Whole,
            b"else" => {
                let behind = rest[first.len()..].trim_ascii_start();
                if behind.starts_with(b"if") && word(behind) == 2 { Head::Begun } else { Head::Whole }
            }
            _ => Head::None,
        };
        // `else` is still to be passed.
        if closed {
            return;
        }
        if grouped && let Some((_, open)) = self.open.last() {
            self.groups.push((*open, row));
        }
        let is_body = head == Head::Whole;
        let hangs = self.lexis.semicolons && before.is_some() && hangs(last, rest) && !self.is_directive(last_row);
        if hangs {
            self.pair(row, last_row);
        }
        let Some(level) = self.levels.last_mut() else { return };
        let goes_on = |first: &u32| *first != row && (is_body || hangs || continues(last, rest));
        if let Some(first) = before.filter(goes_on) {
            self.pairs.push((row, first));
            if is_body {
                self.pair(row, last_row);
            }
        } else if matches!(first, b"else" | b"elseif" | b"catch" | b"finally") && before.is_some() {
            self.pairs.push((row, last_row));
        } else {
            level.first = Some(row);
        }
    }

    /// Returns whether a row belongs to a directive of a preprocessor, which ends with its last line.
    fn is_directive(&self, mut row: u32) -> bool {
        let text =
            |row: u32| self.page.rows.get(row as usize).map_or("", |row| self.page.slice(row.start, row.end)).trim();
        while row > 0 && text(row - 1).ends_with('\\') {
            row -= 1;
        }
        text(row).starts_with('#')
    }

    /// Closes a bracket.
    fn close(&mut self, kind: u8, row: u32) {
        // What is open within braces is closed with them, and nothing else closes braces.
        let ends = |(open, _): &(u8, u32)| *open == kind || *open == b'{';
        let Some(place) = self.open.iter().rposition(ends) else { return };
        let (open, from) = self.open[place];
        if open != kind {
            return;
        }
        self.open.truncate(place);
        self.levels.truncate(place + 1);
        self.pair(from, row);
        if let Some(level) = self.levels.last_mut() {
            level.head = if level.head == Head::Begun && kind == b'(' { Head::Whole } else { Head::None };
        }
    }

    /// Reads a byte in backticks; returns its length.
    fn template(&mut self, at: usize, byte: u8, row: u32) -> usize {
        match byte {
            b'`' => self.close(b'`', row),
            b'\\' if self.lexis.script => return 2,
            b'$' if self.lexis.script && self.page.text.as_bytes().get(at + 1) == Some(&b'{') => {
                self.open.push((b'{', row));
                self.levels.push(Level::default());
                return 2;
            }
            _ => {}
        }
        1
    }

    /// Returns the end of a comment.
    fn comment(&self, at: usize) -> Option<usize> {
        let rest = &self.page.text.as_bytes()[at..];
        let ((open, close), line) = (self.lexis.block, self.lexis.line);
        if !open.is_empty() && rest.starts_with(open.as_bytes()) {
            let inside = &rest[open.len()..];
            let end = inside.windows(close.len()).position(|end| end == close.as_bytes());
            return Some(at + end.map_or(rest.len(), |end| open.len() + end + close.len()));
        }
        rest.starts_with(line.as_bytes()).then(|| at + line_of(rest))
    }

    /// Returns the end of a string, or of a quote that begins none.
    fn string(&self, at: usize, quote: u8) -> usize {
        let (before, rest) = self.page.text.as_bytes().split_at(at);
        let find = |from: usize, end: &[u8]| {
            let place = rest.get(from..).unwrap_or_default().windows(end.len()).position(|text| text == end);
            at + place.map_or(rest.len(), |place| from + place + end.len())
        };
        let three = [quote; 3];
        if rest.starts_with(&three) && (quote == b'"' || self.lexis.single) {
            return find(3, &three);
        }
        // A raw string has no escapes.
        let hashes = before.iter().rev().take_while(|byte| **byte == b'#').count();
        let raw = before.get(at.wrapping_sub(hashes + 1));
        if quote == b'"' && self.lexis.long && raw == Some(&b'r') {
            return find(1, &[&b"\""[..], &before[at - hashes..]].concat());
        }
        if quote == b'"' && raw == Some(&b'R') && hashes == 0 {
            return find(1, b")\"");
        }
        // A character, or a lifetime, an apostrophe, or a separator of digits.
        if quote == b'\'' && !self.lexis.single && rest.get(2) != Some(&b'\'') && rest.get(1) != Some(&b'\\') {
            return at + 1;
        }
        at + ends(rest, quote, self.lexis.long && quote == b'"').unwrap_or(1)
    }

    /// Returns the end of a regular expression, or of a slash behind `last`.
    fn expression(&self, at: usize, last: u8) -> usize {
        let rest = &self.page.text.as_bytes()[at..];
        let is_possible =
            matches!(last, 0 | b'(' | b',' | b'=' | b':' | b'[' | b'!' | b'&' | b'|' | b'?' | b'{' | b'}' | b';');
        if !is_possible {
            return at + 1;
        }
        let mut class = false;
        let mut escaped = false;
        for (place, byte) in rest.iter().enumerate().skip(1) {
            match byte {
                b'\n' | b'\r' => break,
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'[' => class = true,
                b']' => class = false,
                b'/' if !class => return at + place + 1,
                _ => {}
            }
        }
        at + 1
    }
}

/// Returns whether a row goes on with the statement before it, which ends with `last`.
fn continues(last: [u8; 2], row: &[u8]) -> bool {
    let second = row.get(1).copied().unwrap_or(b' ');
    let begins = match row.first() {
        Some(b'.') => second != b'.',
        Some(b'?' | b'|') => true,
        Some(b':') => second == b' ',
        Some(b'=' | b'+' | b'&' | b'<' | b'-') => matches!(second, b' ' | b'&' | b'<' | b'>'),
        _ => false,
    };
    let ends = match last[1] {
        b'=' | b'&' | b'|' | b'?' | b'.' => true,
        b'+' | b'-' => last[0] != last[1],
        b'>' => matches!(last[0], b'=' | b'-'),
        _ => false,
    };
    ends || begins && !matches!(last[1], b';' | b',' | b'{' | b'(' | b'[' | b':')
}

/// Returns whether a row goes on with a statement that could not end with `last`: the name of a function below the type
/// that it returns, a class below its template, a body below its head.
fn hangs(last: [u8; 2], row: &[u8]) -> bool {
    is_word(last[1])
        || matches!(last[1], b'>' | b'*' | b'&')
        || last[1] == b')' && matches!(row.first(), Some(b'{' | b':'))
}

/// Returns whether a parenthesis behind this text begins an expression, and not the arguments of a call, a condition or
/// parameters of a function.
fn groups(before: &[u8]) -> bool {
    let before = before.trim_ascii_end();
    let length = before.iter().rev().take_while(|byte| is_word(**byte)).count();
    let is_type = before.ends_with(b">") && !before.ends_with(b"=>");
    match &before[before.len() - length..] {
        b"" => !is_type && !matches!(before.last(), Some(b')' | b']' | b'}' | b'.' | b'!' | b'#')),
        word => matches!(word, b"return" | b"throw" | b"await" | b"yield" | b"typeof" | b"case"),
    }
}

/// Returns the bracket that a bracket closes.
fn opener(byte: u8) -> Option<u8> {
    match byte {
        b')' => Some(b'('),
        b']' => Some(b'['),
        b'}' => Some(b'{'),
        _ => None,
    }
}

fn is_word(byte: u8) -> bool {
    const WORD: [bool; 256] = {
        let mut word = [false; 256];
        let mut byte = 0;
        while byte < 256 {
            word[byte] = byte >= 0x80 || (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_';
            byte += 1;
        }
        word
    };
    WORD[byte as usize]
}

/// Returns the length of the word that a text begins with.
fn word(text: &[u8]) -> usize {
    text.iter().take_while(|byte| is_word(**byte)).count()
}

/// Returns the length of the first line, without its end.
fn line_of(text: &[u8]) -> usize {
    text.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(text.len())
}

/// Returns the end of a string that begins with its quote. Only a string with `lines` has several. Minified code has a
/// quote every few bytes of a line of megabytes, so the end of the line is not looked for.
fn ends(text: &[u8], quote: u8, lines: bool) -> Option<usize> {
    let mut escaped = true;
    let within = text.iter().take_while(|byte| lines || !matches!(byte, b'\n' | b'\r'));
    let end = within.enumerate().find(|(_, byte)| {
        let is_end = **byte == quote && !escaped;
        escaped = **byte == b'\\' && !escaped;
        is_end
    });
    end.map(|(end, _)| end + 1)
}
