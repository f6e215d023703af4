//! Counts and ids equal those of tiktoken-rs.

use crate::encodings::encoding;
use espalier::tokens::EncodingName;
use espalier_testing::random::Random;
use espalier_testing::runs;
use espalier_vocabulary as vocabulary;

fn check_with(name: EncodingName, text: &str) {
    let wanted = vocabulary::oracle(name).encode_ordinary(text);
    let ours = encoding(name);
    let name = name.as_str();
    let shown: String = text.chars().take(200).collect();
    assert_eq!(ours.count(text), wanted.len() as u64, "{name}: count of {shown:?}");
    assert_eq!(ours.encode(text), wanted, "{name}: ids of {shown:?}");
    assert_eq!(ours.decode(&wanted).as_deref(), Ok(text.as_bytes()), "{name}: {shown:?}");
    assert_eq!(ours.token_offsets(text).last().copied().unwrap_or(0), text.len());
    let mut buffer = text.as_bytes().to_vec();
    buffer.resize(text.len() + espalier::tokens::PADDING, 0);
    assert_eq!(ours.count_in_place(&mut buffer, text.len()), Ok(wanted.len() as u64));
}

fn check(text: &str) {
    EncodingName::ALL.into_iter().for_each(|name| check_with(name, text));
}

/// Returns the number of random strings per encoding: few in every run, 200,000 with `ESPALIER_NIGHTLY=1`.
fn amount() -> u64 {
    if nightly() { 200_000 } else { runs(20_000) as u64 }
}

fn nightly() -> bool {
    std::env::var_os("ESPALIER_NIGHTLY").is_some()
}

#[test]
fn random_texts() {
    (0..amount()).for_each(|seed| check(&Random::new(seed).text(12)));
}

#[test]
fn random_pieces_of_few_letters() {
    for seed in 0..amount() / 10 {
        let mut random = Random::new(seed + 1_000_000_000);
        let alphabets: [&[char]; 6] = [
            &['a', 'b'],
            &['a', 'c', 'g', 't'],
            &['A', 'a', 'B', 'b'],
            &['=', '-', '/', '\n'],
            &[' ', '\t', '\n', '\r', '\u{A0}'],
            &['あ', 'A', 'a', '\u{301}', 'ʰ'],
        ];
        let alphabet = random.pick(&alphabets);
        check(&(0..random.below(80)).map(|_| random.pick(alphabet)).collect::<String>());
    }
}

/// Every code point: alone, after a letter, before one, after a space, before a mark.
#[test]
fn every_code_point() {
    for name in EncodingName::ALL {
        let mut texts = String::new();
        for character in (0..=0x10FFFF).filter_map(char::from_u32) {
            // Unassigned planes behave alike; a sample of them is enough.
            if character as u32 >= 0x3_4000
                && !(0xE_0000..0xE_0200).contains(&(character as u32))
                && !(character as u32).is_multiple_of(251)
            {
                continue;
            }
            texts.extend([
                character, '\0', 'a', character, '\0', character, 'a', '\0', ' ', character, 'B', '\u{301}', '\0',
            ]);
            if texts.len() > 1 << 14 {
                check_with(name, &std::mem::take(&mut texts));
            }
        }
        check_with(name, &texts);
    }
}

#[test]
fn pitfalls() {
    // Long s folds to s; a mark leads a word and is part of one; upper case runs backtrack; slashes after punctuation.
    for text in [
        "'ſ",
        "it'ſ",
        "it'S",
        "I'LL we'Re",
        "'s's's",
        "x'",
        "x''s",
        "don't've",
        "\u{301}a",
        " \u{301}",
        "\u{301}\u{302}",
        "a\u{301}b",
        "!\u{301}A",
        "\u{301}ABc",
        " \u{301}!",
        "\n\u{301}x",
        "あAAAA",
        "ABCあ",
        "AあBあCc",
        "あA'ſ",
        "ǅAa",
        "ABcDEf",
        "aBC",
        "ʰA",
        "Aʰa",
        "end./\n/\r\n//x",
        "a/\n",
        " !/\n\n",
        "/**/\r\n",
        "   ",
        "\n   ",
        "   \n",
        "   \n  ",
        "  \n  x",
        "\n\n x",
        " \u{85} x",
        "\u{A0}x",
        "\t\tx",
        "x \t",
        "\r\n\r\n",
        "\u{3000}\u{3000}x",
        "a  ",
        "1234567",
        "12a34",
        "²³¹½",
        "٣٣٣٣٣",
        " 1",
        "  1",
        "\u{FEFF}a",
        "a\u{FEFF}b",
        "\u{200B}",
        "\u{0}\u{1}",
        "<|endoftext|>",
        "<|fim_prefix|><|endofprompt|>",
        "\u{FFFD}\u{FFFD}",
        "\u{10FFFF}",
        "🏳️‍🌈👨‍👩‍👧",
        "🧿",
        "",
    ] {
        check(text);
        check(&format!("x{text}"));
        check(&format!("{text}x"));
        check(&format!(" {text} "));
        check(&format!("{text}\n{text}"));
    }
}

#[test]
fn long_pieces() {
    // The oracle takes quadratic time for some of these, so they are long only in a nightly run.
    let size = if nightly() { 131_072 } else { 8_192 };
    let mut random = Random::new(5);
    let mut draw = |alphabet: &str| -> String {
        let letters: Vec<char> = alphabet.chars().collect();
        (0..size).map(|_| random.pick(&letters)).collect()
    };
    let texts = [
        "a".repeat(size),
        " ".repeat(size),
        "\n".repeat(size),
        "=".repeat(size),
        "0".repeat(size),
        "あ".repeat(size / 3),
        "😀👍🏽".repeat(size / 12),
        "e\u{301}".repeat(size / 3),
        " \n".repeat(size / 2),
        draw("abcdefghijklmnopqrstuvwxyz"),
        draw("ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
        draw("acgt"),
        draw("!#$%&*+,-.:;<=>?@^_|~"),
        draw("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"),
        draw("一丁七万丈三上下不与"),
    ];
    for text in texts {
        check(&text);
    }
}

/// Windows end where counts add up, and otherwise they grow.
#[test]
fn texts_longer_than_a_window() {
    let mut random = Random::new(11);
    let mixed: String = (0..60_000).map(|_| random.text(2)).collect();
    assert!(mixed.len() > 200_000);
    check(&mixed);
    check(&format!("{}{}", "日本語".repeat(20_000), mixed));
}

#[test]
fn sources_and_transcripts() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");
    let mut seen = 0;
    for folder in ["sources", "transcripts"] {
        for entry in std::fs::read_dir(format!("{root}/{folder}")).expect("the fixtures are there") {
            let path = entry.expect("a readable folder").path();
            let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let mut end = text.len().min(400_000);
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            check(&text[..end]);
            seen += 1;
        }
    }
    assert!(seen >= 12, "only {seen} fixtures");
}

#[test]
fn a_buffer_that_holds_no_text_is_refused() {
    for name in EncodingName::ALL {
        let check = |bytes: &[u8], len: usize| {
            let error = encoding(name).count_in_place(&mut bytes.to_vec(), len).expect_err("no text");
            assert_eq!(error.code.as_str(), "bad_input");
        };
        check(&[b'a'; 10], 10);
        check(&[b'a'; 33], 10);
        check(&[0xE3; 40], 10);
        check(&[], usize::MAX);
        check(&[0xF0, 0x9F, 0x98, b'a', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 3);
    }
}

#[test]
fn an_id_out_of_range_is_refused() {
    let o200k = encoding(EncodingName::O200kBase);
    let error = o200k.decode(&[1, 199_998]).expect_err("no such token");
    assert_eq!((error.code.as_str(), error.path.as_deref()), ("bad_input", Some("ids[1]")));
    assert!(o200k.decode(&[199_997]).is_ok());
}
