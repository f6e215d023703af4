use espalier::document::dylink::{Needs, read};
use espalier::document::units::{Units, bytes};
use fastrand::Rng;

#[test]
fn headers_of_grammars() {
    assert_eq!(read(&[1, 4, 8, 2, 3, 0]), Ok(Needs { memory: 8, alignment: 4, table: 3 }));
    // Other subsections are skipped, and numbers of several bytes are read.
    assert_eq!(read(&[9, 1, 7, 1, 5, 0x80, 1, 0, 0, 0]), Ok(Needs { memory: 128, alignment: 1, table: 0 }));
    for (section, what) in [
        (&[][..], "how much memory"),
        (&[9, 0], "how much memory"),
        (&[1, 9, 1], "cut off"),
        (&[1], "cut off"),
        (&[1, 2, 1, 1], "damaged"),
        (&[1, 6, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], "damaged"),
        (&[1, 4, 0, 16, 0, 0], "more memory"),
        (&[1, 8, 0xff, 0xff, 0xff, 0xff, 0x0f, 0, 0, 0], "more memory"),
    ] {
        let error = read(section).unwrap_err();
        assert!(error.code.as_str() == "bad_grammar" && error.message.contains(what), "{section:?}: {error}");
    }
    let mut rng = Rng::with_seed(1);
    for _ in 0..100_000 {
        let section: Vec<u8> =
            (0..rng.usize(0..10)).map(|_| if rng.bool() { rng.u8(..4) } else { rng.u8(..) }).collect();
        let _ = read(&section);
    }
}

#[test]
fn units_and_bytes_are_inverse() {
    let mut rng = Rng::with_seed(2);
    for _ in 0..500 {
        let most = if rng.bool() { 1 } else { 5 };
        let text: String = (0..rng.usize(0..200)).map(|_| ['a', 'é', '日', '😀', '\n'][rng.usize(..most)]).collect();
        let units = Units::new(&text);
        let places = bytes(&text);
        let mut unit = 0;
        for (at, character) in text.char_indices() {
            assert_eq!(units.of(&text, at as u32), unit);
            assert!(places.is_empty() || places[unit as usize] == at as u32);
            unit += character.len_utf16() as u32;
        }
        assert_eq!(units.of(&text, text.len() as u32), unit);
        assert_eq!(units.of(&text, u32::MAX), unit);
        for unit in 0..unit + 2 {
            let byte = if places.is_empty() {
                unit.min(text.len() as u32)
            } else {
                places.get(unit as usize).copied().unwrap_or(text.len() as u32)
            };
            assert_eq!(units.byte(&text, unit), byte);
        }
    }
}
