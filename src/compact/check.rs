//! Cutting an overlong summary at section ends.

use super::parse::section_of;
use crate::tokens::Tokenizer;
use crate::tool_result::shorten;

/// Sections that are cut last: without them nobody can go on.
const VITAL: [&str; 2] = ["Continuation Plan", "Active Work State"];

/// At most `max` tokens of `text`: whole lines go from the ends of the longest sections, the vital ones last.
pub fn trim(text: &str, max: u64, tokenizer: &dyn Tokenizer) -> String {
    if tokenizer.count(text) <= max {
        return text.to_string();
    }
    // (name, lines) in order; text before the first heading has no name.
    let mut sections: Vec<(Option<&str>, Vec<&str>)> = vec![(None, Vec::new())];
    for line in text.lines() {
        match section_of(line) {
            Some(name) => sections.push((Some(name), vec![line])),
            None => {
                if let Some((_, lines)) = sections.last_mut() {
                    lines.push(line);
                }
            }
        }
    }
    let size = |lines: &[&str]| lines.iter().map(|line| tokenizer.count(line) + 1).sum::<u64>();
    let mut sizes: Vec<u64> = sections.iter().map(|(_, lines)| size(lines)).collect();
    let is_vital = |name: Option<&str>| name.is_some_and(|name| VITAL.contains(&name));
    loop {
        let total: u64 = sizes.iter().sum();
        if total <= max {
            break;
        }
        let longest = |vital: bool| {
            (0..sections.len())
                .filter(|&i| is_vital(sections[i].0) == vital && sections[i].1.len() > 1)
                .max_by_key(|&i| sizes[i])
        };
        let Some(at) = longest(false).or_else(|| longest(true)) else { break };
        if let Some(line) = sections[at].1.pop() {
            sizes[at] -= tokenizer.count(line) + 1;
        }
    }
    let out = sections.iter().flat_map(|(_, lines)| lines).copied().collect::<Vec<_>>().join("\n");
    let out = out.trim().to_string();
    shorten(&out, max, "the history", tokenizer).map_or(out, |short| short.text)
}
