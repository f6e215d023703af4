//! Segments: the stored form of an index, so that it need not be built again.
//!
//! A segment contains some files with their chunks and terms; a manifest names the segments. Both have a version and a
//! checksum. A segment is never changed: changed content gets a new name, so that an interrupted save leaves the
//! previous manifest intact.

use crate::Profile;
use crate::bytes::{Reader, checksum, checksum_long, put, put_text};
use crate::index::{File, Index};
use crate::segment::Opened;
use espalier_core::map::HashMap;

/// The version of the format, and of the rules that make terms. Other versions are not read.
const VERSION: u8 = 5;

const MAGIC: [u8; 4] = *b"ESPS";

/// Magic, version, rules, kind, checksum.
const HEAD: usize = 15;

const MANIFEST: u8 = 0;
const SEGMENT: u8 = 1;

/// The reason why a blob is not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Damage {
    /// The storage does not have it.
    Missing,
    /// It has another format, or ends within its first bytes.
    Foreign,
    /// Another version of this package wrote it.
    Version,
    /// It was written under other rules for words, or with other settings.
    Rules,
    /// Its bytes are damaged.
    Checksum,
    /// Its contents are invalid.
    Contents,
}

/// A blob for the storage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// The changes since the last save. Write `segments`, then `manifest`, then delete `obsolete`, then call
/// [`Index::confirm`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saved {
    pub manifest: Vec<u8>,
    pub segments: Vec<Segment>,
    /// Names of segments that no manifest needs any more.
    pub obsolete: Vec<String>,
    list: Vec<String>,
    names: Vec<(usize, String, u64)>,
}

impl Saved {
    /// Returns the names of all segments that the manifest lists.
    pub fn names(&self) -> &[String] {
        &self.list
    }
}

/// A save in progress, a segment at a time, so that it does not need time and memory for all of them at once. The index
/// may change meanwhile: the next save then has the changes.
pub struct Saving {
    /// Segments to write, each with its last change and the slots of its files by ascending sequence.
    queue: Vec<(usize, u64, Vec<u32>)>,
    /// Sequence of the newest file. Later files wait for the next save: they can be in a segment that is already
    /// written and in one that is not.
    sequence: u64,
    list: Vec<String>,
    obsolete: Vec<String>,
    names: Vec<(usize, String, u64)>,
}

/// A segment that could not be read. Its files are missing from the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DamagedSegment {
    pub name: String,
    pub damage: Damage,
}

/// A loaded index, without the files of damaged segments.
pub struct Loaded {
    pub index: Index,
    pub damaged: Vec<DamagedSegment>,
}

/// A load in progress, a segment at a time: [`Loading::read`] for each of [`Loading::names`] in their order, then
/// [`Loading::enter`] until it returns false, then [`Loading::finish`].
pub struct Loading {
    index: Index,
    terms: u64,
    names: Vec<String>,
    opened: std::collections::VecDeque<(String, Opened)>,
    taken: HashMap<Box<str>, ()>,
    starts: Vec<Vec<(u32, u32)>>,
    damaged: Vec<DamagedSegment>,
    is_reserved: bool,
}

impl Index {
    /// Returns the blobs to write. Changes nothing: if the storage fails, the next save has the same blobs and more.
    pub fn save(&self) -> Saved {
        let mut saving = self.start_save();
        let segments = std::iter::from_fn(|| self.save_segment(&mut saving)).collect();
        Saved { segments, ..self.end_save(saving) }
    }

    /// Begins a save in steps: [`Index::save_segment`] until it returns `None`, then [`Index::end_save`].
    pub fn start_save(&self) -> Saving {
        let mut order: Vec<(u64, u32)> =
            (0..).zip(&self.files).filter_map(|(slot, file)| Some((file.as_ref()?.sequence, slot))).collect();
        order.sort_unstable();
        let mut slots: Vec<Vec<u32>> = vec![Vec::new(); self.segments.len()];
        for file in order.iter().filter_map(|(_, slot)| Some((*slot, self.files[*slot as usize].as_ref()?))) {
            slots[file.1.segment as usize].push(file.0);
        }
        let mut saving = Saving {
            queue: Vec::new(),
            sequence: self.sequence,
            list: Vec::new(),
            obsolete: Vec::new(),
            names: Vec::new(),
        };
        for (at, (state, slots)) in self.segments.iter().zip(slots).enumerate() {
            let current = state.saved.as_ref().filter(|(_, revision)| *revision == state.changed && !slots.is_empty());
            if let Some((name, _)) = current {
                saving.list.push(name.to_string());
                continue;
            }
            saving.obsolete.extend(state.saved.iter().map(|(name, _)| name.to_string()));
            if !slots.is_empty() {
                saving.queue.push((at, state.changed, slots));
            }
        }
        saving.queue.reverse();
        saving
    }

    /// Returns the next segment to write, if there is one.
    pub fn save_segment(&self, saving: &mut Saving) -> Option<Segment> {
        let (at, changed, slots) = saving.queue.pop()?;
        let of_segment = slots.iter().filter_map(|slot| self.files.get(*slot as usize)?.as_ref());
        let files: Vec<&File> =
            of_segment.filter(|file| file.segment as usize == at && file.sequence <= saving.sequence).collect();
        let bytes = sealed(self.profile.mark(), SEGMENT, self.segment(&files));
        let name = format!("segment-{:016x}", checksum(at as u64, &bytes));
        saving.names.push((at, name.clone(), changed));
        saving.list.push(name.clone());
        Some(Segment { name, bytes })
    }

    /// Returns the manifest of a save whose segments are all written, and the obsolete segments.
    pub fn end_save(&self, saving: Saving) -> Saved {
        let Saving { list, mut obsolete, names, .. } = saving;
        obsolete.retain(|name| !list.contains(name));
        let mut manifest = Vec::new();
        put_text(&mut manifest, &self.settings);
        put(&mut manifest, self.inverted.terms.len() as u64);
        put(&mut manifest, list.len() as u64);
        list.iter().for_each(|name| put_text(&mut manifest, name));
        let manifest = sealed(self.profile.mark(), MANIFEST, manifest);
        Saved { manifest, segments: Vec::new(), obsolete, list, names }
    }

    /// Records that a save was written: the next one contains only later changes.
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

    /// Returns the names of the segments that a manifest lists.
    ///
    /// # Errors
    /// The reason why the manifest is not used; the index must then be built again.
    pub fn segments_of(profile: Profile, manifest: &[u8]) -> Result<Vec<String>, Damage> {
        Ok(Loading::start(profile, "", manifest)?.names)
    }

    /// Reads an index; `get` returns the bytes of a segment, if the storage has it.
    ///
    /// No blob is trusted: a damaged one is left out and reported, and [`Index::version`] then has no version for its
    /// files, so that a host that puts all its files only adds these again.
    ///
    /// # Errors
    /// Those of [`Index::segments_of`].
    pub fn load(
        profile: Profile,
        manifest: &[u8],
        mut get: impl FnMut(&str) -> Option<Vec<u8>>,
    ) -> Result<Loaded, Damage> {
        let mut loading = Loading::start(profile, "", manifest)?;
        for name in loading.names().to_vec() {
            loading.read(&name, get(&name));
        }
        while loading.enter() {}
        Ok(loading.finish())
    }
}

impl Loading {
    /// Reads a manifest.
    ///
    /// # Errors
    /// The reason why it is not used; [`Damage::Rules`] also if the index was saved with other
    /// [settings](Index::with_settings).
    pub fn start(profile: Profile, settings: &str, manifest: &[u8]) -> Result<Loading, Damage> {
        let mut reader = Reader { bytes: opened(profile.mark(), MANIFEST, manifest)? };
        if reader.text().ok_or(Damage::Contents)? != settings {
            return Err(Damage::Rules);
        }
        let read = |reader: &mut Reader| {
            let (terms, count) = (reader.number()?, reader.number()?);
            Some((terms, (0..count).map(|_| reader.text().map(str::to_string)).collect::<Option<Vec<_>>>()?))
        };
        let (terms, names) = read(&mut reader).filter(|_| reader.bytes.is_empty()).ok_or(Damage::Contents)?;
        Ok(Loading {
            index: Index::with_settings(profile, settings),
            terms,
            names,
            opened: std::collections::VecDeque::new(),
            taken: HashMap::default(),
            starts: Vec::new(),
            damaged: Vec::new(),
            is_reserved: false,
        })
    }

    /// Returns the segments, in the order in which they must be read.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Reads a segment; `bytes` is `None` if the storage does not have it.
    pub fn read(&mut self, name: &str, bytes: Option<Vec<u8>>) {
        let mark = self.index.profile.mark();
        let read = bytes.ok_or(Damage::Missing).and_then(|bytes| {
            let start = bytes.len() - opened(mark, SEGMENT, &bytes)?.len();
            Opened::read(bytes, start, &self.taken).ok_or(Damage::Contents)
        });
        match read {
            Ok(read) => {
                self.taken.extend(read.files.iter().map(|file| (file.path.clone(), ())));
                self.opened.push_back((name.to_string(), read));
            }
            Err(damage) => self.damaged.push(DamagedSegment { name: name.to_string(), damage }),
        }
    }

    /// Adds the files and terms of one segment. Returns false if there is none left.
    pub fn enter(&mut self) -> bool {
        if !std::mem::replace(&mut self.is_reserved, true) {
            // Reserves once: a number that a manifest claims is limited by the bytes that exist.
            let claimed = self.opened.iter().map(|(_, read)| read.terms as usize).sum();
            self.index.inverted.terms.reserve(usize::try_from(self.terms).unwrap_or(usize::MAX).min(claimed));
            self.index.inverted.reserve_chunks(self.opened.iter().map(|(_, read)| read.chunks()).sum());
        }
        let Some((name, read)) = self.opened.pop_front() else { return false };
        match self.index.enter(read, &name) {
            Some(lists) => self.starts.push(lists),
            None => self.damaged.push(DamagedSegment { name, damage: Damage::Contents }),
        }
        !self.opened.is_empty()
    }

    /// Returns the index, without the files of segments that were not read and entered.
    pub fn finish(mut self) -> Loaded {
        self.index.inverted.sort_lists(&self.starts);
        Loaded { index: self.index, damaged: self.damaged }
    }
}

/// Returns a blob: its body after a header that identifies it.
pub(crate) fn sealed(mark: u8, kind: u8, body: Vec<u8>) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend([VERSION, mark, kind]);
    bytes.extend(checksum_long(seed(&bytes), &body).to_le_bytes());
    bytes.extend(body);
    bytes
}

fn seed(head: &[u8]) -> u64 {
    checksum(0, head)
}

/// Returns the body of a blob if its header and checksum are correct.
pub(crate) fn opened(mark: u8, kind: u8, bytes: &[u8]) -> Result<&[u8], Damage> {
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
    if head[5] != mark {
        return Err(Damage::Rules);
    }
    if head[6] == kind { Ok(body) } else { Err(Damage::Foreign) }
}
