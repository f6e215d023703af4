//! Nearest neighbours, compared with all dot products of the original vectors.

use espalier_search::{RRF_K, Vectors, fuse};

fn random_vector(random: &mut fastrand::Rng, dimensions: usize) -> Vec<f32> {
    let vector: Vec<f32> = (0..dimensions).map(|_| random.f32() - 0.5).collect();
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    vector.iter().map(|value| value / length).collect()
}

fn dot(one: &[f32], other: &[f32]) -> f64 {
    one.iter().zip(other).map(|(one, other)| f64::from(*one) * f64::from(*other)).sum()
}

#[test]
fn the_nearest_are_the_nearest() {
    let random = &mut fastrand::Rng::with_seed(1);
    for dimensions in [1, 3, 512, 3000] {
        let mut vectors = Vectors::new();
        let mut plain = Vec::new();
        for key in 0..300u64 {
            let vector = random_vector(random, dimensions);
            vectors.put(key, &vector).unwrap();
            plain.push(vector);
        }
        for key in (0..300).step_by(3) {
            assert!(vectors.remove(key) && !vectors.remove(key));
        }
        vectors.put(1, &plain[2]).unwrap();
        plain[1] = plain[2].clone();
        let query = random_vector(random, dimensions);
        let found = vectors.nearest(&query, 400, -2.0).unwrap();
        assert_eq!((found.len(), vectors.len()), (200, 200));
        for one in &found {
            assert!((one.similarity - dot(&query, &plain[one.key as usize])).abs() < 0.02, "{dimensions}");
        }
        assert!(found.is_sorted_by(|one, other| one.similarity >= other.similarity));
        let best = vectors.nearest(&query, 7, -2.0).unwrap();
        assert_eq!(best, found[..7]);
        assert!(vectors.nearest(&query, 400, 0.0).unwrap().iter().all(|one| one.similarity > 0.0));
    }
}

#[test]
fn bad_embeddings_change_nothing() {
    let mut vectors = Vectors::new();
    assert!(vectors.nearest(&[1.0], 5, 0.0).unwrap().is_empty());
    vectors.put(1, &[1.0, 0.0]).unwrap();
    for bad in [&[][..], &[1.0], &[1.0, f32::NAN], &[f32::INFINITY, 0.0], &[1.0, 0.0, 0.0]] {
        assert_eq!(vectors.put(1, bad).unwrap_err().code.as_str(), "bad_input");
        assert!(vectors.nearest(bad, 5, 0.0).is_err());
    }
    vectors.put(2, &[0.0, 0.0]).unwrap();
    vectors.put(3, &[f32::MIN_POSITIVE / 8.0, 0.0]).unwrap();
    vectors.put(4, &[f32::MAX, f32::MAX]).unwrap();
    assert!(vectors.nearest(&[1.0, 0.0], 9, f64::NEG_INFINITY).unwrap().iter().all(|one| one.similarity.is_finite()));
}

#[test]
fn fusion() {
    let fused = fuse(&[&[1, 2, 3, 1][..], &[], &[3, 4]], RRF_K);
    assert_eq!(fused.iter().map(|(item, _)| *item).collect::<Vec<_>>(), [3, 1, 2, 4]);
    assert!((fused[0].1 - (1.0 / 63.0 + 1.0 / 61.0)).abs() < 1e-15);
    assert!(fuse::<u32>(&[], RRF_K).is_empty());
}
