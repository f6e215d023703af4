//! The decisions of a search at the boundary.
//!
//! In: options and answers as JSON, hits as flat arrays beside the texts of their files. Out: steps and passages as
//! JSON. Offsets are UTF-16 code units.

use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use espalier_core::error::{Code, Error};
use espalier_count::error::to_js;
use espalier_count::tokens::by_name;
use espalier_search::{Answer, FillFile, FillHit, FillOptions, Plan, PlanOptions, fill, large_hits};

type Thrown<T> = Result<T, JsValue>;

/// One search. `poll` says what to do next, `resume` takes an answer; freeing it loses nothing.
#[wasm_bindgen]
pub struct SearchPlan {
    inner: Plan,
}

#[wasm_bindgen]
impl SearchPlan {
    #[wasm_bindgen(constructor)]
    pub fn new(options: &str) -> Thrown<SearchPlan> {
        let options: PlanOptions = from_json(options, "options")?;
        Ok(SearchPlan { inner: Plan::new(options).map_err(to_js)? })
    }

    /// Returns `{ type: "ask", effects, nextMs? }` or `{ type: "done", result }`.
    pub fn poll(&mut self, now: f64) -> Thrown<String> {
        to_json(&self.inner.poll(now as u64))
    }

    /// Returns false if the answer is no longer expected.
    pub fn resume(&mut self, id: u32, answer: &str, now: f64) -> Thrown<bool> {
        let answer: Answer = from_json(answer, "answer")?;
        match self.inner.resume(id, answer, now as u64) {
            Ok(()) => Ok(true),
            Err(error) if error.code == Code::UnknownEffect => Ok(false),
            Err(error) => Err(to_js(error)),
        }
    }
}

/// Hits in rank order and the texts of their files.
#[wasm_bindgen]
pub struct Filling {
    paths: Vec<String>,
    texts: Vec<String>,
    /// For each text the UTF-16 code units and the lines of its file before it.
    before: Vec<(usize, usize)>,
    hits: Vec<FillHit>,
    options: FillOptions,
    encoding: String,
}

#[wasm_bindgen]
impl Filling {
    /// `texts` are the lines of the files that contain their hits, `before` two numbers for each: UTF-16 code units and
    /// lines of the file before it. `places` has three numbers for each hit: index of its file, start, end.
    #[wasm_bindgen(constructor)]
    #[allow(clippy::too_many_arguments, reason = "flat arrays cross faster than an object")]
    pub fn new(
        paths: Vec<String>,
        texts: Vec<String>,
        before: &[u32],
        places: &[u32],
        scores: &[f64],
        budget: f64,
        hit_share: f64,
        encoding: String,
    ) -> Filling {
        let place = |place: &[u32]| (place[0] as usize, place[1] as usize, place[2] as usize);
        let hits = (places.chunks_exact(3).map(place).zip(scores)).map(|((file, start, end), score)| FillHit {
            file,
            start,
            end,
            score: *score,
        });
        let options = FillOptions { budget: budget as u64, hit_share, ..FillOptions::default() };
        let before = before.chunks_exact(2).map(|pair| (pair[0] as usize, pair[1] as usize)).collect();
        Filling { paths, texts, before, hits: hits.collect(), options, encoding }
    }

    /// Returns hits that are larger than their share, each with the maximum tokens of a summary.
    pub fn large(&self) -> Thrown<String> {
        let encoding = by_name(&self.encoding)?;
        to_json(&large_hits(&self.files(), &self.hits, self.options, &*encoding).map_err(to_js)?)
    }

    /// Returns the passages that fit. `summaries` are those of the hits `summarised`.
    pub fn fill(&self, summarised: &[u32], summaries: Vec<String>) -> Thrown<String> {
        let encoding = by_name(&self.encoding)?;
        let hits = summarised.iter().map(|hit| *hit as usize);
        let summaries: Vec<(usize, &str)> = hits.zip(summaries.iter().map(String::as_str)).collect();
        to_json(&fill(&self.files(), &self.hits, &summaries, self.options, &*encoding).map_err(to_js)?)
    }
}

impl Filling {
    fn files(&self) -> Vec<FillFile<'_>> {
        let files = self.paths.iter().zip(&self.texts).zip(&self.before);
        files.map(|((path, text), &(offset, line))| FillFile { path, text, offset, line }).collect()
    }
}

fn from_json<'a, T: Deserialize<'a>>(text: &'a str, name: &str) -> Thrown<T> {
    serde_json::from_str(text)
        .map_err(|error| to_js(Error::new(Code::BadInput, format!("{name}: {error}")).at(name.to_string())))
}

fn to_json<T: Serialize>(value: &T) -> Thrown<String> {
    serde_json::to_string(value).map_err(|error| to_js(Error::new(Code::BadInput, error.to_string())))
}
