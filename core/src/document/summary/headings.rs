//! Shows the headings of a document of sections before the text of any: they say what is missing, and where.

use super::super::indent::SECTION;
use super::fill::Fill;

/// Divisor of the budget: the headings of all documents may take at most the quotient, markers included.
const SHARE: i64 = 3;

impl Fill<'_, '_> {
    /// Shows headings as long as there is room for them: those of the outer sections first, and among these the
    /// nearest to the selection first.
    pub(super) fn headings(&mut self, at: usize, selection: Option<(u32, u32)>) {
        let sheet = &self.sheets[at];
        let kinds = &sheet.overlay.kinds;
        let Some(kind) = kinds.iter().position(|kind| **kind == *SECTION) else { return };
        let is_section =
            |node: u32| sheet.overlay.nodes.get(node as usize).is_some_and(|node| node.kind as usize == kind);
        let sections = sheet.tree.nodes.iter().filter(|node| is_section(node.overlay));
        // The document may be one section with its title.
        let (start, end) = selection.unwrap_or_default();
        let mut rows: Vec<(u64, u32)> = sections
            .map(|node| {
                let distance = start.saturating_sub(node.end).max(node.start.saturating_sub(end));
                (u64::from(node.depth) << 32 | u64::from(distance), sheet.page.row_of(node.start))
            })
            .collect();
        crate::rank::sort(&mut rows, |(rank, _)| *rank);
        let most = self.budget.min(self.total + self.budget / SHARE);
        let budget = std::mem::replace(&mut self.budget, most);
        let fits = |(_, row): &(u64, u32)| self.attempt_part(at, &[(*row, *row + 1)]);
        rows.iter().all(fits);
        self.budget = budget;
    }
}
