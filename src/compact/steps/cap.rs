//! Caps all results together: from the newest to the oldest, a result that crosses the limit is shortened and counts
//! with its remaining tokens, so that small older ones stay whole. This is gemini-cli's rule, in tokens instead of
//! characters.

use super::Ground;
use super::scene::Scene;
use crate::history::draft::Draft;
use crate::history::edit::{Edit, Kind, Target};
use crate::history::plan::Becomes;
use crate::tool_result::budget::newest_first;
use crate::tool_result::{Output, cut_result};

pub(super) fn edits(draft: &Draft, scene: &Scene, ground: Ground) -> Vec<Edit> {
    let rule = &ground.profile().cap;
    let sizes: Vec<u64> = scene.results.iter().map(|result| result.tokens).collect();
    let max = rule.of(ground.budget.limit);
    let cut = newest_first(&sizes, rule.all.unwrap_or(u64::MAX), |at| sizes[at].min(max));
    let mut texts = Vec::new();
    for (result, is_over) in scene.results.iter().zip(cut) {
        let is_large = rule.all.is_none() && result.tokens > max;
        if !(is_over || is_large)
            || !result.may_be_cut
            || !result.is_text
            || result.outcome.is_placeholder(&result.text)
        {
            continue;
        }
        let output = scene.call_of(result).map_or_else(Output::default, |call| Output::of_call(&call.call));
        let message = draft.entries[result.entry].message.id.clone();
        let Some(short) = cut_result(&result.text, max, &output, &message, draft.meter.tokenizer) else { continue };
        texts.push((result.entry, Target::part(message, result.part, Becomes::text(short.text))));
    }
    super::edit_of(draft, Kind::Truncate, "capped-result", None, texts).into_iter().collect()
}
