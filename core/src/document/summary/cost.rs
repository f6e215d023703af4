//! What keeping a node costs: what is near the selection is cheap, and so is what stands high in the tree.

use super::super::syntax::NONE;
use super::dense::Dense;
use super::{Document, Settings};

/// JavaScript's largest safe whole number: the distance of what is nowhere near.
const FAR: f64 = 9_007_199_254_740_991.0;
/// A step in the tree, from what is selected to a node.
const STEP: f64 = 100.0;
/// The length of the document, as a distance.
const LENGTH: f64 = 10.0;
/// What stands below the cursor is this much further away than what stands above.
const BELOW: f64 = 3.0;

/// Rules that replace the usual cost of a node.
#[derive(Debug, Clone, Copy, Default)]
pub enum Prices<'p> {
    /// The usual cost.
    #[default]
    Usual,
    /// Fixed costs by kind; `None` is never kept.
    ByKind(&'p [(Box<str>, Option<f64>)]),
    /// The cost of each node of the overlay; what is no number is never kept. See [`usual`].
    ByNode(&'p [f64]),
    /// Those of files that a user attached: imports come last; in TypeScript public things before private ones.
    Attached {
        /// True for TypeScript.
        typescript: bool,
    },
}

/// The cost of every node that can be kept, in preorder.
pub(super) fn costs(document: &Document<'_>, tree: &Dense, settings: Settings) -> Vec<(u32, f64)> {
    let down = down(tree, document.selection);
    let source = document.source;
    let length = f64::from(source.unit(source.end()));
    let selection = document.selection.map(|(start, end)| (start, end, source.unit(start), source.unit(end)));
    let mut scopes = vec![FAR; tree.nodes.len()];
    let mut factors = vec![1.0; tree.nodes.len()];
    let mut found = Vec::with_capacity(document.overlay.nodes.len());
    for (at, node) in tree.nodes.iter().enumerate() {
        if node.overlay == NONE {
            continue;
        }
        // A root around the overlay's own is no parent to measure from.
        let parent = tree.nodes.get(node.parent as usize).filter(|parent| parent.overlay != NONE);
        let around = parent.map_or(FAR, |_| scopes[node.parent as usize]);
        scopes[at] = around.min(down[at]);
        let distance = match selection {
            Some((start, _, from, _)) if node.end < start => f64::from(from - source.unit(node.end)),
            Some((_, end, _, to)) if node.start > end => BELOW * f64::from(source.unit(node.start) - to),
            _ => 0.0,
        };
        let mut cost = STEP * scopes[at] + f64::from(node.depth) + LENGTH * (distance / length);
        let kind = document.overlay.kind(node.overlay as usize);
        if settings.preserve_types && kind == "import_statement" {
            cost = 0.0;
        }
        match &document.prices {
            Prices::Usual => {}
            Prices::ByKind(prices) => match prices.iter().find(|(name, _)| &**name == kind) {
                Some((_, Some(price))) => cost = *price,
                Some((_, None)) => continue,
                None => {}
            },
            Prices::ByNode(prices) => match prices.get(node.overlay as usize) {
                Some(price) if price.is_nan() => continue,
                Some(price) => cost = *price,
                None => {}
            },
            Prices::Attached { typescript } => {
                if *typescript {
                    let of_parent = parent.map_or(1.0, |_| factors[node.parent as usize]);
                    let text = source.slice(source.trimmed_start(node.start, node.end), node.end);
                    factors[at] = if text.starts_with("private ") {
                        of_parent * 1.1
                    } else if text.starts_with("export ") || text.starts_with("public ") {
                        of_parent * 0.9
                    } else {
                        1.0
                    };
                }
                cost = if kind == "import_statement" { 1000.0 } else { cost * factors[at] };
            }
        }
        found.push((at as u32, cost));
    }
    found
}

/// The usual cost of every node of an overlay: what a host is told that gives nodes costs of its own.
pub fn usual(document: &Document<'_>, settings: Settings) -> Vec<f64> {
    let tree = Dense::new(document.overlay, document.source);
    let mut list = vec![0.0; document.overlay.nodes.len()];
    for (at, cost) in costs(document, &tree, settings) {
        list[tree.nodes[at as usize].overlay as usize] = cost;
    }
    list
}

/// How many steps down a node has to what is selected.
fn down(tree: &Dense, selection: Option<(u32, u32)>) -> Vec<f64> {
    let Some((from, to)) = selection else { return vec![0.0; tree.nodes.len()] };
    let mut down = vec![FAR; tree.nodes.len()];
    for (at, node) in tree.nodes.iter().enumerate().rev() {
        down[at] = match node.count {
            0 if node.start <= to && from <= node.end => 0.0,
            0 => FAR,
            // Children come behind their parent, and have been seen.
            _ => 1.0 + tree.children(at as u32).iter().map(|child| down[*child as usize]).fold(FAR, f64::min),
        };
    }
    down
}
