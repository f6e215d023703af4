//! Finds the name of a definition in its first line, since an overlay has kinds but no names.

/// Words that are followed by a name or by another of these words.
const KEYWORDS: &[&str] = &[
    "class",
    "struct",
    "enum",
    "interface",
    "trait",
    "impl",
    "type",
    "namespace",
    "module",
    "mod",
    "def",
    "fn",
    "func",
    "function",
    "function*",
    "let",
    "var",
    "union",
    "record",
    "macro_rules!",
    "package",
    "typedef",
    "concept",
    "async",
    "default",
    "mut",
    "#define",
];

/// Words before a name or before its type, depending on the language.
const MODIFIERS: &[&str] = &["const", "static"];

/// Words that are followed by parentheses and are no names.
const CONTROL: &[&str] =
    &["if", "for", "while", "switch", "return", "catch", "match", "foreach", "using", "lock", "throw", "new"];

/// Returns the name of the definition with this text, if it can be recognised.
pub(super) fn name(text: &str) -> Option<String> {
    let line = text.lines().map(str::trim).find(|line| {
        let comment = ["//", "/*", "*", "@", "#[", "#!", "\"\"\"", "'''"].iter().any(|mark| line.starts_with(mark));
        let note = line.starts_with('#') && !line.starts_with("#define");
        let attribute = line.starts_with('[') && line.ends_with(']');
        !line.is_empty() && !comment && !note && !attribute
    })?;
    // A line can have a megabyte.
    let line = line.get(..line.floor_char_boundary(400)).unwrap_or_default();
    let words = line.split_whitespace();
    let mut behind = None;
    let mut at = 0;
    for word in words {
        let start = at + line[at..].find(word).unwrap_or(0);
        at = start + word.len();
        let plain = word.split(['<', '(']).next().unwrap_or(word);
        if KEYWORDS.contains(&plain) {
            behind = Some(start + plain.len());
        } else if !word.starts_with("pub(") && word.contains(['(', '{', '=', ';', ':']) {
            break;
        }
    }
    let found = match behind {
        Some(behind) => {
            let mut rest = line[behind..].trim_start();
            // A receiver in Go, or type parameters in Rust.
            for (open, close) in [('(', ')'), ('<', '>')] {
                if rest.starts_with(open)
                    && let Some((_, after)) = rest.split_once(close)
                {
                    rest = after.trim_start();
                }
            }
            first_word(rest)
        }
        None => {
            let end = line.find(['(', '=', ':', '{', ';', ',']).unwrap_or(line.len());
            last_word(&line[..end]).filter(|name| !CONTROL.contains(name))
        }
    };
    let found = found.filter(|name| !KEYWORDS.contains(name) && !MODIFIERS.contains(name))?;
    found.starts_with(|first: char| !first.is_ascii_digit()).then(|| found.to_string())
}

fn is_part(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '$' | '#' | '?' | '!' | '~')
}

fn first_word(text: &str) -> Option<&str> {
    let end = text.find(|character| !is_part(character) && character != '.' && character != ':').unwrap_or(text.len());
    Some(text[..end].trim_end_matches([':', '.'])).filter(|word| !word.is_empty())
}

fn last_word(text: &str) -> Option<&str> {
    let text = text.trim_end();
    // Type parameters.
    let text = text.split('<').next().unwrap_or(text).trim_end();
    let start = text.rfind(|character| !is_part(character)).map_or(0, |at| text.ceil_char_boundary(at + 1));
    Some(&text[start..]).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn names_of_definitions() {
        for (text, wanted) in [
            ("export default async function* walk<T>(a) {", Some("walk")),
            ("\n/** Doc. */\nexport class Queue extends Base {", Some("Queue")),
            ("@decorated\ndef total(self):", Some("total")),
            ("func (s *Server) Handle(w http.ResponseWriter) {", Some("Handle")),
            ("impl<T> Queue<T> {", Some("Queue")),
            ("pub(crate) const fn new() -> Self {", Some("new")),
            ("public static int sum(int a) {", Some("sum")),
            ("  private readonly size?: number;", Some("size?")),
            ("#define MOST 4", Some("MOST")),
            ("const items = [", Some("items")),
            ("static const int most = 4;", Some("most")),
            ("pub static MOST: u32 = 4;", Some("MOST")),
            ("const { a, b } = c;", None),
            ("def self.make", Some("self.make")),
            ("if (a) {", None),
            ("", None),
            ("// only a comment", None),
            ("日本(", Some("日本")),
        ] {
            assert_eq!(name(text).as_deref(), wanted, "{text}");
        }
    }
}
