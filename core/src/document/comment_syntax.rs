//! The comment syntax of a language, with or without a grammar.

use super::language::{Comments, Language};

/// Returns the comment syntax of a language; none for a language that is unknown or has no comments.
///
/// ```
/// use espalier::document::comment_syntax::of;
/// assert_eq!(of("rust").line, Some("//"));
/// assert_eq!(of("css").block, Some(("/*", "*/")));
/// assert_eq!(of("json").line, None);
/// ```
pub fn of(language: &str) -> Comments {
    if let Some(known) = Language::find(language) {
        return known.comments;
    }
    let name = language.to_ascii_lowercase();
    let known = OTHERS.iter().find(|(names, _)| names.split(' ').any(|known| known == name));
    known.map_or(Comments { line: None, block: None }, |(_, comments)| *comments)
}

const fn line(line: &'static str) -> Comments {
    Comments { line: Some(line), block: None }
}

const fn block(open: &'static str, close: &'static str) -> Comments {
    Comments { line: None, block: Some((open, close)) }
}

/// Languages without a grammar; names are separated by blanks.
static OTHERS: &[(&str, Comments)] = &[
    ("css", block("/*", "*/")),
    ("html xml svg markdown vue svelte", block("<!--", "-->")),
    (
        "scss less jsonc swift kotlin scala dart groovy objective-c proto solidity zig",
        Comments { line: Some("//"), block: Some(("/*", "*/")) },
    ),
    (
        "shellscript sh bash yaml toml dockerfile makefile perl r elixir julia powershell coffeescript graphql terraform nix",
        line("#"),
    ),
    ("sql lua haskell ada elm", line("--")),
    ("clojure lisp scheme ini racket", line(";")),
    ("latex tex erlang matlab", line("%")),
];
