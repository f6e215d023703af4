//! Patterns of lines in results: text with placeholders for numbers.

/// A pattern for the beginning of a line: `{n}`, `{from}`, `{to}` and `{total}` match numbers, `{*}` matches anything.
///
/// ```
/// use espalier::message::dialects::pattern::Pattern;
/// let pattern = Pattern("Lines {from} to {to} ({total} lines{*})");
/// let found = pattern.read("Lines 3 to 12 (1,200 lines total):").unwrap();
/// assert_eq!((found.from, found.to, found.total), (Some(3), Some(12), Some(1200)));
/// assert!(pattern.read("Lines three").is_none());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pattern(pub &'static str);

/// The values in a line that matches a pattern.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Line<'t> {
    pub number: Option<u64>,
    pub from: Option<u64>,
    pub to: Option<u64>,
    pub total: Option<u64>,
    /// The text after the match, including what `{*}` at the end of the pattern matches.
    pub rest: &'t str,
}

impl Pattern {
    /// Matches the beginning of a line; leading blanks are ignored.
    pub fn read(self, line: &str) -> Option<Line<'_>> {
        let mut said = Line { rest: line.trim_start(), ..Line::default() };
        let mut pattern = self.0;
        // Most lines differ from most patterns in the first byte.
        if pattern.bytes().next().is_some_and(|first| first != b'{' && said.rest.bytes().next() != Some(first)) {
            return None;
        }
        loop {
            let next = pattern.split_once('{').and_then(|(literal, place)| Some((literal, place.split_once('}')?)));
            // A brace without a placeholder name is literal.
            let literal = next.map_or(pattern, |(literal, _)| literal);
            // Lines may have lost the blanks at their ends.
            said.rest = match said.rest.strip_prefix(literal) {
                Some(rest) => rest,
                None if said.rest == literal.trim_end() && !said.rest.is_empty() => "",
                None => return None,
            };
            let Some((_, (name, behind))) = next else { return Some(said) };
            pattern = behind;
            if name == "*" {
                let literal = pattern.split('{').next().unwrap_or(pattern);
                if literal.is_empty() {
                    return Some(said);
                }
                said.rest = &said.rest[said.rest.find(literal)?..];
                continue;
            }
            let end = said.rest.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b',').count();
            let digits: String = said.rest[..end].chars().filter(char::is_ascii_digit).collect();
            let number = Some(digits.parse::<u64>().ok()?);
            match name {
                "from" => said.from = number,
                "to" => said.to = number,
                "total" => said.total = number,
                _ => said.number = number,
            }
            said.rest = &said.rest[end..];
        }
    }
}
