//! Names that edits define or change.

use crate::map::HashSet;

const KEYWORDS: [&str; 14] = [
    "fn",
    "func",
    "function",
    "def",
    "class",
    "struct",
    "enum",
    "trait",
    "interface",
    "type",
    "impl",
    "module",
    "const",
    "macro_rules!",
];

/// Modifiers that may precede a definition.
const MODIFIERS: [&str; 26] = [
    "pub",
    "crate)",
    "super)",
    "export",
    "default",
    "async",
    "static",
    "private",
    "protected",
    "public",
    "internal",
    "abstract",
    "final",
    "unsafe",
    "extern",
    "declare",
    "readonly",
    "override",
    "inline",
    "virtual",
    "open",
    "data",
    "sealed",
    "partial",
    "local",
    "suspend",
];
/// Words that follow such a keyword in a sentence.
const PROSE: [&str; 22] = [
    "is", "are", "was", "and", "or", "of", "for", "the", "that", "this", "to", "in", "on", "with", "as", "it", "from",
    "by", "has", "which", "can", "will",
];

/// Maximum names taken from one edit, and maximum bytes of it that are searched.
const MAX_NAMES: usize = 40;
const BYTES: usize = 100_000;

/// Returns the names that a piece of code defines, in order, each once.
///
/// ```
/// use espalier::compact::ledger::symbol::defined;
/// assert_eq!(defined("pub fn parse(x: u8) {}\nclass Lexer:"), ["parse", "Lexer"]);
/// ```
pub fn defined(code: &str) -> Vec<&str> {
    let mut out: Vec<&str> = Vec::new();
    for line in code[..code.floor_char_boundary(BYTES)].lines() {
        let line = line.trim_start_matches(['+', ' ', '\t']);
        let mut words = line.split([' ', '\t', '(', '<', ':', '{', '=', ';', ',']).filter(|w| !w.is_empty());
        // Only modifiers may come first: prose has such words anywhere. `const fn` has two keywords.
        let Some(keyword) = words.by_ref().take(5).find(|word| !MODIFIERS.contains(word)) else { continue };
        if !KEYWORDS.contains(&keyword) {
            continue;
        }
        let Some(name) = words.find(|word| !KEYWORDS.contains(word)) else { continue };
        let is_name = name.len() >= 2
            && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'))
            && !name.starts_with(|c: char| c.is_numeric())
            && !PROSE.contains(&name);
        if is_name && !out.contains(&name) {
            out.push(name);
            if out.len() == MAX_NAMES {
                break;
            }
        }
    }
    out
}

fn lines_of(text: &str) -> HashSet<&str> {
    text.lines().map(str::trim).collect()
}

/// Maximum names of one change.
const CHANGED: usize = 12;

/// Returns the names in the lines that a change of `old` to `new` touches, each once: definitions, the enclosing
/// definition, then other names.
///
/// ```
/// use espalier::compact::ledger::symbol::changed;
/// let (old, new) = ("fn parse(text: &str) {\n    let count = 1;\n}", "fn parse(text: &str) {\n    let count = max_count();\n}");
/// assert_eq!(changed(old, new), ["parse", "max_count"]);
/// ```
pub fn changed(old: &str, new: &str) -> Vec<String> {
    let (old, new) = (&old[..old.floor_char_boundary(BYTES)], &new[..new.floor_char_boundary(BYTES)]);
    let (before, after) = (lines_of(old), lines_of(new));
    let mut around: Option<&str> = None;
    let mut touched: Vec<&str> = Vec::new();
    for line in new.lines() {
        if !before.contains(line.trim()) {
            touched.push(line);
        } else if touched.is_empty() {
            around = defined(line).first().copied().or(around);
        }
    }
    touched.extend(old.lines().filter(|line| !after.contains(line.trim())));
    let mut out: Vec<String> = Vec::new();
    let mut add = |name: &str| {
        if out.len() < CHANGED && !out.iter().any(|known| known == name) {
            out.push(name.to_string());
        }
    };
    touched.iter().flat_map(|line| defined(line)).for_each(&mut add);
    around.into_iter().for_each(&mut add);
    for line in &touched {
        for word in line.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$'))) {
            let inner = word.trim_matches('_');
            let is_joined = inner.contains('_')
                || inner.chars().skip(1).any(char::is_uppercase) && inner.contains(char::is_lowercase);
            if is_joined
                && word.len() >= 4
                && word.len() <= 60
                && word.starts_with(|c: char| c.is_alphabetic() || c == '_')
            {
                add(word);
            }
        }
    }
    out
}
