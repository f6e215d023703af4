//! The index at the boundary.
//!
//! In: files, queries, vectors, blobs of a storage. Out: hits as flat arrays beside their strings, blobs to write. The
//! host runs long work in steps: it puts one file at a time, and saves and loads one segment at a time. Offsets are
//! UTF-16 code units here and bytes inside. Start reading at [`SearchIndex`].

use js_sys::{Array, BigUint64Array, Float64Array, Object, Uint8Array, Uint32Array};
use wasm_bindgen::prelude::*;

use espalier_core::error::{Code, Error};
use espalier_core::map::HashMap;
use espalier_count::error::{put, to_js};
use espalier_count::tokens::by_name;
use espalier_search::{
    ChunkOptions, Damage, Definition, Hit, Index, Loading, Located, MIN_BUDGET, Profile, Query, Saved, SavedVectors,
    Saving, VectorStore,
};

type Thrown<T> = Result<T, JsValue>;

/// Prefix of the version of a file that is known and not searched; the reason, a space and the version follow.
const SKIPPED: char = '\u{1}';

/// An index, and the vectors of its chunks.
#[wasm_bindgen]
pub struct SearchIndex {
    index: Index,
    options: ChunkOptions,
    encoding: String,
    store: VectorStore,
    saving: Option<Saving>,
    saved: Option<Saved>,
    saved_vectors: Option<SavedVectors>,
    loading: Option<Loading>,
    /// Numbers of chunks by id, at a revision.
    chunks: (u64, HashMap<u64, u32>),
}

#[wasm_bindgen]
impl SearchIndex {
    /// Creates an empty index. `definitions` says that chunks follow definitions; an index that was saved without them
    /// is then not read. `model` names the model of the vectors.
    #[wasm_bindgen(constructor)]
    pub fn new(profile: &str, encoding: &str, budget: f64, definitions: bool, model: &str) -> Thrown<SearchIndex> {
        let profile = match profile {
            "espalier" => Profile::ESPALIER,
            "copilot-chat" => Profile::COPILOT_CHAT,
            _ => {
                let message = format!("options.profile must be espalier or copilot-chat, and is {profile:?}");
                return Err(to_js(Error::new(Code::BadOption, message).at("options.profile")));
            }
        };
        by_name(encoding)?;
        let is_usable = budget.fract() == 0.0 && (f64::from(MIN_BUDGET)..=f64::from(u32::MAX)).contains(&budget);
        if !is_usable {
            let message = format!(
                "options.maxChunkTokens must be a whole number of at least {MIN_BUDGET} tokens, and is {budget}"
            );
            return Err(to_js(Error::new(Code::BadOption, message).at("options.maxChunkTokens")));
        }
        let settings = format!("{encoding} {budget} {definitions}");
        Ok(SearchIndex {
            index: Index::with_settings(profile, &settings),
            options: ChunkOptions { max_tokens: budget as u32 },
            encoding: encoding.to_string(),
            store: VectorStore::new(model),
            saving: None,
            saved: None,
            saved_vectors: None,
            loading: None,
            chunks: (u64::MAX, HashMap::default()),
        })
    }

    /// Returns the version of a file, if the index searches it.
    pub fn version(&self, path: &str) -> Option<String> {
        self.index.version(path).filter(|version| !version.starts_with(SKIPPED)).map(str::to_string)
    }

    /// Returns for each file 0 if the index does not know it, 1 if it has another version, 2 if it has this one or
    /// skips it.
    pub fn compare(&self, paths: Vec<String>, versions: Vec<String>) -> Vec<u8> {
        let compared = paths.iter().zip(&versions).map(|(path, version)| match self.index.version(path) {
            None => 0,
            Some(known) if known == version || skipped(known).is_some_and(|(_, known)| known == version) => 2,
            Some(_) => 1,
        });
        compared.collect()
    }

    /// Returns the paths of all files, including skipped ones.
    pub fn paths(&self) -> Vec<String> {
        self.index.paths().map(str::to_string).collect()
    }

    /// Returns the files that are known and not searched: path, reason, path, reason, …
    pub fn skipped(&self) -> Vec<String> {
        let mut found = Vec::new();
        for path in self.index.paths() {
            if let Some((reason, _)) = self.index.version(path).and_then(skipped) {
                found.extend([path.to_string(), reason.to_string()]);
            }
        }
        found
    }

    /// Adds a file, or replaces it. `names` and `ranges` are its definitions: a start and an end for each name.
    /// Returns false if the index has this version.
    pub fn put(&mut self, path: &str, version: &str, text: &str, names: Vec<String>, ranges: &[u32]) -> Thrown<bool> {
        let encoding = by_name(&self.encoding)?;
        let bytes = byte_offsets(text, ranges);
        let definitions: Vec<Definition> = (names.into_iter().zip(bytes.chunks_exact(2)))
            .map(|(name, range)| Definition { name, start: range[0], end: range[1] })
            .collect();
        self.index.put(path, version, text, &definitions, self.options, &*encoding).map_err(to_js)
    }

    /// Records that a version of a file is not searched, and why.
    pub fn skip(&mut self, path: &str, version: &str, reason: &str) -> Thrown<()> {
        self.index.put_chunks(path, &format!("{SKIPPED}{reason} {version}"), &[]).map_err(to_js)?;
        Ok(())
    }

    /// Removes files. Returns how many were there.
    pub fn remove(&mut self, paths: Vec<String>) -> u32 {
        paths.iter().filter(|path| self.index.remove(path)).count() as u32
    }

    /// Returns the paths that begin with `prefix`, for removing a file or all files of a folder.
    #[wasm_bindgen(js_name = "pathsBelow")]
    pub fn paths_below(&self, prefix: &str) -> Vec<String> {
        self.index.paths().filter(|path| path.starts_with(prefix)).map(str::to_string).collect()
    }

    /// Returns counts: files, chunks, terms, bytes, vectors, revision.
    pub fn state(&self) -> Vec<f64> {
        let state = self.index.state();
        let chunks = self.chunks.1.capacity() * 17;
        let memory = (state.memory + self.store.vectors.memory() + chunks) as f64;
        let vectors = self.store.vectors.len() as f64;
        vec![state.files as f64, state.chunks as f64, state.terms as f64, memory, vectors, state.revision as f64]
    }

    /// Returns the best chunks for a query, in the form of [`SearchIndex::hits`].
    pub fn search(&self, query: &str, max: u32, contributions: bool) -> JsValue {
        let query = Query { text: query, max_results: max as usize, max_spread: None, contributions };
        self.hits(&self.index.search(&query))
    }

    /// Returns the chunks with the nearest vectors, with a similarity above `above`.
    pub fn nearest(&mut self, vector: &[f32], max: u32, above: f64) -> Thrown<JsValue> {
        self.number_chunks();
        let chunks = &self.chunks.1;
        let near = self.store.vectors.nearest_of(vector, max as usize, above, |key| chunks.contains_key(&key));
        let hit = |chunk: u32, score| Hit { chunk, score, contributions: Vec::new() };
        let hits: Vec<Hit> =
            (near.map_err(to_js)?.iter()).filter_map(|one| Some(hit(*chunks.get(&one.key)?, one.similarity))).collect();
        Ok(self.hits(&hits))
    }

    /// Returns all chunks of a file, in the order of its text, each with score 0.
    #[wasm_bindgen(js_name = "chunksOf")]
    pub fn chunks_of(&self, path: &str) -> JsValue {
        let located: Vec<Located> = self.index.chunks_of(path).collect();
        described(&located, &[])
    }

    /// Returns the tokens of all chunks, and the number of searched files; reads at most `max` files.
    #[wasm_bindgen(js_name = "wholeSize")]
    pub fn whole_size(&self, max: u32) -> Vec<f64> {
        let searched = self.index.paths().filter(|path| self.index.version(path).is_some_and(|v| skipped(v).is_none()));
        let (mut files, mut tokens) = (0.0, 0.0);
        for path in searched.take(max as usize) {
            files += 1.0;
            tokens += self.index.chunks_of(path).map(|chunk| f64::from(chunk.tokens)).sum::<f64>();
        }
        vec![files, tokens]
    }

    /// Returns the files with chunks that have no vector, by path.
    #[wasm_bindgen(js_name = "pathsWithoutVectors")]
    pub fn paths_without_vectors(&self) -> Vec<String> {
        let lacks = |path: &&str| self.index.chunks_of(path).any(|chunk| !self.store.vectors.has(chunk.id));
        let mut paths: Vec<&str> = self.index.paths().filter(lacks).collect();
        paths.sort_unstable();
        paths.into_iter().map(str::to_string).collect()
    }

    /// Returns the chunks of a file that have no vector.
    #[wasm_bindgen(js_name = "withoutVectors")]
    pub fn without_vectors(&self, path: &str) -> JsValue {
        let lacking = self.index.chunks_of(path).filter(|chunk| !self.store.vectors.has(chunk.id));
        described(&lacking.collect::<Vec<_>>(), &[])
    }

    /// Adds the vectors that `values` contains in sequence, one for each key.
    #[wasm_bindgen(js_name = "putVectors")]
    pub fn put_vectors(&mut self, keys: Vec<u64>, values: &[f32]) -> Thrown<()> {
        let dimensions = values.len() / keys.len().max(1);
        for (key, vector) in keys.iter().zip(values.chunks_exact(dimensions.max(1))) {
            self.store.put(*key, vector).map_err(to_js)?;
        }
        Ok(())
    }

    /// Returns the dimensions of the vectors; 0 if there are none.
    pub fn dimensions(&self) -> u32 {
        if self.store.vectors.is_empty() { 0 } else { self.store.vectors.dimensions() as u32 }
    }

    /// Evicts vectors of removed chunks, if there are many.
    #[wasm_bindgen(js_name = "evictVectors")]
    pub fn evict_vectors(&mut self) {
        self.number_chunks();
        let chunks = &self.chunks.1;
        self.store.evict(|key| chunks.contains_key(&key));
    }

    /// Runs a few milliseconds of compaction, if one is in progress or a fifth of the chunks are removed. Returns true
    /// if there is more to do.
    #[wasm_bindgen(js_name = "compactStep")]
    pub fn compact_step(&mut self) -> bool {
        let state = self.index.state();
        (self.index.is_compacting() || state.gone > 1024.max(state.chunks / 4)) && self.index.compact_step()
    }

    /// Begins a save. Call [`SearchIndex::save_next`] until it returns nothing, then [`SearchIndex::save_end`], and
    /// after all that is written, [`SearchIndex::confirm`].
    #[wasm_bindgen(js_name = "saveBegin")]
    pub fn save_begin(&mut self) {
        (self.saved, self.saved_vectors) = (None, None);
        self.saving = Some(self.index.start_save());
    }

    /// Returns the next segment to write: name and bytes.
    #[wasm_bindgen(js_name = "saveNext")]
    pub fn save_next(&mut self) -> Option<Array> {
        let segment = self.index.save_segment(self.saving.as_mut()?)?;
        Some(blob(&segment.name, &segment.bytes))
    }

    /// Ends a save. Returns `blobs`, each a name and bytes; the `manifest` and `vectors` (its manifest, absent if no
    /// vectors changed), to write after them; the `names` of all blobs that these list, and the `obsolete` ones.
    #[wasm_bindgen(js_name = "saveEnd")]
    pub fn save_end(&mut self) -> Option<Object> {
        let saved = self.index.end_save(self.saving.take()?);
        let vectors = self.store.save();
        let made = Object::new();
        let mut obsolete: Vec<&String> = saved.obsolete.iter().collect();
        put(&made, "manifest", Uint8Array::from(saved.manifest.as_slice()).into());
        if let Some(vectors) = &vectors {
            let blobs: Array = vectors.blobs.iter().map(|one| JsValue::from(blob(&one.name, &one.bytes))).collect();
            put(&made, "blobs", blobs.into());
            put(&made, "vectors", Uint8Array::from(vectors.manifest.as_slice()).into());
            obsolete.extend(&vectors.obsolete);
        }
        let names = saved.names().iter().chain(vectors.as_ref().map_or(self.store.names(), SavedVectors::names));
        put(&made, "names", strings(names.map(String::as_str)).into());
        put(&made, "obsolete", strings(obsolete.into_iter().map(String::as_str)).into());
        (self.saved, self.saved_vectors) = (Some(saved), vectors);
        Some(made)
    }

    /// Records that the last save is in the storage.
    pub fn confirm(&mut self) {
        if let Some(saved) = self.saved.take() {
            self.index.confirm(&saved);
        }
        if let Some(saved) = self.saved_vectors.take() {
            self.store.confirm(saved);
        }
    }

    /// Begins to load an index that replaces this one. Returns the names of its segments, or the reason why its
    /// manifest is not used (`foreign`, `version`, `rules`, `checksum`, `contents`).
    #[wasm_bindgen(js_name = "loadBegin")]
    pub fn load_begin(&mut self, manifest: &[u8]) -> JsValue {
        match Loading::start(self.index.profile(), self.index.settings(), manifest) {
            Err(damage) => named(damage).into(),
            Ok(loading) => {
                let names = strings(loading.names().iter().map(String::as_str));
                self.loading = Some(loading);
                names.into()
            }
        }
    }

    /// Reads a segment; without bytes, the storage does not have it.
    #[wasm_bindgen(js_name = "loadSegment")]
    pub fn load_segment(&mut self, name: &str, bytes: Option<Vec<u8>>) {
        if let Some(loading) = &mut self.loading {
            loading.read(name, bytes);
        }
    }

    /// Adds one segment to the index. Returns true if there are more.
    #[wasm_bindgen(js_name = "loadStep")]
    pub fn load_step(&mut self) -> bool {
        self.loading.as_mut().is_some_and(Loading::enter)
    }

    /// Ends a load. Returns the names of damaged segments, each followed by the damage.
    #[wasm_bindgen(js_name = "loadEnd")]
    pub fn load_end(&mut self) -> Vec<String> {
        let Some(loading) = self.loading.take() else { return Vec::new() };
        let loaded = loading.finish();
        self.index = loaded.index;
        self.chunks = (u64::MAX, HashMap::default());
        loaded.damaged.into_iter().flat_map(|one| [one.name, named(one.damage).to_string()]).collect()
    }

    /// Returns the names of the blobs with vectors of this model, or the reason why their manifest is not used.
    #[wasm_bindgen(js_name = "vectorBlobs")]
    pub fn vector_blobs(&self, model: &str, manifest: &[u8]) -> JsValue {
        match VectorStore::blobs_of(model, manifest) {
            Ok(names) => strings(names.iter().map(String::as_str)).into(),
            Err(damage) => named(damage).into(),
        }
    }

    /// Reads the vectors of a blob. Returns the damage, if there is any.
    #[wasm_bindgen(js_name = "loadVectors")]
    pub fn load_vectors(&mut self, name: &str, bytes: Option<Vec<u8>>) -> Option<String> {
        self.store.load(name, bytes.as_deref()).err().map(|one| named(one.damage).to_string())
    }
}

impl SearchIndex {
    fn number_chunks(&mut self) {
        let revision = self.index.state().revision;
        if self.chunks.0 != revision {
            self.chunks = (revision, self.index.chunk_ids().collect());
        }
    }

    fn hits(&self, hits: &[Hit]) -> JsValue {
        let found: Vec<(Located, &Hit)> =
            hits.iter().filter_map(|hit| Some((self.index.locate(hit.chunk)?, hit))).collect();
        let (located, hits): (Vec<Located>, Vec<&Hit>) = found.into_iter().unzip();
        described(&located, &hits)
    }
}

/// Returns chunks as flat arrays:
/// - `paths` and `versions` of the distinct files, in the order of their best chunk;
/// - `places`, seven numbers for each chunk: index of its file, position in the file, start, end, first line, last
///   line, tokens;
/// - `ids`, `headers`, `scores` for each chunk;
/// - if contributions were requested, `terms`, and in `parts` for each contribution the chunk and the term, in
///   `partScores` the score.
fn described(located: &[Located], hits: &[&Hit]) -> JsValue {
    let mut files: HashMap<&str, u32> = HashMap::default();
    let (paths, versions) = (Array::new(), Array::new());
    let mut places: Vec<u32> = Vec::with_capacity(located.len() * 7);
    for chunk in located {
        let next = files.len() as u32;
        let file = *files.entry(chunk.path).or_insert_with(|| {
            paths.push(&chunk.path.into());
            versions.push(&chunk.version.into());
            next
        });
        let (start, end) = (chunk.start_utf16 as u32, chunk.end_utf16 as u32);
        places.extend([file, chunk.position, start, end, chunk.first_line, chunk.last_line, chunk.tokens]);
    }
    let ids: Vec<u64> = located.iter().map(|chunk| chunk.id).collect();
    let scores: Vec<f64> = hits.iter().map(|hit| hit.score).collect();
    let made = Object::new();
    put(&made, "paths", paths.into());
    put(&made, "versions", versions.into());
    put(&made, "places", Uint32Array::from(places.as_slice()).into());
    put(&made, "ids", BigUint64Array::from(ids.as_slice()).into());
    put(&made, "headers", strings(located.iter().map(|chunk| chunk.header)).into());
    put(&made, "scores", Float64Array::from(scores.as_slice()).into());
    if hits.iter().any(|hit| !hit.contributions.is_empty()) {
        let mut names: HashMap<&str, u32> = HashMap::default();
        let terms = Array::new();
        let (mut parts, mut part_scores): (Vec<u32>, Vec<f64>) = (Vec::new(), Vec::new());
        for (number, hit) in (0..).zip(hits) {
            for one in &hit.contributions {
                let next = names.len() as u32;
                let term = *names.entry(&one.term).or_insert_with(|| {
                    terms.push(&one.term.as_str().into());
                    next
                });
                parts.extend([number, term]);
                part_scores.push(one.score);
            }
        }
        put(&made, "terms", terms.into());
        put(&made, "parts", Uint32Array::from(parts.as_slice()).into());
        put(&made, "partScores", Float64Array::from(part_scores.as_slice()).into());
    }
    made.into()
}

fn blob(name: &str, bytes: &[u8]) -> Array {
    Array::of2(&name.into(), &Uint8Array::from(bytes).into())
}

fn strings<'a>(texts: impl Iterator<Item = &'a str>) -> Array {
    texts.map(JsValue::from).collect()
}

fn skipped(version: &str) -> Option<(&str, &str)> {
    version.strip_prefix(SKIPPED)?.split_once(' ')
}

fn named(damage: Damage) -> &'static str {
    match damage {
        Damage::Missing => "missing",
        Damage::Foreign => "foreign",
        Damage::Version => "version",
        Damage::Rules => "rules",
        Damage::Checksum => "checksum",
        Damage::Contents => "contents",
    }
}

/// Returns the byte offsets of UTF-16 ones, in any order. An offset inside a character counts as the character's start,
/// one after the text as its end.
fn byte_offsets(text: &str, utf16: &[u32]) -> Vec<usize> {
    if text.is_ascii() {
        return utf16.iter().map(|offset| (*offset as usize).min(text.len())).collect();
    }
    let mut order: Vec<(u32, usize)> = utf16.iter().copied().zip(0..).collect();
    order.sort_unstable();
    let mut found = vec![text.len(); utf16.len()];
    let mut next = order.into_iter().peekable();
    let mut units = 0;
    for (byte, one) in text.char_indices() {
        let end = units + one.len_utf16() as u32;
        while let Some((_, place)) = next.next_if(|(offset, _)| *offset < end) {
            found[place] = byte;
        }
        units = end;
    }
    found
}
