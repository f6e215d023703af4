//! Writes a passage: path and lines, then the text in a fence.

use std::ops::Range;

/// Maximum length of an info string; longer extensions are meaningless.
const MAX_EXTENSION: usize = 12;

/// Returns the text before the passage. It ends with a line end.
pub(super) fn heading(path: &str, lines: &Range<usize>, fence: usize) -> String {
    let shown: String = path.chars().map(|one| if one.is_control() { '\u{FFFD}' } else { one }).collect();
    let lines = match lines.len() {
        0 | 1 => format!("line {}", lines.start + 1),
        _ => format!("lines {}-{}", lines.start + 1, lines.end),
    };
    format!("`{shown}`, {lines}\n{}{}\n", "`".repeat(fence), extension(path))
}

/// Returns the text after the passage.
pub(super) fn closing(text: &str, fence: usize) -> String {
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{end}{}\n", "`".repeat(fence))
}

pub(super) fn rendered(path: &str, lines: &Range<usize>, text: &str) -> String {
    let fence = fence(text);
    [&heading(path, lines, fence), text, &closing(text, fence)].concat()
}

/// Returns a number of backticks that exceeds every run inside.
pub(super) fn fence(text: &str) -> usize {
    let (mut longest, mut run) = (2, 0);
    for byte in text.bytes() {
        run = if byte == b'`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest + 1
}

fn extension(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let is_plain = extension.len() <= MAX_EXTENSION && extension.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if is_plain { extension } else { "" }
}
