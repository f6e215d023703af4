//! Attaches comments to the definition directly below them, so that both are kept or left out together.

use super::overlay::{Overlay, OverlayNode};
use super::syntax::NONE;

/// Returns whether nodes of a kind explain the node below them.
fn explains(kind: &str) -> bool {
    matches!(kind, "comment" | "line_comment" | "block_comment" | "attribute_item")
}

/// Returns whether nodes of a kind can have such a comment. The names of kinds tell this in all grammars.
pub(super) fn defines(kind: &str) -> bool {
    const ENDINGS: &[&str] = &[
        "definition",
        "declaration",
        "_item",
        "_spec",
        "signature",
        "constructor",
        "method",
        "class",
        "module",
        "_specifier",
        "_elem",
        "_variant",
        "_constant",
        "enumerator",
        "enum_case",
        "enum_assignment",
        "associated_type",
        "preproc_def",
        "property_identifier",
        "pair",
        "keyed_element",
        "field_initializer",
        "keyword_argument",
        "array_element_initializer",
    ];
    ENDINGS.iter().any(|ending| kind.ends_with(ending))
}

/// Moves comments that end where a definition begins into the definition, as its first children.
pub(super) fn attach(overlay: Overlay, text: &str) -> Overlay {
    let explains: Vec<bool> = overlay.kinds.iter().map(|kind| explains(kind)).collect();
    let defines: Vec<bool> = overlay.kinds.iter().map(|kind| defines(kind)).collect();
    let Overlay { kinds, mut nodes } = overlay;
    // For each parent, the first node and the end of the last run of comments. Only descendants of siblings are between
    // the siblings.
    let mut runs: Vec<Option<(u32, u32)>> = vec![None; nodes.len()];
    let mut moved: Vec<u32> = vec![NONE; nodes.len()];
    for at in 0..nodes.len() {
        let OverlayNode { kind, start, end, parent } = nodes[at];
        let Some(run) = runs.get_mut(parent as usize) else { continue };
        let before = run.take().filter(|(_, until)| *until == start && !begins_blank(text, start, end));
        if explains.get(kind as usize) == Some(&true) {
            *run = Some((before.map_or(at as u32, |(first, _)| first), end));
        } else if let Some((first, _)) = before
            && defines.get(kind as usize) == Some(&true)
        {
            nodes[at].start = nodes[first as usize].start;
            // Between them are only the comments and their descendants.
            (first as usize..at).for_each(|comment| moved[comment] = at as u32);
        }
    }
    if moved.iter().all(|to| *to == NONE) {
        return Overlay { kinds, nodes };
    }
    // Restore preorder: a definition comes before its comments.
    let mut order: Vec<u32> = Vec::with_capacity(nodes.len());
    let mut at = 0;
    while at < nodes.len() {
        match moved[at] {
            NONE => {
                order.push(at as u32);
                at += 1;
            }
            to => {
                order.push(to);
                order.extend(at as u32..to);
                at = to as usize + 1;
            }
        }
    }
    let mut place = vec![NONE; nodes.len()];
    order.iter().enumerate().for_each(|(new, old)| place[*old as usize] = new as u32);
    let renumbered = order.iter().map(|old| {
        let node = nodes[*old as usize];
        let parent = match nodes.get(moved[*old as usize] as usize) {
            Some(definition) if definition.parent == node.parent => moved[*old as usize],
            _ => node.parent,
        };
        OverlayNode { parent: place.get(parent as usize).copied().unwrap_or(NONE), ..node }
    });
    Overlay { nodes: renumbered.collect(), kinds }
}

/// Returns whether the text of a node comes after a blank line.
fn begins_blank(text: &str, start: u32, end: u32) -> bool {
    let inside = text.get(start as usize..end as usize).unwrap_or_default();
    let blank = &inside[..inside.len() - inside.trim_start().len()];
    blank.contains('\n')
}
