//! Finds the lines of files in a unified diff.

/// Follows the hunks of a text, line by line. A line of a hunk is a line of a file, whatever it looks like.
#[derive(Default)]
pub struct Hunks {
    /// The lines of the current hunk that are still to come, of the old and of the new file.
    old: usize,
    new: usize,
}

impl Hunks {
    /// Returns whether the next line of the text is a line of a hunk.
    pub fn hold(&mut self, line: &str) -> bool {
        let line = line.trim_end_matches(['\n', '\r']);
        let next = match line.as_bytes().first() {
            Some(b'@') => return self.open(line),
            Some(b'-') => self.without(1, 0),
            Some(b'+') => self.without(0, 1),
            // Some tools trim an empty line.
            Some(b' ') | None => self.without(1, 1),
            // `\ No newline at end of file`
            Some(b'\\') => self.without(0, 0),
            Some(_) => None,
        };
        let is_held = next.is_some();
        *self = next.unwrap_or_default();
        is_held
    }

    /// Returns the counts of the lines that follow a line of the old or the new file. `None` if the hunk ended before.
    fn without(&self, old: usize, new: usize) -> Option<Hunks> {
        Some(Hunks { old: self.old.checked_sub(old)?, new: self.new.checked_sub(new)? })
    }

    /// Reads `@@ -12,7 +12,8 @@`. The header itself is no line of a file.
    fn open(&mut self, line: &str) -> bool {
        let header = line.strip_prefix("@@ -").and_then(|rest| rest.split_once(" @@"));
        let ranges = header.and_then(|(ranges, _)| ranges.split_once(" +"));
        // `12` is short for `12,1`.
        let length = |range: &str| {
            let (start, length) = range.split_once(',').unwrap_or((range, "1"));
            start.parse::<usize>().and(length.parse()).ok()
        };
        let known = ranges.and_then(|(old, new)| Some(Hunks { old: length(old)?, new: length(new)? }));
        // Of a combined diff (`@@@ -1,2 -1,2 +1,5 @@@`) all lines up to one without a sign.
        let all = Hunks { old: usize::MAX, new: usize::MAX };
        *self = known.unwrap_or(if line.starts_with("@@@ -") { all } else { Hunks::default() });
        false
    }
}

#[cfg(test)]
mod tests {
    use super::Hunks;

    /// The lines of hunks in a text.
    fn held(text: &str) -> Vec<&str> {
        let mut hunks = Hunks::default();
        text.lines().filter(|line| hunks.hold(line)).collect()
    }

    #[test]
    fn hunks_have_the_length_of_their_header() {
        let text = "--- a/x\n+++ b/x\n@@ -1,3 +1,2 @@ fn a\n one\n--- a/y\n\n+++ b/y\n--- a/z\n+++ b/z\n@@ -1 +0,0 @@\n-x\n-y\n";
        assert_eq!(held(text), [" one", "--- a/y", "", "-x"]);
        assert_eq!(held(&text.replace("+1,2", "+1,3")), [" one", "--- a/y", "", "+++ b/y", "-x"]);
        assert_eq!(
            held("@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n x\n"),
            ["-a", "\\ No newline at end of file", "+b"]
        );
        assert_eq!(held("@@@ -1,1 -1,1 +1,3 @@@\n++<<<\n +a\n- b\ndiff --cc y\n--- a/y\n"), ["++<<<", " +a", "- b"]);
        assert!(held("- a list\n+ b\n\n@@ user\n x\n@@ -x +1 @@\n-a\n").is_empty());
    }
}
