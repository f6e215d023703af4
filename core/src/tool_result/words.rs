//! Words by which lines about errors are recognised, and the search for them.

/// Words that begin a line about an error, or its part behind the place, of tools in other languages; ASCII in lower
/// case.
pub const LABELS: [&str; 17] = [
    "fehler:",
    "schwerwiegend:",
    "fatal :",
    "erreur:",
    "erreur :",
    "erro:",
    "ошибка:",
    "Ошибка:",
    "错误:",
    "错误：",
    "致命错误：",
    "錯誤:",
    "錯誤：",
    "エラー:",
    "エラー：",
    "오류:",
    "오류 ",
];

/// What tools in other languages say of a fault, at any place of a line. The first letter of the Russian text is left
/// out, because its case varies.
pub const FAULTS: [&str; 8] = [
    "nicht gefunden",
    "fehlgeschlagen",
    "aucun fichier ou dossier de ce type",
    "aucun fichier ou répertoire de ce type",
    "no existe el archivo o el directorio",
    "ет такого файла или каталога",
    "没有那个文件或目录",
    "そのようなファイルやディレクトリはありません",
];

/// Words of lines that report that there is no error.
pub const NONE: [&str; 14] = [
    "0 error",
    "no error",
    "0 failed",
    "0 failure",
    "without error",
    "failed: 0",
    "fehler: 0",
    "0 fehlgeschlagen",
    "错误：0",
    "错误: 0",
    "エラー: 0",
    "エラー：0",
    "오류 0",
    "오류: 0",
];

/// Lists of words (ASCII in lower case, at least two bytes each) that are searched together, in any case of ASCII.
///
/// ```
/// use espalier_core::tool_result::words::Words;
/// static FRUIT: Words = Words::new(&[&["apple"], &["0 pears"]]);
/// assert_eq!(FRUIT.first(b"An Apple", 0), Some(3));
/// assert!(FRUIT.is_in(b"0 pears") && !FRUIT.is_in(b"10 pears"));
/// ```
#[derive(Debug)]
pub struct Words {
    lists: &'static [&'static [&'static str]],
    /// The first two bytes of the words: the low five bits of the first give the index, those of the second the bit.
    /// Logs are long, and most pairs of letters begin none of the words.
    pairs: [u32; 32],
}

impl Words {
    pub const fn new(lists: &'static [&'static [&'static str]]) -> Words {
        let mut pairs = [0; 32];
        let mut list = 0;
        while list < lists.len() {
            let mut at = 0;
            while at < lists[list].len() {
                let word = lists[list][at].as_bytes();
                pairs[(word[0] & 31) as usize] |= 1 << (word[1] & 31);
                at += 1;
            }
            list += 1;
        }
        Words { lists, pairs }
    }

    /// Returns the position of the first word at or after `from`. A number at the start or end of a word is a whole
    /// one: "10 errors" does not contain "0 errors", nor "failed: 0x80070005" "failed: 0".
    pub fn first(&self, bytes: &[u8], from: usize) -> Option<usize> {
        let candidates = bytes.get(from..)?.windows(2).enumerate().filter(|(_, pair)| {
            // The low five bits of a letter are the same in both cases.
            self.pairs[usize::from(pair[0] & 31)] >> (pair[1] & 31) & 1 == 1
        });
        candidates.map(|(at, _)| from + at).find(|&at| self.is_at(bytes, at))
    }

    /// Returns whether one of the words occurs.
    pub fn is_in(&self, bytes: &[u8]) -> bool {
        self.first(bytes, 0).is_some()
    }

    fn is_at(&self, bytes: &[u8], at: usize) -> bool {
        let is = |word: &&str| {
            let end = at + word.len();
            bytes.get(at..end).is_some_and(|found| found.eq_ignore_ascii_case(word.as_bytes()))
                && !(word.ends_with('0') && bytes.get(end).is_some_and(u8::is_ascii_alphanumeric))
        };
        let is_inside = bytes[at] == b'0' && at > 0 && bytes[at - 1].is_ascii_digit();
        !is_inside && self.lists.iter().any(|list| list.iter().any(&is))
    }
}
