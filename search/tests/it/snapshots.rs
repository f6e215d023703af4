//! A load returns what was saved, or nothing.

use crate::support::{Words, text};
use espalier_search::{ChunkOptions, Damage, Definition, Index, Loaded, Profile, Query, Saved};
use std::collections::HashMap;

const OPTIONS: ChunkOptions = ChunkOptions { max_tokens: 40 };

#[derive(Default, Clone)]
struct Storage {
    blobs: HashMap<String, Vec<u8>>,
    manifest: Vec<u8>,
}

impl Storage {
    fn write(&mut self, saved: &Saved) {
        self.blobs.extend(saved.segments.iter().map(|one| (one.name.clone(), one.bytes.clone())));
        self.manifest = saved.manifest.clone();
        saved.obsolete.iter().for_each(|name| assert!(self.blobs.remove(name).is_some()));
    }

    fn load(&self, profile: Profile) -> Result<Loaded, Damage> {
        Index::load(profile, &self.manifest, |name| self.blobs.get(name).cloned())
    }
}

fn filled(seed: u64, files: usize, profile: Profile) -> Index {
    let random = &mut fastrand::Rng::with_seed(seed);
    let mut index = Index::new(profile);
    for _ in 0..files {
        let path = format!("file{}", random.usize(..files));
        let lines = random.usize(..40);
        let text = text(random, lines);
        let definitions = [Definition { name: "fn all".into(), start: 0, end: text.len() }];
        index.put(&path, &text.len().to_string(), &text, &definitions, OPTIONS, &Words).unwrap();
        if random.usize(..5) == 0 {
            index.remove(&format!("file{}", random.usize(..files)));
        }
    }
    index
}

fn same(one: &Index, other: &Index) {
    let mut paths: Vec<&str> = one.paths().collect();
    paths.sort_unstable();
    let mut others: Vec<&str> = other.paths().collect();
    others.sort_unstable();
    assert_eq!(paths, others);
    for path in paths {
        assert_eq!(one.version(path), other.version(path));
        assert!(one.chunks_of(path).eq(other.chunks_of(path)));
    }
    for query in ["oak pine", "html parser", "élan vital tree", "token count", "中文"] {
        let answer = |index: &Index| -> Vec<_> {
            let hits = index.search(&Query::of(query));
            hits.iter().map(|hit| (index.locate(hit.chunk).map(|found| found.id), hit.score.to_bits())).collect()
        };
        assert_eq!(answer(one), answer(other), "{query}");
    }
}

#[test]
fn round_trip() {
    for (seed, files) in [(0, 0), (1, 1), (2, 50), (3, 700)] {
        for profile in [Profile::ESPALIER, Profile::COPILOT_CHAT] {
            let mut index = filled(seed, files, profile);
            let mut storage = Storage::default();
            let saved = index.save();
            storage.write(&saved);
            index.confirm(&saved);
            let mut loaded = storage.load(profile).ok().unwrap();
            assert!(loaded.damaged.is_empty());
            same(&index, &loaded.index);
            assert!(loaded.index.save().segments.is_empty() && index.save().segments.is_empty());
            loaded.index.compact();
            same(&index, &loaded.index);
        }
    }
}

#[test]
fn a_loaded_index_takes_changes_like_the_one_that_was_saved() {
    for (seed, profile) in [(10, Profile::ESPALIER), (11, Profile::COPILOT_CHAT), (12, Profile::ESPALIER)] {
        let random = &mut fastrand::Rng::with_seed(seed);
        let mut index = filled(seed, 400, profile);
        let mut storage = Storage::default();
        let saved = index.save();
        storage.write(&saved);
        index.confirm(&saved);
        let mut loaded = storage.load(profile).ok().unwrap().index;
        for round in 0..8 {
            for step in 0..random.usize(..120) {
                let path = format!("file{}", random.usize(..400));
                if random.bool() {
                    assert_eq!(index.remove(&path), loaded.remove(&path));
                } else {
                    let text = text(random, 20);
                    let version = format!("{round}.{step}");
                    index.put(&path, &version, &text, &[], OPTIONS, &Words).unwrap();
                    loaded.put(&path, &version, &text, &[], OPTIONS, &Words).unwrap();
                }
            }
            same(&index, &loaded);
            if random.usize(..3) == 0 {
                loaded.compact();
                same(&index, &loaded);
            }
            if random.bool() {
                let saved = loaded.save();
                storage.write(&saved);
                loaded.confirm(&saved);
                same(&loaded, &storage.load(profile).ok().unwrap().index);
            }
            if random.bool() {
                let saved = loaded.save();
                storage.write(&saved);
                loaded = storage.load(profile).ok().unwrap().index;
                same(&index, &loaded);
            }
        }
    }
}

#[test]
fn a_save_writes_what_changed() {
    let mut index = filled(4, 900, Profile::ESPALIER);
    let mut storage = Storage::default();
    let saved = index.save();
    assert!(saved.segments.len() > 3);
    storage.write(&saved);
    index.confirm(&saved);
    index.put_chunks("file1", "new", &["something new"]).unwrap();
    let saved = index.save();
    assert!(saved.segments.len() == 1 && saved.obsolete.len() <= 1);
    // The storage failed: the next save contains it again.
    index.put_chunks("file2", "new", &["something else"]).unwrap();
    let saved = index.save();
    assert!(!saved.segments.is_empty());
    storage.write(&saved);
    // A change while the blobs are written is not lost.
    index.put_chunks("file3", "newer", &["late"]).unwrap();
    index.confirm(&saved);
    let saved = index.save();
    assert_eq!(saved.segments.len(), 1);
    storage.write(&saved);
    index.confirm(&saved);
    same(&index, &storage.load(Profile::ESPALIER).ok().unwrap().index);
    for path in index.paths().map(str::to_string).collect::<Vec<_>>() {
        index.remove(&path);
    }
    let saved = index.save();
    storage.write(&saved);
    index.confirm(&saved);
    assert!(storage.blobs.is_empty());
    assert_eq!(storage.load(Profile::ESPALIER).ok().unwrap().index.state().files, 0);
}

#[test]
fn damage_is_noticed_and_mended() {
    let mut index = filled(5, 600, Profile::ESPALIER);
    let mut storage = Storage::default();
    let saved = index.save();
    storage.write(&saved);
    index.confirm(&saved);
    let random = &mut fastrand::Rng::with_seed(6);
    let names: Vec<String> = storage.blobs.keys().cloned().collect();
    for round in 0..200 {
        let mut broken = storage.clone();
        let name = &names[random.usize(..names.len())];
        let blob = broken.blobs.get_mut(name).unwrap();
        match round % 4 {
            0 => blob.truncate(random.usize(..blob.len())),
            1 => {
                let at = random.usize(..blob.len());
                blob[at] ^= 1 << random.usize(..8);
            }
            2 => blob.push(0),
            _ => drop(broken.blobs.remove(name)),
        }
        let mut loaded = broken.load(Profile::ESPALIER).ok().unwrap();
        assert_eq!(loaded.damaged.len(), 1);
        assert_eq!(&loaded.damaged[0].name, name);
        assert!(loaded.index.state().files < index.state().files);
        // Whole segments are loaded; the other files can be put again.
        let missing = index.paths().filter(|path| loaded.index.version(path).is_none()).count();
        assert_eq!(missing, index.state().files - loaded.index.state().files);
        loaded.index.put_chunks("mended", "1", &["mended text"]).unwrap();
        let saved = loaded.index.save();
        broken.write(&saved);
        assert!(broken.load(Profile::ESPALIER).ok().unwrap().damaged.is_empty());
    }
    for len in 0..storage.manifest.len() {
        let mut broken = storage.clone();
        broken.manifest.truncate(len);
        assert!(broken.load(Profile::ESPALIER).is_err());
    }
    let mut other = storage.clone();
    other.manifest[4] += 1;
    assert_eq!(other.load(Profile::ESPALIER).err(), Some(Damage::Version));
    assert_eq!(storage.load(Profile::COPILOT_CHAT).err(), Some(Damage::Rules));
}

#[test]
fn random_bytes_are_no_snapshot() {
    let random = &mut fastrand::Rng::with_seed(8);
    for _ in 0..2000 {
        let bytes: Vec<u8> = (0..random.usize(..200)).map(|_| random.u8(..)).collect();
        assert!(Index::load(Profile::ESPALIER, &bytes, |_| None).is_err());
    }
}
