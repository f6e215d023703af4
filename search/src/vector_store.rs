//! Vectors of one model, and their blobs: each save adds the vectors that are new since the last one.
//!
//! The manifest names the model and the blobs. Blobs have the version and checksum of all snapshots. Vectors whose text
//! was removed stay for a while, so that a text that comes back (another branch) costs no call of the model.

use crate::bytes::{Reader, checksum, put, put_text};
use crate::snapshot::{opened, sealed};
use crate::{Damage, DamagedSegment, Segment, Vectors};
use espalier_core::error::Result;

/// Kinds of blobs, beside those of an index.
const MANIFEST: u8 = 2;
const VECTORS: u8 = 3;

/// Maximum vectors of a blob.
const PER_BLOB: usize = 4096;

/// Maximum number of blobs; above it the next save rewrites all vectors.
const MAX_BLOBS: usize = 128;

/// Vectors, and the part of them that a storage has.
#[derive(Default)]
pub struct VectorStore {
    pub vectors: Vectors,
    model: String,
    /// Blobs in the storage.
    names: Vec<String>,
    /// Vectors in those blobs, replaced ones included.
    stored: usize,
    unsaved: Vec<u64>,
}

/// A save of vectors: write `blobs`, then `manifest`, then delete `obsolete`, then call [`VectorStore::confirm`].
pub struct SavedVectors {
    pub blobs: Vec<Segment>,
    pub manifest: Vec<u8>,
    pub obsolete: Vec<String>,
    names: Vec<String>,
    stored: usize,
}

impl SavedVectors {
    /// Returns the names of all blobs that the manifest lists.
    pub fn names(&self) -> &[String] {
        &self.names
    }
}

impl VectorStore {
    /// Returns the names of the blobs that the storage has.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    pub fn new(model: &str) -> VectorStore {
        VectorStore { model: model.to_string(), ..VectorStore::default() }
    }

    /// Adds a vector, or replaces it.
    ///
    /// # Errors
    /// Those of [`Vectors::put`].
    pub fn put(&mut self, key: u64, vector: &[f32]) -> Result<()> {
        self.vectors.put(key, vector)?;
        self.unsaved.push(key);
        Ok(())
    }

    /// Removes the vectors for whose keys `is_used` is false, once there are more than 1,024 and more than the others.
    pub fn evict(&mut self, is_used: impl Fn(u64) -> bool) {
        let unused: Vec<u64> = self.vectors.keys().filter(|key| !is_used(*key)).collect();
        if unused.len() > 1024.max(self.vectors.len() - unused.len()) {
            unused.into_iter().for_each(|key| _ = self.vectors.remove(key));
        }
    }

    /// Returns the blobs to write; `None` if the storage has everything.
    pub fn save(&self) -> Option<SavedVectors> {
        let added = self.unsaved.len().div_ceil(PER_BLOB);
        let is_anew = self.names.len() + added > MAX_BLOBS || self.stored > 2 * self.vectors.len() + PER_BLOB;
        if self.unsaved.is_empty() && !is_anew {
            return None;
        }
        let keys: Vec<u64> = if is_anew { self.vectors.keys().collect() } else { self.unsaved.clone() };
        let blobs: Vec<Segment> = keys.chunks(PER_BLOB).map(|keys| self.blob(keys)).collect();
        let mut names = if is_anew { Vec::new() } else { self.names.clone() };
        for blob in blobs.iter().filter(|blob| !self.names.contains(&blob.name) || is_anew) {
            names.push(blob.name.clone());
        }
        let mut manifest = Vec::new();
        put_text(&mut manifest, &self.model);
        put(&mut manifest, names.len() as u64);
        names.iter().for_each(|name| put_text(&mut manifest, name));
        let obsolete = self.names.iter().filter(|name| !names.contains(name)).cloned().collect();
        let stored = keys.len() + if is_anew { 0 } else { self.stored };
        Some(SavedVectors { blobs, manifest: sealed(0, MANIFEST, manifest), obsolete, names, stored })
    }

    /// Records that a save was written.
    pub fn confirm(&mut self, saved: SavedVectors) {
        (self.names, self.stored) = (saved.names, saved.stored);
        self.unsaved = Vec::new();
    }

    fn blob(&self, keys: &[u64]) -> Segment {
        let mut body = Vec::new();
        put(&mut body, self.vectors.dimensions() as u64);
        let rows: Vec<_> = keys.iter().filter_map(|key| Some((*key, self.vectors.row(*key)?))).collect();
        put(&mut body, rows.len() as u64);
        for (key, (values, scale)) in rows {
            body.extend(key.to_le_bytes());
            body.extend(scale.to_le_bytes());
            body.extend(values.iter().map(|value| value.cast_unsigned()));
        }
        let bytes = sealed(0, VECTORS, body);
        Segment { name: format!("vectors-{:016x}", checksum(0, &bytes)), bytes }
    }

    /// Returns the names of the blobs that a manifest lists. [`Damage::Rules`] means that they are from another model.
    ///
    /// # Errors
    /// The reason why the manifest is not used.
    pub fn blobs_of(model: &str, manifest: &[u8]) -> std::result::Result<Vec<String>, Damage> {
        let mut reader = Reader { bytes: opened(0, MANIFEST, manifest)? };
        if reader.text().ok_or(Damage::Contents)? != model {
            return Err(Damage::Rules);
        }
        let count = reader.number().ok_or(Damage::Contents)?;
        let names = (0..count).map(|_| reader.text().map(str::to_string)).collect::<Option<Vec<_>>>();
        names.filter(|_| reader.bytes.is_empty()).ok_or(Damage::Contents)
    }

    /// Reads the vectors of a blob.
    ///
    /// # Errors
    /// The reason why it is not used; existing vectors stay.
    pub fn load(&mut self, name: &str, bytes: Option<&[u8]>) -> std::result::Result<(), DamagedSegment> {
        let damaged = |damage| DamagedSegment { name: name.to_string(), damage };
        let body = bytes.ok_or(Damage::Missing).and_then(|bytes| opened(0, VECTORS, bytes)).map_err(damaged)?;
        let count = self.take(body).ok_or_else(|| damaged(Damage::Contents))?;
        self.names.push(name.to_string());
        self.stored += count;
        Ok(())
    }

    fn take(&mut self, body: &[u8]) -> Option<usize> {
        let mut reader = Reader { bytes: body };
        let (dimensions, count) = (reader.small()? as usize, reader.small()? as usize);
        let row = dimensions.checked_add(12)?;
        if dimensions == 0 && count > 0 || reader.bytes.len() != row.checked_mul(count)? {
            return None;
        }
        for row in reader.bytes.chunks_exact(row) {
            let (key, rest) = row.split_first_chunk::<8>()?;
            let (scale, values) = rest.split_first_chunk::<4>()?;
            let values = values.iter().map(|value| value.cast_signed()).collect();
            if !self.vectors.put_row(u64::from_le_bytes(*key), values, f32::from_le_bytes(*scale)) {
                return None;
            }
        }
        Some(count)
    }
}
