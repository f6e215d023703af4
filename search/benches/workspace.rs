//! Build, query, update, save and load over real sources: `cargo bench -p espalier-search -- FOLDER...`, files
//! by path, the first 5,000 and the first 25,000. Without a folder nothing is measured. `VOCABULARY` names a
//! vocabulary file of o200k_base; without one a token is four bytes.

use espalier_core::tokens::{Encoding, EncodingName, Tokenizer};
use espalier_search::{ChunkOptions, Index, Profile, Query, Vectors};
use std::path::Path;
use std::time::Instant;

const QUERIES: [&str; 8] = [
    "parse arguments of the command line",
    "retry a failed request with exponential back-off",
    "resolve module path from package.json exports",
    "HashMap entry insert or modify",
    "convert UTF-8 to UTF-16 offsets",
    "serialize struct as JSON string",
    "token stream lexer error position",
    "thread pool shutdown join handle",
];

const EXTENSIONS: [&str; 14] =
    ["rs", "ts", "js", "mjs", "cjs", "tsx", "md", "json", "toml", "c", "h", "py", "css", "html"];

struct Quarters;

impl Tokenizer for Quarters {
    fn count(&self, text: &str) -> u64 {
        text.len().div_ceil(4) as u64
    }
}

fn main() {
    let folders: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    let mut files = Vec::new();
    folders.iter().for_each(|folder| walk(Path::new(folder), &mut files));
    files.sort();
    let vocabulary = std::env::var_os("VOCABULARY").and_then(|file| std::fs::read(file).ok());
    let encoding = vocabulary.and_then(|bytes| Encoding::load(EncodingName::O200kBase, &bytes).ok());
    println!("{} files; tokens: {}", files.len(), if encoding.is_some() { "o200k_base" } else { "four bytes each" });
    for size in [5_000, 25_000] {
        if files.len() >= size {
            match &encoding {
                Some(encoding) => measure(&files[..size], encoding),
                None => measure(&files[..size], &Quarters),
            }
        }
    }
    if !files.is_empty() {
        vectors();
    }
}

fn walk(folder: &Path, files: &mut Vec<(String, String)>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() && !path.is_symlink() {
            walk(&path, files);
        } else if path.extension().is_some_and(|end| EXTENSIONS.iter().any(|one| end == *one)) {
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            let is_minified = text.lines().any(|line| line.len() > 10_000);
            if !text.is_empty() && text.len() < 1_500_000 && !is_minified {
                files.push((path.to_string_lossy().into_owned(), text));
            }
        }
    }
}

fn measure(files: &[(String, String)], tokenizer: &impl Tokenizer) {
    let bytes: usize = files.iter().map(|file| file.1.len()).sum();
    println!("\n{} files, {:.1} MB", files.len(), bytes as f64 / 1e6);
    for (name, profile) in [("BM25", Profile::ESPALIER), ("TF-IDF", Profile::COPILOT_CHAT)] {
        let options = ChunkOptions::default();
        let mut index = Index::new(profile);
        let before = resident();
        let start = Instant::now();
        for (path, text) in files {
            let _ = index.put(path, "1", text, &[], options, tokenizer);
        }
        let build = start.elapsed().as_secs_f64();
        let state = index.state();
        println!(
            "{name}: build {build:.2} s, {} chunks of {} bytes, {} terms, memory {:.0} MB (resident +{:.0} MB)",
            state.chunks,
            bytes / state.chunks.max(1),
            state.terms,
            state.memory as f64 / 1e6,
            (resident() - before) as f64 / 1e6,
        );
        for round in ["first", "repeated"] {
            let times: Vec<f64> = QUERIES.iter().map(|query| time(|| index.search(&Query::of(query)).len())).collect();
            println!("  query, {round}: {} ms", list(&times));
        }
        let updates: Vec<f64> = (0..200)
            .map(|at| {
                let (path, text) = &files[at * 17 % files.len()];
                let text = format!("{text}\nconst changed_number_{at} = true;\n");
                time(|| index.put(path, "2", &text, &[], options, tokenizer))
            })
            .collect();
        let mut sorted = updates.clone();
        sorted.sort_by(f64::total_cmp);
        println!(
            "  update of a file: median {:.2} ms, p99 {:.2} ms, max {:.2} ms",
            sorted[100], sorted[197], sorted[199]
        );
        println!("  update of 100 files: {:.1} ms", updates[..100].iter().sum::<f64>());
        let start = Instant::now();
        let saved = index.save();
        let save = start.elapsed().as_secs_f64();
        let size: usize = saved.segments.iter().map(|segment| segment.bytes.len()).sum();
        let blobs: std::collections::HashMap<String, Vec<u8>> =
            saved.segments.iter().map(|one| (one.name.clone(), one.bytes.clone())).collect();
        let start = Instant::now();
        let loaded = Index::load(profile, &saved.manifest, |name| blobs.get(name).cloned());
        let load = start.elapsed().as_secs_f64();
        let Ok(mut loaded) = loaded else { return println!("  the snapshot cannot be read") };
        let first = time(|| loaded.index.search(&Query::of(QUERIES[0])).len());
        println!(
            "  save {save:.2} s, {:.1} MB in {} segments; load {load:.3} s ({:.1} % of build), first query {first:.2} ms",
            size as f64 / 1e6,
            saved.segments.len(),
            100.0 * load / build,
        );
        drop(blobs);
        compaction("built", &mut index);
        drop(index);
        // The compaction begins by itself once half of the chunks are removed.
        let removed = files.iter().take(files.len() * 9 / 10);
        let removals: Vec<f64> = removed.map(|file| time(|| loaded.index.remove(&file.0))).collect();
        println!("  {} removals, the longest {:.2} ms", removals.len(), longest(&removals));
        compaction("loaded", &mut loaded.index);
    }
}

/// Compacts an index in slices.
fn compaction(name: &str, index: &mut Index) {
    let mut slices = Vec::new();
    loop {
        let mut is_left = false;
        slices.push(time(|| is_left = index.compact_step()));
        if !is_left {
            break;
        }
    }
    println!(
        "  compaction, {name}: {:.0} ms in {} slices, the longest {:.2} ms",
        slices.iter().sum::<f64>(),
        slices.len(),
        longest(&slices),
    );
}

fn vectors() {
    let mut vectors = Vectors::new();
    let mut seed = 1u32;
    let mut random = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        seed as f32 / u32::MAX as f32 - 0.5
    };
    for key in 0..100_000 {
        let vector: Vec<f32> = (0..512).map(|_| random()).collect();
        let _ = vectors.put(key, &vector);
    }
    let query: Vec<f32> = (0..512).map(|_| random()).collect();
    let took = time(|| vectors.nearest(&query, 128, 0.0));
    println!("\n100,000 vectors of 512: {:.0} MB, nearest 128 in {took:.1} ms", vectors.memory() as f64 / 1e6);
}

/// Milliseconds.
fn time<T>(work: impl FnOnce() -> T) -> f64 {
    let start = Instant::now();
    std::hint::black_box(work());
    start.elapsed().as_secs_f64() * 1e3
}

fn longest(times: &[f64]) -> f64 {
    times.iter().fold(0.0, |longest, time| longest.max(*time))
}

fn list(times: &[f64]) -> String {
    times.iter().map(|time| format!("{time:.2}")).collect::<Vec<_>>().join(", ")
}

/// Returns the resident bytes of this process, if the system reports them.
fn resident() -> i64 {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    pages.split(' ').nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(0) * 4096
}
