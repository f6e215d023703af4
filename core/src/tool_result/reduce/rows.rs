//! Writes rows with aligned columns without the alignment, and rows of the same folder below its name. Nothing is lost.

use crate::tool_result::errors::is_error;

/// Replaces the spaces that align the columns of tables by single ones. Blocks between blank lines are read apart; one
/// with an empty cell keeps its alignment, which says which cell is empty. `None` if nothing is aligned.
pub fn columns(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut block: Vec<&str> = Vec::new();
    for line in text.lines() {
        if line.trim().is_empty() {
            write_block(&block, &mut out);
            block.clear();
            out.push('\n');
        } else {
            block.push(line);
        }
    }
    write_block(&block, &mut out);
    (out.len() < text.len()).then_some(out)
}

/// Max characters of a line that are read as columns.
const MAX_WIDTH: usize = 2_000;

/// The spaces between two cells are at least as many, unless a table has no gap between some of them.
const GAP: usize = 2;

fn write_block(block: &[&str], out: &mut String) {
    let table = Table::new(block);
    let is_full = table.as_ref().is_some_and(|table| !table.has_empty_cell(block));
    // All lines stay aligned without the spaces that all begin with.
    let indentation = block.iter().map(|line| spaces(line)).min().filter(|_| block.len() > 1).unwrap_or(0);
    for line in block {
        match &table {
            Some(table) if is_full => table.write(line, indentation, out),
            _ => out.push_str(&line[indentation..]),
        }
        out.push('\n');
    }
}

/// The columns of a table.
struct Table {
    /// Whether a line without a wide gap is no row: a title.
    has_gaps: bool,
    /// For each position the first one at or after it that lies between two columns.
    next_between: Vec<usize>,
    /// For each position the end of the first cell that begins at or after it.
    next_cell: Vec<usize>,
}

impl Table {
    /// Reads the columns of a block; `None` if it has none.
    fn new(block: &[&str]) -> Option<Table> {
        if block.len() < 2 || block.iter().any(|line| line.contains('\t')) {
            return None;
        }
        let has_gaps = block.iter().any(|line| is_row(line));
        let rows: Vec<&str> = block.iter().copied().filter(|line| !has_gaps || is_row(line)).collect();
        let width = rows.iter().map(|line| line.chars().count()).max()?.min(MAX_WIDTH);
        let mut used = vec![false; width];
        for line in &rows {
            for (used, character) in used.iter_mut().zip(line.chars()) {
                *used |= character != ' ';
            }
        }
        let names: Vec<char> = rows.first()?.chars().collect();
        // Characters without a free position between them: start, end, and whether the first row has some of them.
        let mut runs: Vec<(usize, usize, bool)> = Vec::new();
        for at in (0..width).filter(|at| used[*at]) {
            let is_named = names.get(at).is_some_and(|character| *character != ' ');
            match runs.last_mut().filter(|(_, end, _)| *end == at) {
                Some(run) => *run = (run.0, at + 1, run.2 || is_named),
                None => runs.push((at, at + 1, is_named)),
            }
        }
        let mut next_between = vec![usize::MAX; width + 1];
        let mut next_cell = vec![usize::MAX; width + 1];
        let mut has_name = false;
        let mut start = runs.first()?.0;
        for pair in runs.windows(2) {
            let ((_, end, is_named), (next, _, is_next_named)) = (pair[0], pair[1]);
            has_name |= is_named;
            // Both columns have a name; else the spaces may be part of a cell.
            if !(has_name && is_next_named) {
                continue;
            }
            has_name = false;
            (end..next).for_each(|at| next_between[at] = at);
            // So may a single space.
            if next - end >= GAP {
                next_cell[start] = end;
                start = next;
            }
        }
        next_cell[start] = runs.last()?.1;
        for at in (0..width).rev() {
            next_between[at] = next_between[at].min(next_between[at + 1]);
            next_cell[at] = next_cell[at].min(next_cell[at + 1]);
        }
        Some(Table { has_gaps, next_between, next_cell })
    }

    /// Returns whether a row has an empty cell before another one. The first cell of the names may be empty.
    fn has_empty_cell(&self, block: &[&str]) -> bool {
        let rows = block.iter().enumerate().filter(|(_, line)| !self.has_gaps || is_row(line));
        let mut gaps = rows.flat_map(|(number, line)| gaps(line).filter(move |(start, _)| number > 0 || *start > 0));
        gaps.any(|(start, end)| self.next_cell.get(start).is_some_and(|cell| *cell <= end))
    }

    fn write(&self, line: &str, indentation: usize, out: &mut String) {
        if self.has_gaps && !is_row(line) {
            out.push_str(line.trim());
            return;
        }
        let line = line.trim_end();
        let start = spaces(line);
        let text = &line[start..];
        // Numbers are aligned on the right. Other lines may be indented for a reason.
        let is_aligned = self.has_gaps || text.starts_with(|c: char| c.is_ascii_digit());
        out.push_str(&line[if is_aligned { start } else { indentation }..start]);
        let mut last = start;
        let mut bytes = line.char_indices().map(|(byte, _)| byte).skip(start);
        let mut at = start;
        for (from, to) in gaps(text).map(|(from, to)| (from + start, to + start)) {
            let Some(byte) = bytes.by_ref().nth(from - at) else { break };
            at = from + 1;
            if to - from > 1 && self.next_between.get(from).is_some_and(|between| *between < to) {
                out.push_str(&line[last..=byte]);
                last = byte + to - from;
            }
        }
        out.push_str(&line[last..]);
    }
}

/// Returns the number of spaces before a line.
fn spaces(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Returns whether a line has a gap between two cells.
fn is_row(line: &str) -> bool {
    line.trim().contains("  ")
}

/// Returns the start and the end of the spaces before each word of a row, in characters.
fn gaps(line: &str) -> impl Iterator<Item = (usize, usize)> + '_ {
    let mut start = None;
    line.chars().enumerate().filter_map(move |(at, character)| match character {
        ' ' => {
            start = start.or(Some(at));
            None
        }
        _ => start.take().map(|start| (start, at)),
    })
}

/// Writes the folder of consecutive paths once, above their rows, which are indented. `None` if no two rows have the
/// same folder.
pub fn folders(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let rows: Vec<(&str, Option<(usize, usize)>)> = text.lines().map(|line| (line, folder(line))).collect();
    let name =
        |&(line, place): &(&'_ str, Option<(usize, usize)>)| place.map(|(start, end)| line[start..end].to_string());
    let mut at = 0;
    while at < rows.len() {
        let first = name(&rows[at]);
        let count = rows[at..].iter().take_while(|row| first.is_some() && name(row) == first).count();
        match first.filter(|_| count > 1) {
            Some(folder) => {
                out.push_str(&folder);
                for (line, place) in &rows[at..at + count] {
                    let (start, end) = place.unwrap_or_default();
                    out.push_str(&format!("\n {}{}", line[..start].trim_start(), &line[end..]));
                }
                at += count;
            }
            None => {
                out.push_str(rows[at].0);
                at += 1;
            }
        }
        out.push('\n');
    }
    (out.len() < text.len()).then_some(out)
}

/// Returns the place of the folder in the first path of a row.
fn folder(line: &str) -> Option<(usize, usize)> {
    let mut start = 0;
    for word in line.split_inclusive([' ', '\t']) {
        let path = word.trim_end();
        if let Some(slash) = path.trim_end_matches('/').rfind('/').filter(|_| !path.contains("://")) {
            let is_about_error = is_error(&line[..start]) || is_error(&line[start + path.len()..]);
            let is_plain = !path.contains(['"', '\'', '=', ':']) && !is_about_error;
            return (is_plain && slash > 0).then_some((start, start + slash + 1));
        }
        start += word.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{columns, folders};

    #[test]
    fn tables_lose_their_alignment() {
        let check = |text: &str, wanted: Option<&str>| assert_eq!(columns(text).as_deref(), wanted, "{text}");
        check(
            "NAME      READY   RESTARTS     AGE\nweb-0     1/1     3 (2d ago)   9d\nworker-10 0/1     0            12m\n",
            Some("NAME READY RESTARTS AGE\nweb-0 1/1 3 (2d ago) 9d\nworker-10 0/1 0 12m\n"),
        );
        // Numbers on the right, names of the rows, cells without anything behind them.
        check(
            "         total   free  shared\nMem:       31Gi   7Gi   512Mi\nSwap:         0     0\n",
            Some("total free shared\nMem:       31Gi 7Gi 512Mi\nSwap:         0 0\n"),
        );
        // A title, and rows whose gaps are single spaces.
        check(
            "     List\n Schema | Name\n--------+-------\n public | users\n a      | b\n",
            Some("List\nSchema | Name\n--------+-------\npublic | users\na | b\n"),
        );
        check("  adding: dist/ (stored 0%)\n  adding: a.js\n", Some("adding: dist/ (stored 0%)\nadding: a.js\n"));
        // Two spaces in a cell, in all rows.
        check("CODE       N\nif a:  b   1\n", Some("CODE N\nif a:  b 1\n"));
        check("x   a  b\nyy  cccc\n", Some("x a  b\nyy cccc\n"));
        check("  9 a.rs\n 12 b.rs\n\n    x\n", Some("9 a.rs\n12 b.rs\n\n    x\n"));
        check("spec:\n  a: 1\n  b:\n    c: 2\n", None);
        check("é    x\nüü   y\n", Some("é x\nüü y\n"));
    }

    #[test]
    fn empty_cells_keep_their_place() {
        let check = |text: &str| assert_eq!(columns(text), None, "{text}");
        check("ID    PORTS   NAME\n1     80      web\n2             db\n");
        check("a  b          c\n1  two words   \n2             x\n");
        check("one\ntwo\n");
        assert_eq!(
            columns("  ID    PORT   NAME\n  1            web\n").as_deref(),
            Some("ID    PORT   NAME\n1            web\n")
        );
        check("a\tb  c\nd\te  f\n");
    }

    #[test]
    fn rows_are_by_folder() {
        let check = |text: &str, wanted: Option<&str>| assert_eq!(folders(text).as_deref(), wanted, "{text}");
        check(
            "M\tREADME.md\nM\tsrc/lib/a.rs\nA\tsrc/lib/b.rs\nD\tsrc/c.rs\n",
            Some("M\tREADME.md\nsrc/lib/\n M\ta.rs\n A\tb.rs\nD\tsrc/c.rs\n"),
        );
        check("4K /srv/src/a/\n8K /srv/src/b\n12K /srv\n", Some("/srv/src/\n 4K a/\n 8K b\n12K /srv\n"));
        check("./src/a b.ts\n./src/c,d.ts\n./e.ts\n", Some("./src/\n a b.ts\n c,d.ts\n./e.ts\n"));
        check("a/b\nc/d\n", None);
        check("get https://a.b/c/d\nget https://a.b/c/e\n", None);
    }
}
