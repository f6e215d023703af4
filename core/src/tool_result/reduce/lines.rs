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

impl Block {
    /// Returns whether a line belongs to the block.
    fn goes_on(&mut self, drop: &Drop, line: &str, body: &str) -> bool {
        match &mut self.until {
            End::Count(0) => false,
            End::Count(count) => {
                *count -= 1;
                true
            }
            End::Indentation(of_start) => body.is_empty() || indentation(line) > *of_start,
            End::Pattern => !drop.until.iter().any(|pattern| pattern.matches(body)),
            End::Mismatch => drop.then.iter().any(|pattern| pattern.matches(body)),
        }
    }
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

impl End {
    /// Returns the end of a block that begins with `line`; `None` if the line goes alone.
    fn of(drop: &Drop, line: &str) -> Option<End> {
        match drop {
            Drop { indented: true, .. } => Some(End::Indentation(indentation(line))),
            Drop { next: 1.., .. } => Some(End::Count(drop.next)),
            Drop { then, .. } if !then.is_empty() => Some(End::Mismatch),
            Drop { until, .. } => (!until.is_empty()).then_some(End::Pattern),
        }
    }
}

/// Returns a text without the lines that rules leave out. Error lines stay, and one line of noise if there is no other.
pub fn kept(text: &str, rules: &[&Rule]) -> Kept {
    let reasons: Vec<Reason> =
        rules.iter().flat_map(|rule| rule.drop.iter().map(|drop| Reason { rule, drop, gone: 0, run: 0 })).collect();
    if reasons.is_empty() {
        return Kept::default();
    }
    let mut filter = Filter {
        rules,
        index: Index::new(&reasons),
        reasons,
        out: String::with_capacity(text.len()),
        block: None,
        header: None,
        last_run: None,
        last_gone: None,
        stays: false,
        hunks: Hunks::default(),
    };
    for line in text.split_inclusive('\n') {
        filter.read(line);
    }
    filter.keep_one();
    report(&filter.reasons, filter.out)
}

/// A text whose lines are read in order.
struct Filter<'r, 't> {
    rules: &'r [&'r Rule],
    reasons: Vec<Reason<'r>>,
    index: Index,
    /// The remaining lines.
    out: String,
    block: Option<Block>,
    header: Option<Header<'t>>,
    /// The reason of the run that the next line may continue.
    last_run: Option<usize>,
    /// The last line that went and was not blank, with its reason.
    last_gone: Option<(usize, &'t str)>,
    /// A rule kept the line before. The lines behind it stay, too, up to a blank one.
    stays: bool,
    hunks: Hunks,
}

impl<'t> Filter<'_, 't> {
    fn read(&mut self, line: &'t str) {
        let body = line.trim();
        let (reason, is_first) = self.reason(line, body);
        let section = self.header.as_ref().and_then(|header| self.reasons[header.reason].drop.section.as_ref());
        if section.is_some_and(|section| section.until.iter().any(|end| end.matches(body))) {
            self.header = None;
        }
        let Some(number) = reason else {
            self.keep(line, body);
            // Blank lines do not end a run.
            self.last_run = self.last_run.filter(|_| body.is_empty());
            return;
        };
        let reason = &mut self.reasons[number];
        if is_first {
            reason.run = if self.last_run == Some(number) { reason.run + 1 } else { 1 };
            self.last_run = Some(number);
        }
        let drop = reason.drop;
        // A whole block may be harmless, but not the line behind a header.
        let may_hold_errors = drop.harmless && (is_first || !drop.until.is_empty() || !drop.then.is_empty());
        let is_kept = reason.run <= drop.keep;
        if !may_hold_errors && is_error(body) {
            return self.keep(line, body);
        }
        if let Some(until) = End::of(drop, line).filter(|_| is_first) {
            self.block = Some(Block { reason: number, until });
        }
        if is_kept {
            return self.keep(line, body);
        }
        self.leave_out(number, is_first, line, body);
    }

    /// Returns the reason to leave a line out, and whether the line is the first of its block.
    fn reason(&mut self, line: &str, body: &str) -> (Option<usize>, bool) {
        let is_of_file = self.hunks.hold(line);
        let reasons = &self.reasons;
        let goes_on = self.block.as_mut().is_some_and(|block| block.goes_on(reasons[block.reason].drop, line, body));
        self.block.take_if(|_| !goes_on);
        self.stays = (self.stays && !body.is_empty())
            || self.rules.iter().any(|rule| rule.keep.iter().any(|keep| keep.matches(body)));
        match &self.block {
            _ if self.stays => (None, false),
            Some(block) => (Some(block.reason), false),
            None if is_of_file => (None, false),
            None => (self.index.find(reasons, body), true),
        }
    }

    fn keep(&mut self, line: &str, body: &str) {
        self.show(body);
        self.out.push_str(line);
    }

    /// Writes the header that waits, if this line of its section makes it worth showing.
    fn show(&mut self, body: &str) {
        let Some(Header { reason, line, at }) = self.header.as_ref() else { return };
        let reason = &mut self.reasons[*reason];
        let over = reason.drop.section.iter().flat_map(|section| &section.over);
        if body.is_empty() || over.into_iter().any(|over| over.matches(body)) {
            return;
        }
        self.out.insert_str(*at, line);
        reason.gone -= 1;
        self.header = None;
    }

    fn leave_out(&mut self, number: usize, is_first: bool, line: &'t str, body: &str) {
        let reason = &mut self.reasons[number];
        reason.gone += usize::from(!body.is_empty());
        if let Some(short) = reason.drop.write.as_ref().filter(|_| reason.run == 1) {
            self.out.push_str(short);
            self.out.push('\n');
        }
        if reason.drop.section.is_some() && is_first {
            self.header = Some(Header { reason: number, line, at: self.out.len() });
        }
        if !body.is_empty() {
            self.last_gone = Some((number, line));
        }
    }

    /// Keeps the last line of a text that was nothing but noise: it says that the program ran.
    fn keep_one(&mut self) {
        let is_told = self.reasons.iter().any(|reason| reason.gone > 0 && !reason.drop.noise);
        if let Some((number, line)) = self.last_gone.filter(|_| !is_told && self.out.trim().is_empty()) {
            self.out.push_str(line);
            self.reasons[number].gone -= 1;
        }
    }
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
