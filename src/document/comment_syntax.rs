//! How comments are written in a language, whether there is a grammar for it or not.

use super::language::{Comments, Language};

/// The comment syntax of a language; nothing at all for languages that are not known, or have no comments.
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
    let line = |line| Comments { line: Some(line), block: None };
    let block = |open, close| Comments { line: None, block: Some((open, close)) };
    match language.to_ascii_lowercase().as_str() {
        "css" => block("/*", "*/"),
        "html" | "xml" | "svg" | "markdown" | "vue" | "svelte" => block("<!--", "-->"),
        "scss" | "less" | "jsonc" | "swift" | "kotlin" | "scala" | "dart" | "groovy" | "objective-c" | "proto"
        | "solidity" | "zig" => Comments { line: Some("//"), block: Some(("/*", "*/")) },
        "shellscript" | "sh" | "bash" | "yaml" | "toml" | "dockerfile" | "makefile" | "perl" | "r" | "elixir"
        | "julia" | "powershell" | "coffeescript" | "graphql" | "terraform" | "nix" => line("#"),
        "sql" | "lua" | "haskell" | "ada" | "elm" => line("--"),
        "clojure" | "lisp" | "scheme" | "ini" | "racket" => line(";"),
        "latex" | "tex" | "erlang" | "matlab" => line("%"),
        _ => Comments { line: None, block: None },
    }
}
