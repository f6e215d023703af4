//! Cuts texts to whole sentences.

use super::{Fact, Facts, Speaker};
use crate::tokens::Tokenizer;

/// The mark that replaces sentences that are left out, and its tokens with a blank.
const GAP: &str = "…";
const GAP_TOKENS: u64 = 2;
/// Maximum sentences that may turn out too long before the search for a shorter one ends.
const MISSES: usize = 30;

/// Cuts texts, oldest first, to their best sentences within `budget` tokens in all. Returns one text for each, made of
/// whole sentences in their order with an ellipsis where others are missing, or `None` where nothing of it is kept. The
/// newest text keeps at least the best of its sentences that fit.
///
/// ```
/// use espalier::compact::facts::excerpt;
/// use espalier::tokens::Tokenizer;
/// struct Words;
/// impl Tokenizer for Words {
///     fn count(&self, text: &str) -> u64 {
///         text.split_whitespace().count() as u64
///     }
/// }
/// let texts = ["Well, you know how it is. The budget is $500.", "Sounds good to me."];
/// let kept = excerpt(&texts, 12, &Words);
/// assert_eq!(kept[0].as_deref(), Some("… The budget is $500."));
/// ```
pub fn excerpt(texts: &[&str], budget: u64, tokenizer: &dyn Tokenizer) -> Vec<Option<String>> {
    let mut facts = Facts::default();
    for text in texts {
        facts.add("", Speaker::User, text);
    }
    let ranked = facts.ranked(u64::MAX);
    let mut is_chosen = vec![false; facts.sentences.len()];
    let mut left = budget;
    let mut take = |fact: &Fact| {
        // A token has at most 128 bytes, so a text that is far too long need not be counted.
        let fits = |cost: &u64| *cost <= left;
        let is_short = fact.sentence.len() as u64 / 128 <= left;
        let cost = is_short.then(|| tokenizer.count(fact.sentence) + GAP_TOKENS).filter(fits);
        is_chosen[fact.index] |= cost.is_some();
        left -= cost.unwrap_or(0);
        cost.is_some()
    };
    let of_newest = |fact: &&Fact| facts.sentences[fact.index].text_index + 1 == texts.len();
    let first = ranked.iter().filter(of_newest).take(MISSES).find(|fact| take(fact)).map(|fact| fact.index);
    let mut misses = 0;
    for fact in ranked.iter().filter(|fact| Some(fact.index) != first) {
        if misses == MISSES {
            break;
        }
        misses += usize::from(!take(fact));
    }
    let mut out: Vec<Option<String>> = vec![None; texts.len()];
    for (index, sentence) in facts.sentences.iter().enumerate() {
        let is_first = index == 0 || facts.sentences[index - 1].text_index != sentence.text_index;
        let text = &mut out[sentence.text_index];
        if is_chosen[index] {
            let text = text.get_or_insert_default();
            let is_missing = !is_first && !is_chosen[index - 1];
            for piece in [is_missing.then_some(GAP), Some(&sentence.sentence)].into_iter().flatten() {
                text.push_str(if text.is_empty() { "" } else { " " });
                text.push_str(piece);
            }
        }
    }
    out
}
