//! The body of a segment: a dictionary, files with their chunks, the terms of each chunk, and the chunks of each term.
//!
//! In order: the number of terms; their table, with the bytes of each term's text and list; their texts; the files; the
//! terms of the chunks; the lists. The loaded index reads the last two in place, so loading takes time per term and
//! chunk, not per posting.

use crate::bytes::{Reader, put, put_counted, put_text};
use crate::index::{File, Index};
use crate::inverted::{Block, Content, FileTerms, GONE, Postings, Stored};
use espalier_core::map::HashMap;
use std::ops::Range;

/// A segment whose files are read and checked. Its dictionary is not read yet.
pub(crate) struct Opened {
    bytes: Vec<u8>,
    pub terms: u32,
    table: Range<usize>,
    texts: Range<usize>,
    /// Up to the end of the bytes.
    lists: usize,
    pub files: Vec<File>,
    chunks: Vec<Stored>,
    lengths: Vec<u32>,
}

impl Index {
    pub(crate) fn segment(&self, files: &[&File]) -> Vec<u8> {
        let mut names: HashMap<u32, u32> = HashMap::default();
        let mut lists: Vec<(u32, u32, Postings)> = Vec::new();
        let (mut records, mut terms) = (Vec::new(), Vec::new());
        put(&mut records, files.len() as u64);
        let mut number = 0;
        for file in files {
            put_text(&mut records, &file.path);
            put_text(&mut records, &file.version);
            put(&mut records, file.sequence);
            put(&mut records, file.content.count.into());
            let start = terms.len();
            let mut forward = self.inverted.forward(&file.content.terms);
            for chunk in file.content.first..file.content.first + file.content.count {
                put_place(&mut records, &self.inverted.chunks[chunk as usize]);
                put(&mut records, self.inverted.lengths[chunk as usize].into());
                let distinct = forward.chunk();
                put(&mut terms, distinct.into());
                for _ in 0..distinct {
                    let Some((term, count)) = forward.term() else { break };
                    let name = *names.entry(term).or_insert_with(|| {
                        lists.push((term, 0, Postings::default()));
                        lists.len() as u32 - 1
                    });
                    put_counted(&mut terms, name, count);
                    let (_, chunks, list) = &mut lists[name as usize];
                    *chunks += 1;
                    list.push(number, count);
                }
                number += 1;
            }
            put(&mut records, (terms.len() - start) as u64);
            put(&mut records, file.headers.len() as u64);
            for (position, header) in &file.headers {
                put(&mut records, (*position).into());
                put_text(&mut records, header);
            }
        }
        let (mut table, mut texts, mut postings) = (Vec::new(), Vec::new(), Vec::new());
        for (term, chunks, list) in &lists {
            let text = self.inverted.terms.get(*term);
            let start = postings.len();
            put(&mut postings, (*chunks).into());
            postings.extend(list.bytes());
            put(&mut table, text.len() as u64);
            put(&mut table, (postings.len() - start) as u64);
            texts.extend(text.as_bytes());
        }
        let mut bytes = Vec::new();
        put(&mut bytes, lists.len() as u64);
        for section in [&table, &texts, &records, &terms] {
            put(&mut bytes, section.len() as u64);
            bytes.extend(section);
        }
        bytes.extend(postings);
        bytes
    }

    /// Adds a segment with its files. Returns the start of each of its lists and the number of its chunks; `None` if
    /// the dictionary is invalid, then the index has no file of it.
    pub(crate) fn enter(&mut self, read: Opened, name: &str) -> Option<Vec<(u32, u32)>> {
        let Opened { bytes, terms, table, texts, lists, files, chunks, lengths } = read;
        let mut table = Reader { bytes: &bytes[table] };
        let texts = std::str::from_utf8(&bytes[texts]).ok()?;
        let (mut text, mut list) = (0, lists);
        let mut names = Vec::with_capacity(bounded(terms, &table));
        let mut starts = Vec::with_capacity(names.capacity());
        for _ in 0..terms {
            let text_end = table.small()?.checked_add(text)?;
            names.push(self.inverted.terms.intern(texts.get(text as usize..text_end as usize)?));
            let list_end = list.checked_add(table.small()? as usize)?;
            let count = Reader { bytes: bytes.get(list..list_end)? }.small()?;
            if count as usize > chunks.len() {
                return None;
            }
            starts.push((list as u32, count));
            (text, list) = (text_end, list_end);
        }
        if !table.bytes.is_empty() || text as usize != texts.len() || list != bytes.len() {
            return None;
        }
        let segment = self.segments.len() as u32;
        self.add_saved(name);
        let mut first = self.inverted.chunks.len() as u32;
        let (count, names) = (chunks.len() as u32, names.into());
        let block = Block { bytes, names, first, count, files: files.len() as u32 };
        let number = self.inverted.add_block(block, &starts);
        self.inverted.chunks.extend(chunks);
        lengths.iter().for_each(|length| self.inverted.add_length((*length).into()));
        for mut file in files {
            let slot = self.files.len() as u32;
            file.segment = segment;
            file.content.first = first;
            if let FileTerms::Block { block, .. } = &mut file.content.terms {
                *block = number;
            }
            let end = first + file.content.count;
            self.inverted.chunks[first as usize..end as usize].iter_mut().for_each(|chunk| chunk.file = slot);
            first = end;
            self.sequence = self.sequence.max(file.sequence);
            self.place(slot, file);
        }
        Some(starts)
    }
}

impl Opened {
    pub fn chunks(&self) -> usize {
        self.chunks.len()
    }

    /// Reads the files of a segment whose body begins at `start`; `None` if one of their paths is `taken`.
    pub fn read(bytes: Vec<u8>, start: usize, taken: &HashMap<Box<str>, ()>) -> Option<Opened> {
        let end = u32::try_from(bytes.len()).ok()?;
        let mut reader = Reader { bytes: &bytes[start..] };
        let terms = reader.small()?;
        let mut section = || {
            let len = reader.small()? as usize;
            let start = bytes.len() - reader.bytes.len();
            reader.take(len)?;
            Some(start..start + len)
        };
        let (table, texts, records, forward) = (section()?, section()?, section()?, section()?);
        let lists = forward.end;
        let mut reader = Reader { bytes: &bytes[records] };
        let mut terms_start = u32::try_from(forward.start).ok().filter(|start| *start <= end)?;
        let count = reader.small()?;
        let mut files: Vec<File> = Vec::with_capacity(bounded(count, &reader));
        let mut paths: HashMap<&str, ()> = HashMap::default();
        let (mut chunks, mut lengths) = (Vec::new(), Vec::new());
        for _ in 0..count {
            let path = reader.text()?;
            if taken.contains_key(path) || paths.insert(path, ()).is_some() {
                return None;
            }
            let version = reader.text()?.into();
            let (sequence, count) = (reader.number()?, reader.small()?);
            for position in 0..count {
                chunks.push(read_place(&mut reader, position)?);
                lengths.push(reader.small().filter(|length| *length != GONE)?);
            }
            let terms_end = terms_start.checked_add(reader.small()?)?;
            let terms = FileTerms::Block { block: 0, start: terms_start, end: terms_end };
            terms_start = terms_end;
            let headers_count = reader.small()?;
            let mut headers: Vec<(u32, Box<str>)> = Vec::with_capacity(bounded(headers_count, &reader));
            for _ in 0..headers_count {
                headers.push((reader.small()?, reader.text()?.into()));
            }
            let headers = headers.is_sorted_by_key(|header| header.0).then_some(headers)?.into();
            let content = Content { first: 0, count, terms };
            files.push(File { path: path.into(), version, sequence, segment: 0, headers, content });
        }
        let is_whole = reader.bytes.is_empty() && terms_start as usize == forward.end;
        drop(paths);
        is_whole.then_some(Opened { bytes, terms, table, texts, lists, files, chunks, lengths })
    }
}

/// Limits a number of items that a blob claims to what its bytes can contain, for allocations.
fn bounded(count: u32, reader: &Reader) -> usize {
    (count as usize).min(reader.bytes.len())
}

fn put_place(body: &mut Vec<u8>, stored: &Stored) {
    let Stored { start, end, start_utf16, end_utf16, first_line, last_line, tokens, id, .. } = *stored;
    put(body, start.into());
    put(body, end.saturating_sub(start).into());
    put(body, start_utf16.into());
    put(body, end_utf16.saturating_sub(start_utf16).into());
    put(body, first_line.into());
    put(body, last_line.saturating_sub(first_line).into());
    put(body, tokens.into());
    body.extend(id.to_le_bytes());
}

fn read_place(reader: &mut Reader, position: u32) -> Option<Stored> {
    let mut range = || {
        let start = reader.small()?;
        Some((start, start.checked_add(reader.small()?)?))
    };
    let ((start, end), (start_utf16, end_utf16), (first_line, last_line)) = (range()?, range()?, range()?);
    let tokens = reader.small()?;
    let id = u64::from_le_bytes(reader.take(8)?.try_into().ok()?);
    Some(Stored { file: 0, position, start, end, start_utf16, end_utf16, first_line, last_line, tokens, id })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Profile, Query};

    /// A checksum is no signature: forged bytes can have the right one.
    #[test]
    fn made_up_contents_do_no_harm() {
        let random = &mut fastrand::Rng::with_seed(1);
        let mut index = Index::new(Profile::ESPALIER);
        for file in 0..12 {
            let words: Vec<String> = (0..60).map(|_| format!("word{} oak", random.u32(..40))).collect();
            let texts: Vec<&str> = words.iter().map(String::as_str).collect();
            let _ = index.put_chunks(&format!("file{file}"), "1", &texts);
        }
        let files: Vec<&File> = index.files.iter().flatten().collect();
        let whole = index.segment(&files);
        let (mut entered, mut refused) = (0, 0);
        for _ in 0..4000 {
            let mut bytes = whole.clone();
            for _ in 0..random.usize(1..4) {
                let at = random.usize(..bytes.len());
                bytes[at] = random.u8(..);
            }
            let Some(read) = Opened::read(bytes, 0, &HashMap::default()) else {
                refused += 1;
                continue;
            };
            let mut made = Index::new(Profile::ESPALIER);
            let Some(starts) = made.enter(read, "segment") else {
                refused += 1;
                continue;
            };
            entered += 1;
            made.inverted.sort_lists(&[starts]);
            made.search(&Query { contributions: true, ..Query::of("oak word1 word2 word3 file1") });
            made.terms_of_chunk(random.u32(..700));
            made.remove("file3");
            made.save();
            made.compact();
            made.search(&Query::of("oak word1 word2 word3 file1"));
            made.save();
        }
        assert!(entered > 100 && refused > 100, "{entered} {refused}");
    }
}
