//! The encoding of a request at the boundary: texts in lists, numbers in arrays.

use espalier_core::error::Result;
use espalier_inline::{
    CursorHistory, Digest, EditHistory, ItemKind, Memory, Neighbour, Options, ProviderItem, Request, inline_context,
};

use super::{Counting, report};

/// A neighbour file.
pub(crate) struct File {
    pub path: String,
    pub language: String,
    pub scheme: String,
    pub text: String,
    pub focused_ms: Option<u64>,
    /// Digest of its text, so that a request does not read it again.
    digest: Digest,
}

impl File {
    pub fn new(path: String, language: String, scheme: String, text: String, focused: f64) -> File {
        let digest = Digest::of(&text);
        File { path, language, scheme, text, focused_ms: time(focused), digest }
    }
}

/// Neighbour files, in the order in which the host names them.
#[derive(Default)]
pub(crate) struct Files(Vec<File>);

/// Returns a time, or `None` for NaN.
pub(crate) fn time(ms: f64) -> Option<u64> {
    (!ms.is_nan()).then_some(ms as u64)
}

impl Files {
    pub fn new(texts: Vec<String>, focused: &[f64]) -> Files {
        let mut files = Files::default();
        let mut texts = texts.into_iter();
        for focused in focused {
            let (Some(path), Some(language), Some(scheme), Some(text)) =
                (texts.next(), texts.next(), texts.next(), texts.next())
            else {
                break;
            };
            files.0.push(File::new(path, language, scheme, text, *focused));
        }
        files
    }

    /// Adds a file, or replaces the one with its path.
    pub fn put(&mut self, file: File) {
        match self.0.iter_mut().find(|one| one.path == file.path) {
            Some(one) => *one = file,
            None => self.0.push(file),
        }
    }

    pub fn remove(&mut self, path: &str) {
        self.0.retain(|file| file.path != path);
    }

    pub fn focus(&mut self, path: &str, ms: f64) {
        if let Some(file) = self.0.iter_mut().find(|file| file.path == path) {
            file.focused_ms = time(ms);
        }
    }

    pub fn neighbours(&self) -> Vec<Neighbour<'_>> {
        let all = self.0.iter().map(|file| Neighbour {
            path: &file.path,
            scheme: &file.scheme,
            language: &file.language,
            text: &file.text,
            focused_ms: file.focused_ms,
            digest: Some(file.digest),
        });
        all.collect()
    }
}

/// Items of providers: three texts and four numbers for each.
pub(crate) struct Items {
    pub texts: Vec<String>,
    pub numbers: Vec<f64>,
}

impl Items {
    fn list(&self) -> Vec<ProviderItem<'_>> {
        let pairs = self.texts.chunks_exact(3).zip(self.numbers.chunks_exact(4));
        pairs
            .map(|(texts, numbers)| ProviderItem {
                id: &texts[0],
                kind: match numbers[0] as u8 {
                    1 => ItemKind::Trait,
                    2 => ItemKind::Diagnostic,
                    _ => ItemKind::Snippet,
                },
                path: Some(texts[1].as_str()).filter(|path| !path.is_empty()),
                text: &texts[2],
                priority: numbers[1],
                weight: numbers[2],
                arrived_ms: time(numbers[3]),
            })
            .collect()
    }
}

/// The input of a call: path, language and excluded paths of a document; cursor, time since the request began, maximum
/// UTF-16 code units of neighbours that are newly read; its text; items of providers.
pub(crate) struct Asked<'a> {
    pub document: &'a [String],
    pub numbers: &'a [f64],
    pub text: &'a str,
    pub items: &'a Items,
}

impl Asked<'_> {
    pub fn language(&self) -> &str {
        self.document.get(1).map_or("", String::as_str)
    }

    pub fn run(
        &self,
        neighbours: &[Neighbour<'_>],
        edits: Option<&EditHistory>,
        visits: Option<&CursorHistory>,
        options: &Options,
        counting: &Counting,
        memory: &mut Memory,
    ) -> Result<String> {
        let number = |index: usize| self.numbers.get(index).copied().unwrap_or_default();
        let items = self.items.list();
        let excluded: Vec<&str> = self.document.iter().skip(2).map(String::as_str).collect();
        let request = Request {
            path: self.document.first().map_or("", String::as_str),
            language: self.language(),
            text: self.text,
            cursor: number(0) as usize,
            neighbours,
            items: &items,
            edits,
            visits,
            excluded: &excluded,
            now_ms: number(1) as u64,
            fresh_chars: number(2) as usize,
            options,
        };
        inline_context(&request, counting, memory).map(|context| report::to_json(&context))
    }
}
