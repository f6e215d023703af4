//! Embeddings with one byte per dimension, and the nearest of them by their dot product.
//!
//! Every vector is compared: there is no approximate structure to update, and the ranking over the stored bytes is
//! exact. After rounding to bytes, a vector of length 1 with 512 dimensions has an error of about 0.4 %.

use espalier_core::error::{Code, Error, Result};
use espalier_core::map::HashMap;

/// Vectors by key: the ids of chunks, or hashes of their contents.
#[derive(Default)]
pub struct Vectors {
    dimensions: usize,
    values: Vec<i8>,
    scales: Vec<f32>,
    keys: Vec<u64>,
    slots: HashMap<u64, usize>,
}

/// A vector in the result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbour {
    pub key: u64,
    /// The dot product.
    pub similarity: f64,
}

impl Vectors {
    /// Returns an empty set; the first vector determines the number of dimensions.
    pub fn new() -> Vectors {
        Vectors::default()
    }

    pub fn len(&self) -> usize {
        self.keys.len()
    }

    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Returns the number of dimensions; 0 before the first vector.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    pub fn has(&self, key: u64) -> bool {
        self.slots.contains_key(&key)
    }

    /// Returns the bytes of the vectors.
    pub fn memory(&self) -> usize {
        self.values.capacity() + self.scales.capacity() * 4 + self.keys.capacity() * 8 + self.slots.capacity() * 17
    }

    /// Adds a vector, or replaces it.
    ///
    /// # Errors
    /// [`Code::BadInput`] if it has no dimension, another number of dimensions than the others, or a value that is not
    /// finite; the vectors are then unchanged.
    pub fn put(&mut self, key: u64, vector: &[f32]) -> Result<()> {
        self.check(vector)?;
        let (values, scale) = quantise(vector);
        self.put_row(key, values, scale);
        Ok(())
    }

    /// Adds a vector in its stored form. Returns false if it has another number of dimensions than the others, or a
    /// scale that is not finite.
    pub(crate) fn put_row(&mut self, key: u64, values: Vec<i8>, scale: f32) -> bool {
        if !scale.is_finite() || values.is_empty() || !self.is_empty() && values.len() != self.dimensions {
            return false;
        }
        self.dimensions = values.len();
        match self.slots.get(&key) {
            Some(&slot) => {
                self.values[slot * self.dimensions..][..self.dimensions].copy_from_slice(&values);
                self.scales[slot] = scale;
            }
            None => {
                self.slots.insert(key, self.keys.len());
                self.keys.push(key);
                self.values.extend_from_slice(&values);
                self.scales.push(scale);
            }
        }
        true
    }

    /// Returns a vector in its stored form.
    pub(crate) fn row(&self, key: u64) -> Option<(&[i8], f32)> {
        let slot = *self.slots.get(&key)?;
        Some((self.values.get(slot * self.dimensions..)?.get(..self.dimensions)?, *self.scales.get(slot)?))
    }

    /// Returns the keys of all vectors, in no order.
    pub fn keys(&self) -> impl Iterator<Item = u64> {
        self.keys.iter().copied()
    }

    /// Removes a vector. Returns false if it was not there.
    pub fn remove(&mut self, key: u64) -> bool {
        let Some(slot) = self.slots.remove(&key) else { return false };
        let last = self.keys.len() - 1;
        self.keys.swap_remove(slot);
        self.scales.swap_remove(slot);
        self.values.copy_within(last * self.dimensions.., slot * self.dimensions);
        self.values.truncate(last * self.dimensions);
        if let Some(moved) = self.keys.get(slot) {
            self.slots.insert(*moved, slot);
        }
        true
    }

    /// Returns the nearest `max` with a similarity above `above`, best first, equal ones by key.
    ///
    /// # Errors
    /// Those of [`Vectors::put`].
    pub fn nearest(&self, vector: &[f32], max: usize, above: f64) -> Result<Vec<Neighbour>> {
        self.nearest_of(vector, max, above, |_| true)
    }

    /// Returns the nearest among the vectors for whose keys `is_wanted` is true.
    ///
    /// # Errors
    /// Those of [`Vectors::put`].
    pub fn nearest_of(
        &self,
        vector: &[f32],
        max: usize,
        above: f64,
        is_wanted: impl Fn(u64) -> bool,
    ) -> Result<Vec<Neighbour>> {
        if self.is_empty() {
            return Ok(Vec::new());
        }
        self.check(vector)?;
        let (values, scale) = quantise(vector);
        let rows = self.values.chunks_exact(self.dimensions).zip(&self.scales).zip(&self.keys);
        let similarity = |row: &[i8], other: f32| dot(&values, row) as f64 * f64::from(scale) * f64::from(other);
        let all = rows.map(|((row, other), key)| Neighbour { key: *key, similarity: similarity(row, *other) });
        let mut found: Vec<Neighbour> = all.filter(|one| one.similarity > above && is_wanted(one.key)).collect();
        let order = |one: &Neighbour, other: &Neighbour| {
            other.similarity.total_cmp(&one.similarity).then(one.key.cmp(&other.key))
        };
        if max < found.len() {
            found.select_nth_unstable_by(max, order);
            found.truncate(max);
        }
        found.sort_unstable_by(order);
        Ok(found)
    }

    fn check(&self, vector: &[f32]) -> Result<()> {
        if vector.is_empty() {
            return Err(Error::new(Code::BadInput, "the embedding has no dimensions"));
        }
        if !self.is_empty() && vector.len() != self.dimensions {
            let message = format!("the embedding has {} dimensions, the others have {}", vector.len(), self.dimensions);
            return Err(Error::new(Code::BadInput, message));
        }
        match vector.iter().position(|value| !value.is_finite()) {
            Some(at) => {
                let message = "the embedding has a value that is not a finite number";
                Err(Error::new(Code::BadInput, message).at(format!("[{at}]")))
            }
            None => Ok(()),
        }
    }
}

/// Returns the bytes of a vector and their scale.
fn quantise(vector: &[f32]) -> (Vec<i8>, f32) {
    let largest = vector.iter().fold(0.0, |largest: f32, value| largest.max(value.abs()));
    if largest == 0.0 {
        return (vec![0; vector.len()], 0.0);
    }
    let scale = largest / 127.0;
    (vector.iter().map(|value| (f64::from(*value) / f64::from(largest) * 127.0).round() as i8).collect(), scale)
}

/// Sums 1,024 products at a time: those fit 32 bits, and the compiler vectorises the inner loop.
fn dot(one: &[i8], other: &[i8]) -> i64 {
    let mut total = 0;
    for (one, other) in one.chunks(1024).zip(other.chunks(1024)) {
        let products = one.iter().zip(other).map(|(one, other)| i32::from(*one) * i32::from(*other));
        total += i64::from(products.sum::<i32>());
    }
    total
}
