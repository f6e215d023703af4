//! Writes JSON without white space and without escapes of letters, lists of objects with the same keys as tables, and
//! runs of alike items by their ends. Nothing is lost.

use super::super::tape::{Kind, Node, read};
use super::{alike, csv};

/// Min objects of a table: of fewer the text is shorter as it is. Those of lines of cells, and of lists in JSON.
const MIN_LINES: usize = 2;
const MIN_ROWS: usize = 3;

/// Returns a JSON text (an object, a list, or one of them in each line) in its short form; `None` if it is not JSON.
pub fn json(text: &str) -> Option<String> {
    let trimmed = text.trim();
    if !trimmed.starts_with(['{', '[']) {
        return None;
    }
    let Some(nodes) = read(trimmed) else { return lines(trimmed) };
    let writer = Writer { text: trimmed, nodes: &nodes };
    let rows: Vec<usize> = writer.children(0).collect();
    let mut out = String::with_capacity(trimmed.len());
    match writer.common(&rows).filter(|_| nodes[0].kind == Kind::List && rows.len() >= MIN_LINES) {
        Some(columns) => {
            csv::write(&columns, rows.iter().map(|&row| (writer, row)), "\n", &mut out);
            out.pop();
        }
        None => writer.write(0, &mut out),
    }
    Some(out)
}

/// JSON lines: consecutive lines with the same keys are one table.
fn lines(text: &str) -> Option<String> {
    let mut read_lines = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        read_lines.push((line, read(line)?));
    }
    let writers: Vec<Writer> = read_lines.iter().map(|(text, nodes)| Writer { text, nodes }).collect();
    let mut out = String::with_capacity(text.len());
    let mut rest = writers.as_slice();
    while let Some(first) = rest.first() {
        let columns = first.common(&[0]).map(Columns::flat);
        let is_same = |writer: &&Writer| writer.common(&[0]).map(Columns::flat) == columns;
        let count = rest.iter().take_while(is_same).count();
        match columns.filter(|_| count >= MIN_LINES) {
            Some(columns) => {
                // Other lines precede the table, or follow it.
                let end = if count < writers.len() { " of each row:\n" } else { "\n" };
                csv::write(&columns, rest[..count].iter().map(|&writer| (writer, 0)), end, &mut out);
            }
            None => rest[..count].iter().for_each(|writer| {
                writer.write(0, &mut out);
                out.push('\n');
            }),
        }
        rest = &rest[count..];
    }
    Some(out)
}

/// The names of the values that all rows of a table have, and those of their own objects.
#[derive(Debug, PartialEq)]
pub struct Columns<'a>(pub Vec<(&'a str, Option<Columns<'a>>)>);

impl<'a> Columns<'a> {
    /// Returns the names alone.
    fn flat(self) -> Columns<'a> {
        Columns(self.0.into_iter().map(|(name, _)| (name, None)).collect())
    }

    /// Writes `["a",{"b":["c","d"]}]`: the value of `b` is a list, too, of its `c` and `d`.
    fn write(&self, out: &mut String) {
        out.push('[');
        for (at, (name, inner)) in self.0.iter().enumerate() {
            if at > 0 {
                out.push(',');
            }
            match inner {
                Some(inner) => {
                    out.push('{');
                    push_readable(name, out);
                    out.push(':');
                    inner.write(out);
                    out.push('}');
                }
                None => push_readable(name, out),
            }
        }
        out.push(']');
    }
}

#[derive(Clone, Copy)]
pub struct Writer<'a> {
    text: &'a str,
    nodes: &'a [Node],
}

impl<'a> Writer<'a> {
    /// Returns the indices of the children.
    fn children(&self, number: usize) -> impl Iterator<Item = usize> + use<'a> {
        let nodes = self.nodes;
        let end = nodes[number].next;
        let mut child = number + 1;
        std::iter::from_fn(move || {
            let found = (child < end).then_some(child)?;
            child = nodes[found].next;
            Some(found)
        })
    }

    /// Returns the values of an object.
    pub fn values(&self, number: usize) -> impl Iterator<Item = usize> + use<'a> {
        self.children(number).skip(1).step_by(2)
    }

    pub fn kind(&self, number: usize) -> Kind {
        self.nodes[number].kind
    }

    pub fn written(&self, number: usize) -> &'a str {
        let Node { start, end, .. } = self.nodes[number];
        &self.text[start..end]
    }

    /// Returns the names of an object's values as they are written; `None` if it is not one, or an empty one.
    fn keys(&self, number: usize) -> Option<Vec<&'a str>> {
        let node = self.nodes.get(number)?;
        (node.kind == Kind::Object && node.items > 0)
            .then(|| self.children(number).step_by(2).map(|name| self.written(name)).collect())
    }

    /// Returns the columns of these objects, if all have the same.
    fn common(&self, rows: &[usize]) -> Option<Columns<'a>> {
        let keys = self.keys(*rows.first()?)?;
        if rows[1..].iter().any(|&row| self.keys(row).as_ref() != Some(&keys)) {
            return None;
        }
        let mut values: Vec<Vec<usize>> = vec![Vec::with_capacity(rows.len()); keys.len()];
        for &row in rows {
            for (column, value) in values.iter_mut().zip(self.values(row)) {
                column.push(value);
            }
        }
        Some(Columns(keys.into_iter().zip(values).map(|(name, values)| (name, self.common(&values))).collect()))
    }

    /// Returns the columns of the objects in a list, or in the lists of a list, if there are several.
    fn columns(&self, number: usize) -> Option<Columns<'a>> {
        let mut rows = Vec::new();
        let is_table = self.nodes[number].kind == Kind::List && self.collect(number, &mut rows);
        if is_table && rows.len() >= MIN_ROWS { self.common(&rows) } else { None }
    }

    /// Collects the objects of a list and of the lists in it. Returns false if it has other values.
    fn collect(&self, number: usize, rows: &mut Vec<usize>) -> bool {
        self.children(number).all(|child| match self.nodes[child].kind {
            Kind::Object => {
                rows.push(child);
                true
            }
            Kind::List => self.collect(child, rows),
            Kind::Text | Kind::Other => false,
        })
    }

    // Recursion is safe here: the reader accepts at most 128 levels.
    pub fn write(&self, number: usize, out: &mut String) {
        match self.nodes[number].kind {
            Kind::Text => push_readable(self.written(number), out),
            Kind::Other => out.push_str(self.written(number)),
            Kind::Object => {
                out.push('{');
                for (at, child) in self.children(number).enumerate() {
                    if at > 0 {
                        out.push(if at % 2 == 0 { ',' } else { ':' });
                    }
                    self.write(child, out);
                }
                out.push('}');
            }
            Kind::List => match self.columns(number) {
                Some(columns) => {
                    out.push_str("{\"columns\":");
                    columns.write(out);
                    out.push_str(",\"rows\":");
                    self.rows(number, &columns, out);
                    out.push('}');
                }
                None => self.list(number, out, |item, out| self.write(item, out)),
            },
        }
    }

    fn list(&self, number: usize, out: &mut String, mut write: impl FnMut(usize, &mut String)) {
        out.push('[');
        let mut items = Vec::with_capacity(self.nodes[number].items);
        for item in self.children(number) {
            if !items.is_empty() {
                out.push(',');
            }
            let start = out.len();
            write(item, out);
            items.push(start..out.len());
        }
        let edits = alike::runs(out, &items).into_iter().map(|(range, note)| (range, format!("\"{note}\"")));
        alike::replace(out, edits);
        out.push(']');
    }

    fn rows(&self, number: usize, columns: &Columns, out: &mut String) {
        self.list(number, out, |item, out| match self.nodes[item].kind {
            Kind::List => self.rows(item, columns, out),
            _ => self.row(item, columns, out),
        });
    }

    /// Writes the values of an object as a list.
    fn row(&self, number: usize, columns: &Columns, out: &mut String) {
        out.push('[');
        let values = self.values(number);
        for (at, (value, (_, inner))) in values.zip(&columns.0).enumerate() {
            if at > 0 {
                out.push(',');
            }
            match inner {
                Some(inner) => self.row(value, inner, out),
                None => self.write(value, out),
            }
        }
        out.push(']');
    }
}

/// Writes a string of JSON with its letters: their escapes take five times as many tokens.
pub fn push_readable(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let escape = &rest[at..];
        let length = match letter(escape) {
            Some((letter, length)) => {
                out.push(letter);
                length
            }
            None => {
                let length = 1 + escape[1..].chars().next().map_or(0, char::len_utf8);
                out.push_str(&escape[..length]);
                length
            }
        };
        rest = &escape[length..];
    }
    out.push_str(rest);
}

/// Reads the escape of a character that can be seen, with which a text begins; returns its bytes too.
fn letter(escape: &str) -> Option<(char, usize)> {
    let unit = |at: usize| {
        let digits = escape.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let first = unit(0)?;
    let (letter, length) = match char::from_u32(first.into()) {
        Some(letter) => (letter, 6),
        None => (char::decode_utf16([first, unit(6)?]).next()?.ok()?, 12),
    };
    let is_seen = match letter {
        ..='\u{a0}' | '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202f}' => false,
        '\u{2060}'..='\u{206f}' | '\u{e000}'..='\u{f8ff}' | '\u{feff}' | '\u{fff0}'..='\u{ffff}' => false,
        _ => letter < '\u{e0000}' && !letter.is_whitespace(),
    };
    is_seen.then_some((letter, length))
}

#[cfg(test)]
mod tests {
    use super::json;

    fn check(text: &str, wanted: Option<&str>) {
        assert_eq!(json(text).as_deref(), wanted, "{text}");
    }

    #[test]
    fn json_is_short() {
        check("{ \"a\": [1, 2],\n \"b\": {} }", Some(r#"{"a":[1,2],"b":{}}"#));
        check(
            r#"{"x":[{"a":1,"b":"x"},{"a":2,"b":"y"},{"a":3,"b":[ ]}]}"#,
            Some(r#"{"x":{"columns":["a","b"],"rows":[[1,"x"],[2,"y"],[3,[]]]}}"#),
        );
        check(
            r#"[[{"a":{"b":1,"c":2}},{"a":{"b":3,"c":4}},{"a":{"b":5,"c":[{}]}}]]"#,
            Some(r#"{"columns":[{"a":["b","c"]}],"rows":[[[[1,2]],[[3,4]],[[5,[{}]]]]]}"#),
        );
        check(r#"[[{"a":1},{"a":2}],[{"a":3}],[]]"#, Some(r#"{"columns":["a"],"rows":[[[1],[2]],[[3]],[]]}"#));
        check(r#"[{"a":1},{"a":2}]"#, Some("a\n1\n2"));
        check(r#"{"x":[{"a":1},{"a":2}]}"#, Some(r#"{"x":[{"a":1},{"a":2}]}"#));
        check(r#"[{"a":1},{"a":2},{"b":3}]"#, Some(r#"[{"a":1},{"a":2},{"b":3}]"#));
        check(
            "{\"t\":1,\"m\":\"a\"}\n{\"t\":2,\"m\":\"b\"}\n{\"t\":3,\"m\":\"c\"}\n{\"e\":1}\n",
            Some("t,m of each row:\n1,a\n2,b\n3,c\n{\"e\":1}\n"),
        );
        check("{not json}", None);
        check("text", None);
    }

    #[test]
    fn letters_are_written_as_they_are() {
        check(r#"{"\u4e2d":"\u0422\u0435\u0441\u0442 \ud83d\ude80"}"#, Some("{\"中\":\"Тест 🚀\"}"));
        // No letters, what cannot be seen, half a pair, and a backslash in front of words.
        for kept in [r#"["\u0022\n\u001b\u00a0\u200b\u2028\ufeff"]"#, r#"["\ud83d"]"#, r#"["\\u4e2d"]"#] {
            check(kept, Some(kept));
        }
    }

    #[test]
    fn equal_items_are_written_once() {
        check(r#"["ok","ok","ok","ok","ok","no"]"#, Some(r#"["ok","[4 times more]","no"]"#));
        check("[7,7,7,0,0]", Some("[7,7,7,0,0]"));
        let beat = r#"{"event":"beat","ok":true}"#;
        check(&format!("[{}]", vec![beat; 40].join(",")), Some("event,ok\nbeat,true\n[39 times more]"));
        check("[[],[],[]]", Some("[[],[],[]]"));
        check("[20,19,18,17,16,15,14,13,12,11,10]", Some(r#"[20,19,"[8 more, counting on]",10]"#));
    }
}
