//! After any sequence of changes, the index answers as one built from the current files.

use crate::support::{Words, text};
use espalier_search::{ChunkOptions, Index, Profile, Query, Scoring};
use std::collections::BTreeMap;

const OPTIONS: ChunkOptions = ChunkOptions { max_tokens: 40 };

fn put(index: &mut Index, path: &str, version: &str, text: &str) {
    index.put(path, version, text, &[], OPTIONS, &Words).unwrap();
}

fn answers(index: &Index, queries: &[String]) -> Vec<Vec<(String, u64, u32, u64)>> {
    let answer = |query: &String| {
        let hits = index.search(&Query { max_results: 20, ..Query::of(query) });
        let place = |hit: &espalier_search::Hit| {
            let found = index.locate(hit.chunk).unwrap();
            (found.path.to_string(), found.id, found.first_line, hit.score.to_bits())
        };
        hits.iter().map(place).collect()
    };
    queries.iter().map(answer).collect()
}

#[test]
fn any_order_of_changes_equals_a_fresh_index() {
    for seed in 0..25 {
        let random = &mut fastrand::Rng::with_seed(seed);
        let mut index = Index::new(Profile::ESPALIER);
        let mut files: BTreeMap<String, String> = BTreeMap::new();
        for step in 0..150 {
            let path = format!("src/file{}.rs", random.usize(..30));
            if random.usize(..3) == 0 {
                assert_eq!(index.remove(&path), files.remove(&path).is_some());
            } else {
                let lines = random.usize(..60);
                let text = text(random, lines);
                put(&mut index, &path, &step.to_string(), &text);
                files.insert(path, text);
            }
            if random.usize(..40) == 0 {
                index.compact();
                assert_eq!(index.state().gone, 0);
            }
        }
        let mut fresh = Index::new(Profile::ESPALIER);
        let mut order: Vec<_> = files.iter().collect();
        random.shuffle(&mut order);
        order.into_iter().for_each(|(path, text)| put(&mut fresh, path, "", text));
        assert_eq!((index.state().files, index.state().chunks), (fresh.state().files, fresh.state().chunks));
        let queries: Vec<String> = (0..20).map(|_| text(random, 2)).collect();
        assert_eq!(answers(&index, &queries), answers(&fresh, &queries), "seed {seed}");
    }
}

#[test]
fn a_removed_file_is_as_if_it_had_never_been() {
    let mut index = Index::new(Profile::ESPALIER);
    put(&mut index, "a", "1", "The oak grows slowly.");
    let queries = ["oak".to_string(), "whale".into(), "grows".into()];
    let before = answers(&index, &queries);
    put(&mut index, "b", "1", "The whale and the oak.");
    assert_ne!(answers(&index, &queries), before);
    assert!(index.remove("b") && !index.remove("b"));
    assert_eq!(answers(&index, &queries), before);
}

#[test]
fn many_changes_of_one_file_take_no_room() {
    let mut index = Index::new(Profile::ESPALIER);
    let random = &mut fastrand::Rng::with_seed(1);
    let source = text(random, 400);
    for version in 0..600 {
        put(&mut index, "a", &version.to_string(), &format!("{source}\nmark{version}end"));
    }
    let state = index.state();
    assert!(state.gone <= 1 << 14 && state.files == 1, "{state:?}");
    assert!(index.search(&Query::of("mark598end")).is_empty());
    assert_eq!(index.search(&Query::of("mark599end")).len(), 1);
}

#[test]
fn the_same_version_is_not_read_again() {
    let mut index = Index::new(Profile::ESPALIER);
    put(&mut index, "a", "1", "oak");
    let revision = index.state().revision;
    assert!(!index.put("a", "1", "elm", &[], OPTIONS, &Words).unwrap());
    assert_eq!(index.state().revision, revision);
    assert!(index.put("a", "2", "elm", &[], OPTIONS, &Words).unwrap());
    assert!(index.search(&Query::of("oak")).is_empty());
}

#[test]
fn a_failed_put_changes_nothing() {
    let mut index = Index::new(Profile::ESPALIER);
    put(&mut index, "a", "1", "oak");
    index.put("a", "2", "elm", &[], ChunkOptions { max_tokens: 0 }, &Words).unwrap_err();
    assert_eq!((index.version("a"), index.search(&Query::of("oak")).len()), (Some("1"), 1));
}

#[test]
fn empty_and_odd() {
    let mut index = Index::new(Profile::ESPALIER);
    assert!(index.search(&Query::of("oak")).is_empty());
    put(&mut index, "", "", "");
    put(&mut index, "blank", "", "\n\n  \n");
    put(&mut index, "oak", "", "oak \u{0} oak");
    for query in ["", " ", "\u{0}", "ab", "§§§", "unknownword"] {
        assert!(index.search(&Query::of(query)).is_empty(), "{query:?}");
    }
    assert!(index.search(&Query { max_results: 0, ..Query::of("oak") }).is_empty());
    assert_eq!(index.state().files, 3);
    let megabyte = "oak unknownWord leaf ".repeat(50_000);
    assert_eq!(index.search(&Query::of(&megabyte)).len(), 1);
    assert!(index.locate(u32::MAX).is_none());
    let word = "abcDef".repeat(200_000);
    put(&mut index, "long", "", &word);
    let mut theirs = Index::new(Profile::COPILOT_CHAT);
    theirs.put_chunks("long", "", &[&word]).unwrap();
    assert_eq!(theirs.search(&Query::of(&word)).len(), 1);
}

#[test]
fn contributions_add_up() {
    let random = &mut fastrand::Rng::with_seed(3);
    for profile in [Profile::ESPALIER, Profile::COPILOT_CHAT] {
        let mut index = Index::new(profile);
        (0..20).for_each(|at| put(&mut index, &format!("{at}"), "", &text(random, 20)));
        let hits = index.search(&Query { contributions: true, ..Query::of("oak birchTree html oak") });
        assert!(!hits.is_empty());
        for hit in hits {
            let sum: f64 = hit.contributions.iter().map(|one| one.score).sum();
            assert!((sum - hit.score).abs() < 1e-9);
        }
    }
}

#[test]
fn bm25_as_the_formula_says() {
    let profile = Profile { context: false, ..Profile::ESPALIER };
    assert_eq!(profile.scoring, Scoring::Bm25 { k1: 1.2, b: 0.75 });
    let mut index = Index::new(profile);
    index.put_chunks("a", "", &["oak oak pine", "elm", "oak leaf leaf leaf tree"]).unwrap();
    let hits = index.search(&Query::of("oak"));
    let idf = (1.0 + (3.0 - 2.0 + 0.5) / (2.0 + 0.5f64)).ln();
    let score = |count: f64, length: f64| idf * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * length / 3.0));
    assert!((hits[0].score - score(2.0, 3.0)).abs() < 1e-12);
    assert!((hits[1].score - score(1.0, 5.0)).abs() < 1e-12);
}

#[test]
fn words_of_paths_and_definitions_count() {
    let mut index = Index::new(Profile::ESPALIER);
    put(&mut index, "src/basket.rs", "", "fn total() {}");
    put(&mut index, "src/other.rs", "", "fn total() {}");
    let hits = index.search(&Query::of("total of the basket"));
    assert_eq!(index.locate(hits[0].chunk).unwrap().path, "src/basket.rs");
}

#[test]
fn grammar_of_a_question_is_not_searched() {
    let mut index = Index::new(Profile::ESPALIER);
    put(&mut index, "queue.rs", "1", "fn steal(queue: &Queue) {}");
    put(&mut index, "notes.md", "1", "Where does the one that we want come from? How is this?");
    put(&mut index, "sql.ts", "1", "parse(WHERE); map.has(key); export const where = 1;");
    (0..20).for_each(|at| put(&mut index, &format!("{at}.ts"), "1", &format!("log({at}, parse, key, steal)")));
    let found = |query: &str| -> Vec<String> {
        let hits = index.search(&Query::of(query));
        hits.iter().map(|hit| index.locate(hit.chunk).unwrap().path.to_string()).take(3).collect()
    };
    assert_eq!(found("How does the queue that we have steal?")[0], "queue.rs");
    assert!(!found("Where is it that we steal?").contains(&"notes.md".to_string()));
    assert_eq!(found("what's frobnicated"), [""; 0]);
    // Written as code it is a word as any other.
    for query in ["parse WHERE", "has(key)", "parse `where`"] {
        assert_eq!(found(query)[0], "sql.ts", "{query}");
    }
    // A query of nothing else is searched as it is.
    assert_eq!(found("where does this")[0], "notes.md");
    let mut theirs = Index::new(Profile::COPILOT_CHAT);
    put(&mut theirs, "notes.md", "1", "Where does the one that we want come from?");
    assert_eq!(theirs.search(&Query::of("where frobnicated")).len(), 1);
}

#[test]
fn words_of_two_characters_are_found() {
    let mut index = Index::new(Profile::ESPALIER);
    put(&mut index, "db.ts", "1", "const db = open(id);");
    put(&mut index, "main.go", "1", "go run(fs, UI)");
    put(&mut index, "zh.md", "1", "打开设置页面，然后选择文件路径。");
    put(&mut index, "long.md", "1", &format!("{}检查{}", "选择".repeat(40), "文件".repeat(40)));
    put(&mut index, "ja.md", "1", "全文検索の結果を表示します");
    put(&mut index, "ko.md", "1", "먼저 설정을 엽니다");
    let found = |query: &str| -> Vec<String> {
        let hits = index.search(&Query::of(query));
        hits.iter().map(|hit| index.locate(hit.chunk).unwrap().path.to_string()).collect()
    };
    for (query, path) in [
        ("db", "db.ts"),
        ("id", "db.ts"),
        ("go", "main.go"),
        ("fs", "main.go"),
        ("UI", "main.go"),
        ("设置", "zh.md"),
        ("路径", "zh.md"),
        ("检查", "long.md"),
        ("検索", "ja.md"),
        ("설정", "ko.md"),
    ] {
        assert_eq!(found(query), [path], "{query}");
    }
    // Every question has such words.
    assert!(found("is it of no").is_empty());
}
