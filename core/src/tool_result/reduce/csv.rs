//! Writes tables as lines of cells with commas between them, below the names of the columns. Nothing is lost: a cell is
//! JSON, but for the quotes of strings that cannot be read as anything else.

use super::super::tape::{Kind, read};
use super::alike;
use super::table::{Columns, Writer, push_readable};

/// Writes the names of the columns, `end`, and a line for each row, which is an object in a text.
pub fn write<'a>(
    columns: &Columns,
    rows: impl ExactSizeIterator<Item = (Writer<'a>, usize)>,
    end: &str,
    out: &mut String,
) {
    names(columns, &mut Vec::new(), out);
    close(out, end);
    let mut lines = Vec::with_capacity(rows.len());
    for (writer, row) in rows {
        let start = out.len();
        cells(writer, row, columns, out);
        close(out, "\n");
        lines.push(start..out.len() - 1);
    }
    let edits = alike::runs(out, &lines);
    alike::replace(out, edits);
}

/// Replaces the last comma.
fn close(out: &mut String, end: &str) {
    out.pop();
    out.push_str(end);
}

/// Writes `a,b.c,b.d,`: `c` and `d` are values of the object `b`.
fn names<'a>(columns: &Columns<'a>, path: &mut Vec<&'a str>, out: &mut String) {
    for (name, inner) in &columns.0 {
        path.push(name);
        match inner {
            Some(inner) => names(inner, path, out),
            None => {
                for part in &*path {
                    push_string(part, |name| !name.contains('.'), out);
                    out.push('.');
                }
                close(out, ",");
            }
        }
        path.pop();
    }
}

/// Writes the values of a row with a comma behind each.
fn cells(writer: Writer, row: usize, columns: &Columns, out: &mut String) {
    for (value, (_, inner)) in writer.values(row).zip(&columns.0) {
        match inner {
            Some(inner) => cells(writer, value, inner, out),
            None => {
                match writer.kind(value) {
                    Kind::Text => push_string(writer.written(value), is_no_other_value, out),
                    _ => writer.write(value, out),
                }
                out.push(',');
            }
        }
    }
}

/// Writes a string of JSON, without its quotes if `is_clear` and nothing in it belongs to JSON.
fn push_string(text: &str, is_clear: impl Fn(&str) -> bool, out: &mut String) {
    let start = out.len();
    push_readable(text, out);
    let inner = &out[start + 1..out.len() - 1];
    let is_plain = !inner.contains([',', '"', '\\']) && !inner.starts_with(['[', '{']) && inner.trim() == inner;
    if is_plain && !inner.is_empty() && is_clear(inner) {
        out.pop();
        out.remove(start);
    }
}

/// Returns whether a text is no number, `true`, `false` or `null`.
fn is_no_other_value(text: &str) -> bool {
    !text.starts_with(|first: char| first == '-' || first.is_ascii_digit() || "tfn".contains(first))
        || read(text).is_none()
}

#[cfg(test)]
mod tests {
    use super::super::table::json;

    fn check(text: &str, wanted: &str) {
        assert_eq!(json(text).as_deref(), Some(wanted), "{text}");
    }

    #[test]
    fn tables_are_lines_of_cells() {
        check(r#"[{"a":1,"b":"x y"},{"a":2,"b":"z"},{"a":3,"b":[ ]}]"#, "a,b\n1,x y\n2,z\n3,[]");
        check(
            r#"[{"a":{"b":1,"c.d":2}},{"a":{"b":3,"c.d":4}},{"a":{"b":5,"c.d":[{}]}}]"#,
            "a.b,a.\"c.d\"\n1,2\n3,4\n5,[{}]",
        );
    }

    #[test]
    fn strings_keep_quotes_where_they_are_needed() {
        let texts = ["", "1", "-1.5e3", "true", "null", "a,b", r#"\"a\""#, r"a\nb", " a", "a ", "[a", "{a", r"\\"];
        let rows: Vec<String> = texts.iter().map(|text| format!(r#"{{"k":"{text}"}}"#)).collect();
        let wanted: String = texts.iter().map(|text| format!("\"{text}\"\n")).collect();
        check(&format!("[{}]", rows.join(",")), &format!("k\n{}", wanted.trim_end()));
        let texts = ["1a", "-", "truer", "nul", "a:b", "\u{e9}", "it's", "01", "a]}", "12:30", "1 2"];
        let rows: Vec<String> = texts.iter().map(|text| format!(r#"{{"k":"{text}"}}"#)).collect();
        let wanted: String = texts.iter().map(|text| format!("{text}\n")).collect();
        check(&format!("[{}]", rows.join(",")), &format!("k\n{}", wanted.trim_end()));
    }

    #[test]
    fn rows_count_on() {
        let rows: Vec<String> = (0..30).map(|n| format!(r#"{{"id":{n},"ok":{}}}"#, n != 20)).collect();
        check(
            &format!("[{}]", rows.join(",")),
            "id,ok\n0,true\n1,true\n[17 more, counting on]\n19,true\n20,false\n21,true\n22,true\n\
             [6 more, counting on]\n29,true",
        );
    }
}
