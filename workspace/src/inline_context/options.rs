//! Options as JSON, laid over a profile.

use serde::Deserialize;

use espalier_core::error::{Code, Error, Result};
use espalier_inline::{
    Alphabet, Crossing, EditForm, EditOptions, Mode, NeighbourOptions, Options, Shares, SimilarOptions, Similarity,
};

/// Options of requests and of what a session keeps.
pub(crate) struct Given {
    pub options: Options,
    pub edits: EditOptions,
    /// Overrides for similar snippets: their defaults depend on the language of the document.
    similar: Option<SimilarIn>,
    is_copilot: bool,
    pub max_bytes: usize,
    pub max_completions: usize,
    pub max_places: usize,
    pub near_place_lines: usize,
    pub max_recent: usize,
    pub debounce_ms: u64,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct OptionsIn {
    profile: Option<String>,
    window: Option<u64>,
    output_reserve: Option<u64>,
    suffix_share: Option<f64>,
    suffix_reserve: Option<u64>,
    min_chars: Option<usize>,
    chars_per_token: Option<f64>,
    context_share: Option<f64>,
    stable_slack: Option<u64>,
    cascade: Option<SharesIn>,
    exact: Option<bool>,
    mode: Option<String>,
    crossing: Option<String>,
    similar_beside_snippets: Option<bool>,
    edit_form: Option<String>,
    provider_ms: Option<u64>,
    building_ms: Option<u64>,
    similar: Option<SimilarIn>,
    neighbours: Option<NeighboursIn>,
    edits: Option<EditsIn>,
    max_bytes: Option<usize>,
    max_completions: Option<usize>,
    max_places: Option<usize>,
    near_place_lines: Option<usize>,
    max_recent: Option<usize>,
    debounce_ms: Option<u64>,
}

#[derive(Deserialize)]
struct SharesIn {
    prefix: Option<f64>,
    suffix: Option<f64>,
    stable: Option<f64>,
    volatile: Option<f64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SimilarIn {
    window: Option<usize>,
    threshold: Option<f64>,
    max_snippets: Option<usize>,
    max_per_file: Option<usize>,
    max_files: Option<usize>,
    max_chars: Option<usize>,
    score: Option<String>,
    words: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct NeighboursIn {
    max_files: Option<usize>,
    max_chars: Option<usize>,
    focus_entries: Option<usize>,
    file_scheme_only: Option<bool>,
    aliases: Option<Vec<(String, String)>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct EditsIn {
    debounce_ms: Option<u64>,
    max_files: Option<usize>,
    max_edits: Option<usize>,
    context_lines: Option<usize>,
    merge_lines: Option<usize>,
    max_edit_chars: Option<usize>,
    max_lines: Option<usize>,
    max_file_chars: Option<usize>,
    near_lines: Option<usize>,
    line_offset: Option<usize>,
}

fn put<T>(field: &mut T, given: Option<T>) {
    if let Some(given) = given {
        *field = given;
    }
}

impl Given {
    /// Reads options that JavaScript has checked.
    pub fn read(json: &str) -> Result<Given> {
        let bad = |error: serde_json::Error| {
            Error::new(Code::BadOption, format!("the options cannot be read: {error}")).at("options")
        };
        let given: OptionsIn = serde_json::from_str(json).map_err(bad)?;
        let is_copilot = given.profile.as_deref() == Some("copilot-chat");
        let mut options = if is_copilot { Options::copilot_chat() } else { Options::espalier() };
        put(&mut options.window, given.window);
        put(&mut options.completion, given.output_reserve);
        put(&mut options.suffix_share, given.suffix_share);
        put(&mut options.suffix_reserve, given.suffix_reserve);
        put(&mut options.min_chars, given.min_chars);
        put(&mut options.chars_per_token, given.chars_per_token);
        put(&mut options.context_share, given.context_share);
        put(&mut options.stable_slack, given.stable_slack);
        put(&mut options.exact, given.exact);
        put(&mut options.similar_beside_snippets, given.similar_beside_snippets);
        put(&mut options.provider_ms, given.provider_ms);
        put(&mut options.building_ms, given.building_ms);
        options.cascade = given.cascade.map(|given| {
            let mut shares = Shares::default();
            put(&mut shares.prefix, given.prefix);
            put(&mut shares.suffix, given.suffix);
            put(&mut shares.stable, given.stable);
            put(&mut shares.volatile, given.volatile);
            shares
        });
        if let Some(mode) = &given.mode {
            options.mode = Mode::from_name(mode);
        }
        match given.crossing.as_deref() {
            Some("charge") => options.crossing = Crossing::Charge,
            Some(_) => options.crossing = Crossing::Skip,
            None => {}
        }
        match given.edit_form.as_deref() {
            Some("searchReplace") => options.edit_form = EditForm::SearchReplace,
            Some("plain") => options.edit_form = EditForm::Plain,
            _ => {}
        }
        neighbours(&mut options.neighbours, given.neighbours);
        let mut limits = if is_copilot { EditOptions::copilot_chat() } else { EditOptions::espalier() };
        edits(&mut limits, given.edits);
        options.prompt_limit()?;
        Ok(Given {
            options,
            edits: limits,
            similar: given.similar,
            is_copilot,
            max_bytes: given.max_bytes.unwrap_or(8 << 20),
            max_completions: given.max_completions.unwrap_or(100),
            max_places: given.max_places.unwrap_or(32),
            near_place_lines: given.near_place_lines.unwrap_or(10),
            max_recent: given.max_recent.unwrap_or(12),
            debounce_ms: given.debounce_ms.unwrap_or(200),
        })
    }

    /// Returns the limits of similar snippets for a language, if the host overrides any.
    pub fn similar(&self, language: &str) -> Option<SimilarOptions> {
        let given = self.similar.as_ref()?;
        let mut limits = match self.is_copilot {
            true => SimilarOptions::copilot_chat(language),
            false => SimilarOptions::espalier(language),
        };
        put(&mut limits.window, given.window);
        put(&mut limits.threshold, given.threshold);
        put(&mut limits.max_snippets, given.max_snippets);
        put(&mut limits.max_per_file, given.max_per_file);
        put(&mut limits.max_files, given.max_files);
        put(&mut limits.max_chars, given.max_chars);
        match given.score.as_deref() {
            Some("shared") => limits.similarity = Similarity::Shared,
            Some(_) => limits.similarity = Similarity::Jaccard,
            None => {}
        }
        match given.words.as_deref() {
            Some("ascii") => limits.alphabet = Alphabet::Ascii,
            Some(_) => limits.alphabet = Alphabet::Unicode,
            None => {}
        }
        Some(limits)
    }
}

fn neighbours(limits: &mut NeighbourOptions, given: Option<NeighboursIn>) {
    let Some(given) = given else { return };
    put(&mut limits.max_files, given.max_files);
    put(&mut limits.max_chars, given.max_chars);
    put(&mut limits.focus_entries, given.focus_entries);
    put(&mut limits.file_scheme_only, given.file_scheme_only);
    put(&mut limits.aliases, given.aliases);
}

fn edits(limits: &mut EditOptions, given: Option<EditsIn>) {
    let Some(given) = given else { return };
    put(&mut limits.debounce_ms, given.debounce_ms);
    put(&mut limits.max_files, given.max_files);
    put(&mut limits.max_edits, given.max_edits);
    put(&mut limits.context_lines, given.context_lines);
    put(&mut limits.merge_lines, given.merge_lines);
    put(&mut limits.max_edit_chars, given.max_edit_chars);
    put(&mut limits.max_lines, given.max_lines);
    put(&mut limits.max_file_chars, given.max_file_chars);
    put(&mut limits.near_lines, given.near_lines);
    put(&mut limits.line_offset, given.line_offset);
}
