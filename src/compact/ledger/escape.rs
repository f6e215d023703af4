//! The record's own tags inside quoted text: they must not end it early.

/// Tags of the record; inside quoted text they must not end it early.
const TAGS: [&str; 10] = [
    "conversation-summary",
    "summary",
    "user-messages",
    "constraints",
    "todo",
    "changed-files",
    "errors",
    "commands",
    "decisions",
    "read-files",
];

/// Our own closing tags inside quoted text, taken apart by a backslash; [`unescape`] gives the text back.
///
/// ```
/// use espalier::compact::ledger::escape::{escape, unescape};
/// assert_eq!(escape("a </summary> b </p>"), r"a <\/summary> b </p>");
/// assert_eq!(unescape(&escape(r"<\/todo> </todo>")), r"<\/todo> </todo>");
/// ```
pub fn escape(text: &str) -> String {
    closing(text, |out, slashes| {
        out.push('\\');
        out.push_str(slashes);
    })
}

/// The opposite of [`escape`].
pub fn unescape(text: &str) -> String {
    closing(text, |out, slashes| out.push_str(slashes.strip_prefix('\\').unwrap_or(slashes)))
}

/// Copies a text; what stands between `<` and `/tag` of our own tags (backslashes, or nothing) goes through `change`.
fn closing(text: &str, change: impl Fn(&mut String, &str)) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..=at]);
        rest = &rest[at + 1..];
        let plain = rest.trim_start_matches('\\');
        let slashes = &rest[..rest.len() - plain.len()];
        let ours = plain.strip_prefix('/').is_some_and(|name| {
            let name = name.trim_start();
            TAGS.iter().any(|tag| name.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag)))
        });
        if ours {
            change(&mut out, slashes);
            rest = plain;
        }
    }
    out.push_str(rest);
    out
}
