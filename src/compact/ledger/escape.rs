//! The record's own tags inside quoted text: they must neither end it early nor begin a list in it.

/// Tags of the record; inside quoted text they must not end it early.
const TAGS: [&str; 15] = [
    "actions",
    "conversation-summary",
    "summary",
    "user-messages",
    "user_message",
    "constraints",
    "todo",
    "changed-files",
    "errors",
    "commands",
    "decisions",
    "facts",
    "read-files",
    "names",
    "open-files",
];

/// Escapes our own tags inside quoted text with a backslash; [`unescape`] restores the text. Closing tags are escaped
/// in any case and with blanks; opening ones only in the record's spelling, because names like `Summary` occur in angle
/// brackets in much code.
///
/// ```
/// use espalier::compact::ledger::escape::{escape, unescape};
/// assert_eq!(escape("a </summary> b </p>"), r"a <\/summary> b </p>");
/// assert_eq!(escape("<constraints>"), r"<\constraints>");
/// assert_eq!(unescape(&escape(r"<\/todo> </todo>")), r"<\/todo> </todo>");
/// ```
pub fn escape(text: &str) -> String {
    tags(text, |out, slashes| {
        out.push('\\');
        out.push_str(slashes);
    })
}

/// True for the name of one of our own tags.
pub fn is_own(name: &str) -> bool {
    TAGS.iter().any(|tag| tag.eq_ignore_ascii_case(name))
}

/// Undoes [`escape`].
pub fn unescape(text: &str) -> String {
    tags(text, |out, slashes| out.push_str(slashes.strip_prefix('\\').unwrap_or(slashes)))
}

/// Copies a text; `change` rewrites the text (backslashes, or nothing) between `<` and the rest of our own tags.
fn tags(text: &str, change: impl Fn(&mut String, &str)) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..=at]);
        rest = &rest[at + 1..];
        let plain = rest.trim_start_matches('\\');
        let slashes = &rest[..rest.len() - plain.len()];
        let ours = match plain.strip_prefix('/') {
            Some(name) => {
                let name = name.trim_start();
                TAGS.iter().any(|tag| name.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag)))
            }
            None => TAGS.iter().any(|tag| {
                plain.strip_prefix(tag).is_some_and(|rest| rest.starts_with(|c: char| c == '>' || c.is_whitespace()))
            }),
        };
        if ours {
            change(&mut out, slashes);
            rest = plain;
        }
    }
    out.push_str(rest);
    out
}
