//! Markers: a comment on a line of its own that names the omitted lines.

use super::super::language::{Comments, Language};

/// The comments of languages without a grammar, by name or file extension.
const OTHERS: &[(&str, &str, &str)] = &[
    (
        "#",
        "",
        "shellscript bash sh zsh fish yaml yml toml dockerfile makefile mk r perl pl elixir ex exs julia jl powershell ps1 \
         coffeescript coffee nim tcl awk cmake graphql gql properties ini conf env nix hcl terraform tf starlark bzl crystal cr",
    ),
    ("--", "", "sql lua haskell hs ada elm applescript vhdl purescript"),
    (
        "//",
        "",
        "kotlin kt kts swift scala sc dart jsonc json5 scss sass less groovy gradle zig proto proto3 solidity sol objective-c m mm \
         fsharp fs fsx v verilog sv glsl hlsl wgsl cuda cu d haxe hx reason re",
    ),
    ("/*", "*/", "css"),
    ("<!--", "-->", "html htm xml svg xhtml xsl vue svelte markdown md astro"),
    (";", "", "clojure clj cljs lisp el scheme scm racket rkt asm s"),
    ("%", "", "latex tex erlang erl matlab prolog"),
    ("'", "", "vb vbnet bas"),
    ("{{!--", "--}}", "handlebars hbs"),
];

/// The parts of a marker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Marker {
    /// The text from the indentation to the numbers, and the text from the numbers to the line break.
    before: String,
    after: String,
    /// Whether the language needs a statement in place of a body (Python).
    pub fills: bool,
    /// Whether comments between tags have to be in braces.
    pub braces: bool,
}

/// The form of one marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    /// Behind a statement that does nothing.
    Filled,
    /// In braces, between tags.
    Braced,
    /// In another language than the document, by its index.
    Embedded(u8),
}

impl Marker {
    /// Returns the markers of a language. `wording` contains `{lines}`.
    pub fn new(language: &str, own: Option<(&str, &str)>, wording: &str) -> Marker {
        let (open, close) = match own {
            Some(comments) => comments,
            None => match Language::find(language) {
                Some(language) => of(&language.comments),
                None => {
                    let name = language.to_ascii_lowercase();
                    let found = OTHERS.iter().find(|(_, _, names)| names.split_whitespace().any(|known| known == name));
                    found.map_or(("", ""), |(open, close, _)| (*open, *close))
                }
            },
        };
        let (before, after) = wording.split_once("{lines}").unwrap_or((wording, ""));
        let space = |mark: &str| if mark.is_empty() { "" } else { " " };
        let language = Language::find(language);
        Marker {
            before: format!("{open}{}{before}", space(open)),
            after: format!("{after}{}{close}", space(close)),
            fills: language.is_some_and(|language| language.name == "python"),
            braces: language.is_some_and(|language| matches!(language.grammar, "javascript" | "tsx")),
        }
    }

    /// Returns whether the comments are those of markup, in which scripts have others.
    pub fn is_markup(&self) -> bool {
        self.before.starts_with("<!--") || self.before.starts_with("{{!--")
    }

    /// Returns the text between the indentation and the numbers.
    pub fn before(&self, style: Style) -> String {
        match style {
            Style::Plain | Style::Embedded(_) => self.before.clone(),
            Style::Filled => format!("...  {}", self.before),
            Style::Braced => format!("{{/* {}", self.before.strip_prefix("// ").unwrap_or(&self.before)),
        }
    }

    /// Returns the text between the numbers and the line break.
    pub fn after(&self, style: Style) -> String {
        match style {
            Style::Braced => format!("{} */}}", self.after),
            _ => self.after.clone(),
        }
    }
}

fn of(comments: &Comments) -> (&'static str, &'static str) {
    match comments {
        Comments { line: Some(line), .. } => (line, ""),
        Comments { block: Some((open, close)), .. } => (open, close),
        _ => ("", ""),
    }
}

/// Returns the lines of a marker: both included, from 1.
pub(super) fn lines((first, last): (u32, u32)) -> String {
    if first == last { first.to_string() } else { format!("{first}-{last}") }
}
