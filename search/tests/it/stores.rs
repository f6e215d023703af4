//! Saves and loads in steps, with changes in between, and the blobs of vectors.

use crate::support::{Words, text};
use espalier_search::{ChunkOptions, Damage, Index, Loading, Profile, Query, SavedVectors, Segment, VectorStore};
use std::collections::HashMap;

const OPTIONS: ChunkOptions = ChunkOptions { max_tokens: 40 };

fn put(index: &mut Index, random: &mut fastrand::Rng, file: usize) {
    let lines = 1 + random.usize(..10);
    let text = text(random, lines);
    index.put(&format!("file{file}"), &random.u64(..).to_string(), &text, &[], OPTIONS, &Words).unwrap();
}

/// Saves in steps; the index may change between them.
fn save(index: &mut Index, blobs: &mut HashMap<String, Vec<u8>>, mut between: impl FnMut(&mut Index)) -> Vec<u8> {
    let mut saving = index.start_save();
    while let Some(Segment { name, bytes }) = index.save_segment(&mut saving) {
        blobs.insert(name, bytes);
        between(index);
    }
    let saved = index.end_save(saving);
    index.confirm(&saved);
    saved.obsolete.iter().for_each(|name| _ = blobs.remove(name));
    assert_eq!(saved.names().len(), blobs.len(), "the manifest names what is stored");
    saved.manifest
}

fn load(settings: &str, manifest: &[u8], blobs: &HashMap<String, Vec<u8>>) -> Result<Index, Damage> {
    let mut loading = Loading::start(Profile::ESPALIER, settings, manifest)?;
    for name in loading.names().to_vec() {
        loading.read(&name, blobs.get(&name).cloned());
    }
    while loading.enter() {}
    let loaded = loading.finish();
    assert_eq!(loaded.damaged, []);
    Ok(loaded.index)
}

fn contents(index: &Index) -> Vec<(String, String)> {
    let version = |path: &str| index.version(path).unwrap_or("").to_string();
    let mut contents: Vec<_> = index.paths().map(|path| (path.to_string(), version(path))).collect();
    contents.sort();
    contents
}

#[test]
fn changes_between_the_steps_of_a_save_are_in_the_next_one() {
    for seed in 0..20 {
        let random = &mut fastrand::Rng::with_seed(seed);
        let mut index = Index::with_settings(Profile::ESPALIER, "o200k_base 40");
        (0..500).for_each(|file| put(&mut index, random, file));
        let mut blobs = HashMap::new();
        for _ in 0..3 {
            let manifest = save(&mut index, &mut blobs, |index| {
                for _ in 0..40 {
                    let file = random.usize(..600);
                    if random.bool() { put(index, random, file) } else { _ = index.remove(&format!("file{file}")) }
                }
            });
            // Each file is loaded in one version, either of them.
            load("o200k_base 40", &manifest, &blobs).unwrap();
        }
        let manifest = save(&mut index, &mut blobs, |_| ());
        let loaded = load("o200k_base 40", &manifest, &blobs).unwrap();
        assert_eq!(contents(&loaded), contents(&index));
        let found = |index: &Index| index.search(&Query::of("oak whale")).len();
        assert_eq!(found(&loaded), found(&index));
        assert_eq!(load("o200k_base 41", &manifest, &blobs).err(), Some(Damage::Rules));
    }
}

fn store(seed: u64, vectors: u64) -> VectorStore {
    let random = &mut fastrand::Rng::with_seed(seed);
    let mut store = VectorStore::new("model");
    for key in 0..vectors {
        store.put(key, &[random.f32() - 0.5, random.f32(), 1.0]).unwrap();
    }
    store
}

fn write(blobs: &mut HashMap<String, Vec<u8>>, saved: &SavedVectors) -> Vec<u8> {
    blobs.extend(saved.blobs.iter().map(|one| (one.name.clone(), one.bytes.clone())));
    saved.obsolete.iter().for_each(|name| assert!(blobs.remove(name).is_some()));
    assert_eq!(saved.names().len(), blobs.len());
    saved.manifest.clone()
}

fn read(manifest: &[u8], blobs: &HashMap<String, Vec<u8>>) -> VectorStore {
    let mut store = VectorStore::new("model");
    for name in VectorStore::blobs_of("model", manifest).unwrap() {
        store.load(&name, blobs.get(&name).map(Vec::as_slice)).unwrap();
    }
    store
}

#[test]
fn vectors_are_read_back_and_saves_hold_what_is_new() {
    let mut blobs = HashMap::new();
    let mut saving = store(1, 9_000);
    let query = [0.3, 0.2, 0.9];
    let saved = saving.save().unwrap();
    assert_eq!(saved.blobs.len(), 3);
    write(&mut blobs, &saved);
    saving.confirm(saved);
    assert!(saving.save().is_none());
    saving.put(7, &[9.0, 9.0, 9.0]).unwrap();
    let saved = saving.save().unwrap();
    assert_eq!(saved.blobs.len(), 1);
    let manifest = write(&mut blobs, &saved);
    saving.confirm(saved);
    let mut loaded = read(&manifest, &blobs);
    let nearest = |store: &VectorStore| store.vectors.nearest(&query, 50, 0.0).unwrap();
    assert_eq!(nearest(&loaded), nearest(&saving));
    assert_eq!(nearest(&loaded)[0].key, 7);
    assert!(loaded.save().is_none());
    // Once most are removed, the rest is written again.
    loaded.evict(|key| key < 100);
    assert_eq!(loaded.vectors.len(), 100);
    let saved = loaded.save().unwrap();
    assert_eq!((saved.blobs.len(), saved.obsolete.len()), (1, 4));
    let manifest = write(&mut blobs, &saved);
    assert_eq!(nearest(&read(&manifest, &blobs)), nearest(&loaded));
}

#[test]
fn few_unused_vectors_stay() {
    let mut store = store(1, 3_000);
    store.evict(|key| key >= 1_000);
    assert_eq!(store.vectors.len(), 3_000);
    store.evict(|key| key >= 2_000);
    assert_eq!(store.vectors.len(), 1_000);
}

#[test]
fn damaged_vectors_are_refused() {
    let saved = store(2, 50).save().unwrap();
    let Segment { name, bytes } = &saved.blobs[0];
    let mut store = VectorStore::new("model");
    let mut check = |bytes: Option<&[u8]>| store.load(name, bytes).err().map(|one| one.damage);
    assert_eq!(check(None), Some(Damage::Missing));
    assert_eq!(check(Some(&bytes[..9])), Some(Damage::Foreign));
    assert_eq!(check(Some(&bytes[..bytes.len() - 1])), Some(Damage::Checksum));
    for at in 0..bytes.len() {
        let mut flipped = bytes.clone();
        flipped[at] ^= 16;
        assert!(check(Some(&flipped)).is_some(), "byte {at}");
    }
    assert_eq!(check(Some(bytes)), None);
    assert_eq!(VectorStore::blobs_of("another", &saved.manifest), Err(Damage::Rules));
    assert_eq!(VectorStore::blobs_of("model", bytes), Err(Damage::Foreign));
    assert!(store.put(1, &[1.0, f32::NAN, 0.0]).is_err() && store.put(1, &[1.0]).is_err());
}
