//! Removes content that no model should see from the covered messages: pictures, thoughts, calls without results and
//! results without calls, tools that only the client has, and suffixes that the host adds to ids.

use crate::history::draft::Draft;
use crate::history::pairs::paired;
use crate::history::plan::{Becomes, Fate};
use crate::map::{HashMap, HashSet};
use crate::message::Part;
use crate::validity::pairs::Place;

/// Tools that only the client has. A model that is not offered them must not see calls of them.
const CLIENT_ONLY: [&str; 1] = ["tool_search"];
/// The suffix that VS Code adds to call ids, followed by a number.
const INTERNAL: &str = "__vscode-";

const PICTURE: &str = "[Image was attached]";
const DOCUMENT: &str = "[Document was attached]";

/// Returns a draft of these entries alone, ready to be sent, in the order of `parts`, with the group number of each
/// entry.
pub fn clean<'d>(draft: &Draft<'d>, parts: &[&[usize]]) -> (Draft<'d>, Vec<usize>) {
    let mut entries = Vec::new();
    let mut of_group = Vec::new();
    for (group, indices) in parts.iter().enumerate() {
        for &at in *indices {
            entries.push(draft.entries[at].clone());
            of_group.push(group);
        }
    }
    let mut out = Draft { entries, meter: draft.meter, origin: draft.origin, removed: Vec::new() };
    let pairs = Pairs::of(&out);
    for at in 0..out.entries.len() {
        let mut number = 0;
        out.edit_parts(at, "not-for-summaries", "", |part| {
            number += 1;
            match part {
                Part::Reasoning { .. } => Some(Becomes::Gone),
                Part::Image { .. } => Some(Becomes::note(PICTURE)),
                Part::Document { .. } => Some(Becomes::note(DOCUMENT)),
                Part::ToolCall { .. } | Part::ToolResult { .. } if !pairs.good.contains(&(at, number - 1)) => {
                    Some(Becomes::Gone)
                }
                Part::ToolResult { content, .. } if content.iter().any(|inner| note(inner).is_some()) => {
                    let item = |inner: &Part| note(inner).map(String::from);
                    Some(Becomes::Content { items: content.iter().map(item).collect() })
                }
                _ => None,
            }
        });
        out.rename_calls(at, "internal-id", "", |part| match part {
            Part::ToolCall { call_id, .. } | Part::ToolResult { call_id, .. } => pairs.renamed.get(call_id).cloned(),
            _ => None,
        });
        // Nothing is left that a provider would accept.
        if out.entries[at].message.parts.iter().all(|part| matches!(part, Part::Reasoning { .. }) || part.is_mark()) {
            out.drop_entries(&[at], Fate::Dropped, "empty", "");
        }
    }
    (out, of_group)
}

fn note(part: &Part) -> Option<&'static str> {
    match part {
        Part::Image { .. } => Some(PICTURE),
        Part::Document { .. } => Some(DOCUMENT),
        _ => None,
    }
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
        let mut taken: HashSet<String> = ids.iter().filter(|id| plain(id).is_none()).cloned().collect();
        let mut marked: Vec<&String> = ids.iter().filter(|id| plain(id).is_some()).collect();
        crate::rank::sort_by(&mut marked, |one, other| one.cmp(other));
        let mut renamed = HashMap::default();
        for id in marked {
            if let Some(bare) = plain(id)
                && taken.insert(bare.to_string())
            {
                renamed.insert(id.clone(), bare.to_string());
            }
        }
        Pairs { good, renamed }
    }
}

/// Returns an id without its internal suffix.
fn plain(id: &str) -> Option<&str> {
    let (bare, number) = id.rsplit_once(INTERNAL)?;
    (!bare.is_empty() && !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())).then_some(bare)
}
