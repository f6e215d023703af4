//! Leaves lines out.

use super::LeftOut;
use super::rules::{Drop, Rule};
use crate::tool_result::errors::is_error;
use crate::tool_result::hunks::Hunks;

/// The remaining lines, and what is missing.
#[derive(Default)]
pub struct Kept {
    /// `None` if no line is missing.
    pub text: Option<String>,
    pub rules: Vec<String>,
    pub left_out: Vec<LeftOut>,
}

/// One reason to leave lines out, while a text is read.
struct Reason<'r> {
    rule: &'r Rule,
    drop: &'r Drop,
    gone: usize,
    /// The number of lines of the current run.
    run: usize,
}

/// The header of a section that waits for a line of the section that stays.
struct Header<'t> {
    reason: usize,
    line: &'t str,
    /// Its place in the remaining lines.
    at: usize,
}

/// Patterns by the first byte of the lines that they match, so that most lines are compared with none.
struct Index {
    by_byte: Vec<Vec<(u16, u16)>>,
    any: Vec<(u16, u16)>,
}

impl Index {
    fn new(reasons: &[Reason]) -> Index {
        let mut index = Index { by_byte: vec![vec![]; 256], any: vec![] };
        for (number, reason) in (0u16..).zip(reasons) {
            for (place, pattern) in (0u16..).zip(&reason.drop.lines) {
                match pattern.first_byte() {
                    Some(byte) => index.by_byte[usize::from(byte)].push((number, place)),
                    None if pattern.begins_with_number() => {
                        (b'0'..=b'9').for_each(|digit| index.by_byte[usize::from(digit)].push((number, place)));
                    }
                    None => index.any.push((number, place)),
                }
            }
        }
        index
    }

    /// Returns the reason to leave out a line.
    fn find(&self, reasons: &[Reason], line: &str) -> Option<usize> {
        if line.len() > MAX_BYTES {
            return None;
        }
        let by_byte = line.as_bytes().first().map_or(&[][..], |&first| &self.by_byte[usize::from(first)]);
        let found = by_byte
            .iter()
            .chain(&self.any)
            .find(|(number, place)| reasons[usize::from(*number)].drop.lines[usize::from(*place)].matches(line));
        found.map(|(number, _)| usize::from(*number))
    }
}

/// Max bytes of a line that is compared with patterns: a line of a minified bundle is none of a tool's own.
const MAX_BYTES: usize = 2_000;

/// A block of lines that goes.
struct Block {
    reason: usize,
    until: End,
}

/// The end of a block.
enum End {
    /// After this number of lines.
    Count(usize),
    /// At a line that is not indented deeper.
    Indentation(usize),
    /// At a line that matches.
    Pattern,
    /// At a line that does not match.
    Mismatch,
}

/// Returns a text without the lines that rules leave out. Error lines stay, and one line of noise if there is no other.
pub fn kept(text: &str, rules: &[&Rule]) -> Kept {
    let mut reasons: Vec<Reason> =
        rules.iter().flat_map(|rule| rule.drop.iter().map(|drop| Reason { rule, drop, gone: 0, run: 0 })).collect();
    if reasons.is_empty() {
        return Kept::default();
    }
    let index = Index::new(&reasons);
    let mut out = String::with_capacity(text.len());
    let mut block: Option<Block> = None;
    let mut header: Option<Header> = None;
    let mut last_run: Option<usize> = None;
    let mut last_gone: Option<(usize, &str)> = None;
    let mut stays = false;
    let mut hunks = Hunks::default();
    for line in text.split_inclusive('\n') {
        let body = line.trim();
        let is_of_file = hunks.hold(line);
        let goes_on = block.as_mut().is_some_and(|block| continues(block, &reasons[block.reason], line, body));
        block = block.filter(|_| goes_on);
        stays = (stays && !body.is_empty()) || rules.iter().any(|rule| rule.keep.iter().any(|keep| keep.matches(body)));
        let (reason, is_first) = match &block {
            _ if stays => (None, false),
            Some(block) => (Some(block.reason), false),
            None if is_of_file => (None, false),
            None => (index.find(&reasons, body), true),
        };
        let section = header.as_ref().and_then(|header| reasons[header.reason].drop.section.as_ref());
        if section.is_some_and(|section| section.until.iter().any(|end| end.matches(body))) {
            header = None;
        }
        let Some(number) = reason else {
            show(&mut header, body, &mut reasons, &mut out);
            out.push_str(line);
            // Blank lines do not end a run.
            last_run = last_run.filter(|_| body.is_empty());
            continue;
        };
        let reason = &mut reasons[number];
        if is_first {
            reason.run = if last_run == Some(number) { reason.run + 1 } else { 1 };
            last_run = Some(number);
        }
        let drop = reason.drop;
        // A whole block may be harmless, but not the line behind a header.
        let may_hold_errors = drop.harmless && (is_first || !drop.until.is_empty() || !drop.then.is_empty());
        // The lines behind a line that stays do so, too.
        let is_kept = reason.run <= drop.keep;
        if !may_hold_errors && is_error(body) {
            show(&mut header, body, &mut reasons, &mut out);
            out.push_str(line);
            continue;
        }
        let until = match drop {
            Drop { indented: true, .. } => Some(End::Indentation(indentation(line))),
            Drop { next: 1.., .. } => Some(End::Count(drop.next)),
            Drop { then, .. } if !then.is_empty() => Some(End::Mismatch),
            Drop { until, .. } => (!until.is_empty()).then_some(End::Pattern),
        };
        if let Some(until) = until.filter(|_| is_first) {
            block = Some(Block { reason: number, until });
        }
        if is_kept {
            show(&mut header, body, &mut reasons, &mut out);
            out.push_str(line);
            continue;
        }
        reasons[number].gone += usize::from(!body.is_empty());
        if let Some(short) = drop.write.as_ref().filter(|_| reasons[number].run == 1) {
            out.push_str(short);
            out.push('\n');
        }
        if drop.section.is_some() && is_first {
            header = Some(Header { reason: number, line, at: out.len() });
        }
        if !body.is_empty() {
            last_gone = Some((number, line));
        }
    }
    // Nothing but noise: its last line says that the program ran.
    let is_told = reasons.iter().any(|reason| reason.gone > 0 && !reason.drop.noise);
    if let Some((number, line)) = last_gone.filter(|_| !is_told && out.trim().is_empty()) {
        out.push_str(line);
        reasons[number].gone -= 1;
    }
    report(&reasons, out)
}

/// Writes the header that waits, if a line of its section stays.
fn show(header: &mut Option<Header>, body: &str, reasons: &mut [Reason], out: &mut String) {
    let Some(Header { reason, line, at }) = header.as_ref() else { return };
    let reason = &mut reasons[*reason];
    let over = reason.drop.section.iter().flat_map(|section| &section.over);
    if body.is_empty() || over.into_iter().any(|over| over.matches(body)) {
        return;
    }
    out.insert_str(*at, line);
    reason.gone -= 1;
    *header = None;
}

/// Returns the remaining lines with what is missing.
fn report(reasons: &[Reason], out: String) -> Kept {
    let mut done = Kept::default();
    for reason in reasons.iter().filter(|reason| reason.gone > 0) {
        if !done.rules.contains(&reason.rule.name) {
            done.rules.push(reason.rule.name.clone());
        }
        match done.left_out.iter_mut().find(|other| other.what == reason.drop.what) {
            Some(same) => same.lines += reason.gone,
            None => done.left_out.push(LeftOut {
                what: reason.drop.what.clone(),
                lines: reason.gone,
                is_noise: reason.drop.noise,
            }),
        }
    }
    done.text = (!done.left_out.is_empty()).then_some(out);
    done
}

/// Returns whether a line belongs to a block.
fn continues(block: &mut Block, reason: &Reason, line: &str, body: &str) -> bool {
    match &mut block.until {
        End::Count(0) => false,
        End::Count(count) => {
            *count -= 1;
            true
        }
        End::Indentation(of_start) => body.is_empty() || indentation(line) > *of_start,
        End::Pattern => !reason.drop.until.iter().any(|pattern| pattern.matches(body)),
        End::Mismatch => reason.drop.then.iter().any(|pattern| pattern.matches(body)),
    }
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// Returns a text with at most one blank line in a row, and none at its start. Those of a diff stay.
pub fn without_gaps(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut was_blank = true;
    let mut hunks = Hunks::default();
    for line in text.split_inclusive('\n') {
        let is_blank = !hunks.hold(line) && line.trim().is_empty();
        if !(is_blank && was_blank) {
            out.push_str(line);
        }
        was_blank = is_blank;
    }
    out
}

/// Units of a ruler that stay.
const RULER: usize = 3;

/// Returns a text whose rulers, drawn with a unit, are short; `None` if it has none.
pub fn with_short_rulers(text: &str, unit: &str) -> Option<String> {
    let shortest = unit.repeat(RULER + 1);
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(&shortest) {
        out.push_str(&rest[..at + RULER * unit.len()]);
        rest = rest[at..].trim_start_matches(unit);
    }
    (rest.len() < text.len()).then(|| out + rest)
}

#[cfg(test)]
mod tests {
    use super::with_short_rulers;

    #[test]
    fn rulers_are_short() {
        let check = |text: &str, unit: &str, wanted: Option<&str>| {
            assert_eq!(with_short_rulers(text, unit).as_deref(), wanted, "{text}");
        };
        check("⎯⎯⎯⎯⎯⎯ Failed ⎯⎯⎯⎯\n⎯⎯⎯⎯[1/2]⎯", "⎯", Some("⎯⎯⎯ Failed ⎯⎯⎯\n⎯⎯⎯[1/2]⎯"));
        check("x\n_ _ _ _ _ _ _\ny", "_ ", Some("x\n_ _ _ _\ny"));
        check("_ _ _\n", "_ ", None);
        check("", "⎯", None);
    }
}
