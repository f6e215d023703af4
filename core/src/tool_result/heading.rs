//! Finds the line that says what other lines are part of: a file above its matches, a folder above its entries. A cut
//! between the two would give the lines to another file.

use std::ops::Range;

/// Max bytes before a line in which its heading is looked for.
const REACH: usize = 16 << 10;

/// What a line looks like, by which its heading is found.
#[derive(PartialEq, Eq)]
enum Kind {
    /// `12:text`: a match. Its heading is a path.
    Match,
    /// Its heading is not indented.
    Indented,
    /// Its heading is the first line of the block: `src/lib:` of `ls -R`.
    Plain,
}

/// Returns the heading of the line at `at`: start and end in bytes. `None` if the line has none.
///
/// ```
/// use espalier::tool_result::heading::heading;
/// let text = "src/a.rs\n3:one\n9:two\nsrc/b.rs\n4:three\n12:four\n";
/// assert_eq!(heading(text, 36).map(|place| &text[place]), Some("src/b.rs"));
/// assert_eq!(heading("one\ntwo\n", 4), None);
/// ```
pub fn heading(text: &str, at: usize) -> Option<Range<usize>> {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let line = text[start..].lines().next().filter(|line| !line.trim().is_empty())?;
    let kind = kind(line);
    let from = text.ceil_char_boundary(start.saturating_sub(REACH));
    let mut end = start.checked_sub(1)?;
    // A hunk of a diff looks like anything.
    let is_hunk = text.starts_with("diff --git ") || text[from..start].contains("\ndiff --git ");
    let mut first = None;
    loop {
        let begin = text[from..end].rfind('\n').map_or(from, |at| from + at + 1);
        if begin == from && from > 0 {
            return None;
        }
        let other = text[begin..end].trim_end_matches('\r');
        let place = begin..begin + other.len();
        if is_hunk {
            if other.starts_with("diff --git ") && other.len() <= MAX_BYTES {
                return (!line.starts_with("diff --git ")).then_some(place);
            }
        } else if kind == Kind::Plain {
            if other.trim().is_empty() {
                break;
            }
            first = Some(place);
        } else if !other.trim().is_empty() && other != "--" && self::kind(other) == Kind::Plain {
            let is_name = is_path(other) || (kind == Kind::Indented && is_label(other));
            return is_name.then_some(place);
        }
        if begin == 0 {
            break;
        }
        end = begin - 1;
    }
    first.filter(|place| is_label(&text[place.clone()]))
}

fn kind(line: &str) -> Kind {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 && line[digits..].starts_with([':', '-']) {
        Kind::Match
    } else if line.starts_with([' ', '\t']) {
        Kind::Indented
    } else {
        Kind::Plain
    }
}

/// Max bytes of a heading.
const MAX_BYTES: usize = 400;

/// `src/a.rs`, and no code.
fn is_path(line: &str) -> bool {
    line.len() <= MAX_BYTES
        && line.contains(['/', '.'])
        && line.contains(char::is_alphanumeric)
        && !line.contains(|c: char| " \t(){}<>=,;*\"".contains(c))
}

/// `failures:`, and no sentence.
fn is_label(line: &str) -> bool {
    line.len() <= MAX_BYTES && line.ends_with(':') && !line.contains([' ', '('])
}

#[cfg(test)]
mod tests {
    use super::heading;

    fn check(text: &str, line: &str, wanted: Option<&str>) {
        let found = heading(text, text.rfind(line).unwrap());
        assert_eq!(found.map(|place| &text[place]), wanted, "{line} of {text}");
    }

    #[test]
    fn lines_have_headings() {
        check("/srv/a.js\n  1:1  error  x\n\n/srv/b.js\n  2:1  error  y\n", "2:1", Some("/srv/b.js"));
        check("src/a.rs\n3:one\n--\n9:two\n", "9:two", Some("src/a.rs"));
        check("src/\n 3 a.rs\n lib/\nx\n", "lib/", Some("src/"));
        check("/srv/src:\n1 a.rs\n\n/srv/lib:\n2 b.rs\n3 c.rs\n", "3 c.rs", Some("/srv/lib:"));
        check("failures:\n    one\n    two\n", "two", Some("failures:"));
        check("diff --git a/x b/x\n@@ -1 +1 @@\n one:\n-two\n+three\n four\n", " four", Some("diff --git a/x b/x"));
        check("log\ndiff --git a/x b/x\n@@ -1 +1 @@\n-two\n", "@@", Some("diff --git a/x b/x"));
    }

    #[test]
    fn other_lines_have_none() {
        check("one\ntwo\n", "two", None);
        check("one\n", "one", None);
        check("Some words.\n  more\n", "more", None);
        // Lines of a file, which an edit would name together.
        for code in ["def load(path):", "class Queue:", "</main>", "*/", "queue.next();"] {
            check(&format!("{code}\n\n    one\n    two\n"), "two", None);
        }
        check("12:30:01 started\n12:30:02 ended\n", "12:30:02", None);
        check("It says:\nnothing\n", "nothing", None);
        check("diff --git a/x b/x\n+a\ndiff --git a/y b/y\n", "diff --git a/y", None);
        check("a.rs\n\n\n", "\n", None);
        let far = format!("src/a.rs\n{}", "1:x\n".repeat(10_000));
        check(&far, "1:x", None);
    }
}
