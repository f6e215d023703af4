//! Removes endings from English words, so that "parses", "parsed" and "parsing" find `parse`.

/// Minimum letters of a word that is shortened.
const MIN_WORD: usize = 4;

/// Minimum letters before an ending.
const MIN_STEM: usize = 3;

/// Removes `-s`, `-es`, `-ies`, `-ed`, `-ing` and a last `e` from a term of lower-case ASCII letters; other terms stay.
/// The result need not be a word: it must only be the same for all forms of one.
pub(crate) fn stem(term: &mut String) {
    if term.len() < MIN_WORD || !term.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return;
    }
    if term.ends_with("ies") {
        term.truncate(term.len() - 3);
        term.push('y');
        return;
    }
    cut_plural(term);
    for ending in ["ing", "ed"] {
        let rest = term.strip_suffix(ending).map_or(0, str::len);
        if rest >= MIN_STEM && term[..rest].contains(['a', 'e', 'i', 'o', 'u', 'y']) {
            term.truncate(rest);
            undouble(term);
            if term.ends_with('i') {
                term.pop();
                term.push('y');
                return;
            }
            break;
        }
    }
    if term.ends_with('e') && term.len() > MIN_STEM {
        term.pop();
    }
}

fn cut_plural(term: &mut String) {
    let is_plural = term.ends_with('s') && !["ss", "us", "is"].iter().any(|end| term.ends_with(end));
    if is_plural {
        term.pop();
        if ["sse", "she", "che", "xe", "zze"].iter().any(|end| term.ends_with(end)) {
            term.pop();
        }
    }
}

/// Makes the stem of `running` that of `run`, and keeps that of `calling` as `call`.
fn undouble(term: &mut String) {
    let bytes = term.as_bytes();
    if let [.., before, last] = bytes
        && bytes.len() > MIN_STEM
        && before == last
        && !matches!(last, b'l' | b's' | b'z' | b'e' | b'o')
    {
        term.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::stem;

    fn check(words: &[&str], expected: &str) {
        for word in words {
            let mut found = word.to_string();
            stem(&mut found);
            assert_eq!(found, expected, "{word}");
        }
    }

    #[test]
    fn forms_of_a_word() {
        check(&["parse", "parses", "parsed", "parsing"], "pars");
        check(&["query", "queries", "queried", "querying"], "query");
        check(&["run", "runs", "running"], "run");
        check(&["call", "calls", "called", "calling"], "call");
        check(&["match", "matches", "matched", "matching"], "match");
        check(&["index", "indexes", "indexed", "indexing"], "index");
        check(&["node", "nodes"], "nod");
        check(&["pass", "passes", "passed", "passing"], "pass");
    }

    #[test]
    fn words_that_stay() {
        for word in ["class", "status", "axis", "string", "feed", "the", "sh", "utf8", "max_size", "größen", "süss"]
        {
            check(&[word], word);
        }
    }
}
