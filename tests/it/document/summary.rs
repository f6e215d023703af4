//! Summaries compared with recorded overlays. `tests/js/documents` checks that our own overlays equal the recorded
//! ones.

use espalier::document::summary::{Document, Lines, Options, Prices, Settings, Source, Summary, adjust, summarize};
use espalier::document::syntax::NONE;
use espalier::document::units::bytes;
use espalier::document::{Overlay, OverlayNode};
use serde_json::Value;

struct Recorded {
    id: String,
    language: String,
    text: String,
    overlay: Overlay,
    cases: Vec<Value>,
}

fn vectors() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/vectors/documents.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn recorded(file: &Value) -> Vec<Recorded> {
    let string = |value: &Value| value.as_str().unwrap().to_string();
    let documents = file["documents"].as_array().unwrap().iter();
    documents
        .map(|document| {
            let text = string(&document["text"]);
            Recorded {
                id: string(&document["id"]),
                language: string(&document["language"]),
                overlay: overlay(&document["overlay"], &text),
                text,
                cases: document["cases"].as_array().unwrap().clone(),
            }
        })
        .collect()
}

fn overlay(recorded: &Value, text: &str) -> Overlay {
    let places = bytes(text);
    let byte = |unit: &Value| {
        let unit = unit.as_u64().unwrap();
        places.get(unit as usize).copied().unwrap_or(unit as u32)
    };
    let mut made = Overlay::default();
    let mut open = vec![(recorded, NONE)];
    while let Some((node, parent)) = open.pop() {
        let kind = node[0].as_str().unwrap();
        let known = made.kinds.iter().position(|known| &**known == kind);
        let kind = known.unwrap_or_else(|| {
            made.kinds.push(kind.into());
            made.kinds.len() - 1
        });
        made.nodes.push(OverlayNode { kind: kind as u32, start: byte(&node[1]), end: byte(&node[2]), parent });
        let number = made.nodes.len() as u32 - 1;
        open.extend(node[3].as_array().into_iter().flatten().rev().map(|child| (child, number)));
    }
    made
}

fn settings(case: &Value) -> Settings {
    let on = |name: &str| case["options"][name].as_bool().unwrap_or(false);
    let lines = match case["options"]["lineNumberStyle"].as_str() {
        Some("full") => Lines::Full,
        Some("omittedRanges") => Lines::Omitted,
        _ => Lines::None,
    };
    Settings { preserve_types: on("tryPreserveTypeChecking"), always_mark: on("alwaysUseEllipsisForElisions"), lines }
}

/// Line and column of both ends, counted from 0. A single pair is a cursor.
fn selection(recorded: &Value, text: &str) -> Option<(u32, u32)> {
    let numbers: Vec<usize> = recorded.as_array()?.iter().map(|number| number.as_u64().unwrap() as usize).collect();
    let at = |pair: &[usize]| {
        let line = text.split_inclusive('\n').take(pair[0]).map(str::len).sum::<usize>();
        let units = bytes(&text[line..]);
        (line + units.get(pair[1]).map_or(pair[1], |byte| *byte as usize)) as u32
    };
    Some((at(&numbers[..2]), at(numbers.get(2..).filter(|end| !end.is_empty()).unwrap_or(&numbers[..2]))))
}

type ByKind = Vec<(Box<str>, Option<f64>)>;

fn by_kind(case: &Value) -> Option<ByKind> {
    let kinds = case["costRule"]["kinds"].as_object()?;
    Some(kinds.iter().map(|(kind, price)| (kind.as_str().into(), price.as_f64())).collect())
}

fn compatible(documents: &[Document<'_>], limit: f64, settings: Settings) -> Vec<Summary> {
    summarize(documents, &Options::compatible(limit, settings)).unwrap()
}

fn units(text: &str, byte: u32) -> u64 {
    text[..byte as usize].encode_utf16().count() as u64
}

#[test]
fn documents_share_a_limit() {
    let file = vectors();
    let mut documents = recorded(&file);
    // The same document with other line ends.
    let crlf = documents.iter().find(|document| document.id == "report-crlf.py").unwrap();
    assert!(crlf.text.contains("\r\n"));
    let find = |id: &str| documents.iter().find(|document| document.id == id);
    let mut cases = 0;
    for case in file["multi"].as_array().unwrap() {
        let ids: Vec<&str> = case["documents"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
        let Some(chosen) = ids.iter().map(|id| find(id)).collect::<Option<Vec<_>>>() else { continue };
        let sources: Vec<Source> = chosen.iter().map(|document| Source::new(&document.text)).collect();
        let selections = case["selections"].as_array().unwrap();
        let asked: Vec<Document> = chosen
            .iter()
            .zip(&sources)
            .zip(selections)
            .map(|((document, source), at)| Document {
                selection: selection(at, &document.text),
                ..Document::new(source, &document.overlay)
            })
            .collect();
        let made = compatible(&asked, case["charLimit"].as_f64().unwrap(), settings(case));
        let texts = made.iter().zip(&chosen).map(|(summary, document)| summary.edits.apply(&document.text).into());
        let texts: Vec<Value> = texts.collect();
        assert_eq!(case["expected"], Value::from(texts), "{ids:?}");
        cases += 1;
    }
    assert!(cases > 0);
    documents.clear();
}

#[test]
fn summaries_are_those_recorded() {
    let file = vectors();
    let (mut cases, mut wrong) = (0, Vec::new());
    for document in recorded(&file) {
        let source = Source::new(&document.text);
        for case in &document.cases {
            let kinds = by_kind(case);
            let prices = match (&kinds, case["costRule"]["type"].as_str()) {
                (Some(kinds), _) => Prices::ByKind(kinds),
                (None, Some("file-variable")) => Prices::Attached { typescript: document.language == "typescript" },
                _ => Prices::Usual,
            };
            let at = selection(&case["selection"], &document.text);
            // The reference searches for a blank selection in a text that it has trimmed at both ends, but uses offsets
            // of the untrimmed text.
            let cut = document.overlay.nodes[0].start > 0 || at.is_some_and(|at| at.0 == source.end());
            let slips = cut && at.is_some_and(|at| at.0 == at.1);
            let adjusted = at.map(|at| adjust(&source, &document.overlay, at));
            if let (Some((start, end)), Some(wanted)) = (adjusted, case["adjustedSelection"].as_array()) {
                let found = [units(&document.text, start), units(&document.text, end)];
                if !slips && (wanted[0] != found[0] || wanted[1] != found[1]) {
                    wrong.push(format!("{} adjusted {at:?}: wanted {wanted:?}, found {found:?}", document.id));
                }
            }
            let one = Document { selection: at, prices, ..Document::new(&source, &document.overlay) };
            let limit = case["charLimit"].as_f64().unwrap();
            let made = compatible(&[one], limit, settings(case)).remove(0);
            let written = made.edits.apply(&document.text);
            cases += 1;
            if case["expected"] != written.as_str() {
                wrong.push(format!(
                    "{} {limit} {:?} {} {:?}\n--- wanted\n{}\n--- found\n{}",
                    document.id,
                    at,
                    case["options"],
                    case["costRule"],
                    case["expected"],
                    Value::from(written)
                ));
            } else if let (Some((start, end)), Some(wanted)) = (adjusted, case["projectedSelection"].as_array()) {
                let found = [start, end].map(|at| units(&written, made.edits.forward(at)));
                if !slips && (wanted[0] != found[0] || wanted[1] != found[1]) {
                    wrong.push(format!(
                        "{} projected {at:?} {}: wanted {wanted:?}, found {found:?}",
                        document.id, case["options"]
                    ));
                }
            }
        }
    }
    assert!(cases > 200, "{cases}");
    assert!(
        wrong.is_empty(),
        "{} of {cases} differ\n{}",
        wrong.len(),
        wrong.iter().take(6).cloned().collect::<Vec<_>>().join("\n\n")
    );
}

/// A random overlay over a random text that contains braces, because they matter for summaries.
pub(super) fn random(rng: &mut fastrand::Rng) -> (String, Overlay) {
    let pieces = ["{", "}", "\n", "  ", "a;", "import x;", "é😀", "\r\n", "\t", "} else {"];
    let text: String = (0..rng.usize(0..60)).map(|_| pieces[rng.usize(..pieces.len())]).collect();
    let mut made = Overlay { kinds: vec!["root".into(), "import_statement".into(), "x".into()], nodes: Vec::new() };
    let ends: Vec<u32> = text.char_indices().map(|(at, _)| at as u32).chain([text.len() as u32]).collect();
    let start = if rng.u32(0..4) == 0 { ends[rng.usize(..ends.len())] } else { 0 };
    made.nodes.push(OverlayNode { kind: 0, start, end: text.len() as u32, parent: NONE });
    // Each node takes a part of the remaining range of its parent.
    let mut open = vec![(0u32, start)];
    for _ in 0..rng.usize(0..40) {
        let Some((parent, from)) = open.last().copied() else { break };
        let to = made.nodes[parent as usize].end;
        let inside: Vec<u32> = ends.iter().copied().filter(|at| (from..=to).contains(at)).collect();
        if rng.u32(0..3) == 0 || inside.is_empty() {
            open.pop();
            continue;
        }
        let (one, other) = (inside[rng.usize(..inside.len())], inside[rng.usize(..inside.len())]);
        let (start, end) = (one.min(other), one.max(other));
        made.nodes.push(OverlayNode { kind: rng.u32(1..3), start, end, parent });
        if let Some((_, reached)) = open.last_mut() {
            *reached = end;
        }
        open.push((made.nodes.len() as u32 - 1, start));
    }
    (text, made)
}

#[test]
fn lengths_are_right_at_every_step() {
    let mut rng = fastrand::Rng::with_seed(11);
    for _ in 0..6_000 {
        let (text, overlay) = random(&mut rng);
        super::sound(&overlay, &text);
        let source = Source::new(&text);
        let lines = [Lines::None, Lines::Omitted, Lines::Full][rng.usize(..3)];
        let settings = Settings { preserve_types: rng.bool(), always_mark: rng.bool(), lines };
        let ends: Vec<u32> = text.char_indices().map(|(at, _)| at as u32).chain([text.len() as u32]).collect();
        let at = rng.bool().then(|| {
            let (one, other) = (ends[rng.usize(..ends.len())], ends[rng.usize(..ends.len())]);
            (one.min(other), one.max(other))
        });
        let limit = rng.f64() * 1.2 * text.len() as f64;
        let document = Document { selection: at, ..Document::new(&source, &overlay) };
        let made = compatible(&[document], limit, settings).remove(0);
        let written = made.edits.apply(&text);
        assert_eq!(made.count, written.encode_utf16().count() as u64);
        if at.is_none() && lines != Lines::Full {
            assert!(made.count as f64 <= limit, "{text:?} {limit} {made:?}");
        }
        // Edits are in ascending order, and so are the places of the bytes in the summary.
        let mut last = 0;
        for edit in made.edits.list() {
            assert!(last <= edit.start && edit.start <= edit.end && edit.end <= source.end(), "{made:?}");
            last = edit.end;
        }
        let places: Vec<u32> = (0..=source.end()).map(|byte| made.edits.forward(byte)).collect();
        assert!(places.is_sorted() && places.iter().all(|place| *place <= written.len() as u32), "{made:?}");
        if let Some(at) = at {
            let (start, end) = adjust(&source, &overlay, at);
            assert!(start <= end && end <= source.end(), "{text:?} {at:?} {start} {end}");
            assert!(text.is_char_boundary(start as usize) && text.is_char_boundary(end as usize));
        }
    }
}

#[test]
fn deep_and_wide_documents_take_near_linear_time() {
    for (depth, width) in [(30_000, 1), (2, 30_000)] {
        let mut overlay = Overlay { kinds: vec!["x".into()], nodes: Vec::new() };
        let text = "{a}".repeat(depth * width);
        let mut parent = NONE;
        for at in 0..(depth * width) as u32 {
            let end = text.len() as u32 - if width == 1 { at } else { 0 };
            let (start, end) = if width == 1 || at == 0 { (at, end) } else { (at * 3, at * 3 + 3) };
            overlay.nodes.push(OverlayNode { kind: 0, start, end, parent });
            parent = if width == 1 { at } else { 0 };
        }
        let source = Source::new(&text);
        for share in [0.5, 1.0] {
            let document = Document { selection: Some((7, 7)), ..Document::new(&source, &overlay) };
            let made = compatible(&[document], text.len() as f64 * share, Settings::default()).remove(0);
            assert!(made.count > 0);
        }
    }
}
