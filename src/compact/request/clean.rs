//! Removes content that no model should see from the covered messages: pictures, thoughts, calls without results and
//! results without calls, tools that only the client has, and suffixes that the host adds to ids.

use crate::history::draft::Draft;
use crate::history::pairs::paired;
use crate::history::plan::{Becomes, Fate, PartEdit};
use crate::map::{HashMap, HashSet};
use crate::message::Part;
use crate::validity::pairs::Place;
use crate::validity::{media_placeholder, without_suffix};

/// Tools that only the client has. A model that is not offered them must not see calls of them.
const CLIENT_ONLY: [&str; 1] = ["tool_search"];

/// Returns a draft of these entries alone, ready to be sent, in the order of `parts`, with the group number of each
/// entry.
pub fn clean<'d>(draft: &Draft<'d>, parts: &[&[usize]]) -> (Draft<'d>, Vec<usize>) {
    let mut out = draft.excerpt(parts.iter().flat_map(|indices| indices.iter().copied()));
    let of_group = parts.iter().enumerate().flat_map(|(group, indices)| vec![group; indices.len()]).collect();
    let pairs = Pairs::of(&out);
    for at in 0..out.entries.len() {
        out.edit_parts(at, "not-for-summaries", "", |number, part| match part {
            Part::Reasoning { .. } => Some(Becomes::Gone),
            Part::ToolCall { .. } | Part::ToolResult { .. } if !pairs.good.contains(&(at, number)) => {
                Some(Becomes::Gone)
            }
            Part::ToolResult { content, .. } if content.iter().any(|inner| media_placeholder(inner).is_some()) => {
                let item = |inner: &Part| media_placeholder(inner).map(String::from);
                Some(Becomes::Content { items: content.iter().map(item).collect() })
            }
            _ => media_placeholder(part).map(Becomes::note),
        });
        out.edit_parts(at, "internal-id", "", |number, part| match part {
            Part::ToolCall { call_id, .. } | Part::ToolResult { call_id, .. } => {
                Some(PartEdit::call_id(number, pairs.renamed.get(call_id)?))
            }
            _ => None,
        });
        // Nothing is left that a provider would accept.
        if out.entries[at].message.parts.iter().all(|part| matches!(part, Part::Reasoning { .. }) || part.is_mark()) {
            out.drop_entries(&[at], Fate::Dropped, "empty", "");
        }
    }
    (out, of_group)
}

struct Pairs {
    /// The calls that have a result, and their results.
    good: HashSet<Place>,
    /// Ids with an internal suffix, and the ids without it.
    renamed: HashMap<String, String>,
}

impl Pairs {
    fn of(draft: &Draft) -> Pairs {
        let (mut good, mut ids) = (HashSet::default(), HashSet::default());
        for call in paired(draft).calls {
            if let Some(result) = call.result().filter(|_| !CLIENT_ONLY.contains(&call.name.as_str())) {
                good.extend([call.at, result]);
                ids.insert(call.id);
            }
        }
        let mut taken: HashSet<String> = ids.iter().filter(|id| without_suffix(id).is_none()).cloned().collect();
        let mut marked: Vec<&String> = ids.iter().filter(|id| without_suffix(id).is_some()).collect();
        crate::rank::sort_by(&mut marked, |one, other| one.cmp(other));
        let mut renamed = HashMap::default();
        for id in marked {
            if let Some(bare) = without_suffix(id)
                && taken.insert(bare.to_string())
            {
                renamed.insert(id.clone(), bare.to_string());
            }
        }
        Pairs { good, renamed }
    }
}
