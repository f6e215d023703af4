//! Finds the statements that a later one replaces: the newest value of a key wins.
//!
//! There are two ways. Sentences of the same frame ("The budget is ..."): one value differs, in the place where the
//! sentence states something of its subject. And a sentence that announces a change ("no longer", "instead", "from now
//! on"): it replaces the earlier sentence with which it has most in common, if both have a value of the same type, or
//! if it repeats much of the earlier one. Different things ("Order 12 costs $5", "Order 13 costs $7") do not replace
//! each other: their keys differ.

use super::changes::{is_change, is_link, is_now, is_reply, is_stating, value_type};
use super::languages::{is_number, is_verb_of_order};
use super::words::{Kind, Word, is_ideograph};
use super::{Facts, Sentence, Speaker};

/// A value in a sentence: a figure, a name, or several in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Value {
    pub key: u32,
    /// True if the sentence states it of its subject.
    pub is_said: bool,
}

/// The types of values in a sentence, and whether it announces a change.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Frame {
    /// Equal for sentences that differ only in their values.
    pub key: u32,
    pub values: Vec<Value>,
    /// Types of values, with the value.
    pub types: Vec<(u8, u32)>,
    pub changes: bool,
    /// True if it tells the agent how to do something.
    pub orders: bool,
    /// True for few words: a statement rather than a story.
    pub is_short: bool,
    /// True for fewer words: a name in it is its subject.
    pub is_brief: bool,
}

/// Maximum earlier sentences with a word that are compared: a more frequent word does not show what a sentence is
/// about.
const MAX_POSTINGS: usize = 48;
/// Maximum words of a statement.
const SHORT: usize = 22;
const BRIEF: usize = 14;
/// Minimum rarity of the words that two sentences share: one rare word, or two less rare ones.
const MIN_SHARED: f64 = 0.55;
/// Types of values (see [`value_type`]): money, dates and times of day are 1 to 3; a figure of type 7 may be anything.
const MONEY: u8 = 1;
const TIME: u8 = 3;
const NAME: u8 = 5;
const OTHER_FIGURE: u8 = 7;
const DAY: u8 = 8;
const LANGUAGE: u8 = 9;
/// Types of settings that an agent has one value of at a time: time zones, systems of measures, manners of answers.
pub const SETTINGS: [u8; 3] = [6, 10, MANNER];
const MANNER: u8 = 11;
/// The bit of figures with a unit; the others are of the unit.
const UNIT: u8 = 0x80;
/// Share of an earlier sentence's words that a later one repeats when it revokes it.
const REPEATS: f64 = 0.4;
/// Minimum share of what it has in common with the closest sentence of the user.
const CLOSE: f64 = 0.8;

/// Reads the frame of a sentence.
pub fn frame(sentence: &str, words: &[Word], is_order: bool, is_rule: bool) -> Frame {
    // Han and kana are read in pairs: two pairs are about a word.
    let pairs = words.iter().filter(|word| word.text.starts_with(is_ideograph)).count();
    let length = words.len() - pairs / 2;
    let mut out = Frame {
        key: 0x9dc5,
        changes: is_change(sentence, words),
        orders: is_order || is_rule || orders_in_clause(sentence),
        is_short: length <= SHORT,
        is_brief: length <= BRIEF,
        ..Frame::default()
    };
    let mut states = is_order;
    let mut has_subject = false;
    let mut at = 0;
    while at < words.len() {
        let word = &words[at];
        states |= is_stating(word.text);
        let from = at;
        let mut value = 0u32;
        while at < words.len()
            && matches!(words[at].kind, Kind::Figure | Kind::Name)
            && (at > 0 || word.kind == Kind::Figure)
        {
            value = mix(value, words[at].key);
            at += 1;
        }
        if at > from {
            let is_behind = from > 0 && is_link(words[from - 1].text);
            out.values.push(Value { key: value, is_said: has_subject && states && is_behind });
            out.key = mix(out.key, 7);
            has_subject = true;
            continue;
        }
        has_subject |= word.kind != Kind::Stop && from + 1 < words.len();
        out.key = mix(out.key, word.key);
        at += 1;
    }
    for (at, word) in words.iter().enumerate() {
        let next = words.get(at + 1).map(|next| next.text);
        if let Some(kind) = value_type(word.text, word.kind, next, at == 0) {
            out.types.push((kind, word.key));
        }
        // Figures of one unit are of one type: "50 rows", "100 rows".
        if let Some(unit) = words.get(at + 1).filter(|unit| counts(word) && matches!(unit.kind, Kind::Word)) {
            out.types.push((UNIT | unit.key as u8, word.key));
        }
    }
    let is_new = |kind: u8| kind == LANGUAGE || !is_order && matches!(kind, MONEY..=TIME | DAY);
    out.changes |=
        words.first().is_some_and(|word| is_now(word.text)) && out.types.iter().any(|(kind, _)| is_new(*kind));
    // "A long letter" is no statement about answers.
    if !words.iter().any(|word| is_reply(word.text)) {
        out.types.retain(|(kind, _)| *kind != MANNER);
    }
    out
}

/// True for a plain figure, or a number in words.
fn counts(word: &Word) -> bool {
    match word.kind {
        Kind::Figure => !word.text.bytes().any(|byte| byte.is_ascii_alphabetic()),
        _ => is_number(word.text),
    }
}

/// True if a clause after a comma or a label begins with an order: "For reports, show clocks in UTC."
fn orders_in_clause(sentence: &str) -> bool {
    let mut clauses = sentence.split([',', ':']).skip(1);
    clauses.any(|clause| is_verb_of_order(clause.split_whitespace().next().unwrap_or_default()))
}

/// Returns what names of one family have in common: the part of an identifier before its first slash. Files and
/// addresses have no family.
pub fn family(word: &str) -> Option<u32> {
    let (family, rest) = word.split_once('/')?;
    let is_family = family.len() >= 2 && !rest.is_empty() && !word.contains(['.', ':']);
    is_family.then(|| mix(7, super::words::key(family)))
}

/// Adds a word to the hash of a sentence.
pub fn mix(hash: u32, key: u32) -> u32 {
    hash.rotate_left(5).wrapping_mul(0x9e37_79b1) ^ key
}

/// True for a sentence that may replace an earlier one.
pub fn may_replace_any(later: &Sentence) -> bool {
    let frame = &later.frame;
    // The sentences of a record were weighed when it was made.
    let is_said = !later.is_question && later.speaker != Speaker::Record;
    let sets = frame.orders && frame.types.iter().any(|(kind, _)| SETTINGS.contains(kind));
    is_said && (frame.changes && frame.is_short || sets || frame.values.iter().any(|value| value.is_said))
}

/// Returns the sentences before `end` that a later one replaces.
pub fn replaced_by(facts: &Facts, later: &Sentence, end: usize) -> Vec<usize> {
    if !may_replace_any(later) {
        return vec![];
    }
    let mut out: Vec<usize> = Vec::new();
    if let Some(&at) = facts.frames.get(&later.frame.key).filter(|at| **at < end)
        && may_replace(later, &facts.sentences[at])
        && differs_in_one(&later.frame.values, &facts.sentences[at].frame.values)
    {
        out.push(at);
    }
    if later.frame.changes && later.frame.is_short {
        out.extend(changed(facts, later, end));
    }
    if later.frame.orders && later.frame.is_short {
        out.extend(other_settings(facts, later, end));
    }
    out
}

fn may_replace(later: &Sentence, earlier: &Sentence) -> bool {
    let rank = |speaker: Speaker| match speaker {
        Speaker::User => 2,
        Speaker::Record => 1,
        Speaker::Assistant => 1,
        Speaker::Tool => 0,
    };
    let is_other = later.text_index != earlier.text_index || later.frame.changes;
    is_other && !earlier.is_replaced && !earlier.is_question && rank(later.speaker) >= rank(earlier.speaker)
}

fn differs_in_one(later: &[Value], earlier: &[Value]) -> bool {
    let mut others = later.iter().zip(earlier).filter(|(one, other)| one.key != other.key);
    later.len() == earlier.len() && others.next().is_some_and(|(value, _)| value.is_said) && others.next().is_none()
}

/// Returns orders for the same setting: there is one time zone for reports, and one system of measures.
fn other_settings(facts: &Facts, later: &Sentence, end: usize) -> Vec<usize> {
    let sets = |kind: u8| later.frame.types.iter().any(|(of, _)| *of == kind);
    if !SETTINGS.into_iter().any(sets) {
        return vec![];
    }
    let replaces = |at: &usize| {
        let earlier = &facts.sentences[*at];
        let differs = |kind: u8| {
            let has = |frame: &Frame, key: u32| frame.types.contains(&(kind, key));
            let of = |frame: &Frame| frame.types.iter().filter(|(of, _)| *of == kind).map(|(_, key)| *key).next();
            let (new, old) = (of(&later.frame), of(&earlier.frame));
            new.is_some_and(|new| !has(&earlier.frame, new)) && old.is_some_and(|old| !has(&later.frame, old))
        };
        earlier.frame.orders
            && earlier.frame.is_short
            && may_replace(later, earlier)
            && SETTINGS.into_iter().any(differs)
    };
    facts.settings.iter().map(|at| *at as usize).filter(|at| *at < end).filter(replaces).collect()
}

/// Returns the earlier sentence with which an announcement of a change has most in common.
fn changed(facts: &Facts, later: &Sentence, end: usize) -> Option<usize> {
    let all = (facts.sentences.len() as f64).max(8.0);
    let mut shared: Vec<(usize, f64, usize)> = Vec::new();
    for (_, key) in &later.words {
        let Some(postings) = facts.postings.get(key).filter(|postings| postings.len() <= MAX_POSTINGS) else {
            continue;
        };
        let rarity = (libm::log(all / postings.len() as f64) / libm::log(all)).clamp(0.05, 1.0);
        for &at in postings.iter().filter(|at| (**at as usize) < end) {
            match shared.iter_mut().find(|(index, ..)| *index == at as usize) {
                Some((_, sum, count)) => (*sum, *count) = (*sum + rarity, *count + 1),
                None => shared.push((at as usize, rarity, 1)),
            }
        }
    }
    let replaces = |&&(index, sum, count): &&(usize, f64, usize)| {
        let earlier = &facts.sentences[index];
        // Only a rule revokes a rule, or a value that replaces its value.
        let has_value = has_other_value(later, earlier) && sum >= MIN_SHARED;
        let repeats = count >= 2 && count as f64 >= REPEATS * earlier.words.len() as f64 && sum >= MIN_SHARED;
        let takes_back = repeats && later.is_rule && earlier.is_rule;
        earlier.exact != later.exact
            && earlier.frame.is_short
            && may_replace(later, earlier)
            && (has_value || takes_back)
    };
    // "Commit messages in English" does not change "Comments in English" if an earlier sentence is about the former.
    let may = |index: usize| may_replace(later, &facts.sentences[index]) && facts.sentences[index].exact != later.exact;
    let said = |index: usize| facts.sentences[index].speaker == Speaker::User && may(index);
    let closest = shared.iter().filter(|(index, ..)| said(*index)).map(|(_, sum, _)| *sum).fold(0.0, f64::max);
    let is_close = |&&(_, sum, _): &&(usize, f64, usize)| sum >= CLOSE * closest;
    let best = shared
        .iter()
        .filter(is_close)
        .filter(replaces)
        .max_by(|one, other| one.1.total_cmp(&other.1).then(one.0.cmp(&other.0)));
    best.map(|(index, ..)| *index)
}

/// True if both have a value of the same type, and the values differ.
fn has_other_value(later: &Sentence, earlier: &Sentence) -> bool {
    let (new, old) = (&later.frame.types, &earlier.frame.types);
    let are_brief = later.frame.is_brief && earlier.frame.is_brief;
    let are_rules = are_brief && later.is_rule && earlier.is_rule;
    let tells = |kind: u8| match kind {
        UNIT.. => are_brief && earlier.is_rule || are_rules,
        OTHER_FIGURE => are_rules,
        NAME => are_brief || are_rules,
        _ => true,
    };
    old.iter().filter(|(kind, _)| tells(*kind)).any(|(kind, _)| {
        let of = |all: &[(u8, u32)]| all.iter().filter(|(of, _)| of == kind).map(|(_, key)| *key).collect::<Vec<_>>();
        let (new, old) = (of(new), of(old));
        // "Not Monday any more: Wednesday" names the old value too.
        let is_gone =
            || matches!(*kind, MONEY..=TIME | DAY | UNIT..) || are_rules || old.iter().any(|key| !new.contains(key));
        new.iter().any(|key| !old.contains(key)) && is_gone()
    })
}
