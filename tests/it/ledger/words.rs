//! Keys of lines and sentences: the fast way gives the same as the plain one.

use espalier::compact::ledger::error::{WORDS, is_error_line};
use espalier::compact::ledger::text::{has_word, sentences};
use espalier::tool_result::words;
use fastrand::Rng;

const PIECES: [&str; 42] = [
    "error",
    "Error:",
    "errors:",
    "ERROR[E01]",
    "exception ",
    "Traceback",
    "fatal:",
    "panicked at",
    "failed",
    "10 failed",
    "0 failed",
    "failures",
    "0 failures",
    "no error",
    "0 errors",
    "cannot find",
    "No such file",
    "assertion",
    "timed out",
    "✗",
    "é",
    "ÉÈ",
    "only",
    "lonely",
    "Never",
    "don't",
    "make sure",
    " ",
    " ",
    "\t",
    ". ",
    "! ",
    "?x",
    "1",
    "failed: 0",
    "x80",
    "错误：0",
    "错误：",
    "FEHLER: 0",
    "erreur :",
    "오류 0",
    "개",
];

fn text(rng: &mut Rng) -> String {
    (0..rng.usize(0..8)).map(|_| PIECES[rng.usize(0..PIECES.len())]).collect()
}

fn plain_has_word(text: &str, words: &[&str]) -> bool {
    let lower = text.to_ascii_lowercase();
    words.iter().any(|word| {
        lower.match_indices(word).any(|(at, _)| {
            !lower[..at].ends_with(char::is_alphanumeric)
                && !lower[at + word.len()..].starts_with(char::is_alphanumeric)
        })
    })
}

fn plain_is_error_line(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    let is_harmless = |word: &&str| {
        lower.match_indices(*word).any(|(at, _)| {
            let [before, behind] = [lower[..at].chars().next_back(), lower[at + word.len()..].chars().next()];
            let is_part = word.starts_with('0') && before.is_some_and(|c| c.is_ascii_digit())
                || word.ends_with('0') && behind.is_some_and(|c| c.is_ascii_alphanumeric());
            !is_part
        })
    };
    let mut names = WORDS.iter().chain(&words::LABELS).chain(&words::FAULTS);
    (lower.trim_end().ends_with("error") || names.any(|word| lower.contains(word)))
        && !words::NONE.iter().any(is_harmless)
}

/// Checks that no text is lost between sentences, and that none contains two lines of a list.
fn check_sentences(text: &str) {
    let all: Vec<&str> = sentences(text).collect();
    let bare = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    assert_eq!(bare(&all.concat()), bare(text), "{text:?}");
    assert!(all.iter().all(|sentence| !sentence.is_empty() && sentence.trim() == *sentence), "{text:?}");
}

#[test]
fn the_quick_way_says_what_the_plain_one_says() {
    let mut rng = Rng::with_seed(1);
    let words = ["never", "only", "don't", "make sure", "failed", "é"];
    let mut found = [0; 3];
    for _ in 0..20_000 {
        let text = text(&mut rng);
        assert_eq!(has_word(&text, &words), plain_has_word(&text, &words), "{text:?}");
        assert_eq!(is_error_line(&text), plain_is_error_line(&text), "{text:?}");
        check_sentences(&text);
        found[0] += usize::from(has_word(&text, &words));
        found[1] += usize::from(is_error_line(&text));
        found[2] += usize::from(sentences(&text).count() > 1);
    }
    assert!(found.iter().all(|&n| n > 1_000), "{found:?}: too few to say anything");
}

#[test]
fn errors_of_tools_in_other_languages_are_found() {
    use espalier::compact::ledger::ended::is_diagnosis;
    use espalier::tool_result::errors::is_error;
    for line in [
        "A.java:3: Fehler: Symbol nicht gefunden",
        "A.java:3: 错误: 找不到符号",
        "A.java:3: エラー: シンボルを見つけられません",
        "A.java:3: erreur: cannot find symbol",
        "Schwerwiegend: Kein Git-Repository: .git",
        "致命错误：不是 git 仓库（或者任何父目录）：.git",
        "a.c:1:5: ошибка: ожидалось «;» перед «}»",
        "ls: impossible d'accéder à 'x': Aucun fichier ou dossier de ce type",
        "ls: 无法访问 'x': 没有那个文件或目录",
        "a.c(1): 오류 C2143: 구문 오류",
        "hdiutil: Aktion fehlgeschlagen",
        "setup: 错误：0x80070005",
    ] {
        assert!(is_diagnosis(line) && is_error_line(line) && is_error(line), "{line}");
    }
    for line in [
        "0 Fehler, 0 Warnungen",
        "エラー: 0 件",
        "0 个错误，0 个警告",
        "Build erfolgreich, keine Fehler",
        "错误：0",
        "경고 0개, 오류 0개",
    ] {
        assert!(!is_diagnosis(line) && !is_error_line(line) && !is_error(line), "{line}");
    }
}
