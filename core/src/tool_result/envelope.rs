//! The JSON that a host puts around the output of a command: `{"output":"…","exit_code":1}`.
//!
//! The output inside is lines, of which a reducer or a cut keeps the ones that matter. As a string of JSON it is one
//! line.

use serde_json::Value;

use crate::message::tool_output::{OUTPUTS, STATUSES};

/// A result that is split at its output.
pub(super) struct Envelope<'t> {
    before: &'t str,
    pub(super) output: String,
    after: &'t str,
}

impl<'t> Envelope<'t> {
    /// Splits a result whose first field is its output; `None` for any other text.
    pub(super) fn of(text: &'t str) -> Option<Envelope<'t>> {
        let rest = text.trim_start().strip_prefix('{')?.trim_start().strip_prefix('"')?;
        let key = OUTPUTS.iter().find_map(|key| rest.strip_prefix(key)?.strip_prefix('"'))?;
        let literal = key.trim_start().strip_prefix(':')?.trim_start();
        let mut is_escaped = false;
        let inside = |byte: &u8| {
            let ends = *byte == b'"' && !is_escaped;
            is_escaped = *byte == b'\\' && !is_escaped;
            !ends
        };
        let end = 2 + literal.strip_prefix('"')?.bytes().take_while(inside).count();
        let (literal, after) = literal.split_at_checked(end)?;
        if !STATUSES.iter().any(|key| after.contains(&format!("\"{key}\""))) || !after.trim_end().ends_with('}') {
            return None;
        }
        let output = serde_json::from_str(literal).ok()?;
        let before = &text[..text.len() - after.len() - literal.len()];
        Some(Envelope { before, output, after })
    }

    /// Returns the result with another output.
    pub(super) fn with(&self, output: String) -> String {
        [self.before, &Value::String(output).to_string(), self.after].concat()
    }

    /// Returns what is around the output.
    pub(super) fn frame(&self) -> String {
        self.with(String::new())
    }
}

#[cfg(test)]
mod tests {
    use super::Envelope;

    #[test]
    fn output_with_a_status_is_split() {
        let text = r#"{"output": "a \"b\"\\\nc", "exit_code": 1, "error": null}"#;
        let envelope = Envelope::of(text).unwrap();
        assert_eq!(envelope.output, "a \"b\"\\\nc");
        assert_eq!(envelope.with("x\ny".into()), r#"{"output": "x\ny", "exit_code": 1, "error": null}"#);
        assert_eq!(envelope.frame(), r#"{"output": "", "exit_code": 1, "error": null}"#);
    }

    #[test]
    fn other_texts_are_not() {
        for text in [
            "plain",
            r#"{"output": "a"}"#,
            r#"{"output": 3, "exit_code": 1}"#,
            r#"{"output": "a, "exit_code": 1"#,
            r#"{"output": "a", "exit_code": 1"#,
            r#"{"name": "x", "output": "a", "exit_code": 1}"#,
            r#"{"output": "\q", "exit_code": 1}"#,
            r#"{"output": ""#,
        ] {
            assert!(Envelope::of(text).is_none(), "{text}");
        }
    }
}
