//! Segments: what a storage keeps of an index, so that it need not be built again.
//!
//! A segment holds some files with their chunks and terms, and a manifest names the segments. Both carry a version and a checksum. A
//! segment is never changed: what changed gets a new name, so that an interrupted save leaves the manifest before it whole.

use crate::Profile;
use crate::bytes::{Reader, checksum, put, put_counted, put_text};
use crate::index::{File, Index, Stored};
use espalier_core::map::HashMap;

/// The format. Another number is not read.
const VERSION: u8 = 1;

const MAGIC: [u8; 4] = *b"ESPS";

/// Magic, version, rules, kind, checksum.
const HEAD: usize = 15;

const MANIFEST: u8 = 0;
const SEGMENT: u8 = 1;

/// Why a blob is not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Damage {
    /// The storage does not have it.
    Missing,
    /// It is none of ours, or cut off in its first bytes.
    Foreign,
    /// Another version of this package wrote it.
    Version,
    /// It was written under other rules for words.
    Rules,
    /// Its bytes changed.
    Checksum,
    /// Its contents make no sense.
    Contents,
}

/// A blob for the storage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// What changed since the last save. Write `segments`, then `manifest`, then delete `obsolete`, then call [`Index::confirm`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saved {
    pub manifest: Vec<u8>,
    pub segments: Vec<Segment>,
    /// Names that no manifest needs any more.
    pub obsolete: Vec<String>,
    names: Vec<(usize, String, u64)>,
}

/// A segment that could not be read. Its files are missing from the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DamagedSegment {
    pub name: String,
    pub damage: Damage,
}

/// An index as it was saved, without the files of damaged segments.
pub struct Loaded {
    pub index: Index,
    pub damaged: Vec<DamagedSegment>,
}

impl Index {
    /// The blobs to write. Changes nothing: if the storage fails, the next save has the same ones and more.
    pub fn save(&self) -> Saved {
        let mut order: Vec<&File> = self.files.iter().flatten().collect();
        order.sort_unstable_by_key(|file| file.sequence);
        let mut files: Vec<Vec<&File>> = vec![Vec::new(); self.segments.len()];
        for file in order {
            files[file.segment as usize].push(file);
        }
        let (mut segments, mut names, mut list) = (Vec::new(), Vec::new(), Vec::new());
        let mut obsolete: Vec<String> = Vec::new();
        for (at, (state, files)) in self.segments.iter().zip(files).enumerate() {
            let current = state.saved.as_ref().filter(|(_, revision)| *revision == state.changed && !files.is_empty());
            if let Some((name, _)) = current {
                list.push(name.to_string());
                continue;
            }
            obsolete.extend(state.saved.iter().map(|(name, _)| name.to_string()));
            if !files.is_empty() {
                let bytes = self.sealed(SEGMENT, self.segment(&files));
                let name = format!("segment-{:016x}", checksum(at as u64, &bytes));
                names.push((at, name.clone(), state.changed));
                list.push(name.clone());
                segments.push(Segment { name, bytes });
            }
        }
        obsolete.retain(|name| !list.contains(name));
        let mut manifest = Vec::new();
        put(&mut manifest, list.len() as u64);
        list.iter().for_each(|name| put_text(&mut manifest, name));
        Saved { manifest: self.sealed(MANIFEST, manifest), segments, obsolete, names }
    }

    /// Notes that a save was written: the next one holds only what changed after it.
    pub fn confirm(&mut self, saved: &Saved) {
        for (at, name, revision) in &saved.names {
            if let Some(state) = self.segments.get_mut(*at) {
                state.saved = Some((name.as_str().into(), *revision));
            }
        }
        for state in &mut self.segments {
            if state.saved.as_ref().is_some_and(|(name, _)| saved.obsolete.iter().any(|one| **one == **name)) {
                state.saved = None;
            }
        }
    }

    /// Names of the segments that a manifest lists.
    ///
    /// # Errors
    /// Why the manifest is not used: build the index anew.
    pub fn segments_of(profile: Profile, manifest: &[u8]) -> Result<Vec<String>, Damage> {
        let mut reader = Reader { bytes: opened(profile, MANIFEST, manifest)? };
        let read = |reader: &mut Reader| {
            let count = reader.number()?;
            (0..count).map(|_| reader.text().map(str::to_string)).collect::<Option<Vec<_>>>()
        };
        read(&mut reader).filter(|_| reader.bytes.is_empty()).ok_or(Damage::Contents)
    }

    /// Reads an index; `get` returns the bytes of a segment, if the storage has it.
    ///
    /// Never trusts a blob: a damaged one is left out and reported, and [`Index::version`] then has no version for its files, so that a
    /// host that puts all its files puts exactly those anew.
    ///
    /// # Errors
    /// Those of [`Index::segments_of`].
    pub fn load(
        profile: Profile,
        manifest: &[u8],
        mut get: impl FnMut(&str) -> Option<Vec<u8>>,
    ) -> Result<Loaded, Damage> {
        let mut index = Index::new(profile);
        let mut damaged = Vec::new();
        let mut files: Vec<Read> = Vec::new();
        let mut taken: HashMap<Box<str>, ()> = HashMap::default();
        for name in Index::segments_of(profile, manifest)? {
            let bytes = get(&name);
            let read = bytes.as_deref().ok_or(Damage::Missing).and_then(|bytes| opened(profile, SEGMENT, bytes));
            let read = read.and_then(|body| index.read_segment(body, &taken).ok_or(Damage::Contents));
            match read {
                Ok(read) => {
                    let segment = index.segments.len() as u32;
                    index.add_saved(&name);
                    taken.extend(read.iter().map(|read| (read.file.path.clone(), ())));
                    files.extend(read.into_iter().map(|mut read| {
                        read.file.segment = segment;
                        read
                    }));
                }
                Err(damage) => damaged.push(DamagedSegment { name, damage }),
            }
        }
        files.sort_by_key(|read| read.file.sequence);
        for read in files {
            index.enter(read);
        }
        Ok(Loaded { index, damaged })
    }

    fn sealed(&self, kind: u8, body: Vec<u8>) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend([VERSION, self.profile.mark(), kind]);
        bytes.extend(checksum(seed(&bytes), &body).to_le_bytes());
        bytes.extend(body);
        bytes
    }

    fn segment(&self, files: &[&File]) -> Vec<u8> {
        let mut names: HashMap<u32, u32> = HashMap::default();
        let mut terms: Vec<u32> = Vec::new();
        let mut body = Vec::new();
        for file in files {
            put_text(&mut body, &file.path);
            put_text(&mut body, &file.version);
            put(&mut body, file.sequence);
            put(&mut body, file.count.into());
            let mut reader = Reader { bytes: &file.terms };
            for chunk in file.first..file.first + file.count {
                put_place(&mut body, &self.chunks[chunk as usize]);
                let distinct = reader.small().unwrap_or(0);
                put(&mut body, distinct.into());
                for _ in 0..distinct {
                    let Some((term, count)) = reader.counted() else { break };
                    let name = *names.entry(term).or_insert_with(|| {
                        terms.push(term);
                        terms.len() as u32 - 1
                    });
                    put_counted(&mut body, name, count);
                }
            }
            put(&mut body, file.headers.len() as u64);
            for (position, header) in &file.headers {
                put(&mut body, (*position).into());
                put_text(&mut body, header);
            }
        }
        let mut bytes = Vec::new();
        put(&mut bytes, terms.len() as u64);
        terms.iter().for_each(|term| put_text(&mut bytes, self.terms.get(*term)));
        put(&mut bytes, files.len() as u64);
        bytes.extend(body);
        bytes
    }

    /// The files of a segment, checked; the index gets its terms, whether or not the rest can be read.
    fn read_segment(&mut self, body: &[u8], taken: &HashMap<Box<str>, ()>) -> Option<Vec<Read>> {
        let mut reader = Reader { bytes: body };
        let count = reader.small()?;
        let mut terms = Vec::with_capacity(bounded(count, &reader));
        for _ in 0..count {
            terms.push(self.terms.intern(reader.text()?));
        }
        let mut holders = vec![u32::MAX; self.terms.len()];
        let mut chunk = 0;
        let count = reader.small()?;
        let mut files: Vec<Read> = Vec::with_capacity(bounded(count, &reader));
        let mut paths: HashMap<Box<str>, ()> = HashMap::default();
        for _ in 0..count {
            let path: Box<str> = reader.text()?.into();
            if taken.contains_key(&path) || paths.insert(path.clone(), ()).is_some() {
                return None;
            }
            let version = reader.text()?.into();
            let (sequence, count) = (reader.number()?, reader.small()?);
            let mut chunks = Vec::with_capacity(bounded(count, &reader));
            let mut encoded = Vec::new();
            for position in 0..count {
                chunks.push(read_place(&mut reader, position)?);
                let distinct = reader.small()?;
                put(&mut encoded, distinct.into());
                for _ in 0..distinct {
                    let (name, count) = reader.counted()?;
                    let term = *terms.get(name as usize)?;
                    if count == 0 || std::mem::replace(&mut holders[term as usize], chunk) == chunk {
                        return None;
                    }
                    put_counted(&mut encoded, term, count);
                }
                chunk += 1;
            }
            let count = reader.small()?;
            let mut headers: Vec<(u32, Box<str>)> = Vec::with_capacity(bounded(count, &reader));
            for _ in 0..count {
                headers.push((reader.small()?, reader.text()?.into()));
            }
            let headers = headers.is_sorted_by_key(|header| header.0).then_some(headers)?.into();
            let terms = encoded.into();
            let file =
                File { path, version, sequence, segment: 0, first: 0, count: chunks.len() as u32, headers, terms };
            files.push(Read { file, chunks });
        }
        reader.bytes.is_empty().then_some(files)
    }

    fn enter(&mut self, Read { mut file, chunks }: Read) {
        let at = self.files.len() as u32;
        file.first = self.chunks.len() as u32;
        self.sequence = self.sequence.max(file.sequence);
        let mut reader = Reader { bytes: &file.terms };
        let mut terms = Vec::new();
        for chunk in chunks {
            terms.clear();
            for _ in 0..reader.small().unwrap_or(0) {
                terms.extend(reader.counted());
            }
            self.restore(Stored { file: at, ..chunk }, &terms);
        }
        self.place(at, file);
    }
}

/// A file of a segment before it has a place in the index.
struct Read {
    file: File,
    chunks: Vec<Stored>,
}

/// A number of items that a blob claims, as far as its bytes can hold them: for allocations.
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

fn seed(head: &[u8]) -> u64 {
    checksum(0, head)
}

/// The body of a blob, if nothing about it is wrong.
fn opened(profile: Profile, kind: u8, bytes: &[u8]) -> Result<&[u8], Damage> {
    let (head, body) = bytes.split_at_checked(HEAD).ok_or(Damage::Foreign)?;
    if head[..4] != MAGIC {
        return Err(Damage::Foreign);
    }
    if head[4] != VERSION {
        return Err(Damage::Version);
    }
    let sum: [u8; 8] = head[7..].try_into().map_err(|_| Damage::Foreign)?;
    if checksum(seed(&head[..7]), body) != u64::from_le_bytes(sum) {
        return Err(Damage::Checksum);
    }
    if head[5] != profile.mark() {
        return Err(Damage::Rules);
    }
    if head[6] == kind { Ok(body) } else { Err(Damage::Foreign) }
}
