//! The depth of each line of a Markdown document: headings, the text below them, and blocks of code.
//!
//! Editors fold Markdown by its headings. Indentation alone shows nothing of them.

/// The depths of the lines, which count from 1.
pub(super) struct Depths {
    /// Lines, the first and the one behind the last, with the columns by which they are deeper than they are indented.
    pub deeper: Vec<(usize, usize, usize)>,
    /// Lines that close a block of code, in order.
    pub closing: Vec<usize>,
    /// Headings, in order.
    pub headings: Vec<usize>,
}

/// Returns the depths of the lines of a document.
pub(super) fn depths(lines: &[&str]) -> Depths {
    let mut found = Depths { deeper: Vec::new(), closing: Vec::new(), headings: Vec::new() };
    // The levels of the sections that are open.
    let mut open: Vec<u8> = Vec::new();
    // Shorter fences that nothing closes. A document that is being written has them.
    let mut unclosed = Unclosed::default();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        if let Some(fence) = Fence::opens(line, at == 0)
            && let Some(end) = unclosed.end(&fence, lines, at)
        {
            found.add(at, open.len());
            found.deeper.push((at + 2, end + 1, open.len() + fence.indent + 1));
            found.add(end, open.len());
            found.closing.push(end + 1);
            at = end + 1;
            continue;
        }
        if let Some(level) = level(line, lines.get(at + 1)) {
            while open.last().is_some_and(|above| *above >= level) {
                open.pop();
            }
            found.add(at, open.len());
            found.headings.push(at + 1);
            open.push(level);
        } else {
            found.add(at, open.len());
        }
        at += 1;
    }
    found
}

impl Depths {
    /// Adds the line at this index.
    fn add(&mut self, at: usize, depth: usize) {
        match self.deeper.last_mut() {
            Some((_, end, known)) if *known == depth && *end == at + 1 => *end = at + 2,
            _ => self.deeper.push((at + 1, at + 2, depth)),
        }
    }
}

/// Returns the level of the heading that a line begins: `## Use`, or a text with a rule of `=` or `-` below it.
fn level(line: &str, below: Option<&&str>) -> Option<u8> {
    let text = line.trim_end();
    let marks = text.bytes().take_while(|byte| *byte == b'#').count();
    if (1..=6).contains(&marks) {
        return text[marks..].chars().next().is_none_or(char::is_whitespace).then_some(marks as u8);
    }
    let is_text = text.starts_with(|first: char| first.is_alphanumeric() || matches!(first, '[' | '`' | '*' | '_'))
        && !text.starts_with("* ")
        && !text.contains('|');
    let rule = below.map_or("", |line| line.trim_end());
    let is_rule = |mark: u8, least: usize| rule.len() >= least && rule.bytes().all(|byte| byte == mark);
    match is_text {
        true if is_rule(b'=', 2) => Some(1),
        true if is_rule(b'-', 3) => Some(2),
        _ => None,
    }
}

/// The first line of a block of code, or of the fields at the start of a document.
struct Fence {
    indent: usize,
    mark: u8,
    length: usize,
}

impl Fence {
    fn opens(line: &str, is_first: bool) -> Option<Fence> {
        let text = line.trim_start_matches([' ', '\t']);
        let mark = *text.as_bytes().first().filter(|mark| matches!(mark, b'`' | b'~' | b'-'))?;
        let length = text.bytes().take_while(|byte| *byte == mark).count();
        let rest = &text[length..];
        let is_fence = match mark {
            b'`' => length >= 3 && !rest.contains('`'),
            b'~' => length >= 3,
            b'-' => is_first && length == 3 && rest.trim().is_empty(),
            _ => false,
        };
        is_fence.then_some(Fence { indent: line.len() - text.len(), mark, length })
    }

    fn is_closed_by(&self, line: &str) -> bool {
        let text = line.trim();
        text.len() >= self.length && text.bytes().all(|byte| byte == self.mark)
    }
}

/// The shortest fence of each mark that no later line closes.
#[derive(Default)]
struct Unclosed(Vec<(u8, usize)>);

impl Unclosed {
    /// Returns the index of the line that closes the fence at `at`. Lines are read again only for a shorter fence than
    /// those that nothing closes.
    fn end(&mut self, fence: &Fence, lines: &[&str], at: usize) -> Option<usize> {
        if self.0.iter().any(|(mark, length)| *mark == fence.mark && *length <= fence.length) {
            return None;
        }
        let found = (at + 1..lines.len()).find(|line| fence.is_closed_by(lines[*line]));
        if found.is_none() {
            self.0.push((fence.mark, fence.length));
        }
        found
    }
}
