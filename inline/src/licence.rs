//! Finds the licence at the beginning of a source file.

/// Maximum lines that are looked at.
const MAX_LINES: usize = 80;
const WORDS: [&str; 3] = ["copyright", "licen", "spdx"];

/// Returns the bytes of the lines up to the end of the comment that states a licence or a copyright; 0 without one.
///
/// ```
/// # use espalier_inline::licence_len;
/// let text = "// Copyright 2012 A.\n// All rights reserved.\n\npackage main\n";
/// assert_eq!(&text[licence_len(text)..], "\npackage main\n");
/// ```
pub fn licence_len(text: &str) -> usize {
    let (mut end, mut at) = (0, 0);
    // What ends the comment, and whether it states a licence.
    let (mut closing, mut is_licence) = (None, false);
    for line in text.split_inclusive('\n').take(MAX_LINES) {
        at += line.len();
        let said = line.trim();
        let is_block = closing.is_some() || opened(said).is_some();
        match (closing, opened(said)) {
            (Some(close), _) => {
                is_licence |= states(said);
                if said.contains(close) {
                    closing = None;
                }
            }
            (None, Some(close)) => {
                is_licence = states(said);
                closing = Some(close).filter(|close| !said[2..].contains(close));
            }
            (None, None) if said.is_empty() || is_prologue(said) => is_licence = false,
            (None, None) if is_line_comment(said) => is_licence |= states(said),
            (None, None) => break,
        }
        if is_licence && closing.is_none() {
            end = at;
            is_licence = !is_block;
        }
    }
    end
}

fn opened(line: &str) -> Option<&'static str> {
    let pairs = [("/*", "*/"), ("<!--", "-->"), ("{-", "-}")];
    pairs.into_iter().find_map(|(open, close)| line.starts_with(open).then_some(close))
}

/// Returns whether a line can come before the licence, such as `<?php`.
fn is_prologue(line: &str) -> bool {
    ["<?", "'use ", "\"use "].iter().any(|start| line.starts_with(start))
}

fn is_line_comment(line: &str) -> bool {
    let is_hash = line == "#" || ["# ", "##", "#!/"].iter().any(|start| line.starts_with(start));
    is_hash || ["//", "--", ";", "%"].iter().any(|start| line.starts_with(start))
}

fn states(line: &str) -> bool {
    let has = |word: &str| line.as_bytes().windows(word.len()).any(|part| part.eq_ignore_ascii_case(word.as_bytes()));
    WORDS.into_iter().any(has)
}
