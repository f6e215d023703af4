//! Segments: what a storage keeps of an index, so that it need not be built again.
//!
//! A segment holds some files with their chunks and terms, and a manifest names the segments. Both carry a
//! version and a checksum. A segment is never changed: what changed gets a new name, so that an interrupted
//! save leaves the manifest before it whole.

use crate::Profile;
use crate::bytes::{Reader, checksum, checksum_long, put, put_text};
use crate::index::{File, Index};
use crate::segment::Opened;
use espalier_core::map::HashMap;

/// The format. Another number is not read.
const VERSION: u8 = 2;

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

/// What changed since the last save. Write `segments`, then `manifest`, then delete `obsolete`, then call
/// [`Index::confirm`].
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
        put(&mut manifest, self.inverted.terms.len() as u64);
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
        Ok(listed(profile, manifest)?.1)
    }

    /// Reads an index; `get` returns the bytes of a segment, if the storage has it.
    ///
    /// Never trusts a blob: a damaged one is left out and reported, and [`Index::version`] then has no version
    /// for its files, so that a host that puts all its files puts exactly those anew.
    ///
    /// # Errors
    /// Those of [`Index::segments_of`].
    pub fn load(
        profile: Profile,
        manifest: &[u8],
        mut get: impl FnMut(&str) -> Option<Vec<u8>>,
    ) -> Result<Loaded, Damage> {
        let (terms, names) = listed(profile, manifest)?;
        let mut index = Index::new(profile);
        let (mut opened_ones, mut damaged) = (Vec::new(), Vec::new());
        let mut taken: HashMap<Box<str>, ()> = HashMap::default();
        for name in names {
            let read = get(&name).ok_or(Damage::Missing).and_then(|bytes| {
                let start = bytes.len() - opened(profile, SEGMENT, &bytes)?.len();
                Opened::read(bytes, start, &taken).ok_or(Damage::Contents)
            });
            match read {
                Ok(read) => {
                    taken.extend(read.files.iter().map(|file| (file.path.clone(), ())));
                    opened_ones.push((name, read));
                }
                Err(damage) => damaged.push(DamagedSegment { name, damage }),
            }
        }
        // Grown once: what a manifest claims is believed as far as there are bytes for it.
        let claimed = opened_ones.iter().map(|(_, read)| read.terms as usize).sum();
        index.inverted.terms.reserve(usize::try_from(terms).unwrap_or(usize::MAX).min(claimed));
        index.inverted.reserve_chunks(opened_ones.iter().map(|(_, read)| read.chunks()).sum());
        let mut starts = Vec::with_capacity(opened_ones.len());
        for (name, read) in opened_ones {
            match index.enter(read, &name) {
                Some(lists) => starts.push(lists),
                None => damaged.push(DamagedSegment { name, damage: Damage::Contents }),
            }
        }
        index.inverted.sort_lists(&starts);
        Ok(Loaded { index, damaged })
    }

    fn sealed(&self, kind: u8, body: Vec<u8>) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend([VERSION, self.profile.mark(), kind]);
        bytes.extend(checksum_long(seed(&bytes), &body).to_le_bytes());
        bytes.extend(body);
        bytes
    }
}

/// The number of terms and the names of the segments that a manifest lists.
fn listed(profile: Profile, manifest: &[u8]) -> Result<(u64, Vec<String>), Damage> {
    let mut reader = Reader { bytes: opened(profile, MANIFEST, manifest)? };
    let read = |reader: &mut Reader| {
        let (terms, count) = (reader.number()?, reader.number()?);
        Some((terms, (0..count).map(|_| reader.text().map(str::to_string)).collect::<Option<Vec<_>>>()?))
    };
    read(&mut reader).filter(|_| reader.bytes.is_empty()).ok_or(Damage::Contents)
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
    if checksum_long(seed(&head[..7]), body) != u64::from_le_bytes(sum) {
        return Err(Damage::Checksum);
    }
    if head[5] != profile.mark() {
        return Err(Damage::Rules);
    }
    if head[6] == kind { Ok(body) } else { Err(Damage::Foreign) }
}
