//! Parts of a document in another language: scripts and styles in markup, and markup around PHP.

/// A part of a document in another language than the text around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Embedded {
    /// The first byte of the line with its start tag; `start` if it has none.
    pub tag: u32,
    /// Its first byte.
    pub start: u32,
    /// The byte behind it.
    pub end: u32,
    /// The name of its language.
    pub language: &'static str,
}

/// Returns the lines between `<script …>` or `<style …>` and the end tag of each, in order. Both tags begin a line.
///
/// ```
/// use espalier::document::embedded::blocks;
/// let text = "<p>\n</p>\n<script lang=\"ts\">\nlet a: number;\n</script>\n";
/// let block = blocks(text)[0];
/// assert_eq!((&text[block.start as usize..block.end as usize], block.language), ("let a: number;\n", "typescript"));
/// ```
pub fn blocks(text: &str) -> Vec<Embedded> {
    let mut found = Vec::new();
    let mut at = 0;
    // Most documents have none.
    let is_possible = ["</script", "</style", "</SCRIPT", "</STYLE"].iter().any(|tag| text.contains(tag));
    // A tag without an end is looked for once.
    let mut names = vec!["script", "style"];
    while is_possible && let Some(line) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let next = at + line_end(line);
        let Some(name) = names.iter().copied().find(|name| is_tag(line, "<", name)) else {
            at = next;
            continue;
        };
        let at_tag = at as u32;
        // The start tag can go on over several lines.
        let tag = &line[..tag_end(line)];
        let start = at + tag.len() + line_end(&line[tag.len()..]);
        let is_closed = |line: &str| line.to_ascii_lowercase().contains(&format!("</{name}"));
        let mut end = start;
        if is_closed(&text[at + tag.len()..start]) {
            at = start;
            continue;
        }
        let ends = text[start..].split_inclusive('\n').any(|line| {
            let ends = is_tag(line, "</", name);
            end += if ends { 0 } else { line.len() };
            ends
        });
        names.retain(|known| ends || *known != name);
        at = if ends { end } else { start };
        if let Some(language) = language(name, &tag.to_ascii_lowercase()).filter(|_| ends) {
            found.push(Embedded { tag: at_tag, start: start as u32, end: end as u32, language });
        }
    }
    found
}

/// Returns the parts of a document in other languages than its own, in order. `language` is the name of its language.
pub fn parts(text: &str, language: &str) -> Vec<Embedded> {
    let blocks = blocks(text);
    if language != "php" {
        return blocks;
    }
    let mut found = Vec::new();
    let mut blocks = blocks.into_iter().peekable();
    let mut at = 0;
    loop {
        // What is not between `<?` and `?>` is markup.
        let code = text[at..].find("<?").map_or(text.len(), |place| at + place);
        let (mut from, until) = (at as u32, code as u32);
        while let Some(block) = blocks.peek().copied().filter(|block| block.start < until) {
            push(&mut found, from, block.start, "html");
            push(&mut found, from.max(block.start), until.min(block.end), block.language);
            from = from.max(until.min(block.end));
            // Code within a script ends a part of it.
            if block.end > until {
                break;
            }
            blocks.next();
        }
        push(&mut found, from, until, "html");
        if code == text.len() {
            return found;
        }
        at = code + php_end(&text[code..]);
    }
}

/// Returns the length of a stretch of PHP, up to and including its end tag. A comment of one line ends before the tag;
/// texts and other comments can contain it.
fn php_end(code: &str) -> usize {
    let bytes = code.as_bytes();
    let find =
        |from: usize, end: &str| code.get(from..).and_then(|rest| rest.find(end)).map(|at| from + at + end.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let next = bytes.get(at + 1).copied().unwrap_or(0);
        let behind = match (byte, next) {
            (b'?', b'>') => return at + 2,
            (b'/', b'*') => find(at + 2, "*/"),
            (b'/', b'/') | (b'#', _) if next != b'[' => {
                let line = &code[at..at + line_end(&code[at..])];
                Some(at + line.find("?>").unwrap_or(line.len()))
            }
            (b'<', b'<') => heredoc(&code[at..]).map(|length| at + length).or(Some(at + 1)),
            (b'"' | b'\'' | b'`', _) => {
                let mut escaped = false;
                let end = bytes[at + 1..].iter().position(|other| {
                    let ends = other == byte && !escaped;
                    escaped = *other == b'\\' && !escaped;
                    ends
                });
                end.map(|end| at + end + 2)
            }
            _ => Some(at + 1),
        };
        let Some(behind) = behind else { return code.len() };
        at = behind;
    }
    code.len()
}

/// Returns the length of a text `<<<NAME` up to its name at the end.
fn heredoc(code: &str) -> Option<usize> {
    let rest = code.strip_prefix("<<<")?.trim_start_matches([' ', '\t', '"', '\'']);
    let name = &rest[..rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count()];
    if name.is_empty() {
        return None;
    }
    let mut at = line_end(code);
    for line in code[at..].split_inclusive('\n') {
        let text = line.trim_start_matches([' ', '\t']);
        if text.starts_with(name) {
            return Some(at + line.len() - text.len() + name.len());
        }
        at += line.len();
    }
    Some(code.len())
}

fn push(found: &mut Vec<Embedded>, start: u32, end: u32, language: &'static str) {
    if start < end {
        found.push(Embedded { tag: start, start, end, language });
    }
}

fn line_end(text: &str) -> usize {
    text.find('\n').map_or(text.len(), |at| at + 1)
}

/// Returns whether a line begins with a tag.
fn is_tag(line: &str, open: &str, name: &str) -> bool {
    let Some(rest) = line.trim_start_matches([' ', '\t']).strip_prefix(open) else { return false };
    let begins = rest.as_bytes().get(..name.len()).is_some_and(|word| word.eq_ignore_ascii_case(name.as_bytes()));
    begins && !rest[name.len()..].starts_with(|next: char| next.is_alphanumeric() || next == '-')
}

/// The maximum length of a start tag.
const LONGEST: usize = 4_096;

/// Returns the length of the start tag that a text begins with.
fn tag_end(text: &str) -> usize {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate().take(LONGEST) {
        match (quote, byte) {
            (None, b'>') => return at + 1,
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    line_end(text)
}

/// Returns the language between the tags `name`, of which the first is `tag` in lower case. A template is markup.
fn language(name: &str, tag: &str) -> Option<&'static str> {
    if name == "style" {
        return Some("css");
    }
    let has = |words: &[&str]| words.iter().any(|word| tag.contains(word));
    if has(&["template", "text/html", "handlebars", "mustache"]) {
        return None;
    }
    Some(if has(&["json", "importmap", "speculationrules"]) {
        "json"
    } else if has(&["coffee"]) {
        "coffeescript"
    } else if has(&["python"]) {
        "python"
    } else if has(&["\"ts", "'ts", "=ts", "typescript"]) {
        "typescript"
    } else {
        "javascript"
    })
}
