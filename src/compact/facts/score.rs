//! The worth of a sentence for its tokens.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::words::{Kind, Word};
use super::{Facts, Sentence, Speaker};
use crate::map::HashMap;

/// Weights of words by kind.
#[derive(Debug, Clone, Copy)]
pub struct Weights {
    pub figure: f64,
    pub name: f64,
    pub word: f64,
    pub tool: f64,
    pub assistant: f64,
    pub record: f64,
    pub repeated: f64,
    pub shape: f64,
    /// Weight of a word that a chosen fact already contains.
    pub again: f64,
    pub power: f64,
    /// Tokens of a line beside its sentence.
    pub line: f64,
    /// Factor for the first sentence of a text.
    pub first: f64,
    pub idf: f64,
    pub name0: f64,
    pub figure0: f64,
    /// Added to the tokens.
    pub plus: f64,
    /// Factor for each sentence of the same text that is already chosen.
    pub spread: f64,
}

/// Fitted on the five conversations of BFCL's memory set, so none of them is unseen.
pub const WEIGHTS: Weights = Weights {
    figure: 6.0,
    name: 5.5,
    word: 0.5,
    tool: 0.5,
    assistant: 0.7,
    record: 1.0,
    repeated: 0.3,
    shape: 0.5,
    again: 0.2,
    power: 0.85,
    line: 5.0,
    first: 1.5,
    idf: 1.0,
    name0: 0.5,
    figure0: 0.6,
    plus: 0.0,
    spread: 0.85,
};

impl Weights {
    /// Returns the worth of a word; `rarity` is 1 for a word with one use.
    fn word(&self, kind: Kind, rarity: f64) -> f64 {
        match kind {
            Kind::Stop => 0.0,
            Kind::Word => self.word * rarity,
            Kind::Name => self.name * (0.3 + 0.7 * rarity),
            Kind::Figure => self.figure * (self.figure0 + (1.0 - self.figure0) * rarity),
        }
    }

    fn speaker(&self, speaker: Speaker) -> f64 {
        match speaker {
            Speaker::User => 1.0,
            Speaker::Assistant => self.assistant,
            Speaker::Tool => self.tool,
            Speaker::Record => self.record,
        }
    }
}

/// Words that continue an earlier statement: without it nobody knows what they refer to.
const GOES_ON: &[&str] = &[
    "it",
    "it's",
    "its",
    "this",
    "that",
    "that's",
    "these",
    "those",
    "they",
    "they're",
    "their",
    "he",
    "he's",
    "she",
    "she's",
    "his",
    "her",
    "so",
    "then",
    "otherwise",
    "therefore",
    "also",
    "instead",
    "es",
    "das",
    "dies",
    "diese",
    "sie",
    "er",
    "il",
    "elle",
    "ils",
    "ça",
    "cela",
    "esto",
    "eso",
    "isso",
    "isto",
    "ele",
    "ela",
    "это",
    "он",
    "она",
    "они",
];

/// True if a sentence continues the one before it.
pub fn goes_on(sentence: &str, first: &str, words: &[Word]) -> bool {
    let content = words.iter().filter(|word| word.kind != Kind::Stop).count();
    let first = first.to_lowercase().replace('’', "'");
    if GOES_ON.contains(&first.as_str()) {
        return content <= 8;
    }
    const STARTS: [&str; 12] = ["它", "他", "她", "这", "那", "其", "これ", "それ", "あれ", "그", "이것", "그것"];
    if STARTS.iter().any(|start| sentence.starts_with(start)) {
        return content <= 5 && sentence.len() < 60;
    }
    // "Never exceed without approval.": the object was named before.
    const BEHIND: [&str; 27] = [
        "without",
        "unless",
        "until",
        "before",
        "after",
        "if",
        "ohne",
        "bis",
        "vor",
        "nach",
        "außer",
        "sans",
        "avant",
        "après",
        "sauf",
        "sin",
        "antes",
        "hasta",
        "salvo",
        "sem",
        "até",
        "depois",
        "без",
        "до",
        "после",
        "кроме",
        "except",
    ];
    const MARKERS: [&str; 16] = [
        "never",
        "always",
        "only",
        "don't",
        "not",
        "nie",
        "niemals",
        "nicht",
        "nur",
        "jamais",
        "toujours",
        "nunca",
        "siempre",
        "sempre",
        "никогда",
        "только",
    ];
    let is_at =
        |at: usize, list: &[&str]| words.get(at).is_some_and(|word| list.contains(&word.text.to_lowercase().as_str()));
    content <= 6
        && (MARKERS.contains(&first.as_str()) || first == "do" && is_at(1, &["not"]))
        && (1..4).any(|at| is_at(at, &BEHIND))
}

/// True if a sentence cannot be understood without the one before it.
pub fn needs_previous(sentence: &str) -> bool {
    let words = super::words::words(sentence);
    words.first().is_some_and(|first| goes_on(sentence, first.text, &words))
}

/// A fact that may be chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    score: f64,
    index: usize,
    /// How many facts had been chosen when it was scored.
    round: usize,
}

impl Eq for Candidate {}

impl Ord for Candidate {
    fn cmp(&self, other: &Candidate) -> Ordering {
        // Of equal ones, the newer.
        self.score.total_cmp(&other.score).then(self.index.cmp(&other.index))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Candidate) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

struct Chosen<'a> {
    facts: &'a Facts,
    weights: Weights,
    /// Worth of a word by the number of its uses.
    rarity: Vec<f64>,
    words: HashMap<u32, u32>,
    is_chosen: Vec<bool>,
    /// Chosen facts by text.
    of_text: HashMap<usize, u32>,
    /// First sentence and tokens of each text.
    texts: HashMap<usize, (usize, f64)>,
}

/// Maximum tokens of a text that counts as one fact, because its sentences belong together.
const SHORT_TEXT: f64 = 40.0;

impl Chosen<'_> {
    /// Returns the worth of a word: rare ones are worth more.
    fn worth(&self, kind: Kind, key: u32) -> f64 {
        let uses = self.facts.postings.get(&key).map_or(1, Vec::len);
        let rarity = self.rarity[uses.min(self.rarity.len() - 1)];
        let w = &self.weights;
        w.word(kind, rarity) * w.again.powi(self.words.get(&key).copied().unwrap_or(0) as i32)
    }

    /// Returns the fact and the sentences it needs: all of a short text, else those before it that it continues.
    fn unit(&self, index: usize) -> std::ops::RangeInclusive<usize> {
        let text = self.facts.sentences[index].text_index;
        if let Some(&(start, _)) = self.texts.get(&text).filter(|_| self.is_short(text)) {
            let count = self.facts.sentences[start..].iter().take_while(|other| other.text_index == text).count();
            return start..=start + count - 1;
        }
        let mut from = index;
        while self.facts.sentences[from].needs_previous && from > 0 && index - from < 2 && !self.is_chosen[from - 1] {
            from -= 1;
        }
        from..=index
    }

    /// Returns the sentences of a fact that may be shown and are not yet.
    fn open(&self, index: usize) -> impl Iterator<Item = usize> {
        self.unit(index).filter(|&at| !self.is_chosen[at] && !self.facts.sentences[at].is_replaced)
    }

    /// Returns those sentences in the order in which they should be shown: a short text begins with its most
    /// informative sentence, others follow the order of the text.
    fn taken(&self, index: usize) -> Vec<usize> {
        let mut all: Vec<usize> = self.open(index).collect();
        if self.is_short(self.facts.sentences[index].text_index) {
            let density = |at: usize| {
                let Sentence { words, tokens, .. } = &self.facts.sentences[at];
                words.iter().map(|&(kind, key)| self.worth(kind, key)).sum::<f64>() / tokens.max(1.0)
            };
            let mut dense: Vec<(f64, usize)> = all.into_iter().map(|at| (density(at), at)).collect();
            crate::rank::sort_by(&mut dense, |one, other| other.0.total_cmp(&one.0));
            all = dense.into_iter().map(|(_, at)| at).collect();
        }
        all
    }

    fn is_short(&self, text: usize) -> bool {
        self.texts.get(&text).is_some_and(|(_, tokens)| *tokens <= SHORT_TEXT)
    }

    fn score(&self, index: usize) -> f64 {
        let w = &self.weights;
        // Facts of one text share the id of its message.
        let text = self.facts.sentences[index].text_index;
        let of_text = self.of_text.get(&text).copied().unwrap_or(0);
        let (mut worth, mut tokens) = (0.0, if of_text > 0 { 1.0 } else { w.line });
        for sentence in self.open(index).map(|at| &self.facts.sentences[at]) {
            worth += sentence.words.iter().map(|&(kind, key)| self.worth(kind, key)).sum::<f64>();
            tokens += sentence.tokens;
        }
        let sentence = &self.facts.sentences[index];
        let speaker = w.speaker(sentence.speaker);
        let count = |map: &HashMap<u32, u32>, key| map.get(&key).copied().unwrap_or(1);
        let repeated = match (count(&self.facts.exacts, sentence.exact), count(&self.facts.shapes, sentence.shape)) {
            (3.., _) => w.repeated,
            (2, _) => 0.7,
            (_, 3..) => w.shape,
            _ => 1.0,
        };
        let is_first = index == 0 || self.facts.sentences[index - 1].text_index != sentence.text_index;
        let place = if is_first { w.first } else { 1.0 };
        let spread = w.spread.powi(of_text as i32);
        worth * speaker * repeated * place * spread / libm::pow(tokens + w.plus, w.power)
    }
}

/// Maximum facts that are compared with each other. A record shows some hundreds, and the comparison of a whole long
/// history would take most of the time of its compaction.
const MAX_CANDIDATES: usize = 8_192;

/// Returns the worth of a sentence by itself: as if each of its words had one use.
pub fn promise(speaker: Speaker, words: &[(Kind, u32)], tokens: f64) -> f64 {
    let w = &WEIGHTS;
    let worth: f64 = words.iter().map(|&(kind, _)| w.word(kind, 1.0)).sum();
    worth * w.speaker(speaker) / libm::pow(tokens + w.line, w.power)
}

/// Returns the candidates to compare: all, or of very many those that promise most.
pub fn promising(facts: &Facts, mut candidates: Vec<usize>) -> Vec<usize> {
    if candidates.len() > MAX_CANDIDATES {
        // Of equal ones, the newer. The bits of positive numbers are in the order of the numbers.
        candidates.reverse();
        crate::rank::sort(&mut candidates, |&at| !facts.sentences[at].promise.to_bits());
        candidates.truncate(MAX_CANDIDATES);
    }
    candidates
}

/// Returns the best candidates first, about this many tokens in all. Words that a fact shares with better ones count
/// less.
pub fn order(facts: &Facts, candidates: Vec<usize>, tokens: f64) -> Vec<usize> {
    order_by(facts, candidates, tokens, WEIGHTS)
}

pub fn order_by(facts: &Facts, candidates: Vec<usize>, tokens: f64, weights: Weights) -> Vec<usize> {
    let all = (facts.sentences.len() as f64).max(8.0);
    let max = facts.postings.values().map(Vec::len).max().unwrap_or(1);
    let rarity = |uses: usize| {
        let share = libm::log(all / uses.max(1) as f64) / libm::log(all);
        libm::pow(share.clamp(0.0, 1.0), weights.idf)
    };
    let mut chosen = Chosen {
        facts,
        weights,
        rarity: (0..=max).map(rarity).collect(),
        words: HashMap::default(),
        is_chosen: vec![false; facts.sentences.len()],
        of_text: HashMap::default(),
        texts: HashMap::default(),
    };
    for (at, sentence) in facts.sentences.iter().enumerate() {
        chosen.texts.entry(sentence.text_index).or_insert((at, 0.0)).1 += sentence.tokens;
    }
    let mut heap: BinaryHeap<Candidate> =
        candidates.into_iter().map(|index| Candidate { score: chosen.score(index), index, round: 0 }).collect();
    let mut out = Vec::new();
    let mut left = tokens;
    let mut round = 0;
    while let Some(best) = heap.pop() {
        if left <= 0.0 || best.score <= 0.0 {
            break;
        }
        if chosen.is_chosen[best.index] {
            continue;
        }
        if best.round < round {
            let score = chosen.score(best.index);
            if heap.peek().is_some_and(|next| next.score > score) {
                heap.push(Candidate { score, round, ..best });
                continue;
            }
        }
        for index in chosen.taken(best.index) {
            let sentence = &facts.sentences[index];
            chosen.is_chosen[index] = true;
            *chosen.of_text.entry(sentence.text_index).or_default() += 1;
            out.push(index);
            left -= sentence.tokens + weights.line;
            for (_, key) in &sentence.words {
                *chosen.words.entry(*key).or_default() += 1;
            }
        }
        round += 1;
    }
    out
}
