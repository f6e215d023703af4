//! A compaction in slices changes no answer, whatever happens in between.

use crate::support::{Words, text};
use espalier_search::{ChunkOptions, Index, Profile, Query};
use std::collections::BTreeMap;

const OPTIONS: ChunkOptions = ChunkOptions { max_tokens: 40 };

fn put(index: &mut Index, path: &str, version: &str, text: &str) {
    index.put(path, version, text, &[], OPTIONS, &Words).unwrap();
}

fn same(one: &Index, other: &Index, queries: &[&str]) {
    assert_eq!((one.state().files, one.state().chunks), (other.state().files, other.state().chunks));
    for query in queries {
        let answer = |index: &Index| -> Vec<_> {
            let hits = index.search(&Query { max_results: 300, ..Query::of(query) });
            let place = |hit: &espalier_search::Hit| {
                let found = index.locate(hit.chunk).unwrap();
                let mut terms = index.terms_of_chunk(hit.chunk);
                terms.sort_unstable();
                (format!("{found:?} {terms:?}"), hit.score.to_bits())
            };
            hits.iter().map(place).collect()
        };
        assert!(answer(one) == answer(other), "{query}");
    }
}

const QUERIES: [&str; 4] = ["oak pine html", "élan vital tree token", "scope naïve tōkyō", "中文 parse count"];

#[test]
fn changes_between_slices() {
    for (seed, profile) in [(0, Profile::ESPALIER), (1, Profile::COPILOT_CHAT), (2, Profile::ESPALIER)] {
        let random = &mut fastrand::Rng::with_seed(seed);
        // One index is compacted in slices, the other never.
        let (mut index, mut other) = (Index::new(profile), Index::new(profile));
        let mut step = 0;
        let mut change = |random: &mut fastrand::Rng, index: &mut Index, other: &mut Index| {
            step += 1;
            // One file has many slices: a change can happen while it is half copied.
            let (path, lines) = match random.usize(..10) {
                0 => ("big".to_string(), 9000),
                _ => (format!("file{}", random.usize(..60)), random.usize(..300)),
            };
            if random.usize(..4) == 0 {
                assert_eq!(index.remove(&path), other.remove(&path));
            } else {
                let text = format!("{}\nversion{step}ofFile", text(random, lines));
                put(index, &path, &step.to_string(), &text);
                put(other, &path, &step.to_string(), &text);
            }
        };
        for _ in 0..60 {
            change(random, &mut index, &mut other);
        }
        if seed == 2 {
            let saved = index.save();
            let blob = |name: &str| saved.segments.iter().find(|one| one.name == name).map(|one| one.bytes.clone());
            index = Index::load(profile, &saved.manifest, blob).ok().unwrap().index;
            assert_eq!(index.state().gone, 0);
        }
        let (mut slices, mut ends) = (0, 0);
        for _ in 0..60 {
            change(random, &mut index, &mut other);
            for _ in 0..random.usize(..12) {
                let before = index.state().gone;
                index.compact_step();
                slices += 1;
                ends += usize::from(index.state().gone < before);
            }
            if random.usize(..12) == 0 {
                same(&index, &other, &QUERIES);
            }
        }
        assert!(slices > 100 && ends > 2, "{slices} {ends}");
        while index.compact_step() {}
        assert_eq!(index.state().gone, 0);
        same(&index, &other, &QUERIES);
        index.compact();
        same(&index, &other, &QUERIES);
    }
}

#[test]
fn a_compaction_begins_and_ends_by_itself() {
    let random = &mut fastrand::Rng::with_seed(4);
    let mut index = Index::new(Profile::ESPALIER);
    let mut files = BTreeMap::new();
    let (mut largest, mut falls) = (0, 0);
    for step in 0..3000 {
        let path = format!("file{}", random.usize(..150));
        let text = text(random, 60);
        let before = index.state().gone;
        put(&mut index, &path, &step.to_string(), &text);
        files.insert(path, text);
        let state = index.state();
        falls += usize::from(state.gone < before / 2);
        largest = largest.max(state.gone);
    }
    assert!(falls > 3 && largest < 1 << 14, "{falls} {largest}");
    let mut fresh = Index::new(Profile::ESPALIER);
    for (path, text) in &files {
        put(&mut fresh, path, index.version(path).unwrap(), text);
    }
    same(&index, &fresh, &QUERIES);
}
