//! The cost of keeping a node. Nodes near the selection are cheap, and so are nodes near the root.

use super::super::syntax::NONE;
use super::dense::Dense;
use super::{Document, Options, Rules};

/// JavaScript's largest safe integer: the distance of nodes that are not near the selection.
const FAR: f64 = 9_007_199_254_740_991.0;
/// The cost of one step in the tree between the selection and a node.
const STEP: f64 = 100.0;
/// The cost of a distance as long as the document.
const LENGTH: f64 = 10.0;
/// The factor of distances below the cursor.
const BELOW: f64 = 3.0;

/// Rules that replace the usual cost of a node.
#[derive(Debug, Clone, Copy, Default)]
pub enum Prices<'p> {
    /// The usual cost.
    #[default]
    Usual,
    /// Fixed costs by kind; a node with `None` is never kept.
    ByKind(&'p [(Box<str>, Option<f64>)]),
    /// The cost of each node of the overlay; a node with NaN is never kept. See [`usual`].
    ByNode(&'p [f64]),
    /// The costs in files that a user attached: imports come last; in TypeScript public declarations come before
    /// private ones.
    Attached {
        /// Whether the language is TypeScript.
        typescript: bool,
    },
}

/// What imports are worth.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Imports {
    /// Their usual cost.
    #[default]
    Usual,
    /// They come before everything else.
    First,
    /// They come after everything else.
    Last,
}

/// The kinds of nodes that import something, in all languages.
const IMPORTS: &[&str] = &[
    "import_statement",
    "import_from_statement",
    "future_import_statement",
    "import_declaration",
    "import_alias",
    "use_declaration",
    "extern_crate_declaration",
    "namespace_use_declaration",
    "preproc_include",
    "using_directive",
    "using_declaration",
    "extern_alias_directive",
];

/// Returns the cost of every node that has one, in preorder. No cost is NaN or a negative zero.
pub(super) fn priced(document: &Document<'_>, tree: &Dense, options: &Options<'_>) -> Vec<(u32, f64)> {
    let imports = options.imports;
    let mut costs =
        costs(document, tree, matches!(options.rules, Rules::Compatible(settings) if settings.preserve_types));
    if imports != Imports::Usual {
        let kinds: Vec<bool> = document.overlay.kinds.iter().map(|kind| IMPORTS.contains(&&**kind)).collect();
        for (node, cost) in &mut costs {
            let at = tree.nodes[*node as usize];
            let overlay = document.overlay.nodes.get(at.overlay as usize);
            let is_call = || document.overlay.kind(at.overlay as usize) == "call" && document.language == "ruby";
            let requires = || document.source.slice(at.start, at.end).trim_start().starts_with("require");
            let known = overlay.is_some_and(|node| kinds.get(node.kind as usize) == Some(&true));
            if known || is_call() && requires() {
                *cost = if imports == Imports::First { f64::MIN } else { f64::MAX };
            }
        }
    }
    // An empty document divides by its length; all of it fits anyway.
    costs.iter_mut().for_each(|(_, cost)| *cost = if cost.is_nan() { 0.0 } else { *cost + 0.0 });
    costs
}

/// Returns for each node whether it is never kept, alone or within such a node; an empty list if there is none.
pub(super) fn never(document: &Document<'_>, tree: &Dense) -> Vec<bool> {
    let mut nodes: Vec<bool> = Vec::new();
    let never: Vec<&str> = match document.prices {
        Prices::ByKind(prices) => prices.iter().filter(|(_, cost)| cost.is_none()).map(|(kind, _)| &**kind).collect(),
        _ => Vec::new(),
    };
    let own = match document.prices {
        Prices::ByNode(prices) => prices,
        _ => &[],
    };
    if never.is_empty() && !own.iter().any(|cost| cost.is_nan()) {
        return nodes;
    }
    for node in &tree.nodes {
        let around = nodes.get(node.parent as usize) == Some(&true);
        // The root of a folded document has the kind of its children, and holds the whole document.
        let root = node.overlay == 0;
        let is_own = own.get(node.overlay as usize).is_some_and(|cost| cost.is_nan());
        nodes.push(around || !root && (is_own || never.contains(&document.overlay.kind(node.overlay as usize))));
    }
    nodes
}

/// Returns the cost of every node that has one, in preorder.
fn costs(document: &Document<'_>, tree: &Dense, preserve_types: bool) -> Vec<(u32, f64)> {
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
        // A root around the root of the overlay does not count as a parent.
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
        if preserve_types && kind == "import_statement" {
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

/// Returns the usual cost of every node of an overlay, for hosts that decide costs themselves.
pub fn usual(document: &Document<'_>, preserve_types: bool) -> Vec<f64> {
    let tree = Dense::new(document.overlay, document.source);
    let mut list = vec![0.0; document.overlay.nodes.len()];
    for (at, cost) in costs(document, &tree, preserve_types) {
        list[tree.nodes[at as usize].overlay as usize] = cost;
    }
    list
}

/// Returns for each node the number of steps down to the selection.
fn down(tree: &Dense, selection: Option<(u32, u32)>) -> Vec<f64> {
    let Some((from, to)) = selection else { return vec![0.0; tree.nodes.len()] };
    let mut down = vec![FAR; tree.nodes.len()];
    for (at, node) in tree.nodes.iter().enumerate().rev() {
        down[at] = match node.count {
            0 if node.start <= to && from <= node.end => 0.0,
            0 => FAR,
            // Children come behind their parent and are already done.
            _ => 1.0 + tree.children(at as u32).iter().map(|child| down[*child as usize]).fold(FAR, f64::min),
        };
    }
    down
}
