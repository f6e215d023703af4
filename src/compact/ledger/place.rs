//! The places of errors: tools print `file:line` above or below the line that names the fault.
//!
//! In: the text of a result, and its error lines. Out: the place of each error, as `file:line` or `file:line:column`,
//! if the error's own line does not contain one. Known forms: rustc's arrow, frames of JavaScript, Java, .NET, Go and
//! Python, pytest's sections, eslint's headings, and a place on a line of its own.

use crate::map::{HashMap, HashSet};

/// Maximum lines between an error and the place below or above it. Jest prints the values and an excerpt of the source.
const BELOW: usize = 40;
const ABOVE: usize = 60;
/// Maximum lines between an error and rustc's arrow, or a place on a line of its own above the error.
const NEAR: usize = 6;
/// Maximum bytes of a place.
const PLACE_BYTES: usize = 160;
/// Parts of the places of libraries: nobody edits them, and their paths are long.
const LIBRARIES: [&str; 14] = [
    "node_modules/",
    "node:",
    "internal/",
    "site-packages/",
    "dist-packages/",
    "/lib/python",
    "/rustc/",
    ".cargo/registry/",
    "java.base/",
    "at java.",
    "at jdk.",
    "at sun.",
    "at org.junit.",
    "/go/src/",
];

/// Returns an error line without the position that eslint writes in front of it: `  12:5  error  x`.
pub fn bare(line: &str) -> &str {
    row(line).map_or(line, |(_, error)| error)
}

/// Returns the place of each error line. `errors` are slices of `text`, in their order. Each place occurs once.
pub fn places(text: &str, errors: &[&str]) -> Vec<Option<String>> {
    let lines: Vec<&str> = text.lines().collect();
    let mut at = 0;
    let mut indexes = Vec::new();
    for error in errors {
        let is_here = |line: &&str| std::ptr::eq(line.as_ptr(), error.as_ptr());
        let Some(index) = lines[at..].iter().position(is_here) else { break };
        at += index + 1;
        indexes.push(at - 1);
    }
    let known: HashSet<usize> = indexes.iter().copied().collect();
    let output = Output { sections: sections(&lines, errors), lines, errors: known };
    let mut said: HashSet<String> = HashSet::default();
    let mut places = vec![None; errors.len()];
    for (place, &index) in places.iter_mut().zip(&indexes) {
        *place = output.place(index).filter(|place| place.len() <= PLACE_BYTES && said.insert(place.clone()));
    }
    places
}

/// True for a place as [`places`] returns it: `src/a.rs:3` or `src/a.rs:3:9`.
pub fn is_place(text: &str) -> bool {
    location(text) == Some(text)
}

/// Returns the file of a place.
pub fn file(place: &str) -> &str {
    let column = place.trim_end_matches(|c: char| c.is_ascii_digit()).strip_suffix(':').unwrap_or(place);
    let line = column.trim_end_matches(|c: char| c.is_ascii_digit());
    line.strip_suffix(':').filter(|_| line.len() < column.len()).unwrap_or(column)
}

struct Output<'t> {
    lines: Vec<&'t str>,
    /// The indexes of the error lines.
    errors: HashSet<usize>,
    /// The places of pytest's failures, by the name of the test.
    sections: HashMap<&'t str, &'t str>,
}

impl<'t> Output<'t> {
    fn place(&self, index: usize) -> Option<String> {
        let line = self.lines[index];
        if let Some((position, _)) = row(line) {
            let heading = self.lines[..index].iter().rev().find(|line| !is_indented(line))?.trim();
            return is_file(heading).then(|| format!("{heading}:{position}"));
        }
        if has_place(line) || line.trim_start().starts_with("Traceback (") {
            return None;
        }
        let test = line.trim().strip_prefix("FAILED ").and_then(|test| test.split_once("::"));
        if let Some((_, test)) = test {
            let name = test.split_once(" - ").map_or(test, |(name, _)| name).replace("::", ".");
            return self.sections.get(name.as_str()).map(|place| place.to_string());
        }
        self.traceback(index).or_else(|| self.below(index))
    }

    /// Returns the newest frame of the Python traceback that ends at this line.
    fn traceback(&self, index: usize) -> Option<String> {
        let depth = depth(self.lines[index]);
        let above = self.lines[..index].iter().rev().take(ABOVE);
        let mut frames = above.take_while(|line| self::depth(line) > depth).filter_map(|line| python(line));
        frames.find(|(file, _)| !is_library(file)).map(|(file, number)| format!("{file}:{number}"))
    }

    /// Returns the first place below a line that is not in a library; without one, the place above it.
    fn below(&self, index: usize) -> Option<String> {
        let is_reason = |line: &str| line.starts_with("E ");
        for (steps, at) in (index + 1..self.lines.len()).take(BELOW).enumerate() {
            let line = self.lines[at];
            let trimmed = line.trim();
            if self.errors.contains(&at) && !(is_reason(line) && is_reason(self.lines[index]))
                || trimmed.starts_with("warning")
                || name_of_section(line).is_some()
            {
                break;
            }
            let Some(place) = arrow(trimmed).filter(|_| steps < NEAR).or_else(|| frame(trimmed)) else { continue };
            if !is_library(trimmed) {
                return Some(place);
            }
        }
        let above = self.lines[..index].iter().rev().take(NEAR);
        let above = above.map_while(|line| (!line.trim_start().starts_with("at ")).then(|| alone(line.trim())));
        above.flatten().find(|place| !is_library(place)).map(str::to_string)
    }
}

/// Returns the place of each failure that pytest describes in a section of its own: `___ test_total ___`.
fn sections<'t>(lines: &[&'t str], errors: &[&str]) -> HashMap<&'t str, &'t str> {
    let mut sections = HashMap::default();
    if !errors.iter().any(|line| line.trim().starts_with("FAILED ")) {
        return sections;
    }
    let mut name = None;
    for line in lines {
        if line.starts_with("====") {
            name = None;
        } else if let Some(next) = name_of_section(line) {
            name = Some(next);
        } else if let Some((place, _)) = line.split_once(": ").filter(|(place, _)| is_place(place))
            && let Some(name) = name.filter(|_| !is_library(place))
        {
            sections.insert(name, place);
        }
    }
    sections
}

/// Reads `_______ TestCart.test_total _______`.
fn name_of_section(line: &str) -> Option<&str> {
    let inner = line.strip_prefix("__")?.strip_suffix("__")?.trim_matches('_');
    let name = inner.strip_prefix(' ')?.strip_suffix(' ')?;
    (!name.is_empty() && !name.contains("_ _")).then_some(name)
}

/// Reads a row of eslint: the position, and the rest from the word `error` on.
fn row(line: &str) -> Option<(&str, &str)> {
    let (position, rest) = line.trim().split_once(' ')?;
    let (number, column) = position.split_once(':')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let rest = rest.trim_start();
    (is_number(number) && is_number(column) && rest.starts_with("error ")).then_some((position, rest))
}

/// Reads `  File "a.py", line 3, in main`.
fn python(line: &str) -> Option<(&str, &str)> {
    let rest = line.trim_start_matches('E').trim_start().strip_prefix("File \"")?;
    let (file, rest) = rest.split_once("\", line ")?;
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let is_file = !file.starts_with('<') && !file.contains(char::is_whitespace);
    (is_file && end > 0).then_some((file, &rest[..end]))
}

/// Reads `--> src/a.rs:3:9` and `╭─[src/a.ts:3:9]`.
fn arrow(line: &str) -> Option<String> {
    let rest = ["--> ", "┌─ ", "╭─[", "╭─["].iter().find_map(|start| line.strip_prefix(start))?;
    location(rest.trim().trim_end_matches(']')).map(str::to_string)
}

/// Reads a frame of a stack: `at total (src/a.js:3:9)`, `at A.B() in a.cs:line 3`, `❯ src/a.ts:3:9`, `main.go:3 +0x1d`.
fn frame(line: &str) -> Option<String> {
    // Node's test runner leaves out the word.
    if let Some(rest) = line.strip_prefix("at ").or(line.ends_with(')').then_some(line)) {
        if let Some((file, number)) = rest.rsplit_once(":line ") {
            let file = file.rsplit_once(" in ").map_or(file, |(_, file)| file);
            return location(&format!("{file}:{number}")).map(str::to_string);
        }
        let inner = rest.strip_suffix(')').and_then(|rest| rest.rsplit_once('(')).map_or(rest, |(_, inner)| inner);
        return location(inner.rsplit(' ').next()?).map(str::to_string);
    }
    let line = line.strip_prefix("❯ ").map_or(line, |rest| rest.rsplit(' ').next().unwrap_or(rest));
    let line = line.split_once(" +0x").map_or(line, |(place, _)| place);
    let is_exception = |name: &str| ["Error", "Exception"].iter().any(|end| name.ends_with(end)) && !name.contains(' ');
    let pytest = line.rsplit_once(": ").filter(|(_, name)| is_exception(name));
    alone(pytest.map_or(line, |(place, _)| place)).map(str::to_string)
}

/// Reads a line that is only a place.
fn alone(line: &str) -> Option<&str> {
    location(line.strip_suffix(':').unwrap_or(line))
}

/// Returns a place without the scheme in front of it; `None` if the text is none.
fn location(text: &str) -> Option<&str> {
    let text = text.strip_prefix("file://").unwrap_or(text);
    let file = file(text);
    (file.len() < text.len() && is_file(file) && text.ends_with(|c: char| c.is_ascii_digit())).then_some(text)
}

/// True for a path whose name has an ending that begins with a letter, without spaces.
fn is_file(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    (1..=6).contains(&ending.len())
        && ending.starts_with(|c: char| c.is_ascii_alphabetic())
        && ending.chars().all(char::is_alphanumeric)
        && !path.contains(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',' | '"' | '\'' | '`' | '<' | '>'))
}

/// True for a line that names a place itself: `src/a.ts(3,1): error`, `panicked at src/lib.rs:88:13:`.
fn has_place(line: &str) -> bool {
    let is_mark = |c: char| !c.is_alphanumeric() && !matches!(c, '/' | '.' | '_' | '\\');
    line.split_whitespace().any(|word| {
        let word = word.trim_matches(is_mark);
        let before = |open: char| word.split_once(open).map(|(path, rest)| (path, rest.trim_start_matches('[')));
        [before(':'), before('(')].into_iter().flatten().any(|(path, rest)| {
            is_file(path.trim_start_matches("file://")) && rest.starts_with(|c: char| c.is_ascii_digit())
        })
    })
}

fn is_library(line: &str) -> bool {
    LIBRARIES.iter().any(|part| line.contains(part))
}

fn is_indented(line: &str) -> bool {
    line.starts_with([' ', '\t'])
}

/// Returns the depth of a line, without the mark that pytest writes in front of it.
fn depth(line: &str) -> usize {
    let line = line.strip_prefix("E ").unwrap_or(line);
    line.len() - line.trim_start().len()
}
