//! The words of a question without stop words, each with its other forms.

use crate::{Words, terms_of, words};
use espalier_core::map::HashMap;

/// Words that belong to the grammar of a sentence.
const GRAMMAR: &str = " a about also an and are as at be been being but by can could did do does for from had has have \
    having how i if in into is it its of on or our should so than that the their them then there these they this \
    those to too was we were what when where which while who whom whose why will with would you your ";
/// Further stop words. In a short conversation they look rare.
const VAGUE: &str = " all any both done each every few gets getting get got he her his just let made make makes making \
    many me more most much my no nor not only other out over same she some such under up us very ";

/// True for a word of grammar, in lower case.
pub(crate) fn is_grammar(word: &str) -> bool {
    is_in(GRAMMAR, word)
}

/// Words that mean the user.
const USER: &str = " user users customer customers i me my we us our ";
/// Words for the participants and for speaking: a question about a conversation contains them without meaning them.
const SPEAKERS: &str = " agent agents ask asked asks assistant customer customers mention mentioned mentions said say \
    says tell tells told user users want wanted wants ";

/// Weight of a word in [`SPEAKERS`].
const SPEAKER: f64 = 0.3;
/// Weight of another form of a word.
const VARIATION: f64 = 0.7;
/// Weight of a synonym.
const SYNONYM: f64 = 0.3;
/// Maximum number of words of a query.
const MAX_WORDS: usize = 128;

/// A parsed query.
pub(crate) struct Question {
    /// All words and forms, for the index.
    pub text: String,
    /// Number of meaningful words.
    pub words: usize,
    /// Weights of a term, with the words to which it belongs.
    pub terms: HashMap<String, Vec<(usize, f64)>>,
    /// True if the question is about what the user said.
    pub is_about_user: bool,
}

pub(crate) fn question(query: &str, rules: Words) -> Question {
    let mut list: Vec<&str> = Vec::new();
    let mut known = espalier_core::map::HashSet::default();
    words(query, rules, |word| {
        if list.len() < MAX_WORDS && known.insert(word.to_lowercase()) {
            list.push(word);
        }
    });
    let full: Vec<&str> = list.iter().copied().filter(|word| !is_empty(&word.to_lowercase())).collect();
    let asked = if full.is_empty() { list } else { full };

    let mut found = Question {
        text: String::new(),
        words: asked.len(),
        terms: HashMap::default(),
        is_about_user: query.split(|letter: char| !letter.is_alphabetic()).take(4 * MAX_WORDS).any(|word| {
            let word = word.to_lowercase();
            !word.is_empty() && is_in(USER, &word)
        }),
    };
    for (at, word) in asked.iter().enumerate() {
        let lower = word.to_lowercase();
        let weight = if is_in(SPEAKERS, &lower) { SPEAKER } else { 1.0 };
        found.add(at, word, weight, rules);
        let forms = forms(&lower);
        for form in &forms {
            found.add(at, form, VARIATION * weight, rules);
        }
        for other in synonyms(&lower, &forms) {
            found.add(at, other, SYNONYM * weight, rules);
            for form in self::forms(other) {
                found.add(at, &form, SYNONYM * weight, rules);
            }
        }
    }
    found
}

impl Question {
    fn add(&mut self, at: usize, word: &str, weight: f64, rules: Words) {
        self.text.push_str(word);
        self.text.push(' ');
        terms_of(word, rules, |term| {
            let uses = self.terms.entry(term.to_string()).or_default();
            match uses.iter_mut().find(|(word, _)| *word == at) {
                Some((_, known)) => *known = known.max(weight),
                None => uses.push((at, weight)),
            }
        });
    }
}

fn is_empty(word: &str) -> bool {
    is_in(GRAMMAR, word) || is_in(VAGUE, word)
}

fn is_in(list: &str, word: &str) -> bool {
    list.match_indices(word).any(|(at, _)| {
        let bytes = list.as_bytes();
        at > 0 && bytes[at - 1] == b' ' && bytes.get(at + word.len()) == Some(&b' ')
    })
}

/// Words that people who work with agents use as synonyms.
const SYNONYMS: [&str; 40] = [
    "folder directory dir",
    "delete remove drop",
    "error failure fail exception crash",
    "documentation docs readme",
    "undo revert restore rollback reset",
    "function method",
    "config configuration settings option",
    "fix repair correct solve resolve",
    "create add insert",
    "change edit modify update replace",
    "run execute start launch",
    "show print display",
    "choose decide pick select decision",
    "price cost total amount fee fare",
    "shorter smaller less fewer reduce",
    "larger bigger longer grow",
    "move rename relocate",
    "library package dependency module",
    "version release",
    "copy duplicate",
    "wrong incorrect mistake bug broken",
    "problem issue",
    "reject refuse decline deny",
    "location path place",
    "reason cause because",
    "find search locate",
    "buy purchase book order",
    "trip flight journey",
    "baggage luggage",
    "finish complete end",
    "begin start first",
    "picture image icon",
    "old previous former",
    "need require",
    "type kind class",
    "output result",
    "line row",
    "account user profile",
    "remaining left rest",
    "pay charge payment",
];

/// Returns the synonyms of a word whose other forms are `forms`.
fn synonyms<'a>(word: &str, forms: &[String]) -> Vec<&'a str> {
    let is_same = |one: &str| one == word || forms.iter().any(|form| form == one);
    let groups = SYNONYMS.iter().filter(|group| group.split(' ').any(is_same));
    groups.flat_map(|group| group.split(' ')).filter(|one| !is_same(one)).collect()
}

/// Returns other forms of an English word: number, tense, and derivations of verbs. Some do not exist; the index does
/// not know them.
fn forms(word: &str) -> Vec<String> {
    if word.len() < 4 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return Vec::new();
    }
    let mut stems = stems(word);
    let mut found: Vec<String> = Vec::new();
    for stem in &stems {
        let bare = stem.strip_suffix('e').unwrap_or(stem);
        let ends_in_y = stem.len() > 1 && stem.ends_with('y') && !ends_with_any(&stem[..stem.len() - 1], &VOWELS);
        let singular = if ends_in_y { &stem[..stem.len() - 1] } else { stem.as_str() };
        found.push(stem.clone());
        found.push(match () {
            () if ends_in_y => format!("{singular}ies"),
            () if ends_with_any(stem, &["ch", "sh", "x", "ss", "z"]) => format!("{stem}es"),
            () => format!("{stem}s"),
        });
        found.push(if ends_in_y { format!("{singular}ied") } else { format!("{bare}ed") });
        found.push(format!("{bare}ing"));
        if bare.len() >= 5 {
            let suffixes = ["ation", "ations", "ion", "ions", "er", "ers", "or", "ment", "able", "al"];
            found.extend(suffixes.iter().map(|suffix| format!("{bare}{suffix}")));
        }
    }
    stems.clear();
    for suffix in ["ations", "ation", "ions", "ion", "ments", "ment", "ers", "er", "ors", "or"] {
        if let Some(verb) = word.strip_suffix(suffix).filter(|verb| verb.len() >= 4) {
            found.extend(["", "e", "es", "s", "ed", "ing"].iter().map(|ending| format!("{verb}{ending}")));
            break;
        }
    }
    found.sort_unstable();
    found.dedup();
    found.retain(|form| form != word);
    found
}

const VOWELS: [&str; 5] = ["a", "e", "i", "o", "u"];

/// Returns the words of which a word may be a form.
fn stems(word: &str) -> Vec<String> {
    let cut = |count: usize| word[..word.len() - count].to_string();
    let (stem, is_verb) = match () {
        () if word.ends_with("ies") || word.ends_with("ied") => (format!("{}y", cut(3)), false),
        () if ends_with_any(word, &["ss", "us", "is"]) => (cut(0), false),
        () if ends_with_any(word, &["ches", "shes", "xes", "sses", "zzes"]) => (cut(2), false),
        () if word.ends_with('s') => (cut(1), false),
        () if word.ends_with("ed") && word.len() > 4 => (cut(2), true),
        () if word.ends_with("ing") && word.len() > 5 => (cut(3), true),
        () => (cut(0), false),
    };
    let mut stems = vec![stem];
    if is_verb {
        let bare = stems[0].clone();
        stems.push(format!("{bare}e"));
        let bytes = bare.as_bytes();
        if let [.., before, last] = bytes
            && before == last
            && b"bdgklmnprt".contains(last)
        {
            stems.push(bare[..bare.len() - 1].to_string());
        }
    }
    stems
}

fn ends_with_any(word: &str, endings: &[&str]) -> bool {
    endings.iter().any(|ending| word.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_their_other_forms() {
        let has = |word: &str, form: &str| assert!(forms(word).iter().any(|own| own == form), "{word}: {form}");
        has("rejected", "reject");
        has("rejected", "rejects");
        has("serializes", "serialization");
        has("serialization", "serialize");
        has("copying", "copied");
        has("copies", "copy");
        has("lines", "line");
        has("stopped", "stop");
        has("pushes", "push");
        has("compaction", "compact");
        has("moved", "moving");
        has("quoted", "quote");
        assert!(forms("css").is_empty() && forms("über").is_empty() && forms("a_b_c").is_empty());
        assert!(!forms("class").iter().any(|form| form == "clas"));
    }

    #[test]
    fn a_question_is_about_its_rare_words() {
        let asked = question("Which files did the user want to delete?", Words::Espalier);
        assert_eq!((asked.words, asked.is_about_user), (4, true));
        assert_eq!(asked.terms["user"], [(1, SPEAKER)]);
        assert_eq!(asked.terms["deleted"], [(3, VARIATION)]);
        assert!(!asked.terms.contains_key("which"));
        // A question of stop words only: they are all there is.
        let only = question("what did they do where", Words::Espalier);
        assert_eq!(only.words, 4);
        assert_eq!(question("", Words::Espalier).words, 0);
        assert_eq!(question(&"word".repeat(300_000), Words::Espalier).terms.len(), 0);
    }
}
