use espalier::document::cache::{Cache, Key};
use espalier::document::{Mode, Options, Structure, structure};

fn made(cache: &mut Cache, text: &str, options: &Options<'_>) -> (bool, Structure) {
    let mut fresh = false;
    let structure = cache.get(Key::new(text, options, 0), || {
        fresh = true;
        structure(text, None, options)
    });
    (fresh, (*structure).clone())
}

#[test]
fn the_same_text_is_made_once() {
    let mut cache = Cache::default();
    let options = Options::default();
    let (fresh, first) = made(&mut cache, "a\n  b\n", &options);
    assert!(fresh);
    assert_eq!(made(&mut cache, "a\n  b\n", &options), (false, first));
    assert!(made(&mut cache, "a\n  c\n", &options).0);
    assert!(made(&mut cache, "a\n  b\n", &Options { mode: Mode::Compatible, ..options }).0);
    assert!(made(&mut cache, "a\n  b\n", &Options { tab: 2, ..options }).0);
    assert!(made(&mut cache, "a\n  b\n", &Options { language: "yaml", ..options }).0);
    cache.clear();
    assert_eq!(cache.bytes(), 0);
    assert!(made(&mut cache, "a\n  b\n", &options).0);
}

#[test]
fn what_was_used_last_stays_within_the_bytes() {
    let mut cache = Cache::new(20_000);
    let options = Options::default();
    let text = |number: usize| format!("{number}\n").repeat(100);
    for number in 0..100 {
        made(&mut cache, &text(number), &options);
        // Text 0 is used in every round, so it must stay in the cache.
        made(&mut cache, &text(0), &options);
        assert!(cache.bytes() <= 20_000);
    }
    assert!(!made(&mut cache, &text(0), &options).0);
    assert!(!made(&mut cache, &text(99), &options).0);
    assert!(made(&mut cache, &text(1), &options).0);
    // A summary that would evict everything else is not stored.
    let kept = cache.bytes();
    assert!(made(&mut cache, &"x\n".repeat(10_000), &options).0);
    assert_eq!(cache.bytes(), kept);
}
