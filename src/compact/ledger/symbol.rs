//! Names that edits define or change.

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

/// Names looked for in one edit, and bytes of it that are looked at.
const MOST: usize = 40;
const BYTES: usize = 100_000;

/// Names that a piece of code defines, in order, each once.
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
        // Modifiers come first; a definition has its keyword within the first words.
        if !words.by_ref().take(5).any(|word| KEYWORDS.contains(&word)) {
            continue;
        }
        let Some(name) = words.next() else { continue };
        let is_name = name.len() >= 2
            && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'))
            && !name.starts_with(|c: char| c.is_numeric())
            && !KEYWORDS.contains(&name);
        if is_name && !out.contains(&name) {
            out.push(name);
            if out.len() == MOST {
                break;
            }
        }
    }
    out
}
