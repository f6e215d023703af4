//! Returns the text of an HTML document.

/// Elements whose content is no text.
const SKIPPED: [&str; 6] = ["script", "style", "svg", "noscript", "template", "head"];

/// Elements that begin a new line.
const BLOCKS: [&str; 23] = [
    "p",
    "div",
    "br",
    "li",
    "ul",
    "ol",
    "tr",
    "table",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "section",
    "article",
    "header",
    "footer",
    "nav",
    "main",
    "blockquote",
    "dt",
    "dd",
];

/// Named characters; numbers are read as well.
const ENTITIES: [(&str, char); 9] = [
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("nbsp", ' '),
    ("mdash", '—'),
    ("ndash", '–'),
    ("hellip", '…'),
];

/// Elements whose line ends and indentation are part of the text.
const VERBATIM: [&str; 3] = ["pre", "textarea", "listing"];

/// The text of a document.
#[derive(Default)]
pub struct Page {
    pub text: String,
    /// True if the document has links: their targets are not part of the text.
    pub has_links: bool,
    /// The text since the last change between running and verbatim text.
    open: String,
    /// The element that is read verbatim; empty for none.
    verbatim: String,
}

/// Returns the text of a document; `None` if it is not one. The title is its first line.
pub fn read(html: &str) -> Option<Page> {
    let start = html.trim_start().get(..14).unwrap_or(html.trim_start()).to_ascii_lowercase();
    if !start.starts_with("<!doctype html") && !start.starts_with("<html") {
        return None;
    }
    let mut page = Page::default();
    if let Some(title) = between(html, "<title", "</title") {
        page.open.push_str(&decoded(title.split_once('>').map_or("", |(_, title)| title)));
        page.open.push('\n');
    }
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        page.push(&rest[..at]);
        let tag = &rest[at + 1..];
        if let Some(comment) = tag.strip_prefix("!--") {
            rest = comment.find("-->").map_or("", |end| &comment[end + 3..]);
            continue;
        }
        let is_close = tag.starts_with('/');
        let name = tag.trim_start_matches('/');
        let length = name.bytes().take_while(u8::is_ascii_alphanumeric).count();
        let name = name[..length].to_ascii_lowercase();
        if name.is_empty() && !tag.starts_with(['!', '?', '/']) {
            // A character of the text.
            page.open.push('<');
            rest = tag;
            continue;
        }
        let behind = end_of_tag(tag).map_or("", |end| &tag[end..]);
        page.has_links |= name == "a" && tag[..tag.len() - behind.len()].contains("href");
        rest = behind;
        if !is_close && SKIPPED.contains(&name.as_str()) {
            rest = after_close(rest, &name);
        } else {
            page.tag(&name, is_close);
        }
    }
    page.push(rest);
    page.finish();
    Some(page)
}

impl Page {
    /// Reads a tag that is not skipped.
    fn tag(&mut self, name: &str, is_close: bool) {
        if !self.verbatim.is_empty() {
            match (name, is_close) {
                ("br", _) => self.open.push('\n'),
                (_, true) if name == self.verbatim => self.finish(),
                _ => {}
            }
        } else if VERBATIM.contains(&name) && !is_close {
            self.finish();
            self.verbatim = name.into();
        } else if BLOCKS.contains(&name) {
            end_line(&mut self.open);
            match (is_close, name) {
                (false, "li") => self.open.push_str("- "),
                (false, "h1" | "h2" | "h3") => {
                    self.open.push_str(&"# ".repeat(usize::from(name.ends_with('1')).max(1)));
                }
                _ => {}
            }
        } else if matches!(name, "td" | "th") && is_close {
            self.open.push_str(" | ");
        }
    }

    /// Appends a text between two tags.
    fn push(&mut self, text: &str) {
        if self.verbatim.is_empty() {
            push(&mut self.open, text);
        } else {
            self.open.push_str(&decoded(text));
        }
    }

    /// Moves the open text to the text of the page, and ends the element that is read verbatim.
    fn finish(&mut self) {
        let open = std::mem::take(&mut self.open);
        let text = if self.verbatim.is_empty() {
            let lines = open.lines().map(|line| line.trim_matches([' ', '|']));
            lines.filter(|line| !matches!(*line, "" | "-" | "#")).collect::<Vec<_>>().join("\n")
        } else {
            // HTML ignores a line end behind `<pre>`.
            let text = open.strip_prefix("\r\n").or(open.strip_prefix('\n')).unwrap_or(&open);
            text.trim_end().into()
        };
        self.verbatim.clear();
        if !text.is_empty() {
            end_line(&mut self.text);
            self.text.push_str(&text);
        }
    }
}

/// Returns the position behind a tag; a `>` in a quoted value does not end it.
fn end_of_tag(tag: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in tag.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return Some(at + 1),
            (None, b'"' | b'\'') if tag[..at].ends_with('=') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
    }
    tag.find('>').map(|at| at + 1)
}

fn after_close<'a>(html: &'a str, name: &str) -> &'a str {
    let close = html
        .match_indices("</")
        .find(|(at, _)| html.get(at + 2..at + 2 + name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name)));
    let Some((at, _)) = close else { return "" };
    html[at..].find('>').map_or("", |end| &html[at + end + 1..])
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> Option<&'a str> {
    let from = text.find(start)? + start.len();
    let length = text[from..].find(end)?;
    Some(&text[from..from + length])
}

/// Appends a text with single spaces.
fn push(out: &mut String, text: &str) {
    if text.starts_with(char::is_whitespace) && !out.ends_with([' ', '\n']) && !out.is_empty() {
        out.push(' ');
    }
    for (at, word) in decoded(text).split_whitespace().enumerate() {
        if at > 0 {
            out.push(' ');
        }
        out.push_str(word);
    }
    if text.ends_with(char::is_whitespace) && !text.trim().is_empty() {
        out.push(' ');
    }
}

fn end_line(out: &mut String) {
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
}

/// Maximum bytes of an entity.
const MAX_ENTITY: usize = 12;

fn decoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.bytes().take(MAX_ENTITY).position(|byte| byte == b';');
        let entity = end.map(|end| (&rest[1..end], &rest[end + 1..]));
        match entity.and_then(|(name, after)| Some((character(name)?, after))) {
            Some((character, after)) => {
                out.push(character);
                rest = after;
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

fn character(name: &str) -> Option<char> {
    match name.strip_prefix('#') {
        Some(number) => {
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?)
        }
        None => ENTITIES.iter().find(|(known, _)| *known == name).map(|(_, character)| *character),
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    fn text(html: &str) -> Option<String> {
        read(html).map(|page| page.text)
    }

    #[test]
    fn documents_are_text() {
        let html = "<!DOCTYPE html><html><head><title>A &amp; B</title><script>var x = '<p>';</script></head>\
                    <body><!-- no --><h1>Head</h1><p>One <b>two</b>,\n three&#33;<br>four</p>\
                    <ul><li><a href='x>y'>five</a></li><li>six</li></ul>\
                    <table><tr><td>1</td><td>2</td></tr></table><svg><path d=''/></svg>5 < 6</body></html>";
        assert_eq!(text(html).unwrap(), "A & B\n# Head\nOne two, three!\nfour\n- five\n- six\n1 | 2\n5 < 6");
        assert!(text("plain <b>text</b>").is_none());
        assert_eq!(text("<html><p>cut <a href=\"").unwrap(), "cut");
    }

    #[test]
    fn code_keeps_its_lines() {
        let html = "<!DOCTYPE html><html><body><p>Use:</p><pre class=\"py\">\n<code>def f(x):\n    if x:\n\n        \
                    return &lt;<span>1</span>&gt; |\n</code></pre><p>or</p>\
                    <textarea>  a\n  b</textarea> then</body></html>";
        let wanted = "Use:\ndef f(x):\n    if x:\n\n        return <1> |\nor\n  a\n  b\nthen";
        assert_eq!(text(html).unwrap(), wanted);
        assert_eq!(text("<html><pre>  cut\n\tshort").unwrap(), "  cut\n\tshort");
    }

    #[test]
    fn links_are_noticed() {
        assert!(read("<html><a class=b\nhref='/x'>x</a>").unwrap().has_links);
        assert!(!read("<html><a name=x>href</a>").unwrap().has_links);
    }
}
