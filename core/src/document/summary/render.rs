//! Writing what was chosen.

use super::dense::DenseNode;
use super::edits::Edits;
use super::living::Living;
use super::source::Source;
use super::{Lines, Settings, Summary, prefix};

/// What stands in place of what was left out between two pieces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mark {
    /// Where the piece before ends now, if it was trimmed.
    pub end: Option<u32>,
    /// Where the piece behind begins now, if it was trimmed.
    pub start: Option<u32>,
    pub text: String,
}

/// The mark for nodes `first` to `last`, between two pieces; `before` and `after` are those if each is one plain stretch.
pub(super) fn mark(
    source: &Source<'_>,
    settings: Settings,
    before: Option<(u32, u32)>,
    after: Option<(u32, u32)>,
    (first, last): (DenseNode, DenseNode),
) -> Option<Mark> {
    if let (Some((start, end)), Some((from, to))) = (before, after) {
        let (end, from) = (source.trimmed_end(start, end), source.trimmed_start(from, to));
        if source.slice(start, end).ends_with('{') && source.slice(from, to).starts_with('}') {
            let text = marker(source, settings, first.start, last.end);
            return Some(Mark { end: Some(end), start: Some(from), text });
        }
    }
    if !settings.always_mark && settings.lines != Lines::Omitted {
        return None;
    }
    let blank = source.slice(first.start, source.trimmed_start(first.start, first.end));
    let indent = blank.rsplit('\n').next().unwrap_or_default();
    let behind = source.slice(source.trimmed_end(last.start, last.end), last.end);
    Some(Mark {
        end: None,
        start: None,
        text: format!("{indent}{}{behind}", marker(source, settings, first.start, last.end)),
    })
}

fn marker(source: &Source<'_>, settings: Settings, start: u32, end: u32) -> String {
    if settings.lines == Lines::Omitted {
        let (first, last) = (source.line_of(start) + 1, source.line_of(end) + 1);
        return match first == last {
            true => format!("/* Line {first} omitted */"),
            false => format!("/* Lines {first}-{last} omitted */"),
        };
    }
    if settings.preserve_types { "/* ... */".into() } else { "…".into() }
}

/// Writes the text of what was chosen.
pub(super) fn write(living: &Living<'_>, settings: Settings) -> Summary {
    let mut out = Writer { edits: Edits::new(living.source), open: None };
    // Not by recursion: code can be nested deeper than the stack. For each open node the children that show, and how far it got.
    let mut stack: Vec<(u32, Vec<u32>, usize)> = Vec::new();
    if living.units() > 0 {
        stack.push((0, living.places(0).collect(), 0));
        if living.tree.children(0).is_empty() {
            let root = living.tree.nodes[0];
            out.keep(root.start, root.end);
        }
    }
    while let Some((parent, places, at)) = stack.last_mut() {
        let Some(place) = places.get(*at).copied() else {
            stack.pop();
            continue;
        };
        let parent = *parent;
        let before = at.checked_sub(1).and_then(|at| living.between(parent, places[at], place));
        let behind = places.get(*at + 1).and_then(|next| living.between(parent, place, *next));
        *at += 1;
        let child = living.child(parent, place);
        let start = before.as_ref().and_then(|mark| mark.start);
        let end = behind.as_ref().and_then(|mark| mark.end);
        if let Some(mark) = before {
            out.insert(&mark.text);
        }
        let node = living.tree.nodes[child as usize];
        let plain = if node.count == 0 { Some((node.start, node.end)) } else { living.plain(child) };
        match plain {
            Some((from, to)) => out.keep(start.unwrap_or(from), end.unwrap_or(to)),
            None => stack.push((child, living.places(child).collect(), 0)),
        }
    }
    let mut edits = out.finish();
    let mut text = edits.apply(living.source.text());
    debug_assert_eq!(text.encode_utf16().count() as u64, living.units(), "lengths are kept up to date");
    debug_assert_eq!(text.matches('\n').count() as u64, living.feeds(), "and line feeds");
    if settings.lines == Lines::Full {
        edits.insert(&numbers(&text, &edits, living.source));
        text = edits.apply(living.source.text());
    }
    Summary { text, edits }
}

/// Collects kept stretches and what is inserted between them.
struct Writer {
    edits: Edits,
    /// Text that waits for the stretch behind it.
    open: Option<String>,
}

impl Writer {
    fn insert(&mut self, text: &str) {
        self.open.get_or_insert_default().push_str(text);
    }

    fn keep(&mut self, start: u32, end: u32) {
        let inserted = self.open.take().unwrap_or_default();
        self.edits.keep(start, end, &inserted);
    }

    fn finish(mut self) -> Edits {
        let inserted = self.open.take().unwrap_or_default();
        self.edits.end(&inserted);
        self.edits
    }
}

/// What goes in front of every line of a summary that ends: the number of its line in the document.
fn numbers(text: &str, edits: &Edits, source: &Source<'_>) -> Vec<(u32, String)> {
    let mut back = edits.backward();
    let mut at = 0;
    let mut numbers = Vec::new();
    for line in text.split_inclusive('\n').filter(|line| line.ends_with('\n')) {
        numbers.push((at, prefix(source.line_of(back.place(at)) + 1)));
        at += line.len() as u32;
    }
    numbers
}
