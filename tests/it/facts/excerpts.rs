//! Texts cut to whole sentences.

use espalier::compact::facts::excerpt;
use espalier::tokens::Tokenizer;
use fastrand::Rng;

use crate::support::Quarter;

#[test]
fn the_best_sentences_stay_whole() {
    let texts =
        ["Well, you know how it is with these things. The budget is $500.", "I see. Anna Bell signs it on 2027-03-04."];
    let kept = excerpt(&texts, 12, &Quarter);
    assert_eq!(kept[1].as_deref(), Some("… Anna Bell signs it on 2027-03-04."));
    assert_eq!(excerpt(&[], 10, &Quarter), Vec::<Option<String>>::new());
    assert_eq!(excerpt(&texts, 0, &Quarter), [None, None]);
}

#[test]
fn an_excerpt_stays_within_its_budget_and_invents_nothing() {
    let words = ["alpha", "Bern", "42", "$7", "never", "the", "of", "run_all", "不要", "。", ". ", "\n", "! "];
    let mut rng = Rng::with_seed(11);
    for _ in 0..500 {
        let texts: Vec<String> = (0..rng.usize(1..6))
            .map(|_| (0..rng.usize(0..60)).flat_map(|_| [words[rng.usize(0..words.len())], " "]).collect())
            .collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let budget = rng.u64(0..80);
        let kept = excerpt(&texts, budget, &Quarter);
        assert_eq!(kept.len(), texts.len());
        let tokens: u64 = kept.iter().flatten().map(|text| Quarter.count(text)).sum();
        assert!(tokens <= budget, "{tokens} of {budget}");
        for (text, kept) in texts.iter().zip(&kept) {
            let has = |word: &str| word == "…" || text.contains(word);
            assert!(kept.iter().flat_map(|kept| kept.split_whitespace()).all(has), "{kept:?} is not of {text:?}");
        }
    }
}
