//! The marker between two rows that show one after the other: what it says, and what it counts. A row is `None` at an end of the document.

use super::layout::{LINE_ENDS, UNKNOWN, seam, with_numbers};
use super::marker::{Style, lines};
use super::sheet::Sheet;

impl Sheet<'_> {
    /// The lines of such a stretch: both included, from 1.
    pub fn missing_lines(&self, (start, end): (u32, u32)) -> (u32, u32) {
        (self.page.line_of(start) + 1, self.page.line_of(end.saturating_sub(1).max(start)) + 1)
    }

    /// The same in constant time where no row is cut.
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
        } else if self.layout.between_tags.get(first as usize) == Some(&true) {
            Style::Braced
        } else {
            Style::Plain
        }
    }

    /// The row that gives a marker its indentation: the first that is missing whole.
    fn first_missing(&self, before: Option<u32>, behind: Option<u32>) -> Option<u32> {
        let from = before.map_or(0, |row| row + 1);
        (from < behind.unwrap_or(self.rows())).then_some(from)
    }

    /// The line break behind a marker.
    fn line_end(&self, before: Option<u32>, behind: Option<u32>) -> &'static str {
        match self.part {
            // What shows of a row begins on a line of its own.
            Some(part) if part.left && behind == Some(part.first) => "\n",
            _ => {
                let last = behind.unwrap_or(self.rows()).saturating_sub(1);
                debug_assert!(before.is_none_or(|before| before <= last));
                self.page.line_end(last)
            }
        }
    }

    /// What the marker between two rows counts.
    pub(super) fn mark(&self, before: Option<u32>, behind: Option<u32>) -> i64 {
        let first = self.first_missing(before, behind);
        let style = first.map_or(Style::Plain, |first| self.style(before, first));
        let (one, last) = self.lines_between(before, behind);
        let mut numbers = self.layout.numbers.cost(one, &self.gauge);
        if last > one {
            numbers += self.layout.dash + self.layout.numbers.cost(last, &self.gauge);
        }
        let indent = first.map_or("", |first| self.page.indent(first));
        let lead = || self.gauge.count(&format!("{indent}{}", self.layout.marker.before(style)));
        let lead = match first {
            Some(first) => {
                let cell = &self.layout.leads[usize::from(style == Style::Filled)][first as usize];
                if cell.get() == UNKNOWN {
                    cell.set(lead() as u32);
                }
                i64::from(cell.get())
            }
            None => lead(),
        };
        let end = self.line_end(before, behind);
        let end = LINE_ENDS.iter().position(|known| *known == end).unwrap_or(0);
        let tail = self.layout.tails[usize::from(style == Style::Braced)][end];
        let clings = match before {
            Some(row) if indent.is_empty() && style == Style::Plain && self.layout.marker.clings() => self.clings(row),
            _ => 0,
        };
        lead + numbers + tail + i64::from(clings)
    }

    /// What a marker at the beginning of a line counts more, or less, behind a row.
    fn clings(&self, row: u32) -> i32 {
        if self.gauge.adds_up() || self.part.is_some_and(|part| part.last == row && part.right) {
            return 0;
        }
        let cell = &self.layout.clings[row as usize];
        if cell.get() == i32::MAX {
            let whole = self.page.rows[row as usize];
            let marker = self.layout.marker.before(Style::Plain);
            cell.set(match self.layout.numbered {
                // A blank line has a number too, and its marker follows that.
                true => seam(self.gauge, &with_numbers(self.page, whole.start, whole.end), &marker),
                false => seam(self.gauge, self.page.slice(whole.start, whole.end), &marker),
            });
        }
        cell.get()
    }

    /// The text of the marker between two rows, its line break included.
    pub fn marker(&self, before: Option<u32>, behind: Option<u32>) -> String {
        let first = self.first_missing(before, behind);
        let style = first.map_or(Style::Plain, |first| self.style(before, first));
        let indent = first.map_or("", |first| self.page.indent(first));
        let numbers = lines(self.lines_between(before, behind));
        let (lead, tail) = (self.layout.marker.before(style), self.layout.marker.after(style));
        format!("{indent}{lead}{numbers}{tail}{}", self.line_end(before, behind))
    }
}
