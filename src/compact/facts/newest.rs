//! Which statements a later one replaces.

use super::Facts;

/// For each sentence: true if a later one replaces it.
pub fn replaced(facts: &Facts) -> Vec<bool> {
    let mut out = vec![false; facts.sentences.len()];
    // Of equal sentences the newest stays.
    let mut seen = crate::map::HashSet::default();
    for (index, sentence) in facts.sentences.iter().enumerate().rev() {
        out[index] = !seen.insert(sentence.exact);
    }
    out
}
