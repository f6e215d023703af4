//! The text and the count of the marker between two rows that show one after the other. A row is `None` at an end of
//! the document.

use super::layout::{FOOT, LINE_ENDS, UNKNOWN, seam, with_numbers};
use super::marker::{Style, lines};
use super::sheet::Sheet;

impl Sheet<'_> {
    /// Returns the lines of a stretch: both included, from 1.
    pub fn missing_lines(&self, (start, end): (u32, u32)) -> (u32, u32) {
        (self.page.line_of(start) + 1, self.page.line_of(end.saturating_sub(1).max(start)) + 1)
    }

    /// Returns the lines between two rows, in constant time if no row is cut.
    fn lines_between(&self, before: Option<u32>, behind: Option<u32>) -> (u32, u32) {
        if self.is_cut(before, behind) {
            return self.missing_lines(self.missing(before, behind));
        }
        let (from, to) = (before.map_or(0, |row| row + 1), behind.unwrap_or(self.rows()));
        let last = self.page.rows[to as usize - 1];
        (self.page.rows[from as usize].line + 1, last.line + last.lines)
    }

    fn style(&self, before: Option<u32>, first: u32) -> Style {
        if before.is_some_and(|row| self.layout.opens.get(row as usize) == Some(&true)) {
            Style::Filled
        } else {
            self.layout.style(first)
        }
    }

    /// Returns the style of a marker in a row.
    fn cut_style(&self, row: Option<u32>) -> Style {
        match row.map(|row| self.layout.style(row)) {
            Some(style @ Style::Embedded(_)) => style,
            _ => Style::Plain,
        }
    }

    /// Returns the first row that is missing whole, which decides the indentation of the marker.
    fn first_missing(&self, before: Option<u32>, behind: Option<u32>) -> Option<u32> {
        let from = before.map_or(0, |row| row + 1);
        (from < behind.unwrap_or(self.rows())).then_some(from)
    }

    /// Returns the line break behind a marker.
    fn line_end(&self, before: Option<u32>, behind: Option<u32>) -> &'static str {
        match self.part {
            // The part begins on a line of its own.
            Some(part) if part.left && behind == Some(part.first) => "\n",
            _ => {
                let last = behind.unwrap_or(self.rows()).saturating_sub(1);
                debug_assert!(before.is_none_or(|before| before <= last));
                self.page.line_end(last)
            }
        }
    }

    /// Returns the count of the marker between two rows.
    pub(super) fn mark(&self, before: Option<u32>, behind: Option<u32>) -> i64 {
        if self.is_cut(before, behind) {
            let marker = self.marker(before, behind);
            return self.measure(&marker) + i64::from(self.clings(before, &marker));
        }
        let (from, to) = (before.map_or(0, |row| row + 1), behind.unwrap_or(self.rows()));
        let layout = self.layout;
        let (head, foot) = (&layout.heads[from as usize], &layout.feet[to as usize - 1]);
        if head.get() == UNKNOWN {
            head.set(self.head(before, from));
        }
        if foot.get() == UNKNOWN {
            foot.set(self.foot(to - 1));
        }
        let tail = layout.tails[layout.form(from)][(foot.get() >> FOOT) as usize & 3];
        let one = to - from == 1 && self.page.rows[from as usize].lines == 1;
        let last = if one { 0 } else { foot.get() & ((1 << FOOT) - 1) };
        i64::from(head.get() + last) + tail
    }

    /// Returns the count of a marker up to its first number, behind a row that shows whole.
    fn head(&self, before: Option<u32>, first: u32) -> i32 {
        let lead = format!("{}{}", self.page.indent(first), self.layout.before(self.style(before, first)));
        let number = self.gauge.number(self.page.rows[first as usize].line + 1) as i32;
        self.layout.memo.get(&lead, || self.measure(&lead) as i32) + number + self.clings(before, &lead)
    }

    /// Returns the count of a marker from its first number to its last.
    fn foot(&self, last: u32) -> i32 {
        let row = self.page.rows[last as usize];
        let end = self.page.line_end(last);
        let end = LINE_ENDS.iter().position(|known| *known == end).unwrap_or(0);
        (self.layout.dash + self.gauge.number(row.line + row.lines)) as i32 | (end as i32) << FOOT
    }

    /// Returns the difference that a whole row directly before a marker makes to its count: a token of the row can
    /// continue with a slash at the beginning of the marker.
    fn clings(&self, before: Option<u32>, marker: &str) -> i32 {
        let Some(row) = before.filter(|row| marker.starts_with('/') && !self.ends_cut(*row)) else { return 0 };
        let whole = self.page.rows[row as usize];
        // A blank line has a number as well, and the marker follows that number.
        let numbered = self.layout.numbered.then(|| with_numbers(self.page, whole.start, whole.end, whole.line));
        let text = numbered.as_deref().unwrap_or(self.page.slice(whole.start, whole.end));
        let tail = self.gauge.tail(text);
        // A marker that begins with a slash is not indented, so its beginning is always the same in a language.
        let usual = self.layout.before(Style::Plain);
        match marker.starts_with(&usual) {
            true => self.layout.memo.get(tail, || seam(self.gauge, tail, &usual)),
            false => seam(self.gauge, tail, marker),
        }
    }

    /// Returns the text of the marker between two rows, with its line break.
    pub fn marker(&self, before: Option<u32>, behind: Option<u32>) -> String {
        let first = self.first_missing(before, behind);
        let style = first.map_or_else(|| self.cut_style(before.or(behind)), |first| self.style(before, first));
        let indent = first.map_or("", |first| self.page.indent(first));
        let numbers = lines(self.lines_between(before, behind));
        let (lead, tail) = (self.layout.before(style), self.layout.after(style));
        format!("{indent}{lead}{numbers}{tail}{}", self.line_end(before, behind))
    }
}
