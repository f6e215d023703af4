//! The worth of a sentence for its tokens.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::Range;

use super::words::{Kind, Word};
use super::{Facts, Speaker};
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
    /// Words by key, as indices into `uses` and `again`.
    words: HashMap<u32, usize>,
    /// How many chosen facts contain a word, and the factor of its worth by that.
    uses: Vec<i32>,
    again: Vec<f64>,
    is_chosen: Vec<bool>,
    texts: Vec<Text>,
    /// By sentence, from its first use on.
    known: Vec<Option<Known>>,
}

/// A text of a message.
#[derive(Debug, Clone, Default)]
struct Text {
    /// Its sentences.
    range: Range<usize>,
    tokens: f64,
    /// Chosen facts of it.
    chosen: i32,
}

/// What the score of a sentence needs and no choice changes. A choice changes the scores of nearly all candidates if
/// their words are the same, so a score must cost little.
struct Known {
    /// Words that are worth something: their worth before any choice, and their index.
    words: Box<[(f64, usize)]>,
    speaker: f64,
    repeated: f64,
    place: f64,
    /// The last power that was computed: of these tokens.
    power: (f64, f64),
}

/// Maximum tokens of a text that counts as one fact, because its sentences belong together.
const SHORT_TEXT: f64 = 40.0;

impl<'a> Chosen<'a> {
    fn new(facts: &'a Facts, weights: Weights) -> Chosen<'a> {
        let all = (facts.sentences.len() as f64).max(8.0);
        let max = facts.postings.values().map(Vec::len).max().unwrap_or(1);
        let rarity = |uses: usize| {
            let share = libm::log(all / uses.max(1) as f64) / libm::log(all);
            libm::pow(share.clamp(0.0, 1.0), weights.idf)
        };
        let mut texts = vec![Text::default(); facts.ids.len()];
        for (at, sentence) in facts.sentences.iter().enumerate() {
            let text = &mut texts[sentence.text_index];
            text.range = if text.range.is_empty() { at..at + 1 } else { text.range.start..at + 1 };
            text.tokens += sentence.tokens;
        }
        Chosen {
            facts,
            weights,
            rarity: (0..=max).map(rarity).collect(),
            words: HashMap::default(),
            uses: vec![],
            again: vec![],
            is_chosen: vec![false; facts.sentences.len()],
            texts,
            known: facts.sentences.iter().map(|_| None).collect(),
        }
    }

    /// Returns the index of a word.
    fn word(&mut self, key: u32) -> usize {
        let index = *self.words.entry(key).or_insert(self.uses.len());
        if index == self.uses.len() {
            self.uses.push(0);
            self.again.push(1.0);
        }
        index
    }

    fn known(&mut self, index: usize) -> &mut Known {
        let known = self.known[index].take().unwrap_or_else(|| self.read(index));
        self.known[index].insert(known)
    }

    fn read(&mut self, index: usize) -> Known {
        let (facts, w) = (self.facts, self.weights);
        let sentence = &facts.sentences[index];
        let mut words = Vec::with_capacity(sentence.words.len());
        for &(kind, key) in sentence.words.iter().filter(|(kind, _)| *kind != Kind::Stop) {
            let uses = facts.postings.get(&key).map_or(1, Vec::len);
            // Rare ones are worth more.
            let rarity = self.rarity[uses.min(self.rarity.len() - 1)];
            words.push((w.word(kind, rarity), self.word(key)));
        }
        let count = |map: &HashMap<u32, u32>, key| map.get(&key).copied().unwrap_or(1);
        let repeated = match (count(&facts.exacts, sentence.exact), count(&facts.shapes, sentence.shape)) {
            (3.., _) => w.repeated,
            (2, _) => 0.7,
            (_, 3..) => w.shape,
            _ => 1.0,
        };
        let is_first = self.texts[sentence.text_index].range.start == index;
        let place = if is_first { w.first } else { 1.0 };
        Known {
            words: words.into(),
            speaker: w.speaker(sentence.speaker),
            repeated,
            place,
            power: (f64::NAN, f64::NAN),
        }
    }

    /// Returns the worth of the words of a sentence.
    fn worth(&mut self, index: usize) -> f64 {
        self.known(index);
        let known = self.known[index].iter().flat_map(|known| &known.words);
        known.map(|&(worth, word)| worth * self.again[word]).sum()
    }

    /// Returns the fact and the sentences it needs: all of a short text, else those before it that it continues.
    fn unit(&self, index: usize) -> Range<usize> {
        let sentences = &self.facts.sentences;
        let text = sentences[index].text_index;
        if self.is_short(text) {
            return self.texts[text].range.clone();
        }
        let mut from = index;
        while sentences[from].needs_previous && from > 0 && index - from < 2 && !self.is_chosen[from - 1] {
            from -= 1;
        }
        from..index + 1
    }

    /// True for a sentence that may be shown and is not yet.
    fn is_open(&self, index: usize) -> bool {
        !self.is_chosen[index] && !self.facts.sentences[index].is_replaced
    }

    /// Returns the sentences of a fact that may be shown and are not yet, in the order in which they should be shown: a
    /// short text begins with its most informative sentence, others follow the order of the text.
    fn taken(&mut self, index: usize) -> Vec<usize> {
        let mut all: Vec<usize> = self.unit(index).filter(|&at| self.is_open(at)).collect();
        let sentences = &self.facts.sentences;
        if self.is_short(sentences[index].text_index) {
            let density = |at: usize| (self.worth(at) / sentences[at].tokens.max(1.0), at);
            let mut dense: Vec<(f64, usize)> = all.into_iter().map(density).collect();
            crate::rank::sort_by(&mut dense, |one, other| other.0.total_cmp(&one.0));
            all = dense.into_iter().map(|(_, at)| at).collect();
        }
        all
    }

    fn is_short(&self, text: usize) -> bool {
        self.texts[text].tokens <= SHORT_TEXT
    }

    fn score(&mut self, index: usize) -> f64 {
        let (facts, w) = (self.facts, self.weights);
        let of_text = self.texts[facts.sentences[index].text_index].chosen;
        let (mut worth, mut tokens) = (0.0, if of_text > 0 { 1.0 } else { w.line });
        for at in self.unit(index) {
            if self.is_open(at) {
                worth += self.worth(at);
                tokens += facts.sentences[at].tokens;
            }
        }
        let known = self.known(index);
        if known.power.0 != tokens {
            known.power = (tokens, libm::pow(tokens + w.plus, w.power));
        }
        let spread = w.spread.powi(of_text);
        worth * known.speaker * known.repeated * known.place * spread / known.power.1
    }

    /// Chooses a sentence.
    fn choose(&mut self, index: usize) {
        let sentence = &self.facts.sentences[index];
        self.is_chosen[index] = true;
        self.texts[sentence.text_index].chosen += 1;
        for (_, key) in &sentence.words {
            let word = self.word(*key);
            self.uses[word] += 1;
            self.again[word] = self.weights.again.powi(self.uses[word]);
        }
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
    let mut chosen = Chosen::new(facts, weights);
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
            chosen.choose(index);
            out.push(index);
            left -= facts.sentences[index].tokens + weights.line;
        }
        round += 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Candidate, SHORT_TEXT, WEIGHTS, order_by};
    use crate::compact::facts::{Facts, Speaker};

    /// The same choice as [`order_by`] makes, with each score computed from nothing but the choices so far.
    fn reference(facts: &Facts, candidates: Vec<usize>, tokens: f64) -> Vec<usize> {
        let (w, sentences) = (&WEIGHTS, &facts.sentences);
        let all = (sentences.len() as f64).max(8.0);
        let worth = |out: &[usize], at: usize| -> f64 {
            let worth = sentences[at].words.iter().map(|(kind, key)| {
                let share = libm::log(all / facts.postings[key].len() as f64) / libm::log(all);
                let again = out.iter().filter(|&&at| sentences[at].words.iter().any(|(_, other)| other == key)).count();
                w.word(*kind, libm::pow(share.clamp(0.0, 1.0), w.idf)) * w.again.powi(again as i32)
            });
            worth.sum()
        };
        let text = |at: usize| sentences[at].text_index;
        let of_text = |at: usize| (0..sentences.len()).filter(move |&other| text(other) == text(at));
        let is_short = |at: usize| of_text(at).map(|at| sentences[at].tokens).sum::<f64>() <= SHORT_TEXT;
        let open = |out: &[usize], at: usize| -> Vec<usize> {
            let mut from = at;
            while sentences[from].needs_previous && from > 0 && at - from < 2 && !out.contains(&(from - 1)) {
                from -= 1;
            }
            let unit: Vec<usize> = if is_short(at) { of_text(at).collect() } else { (from..=at).collect() };
            unit.into_iter().filter(|at| !out.contains(at) && !sentences[*at].is_replaced).collect()
        };
        let score = |out: &[usize], at: usize| {
            let chosen = out.iter().filter(|&&other| text(other) == text(at)).count();
            let (mut sum, mut tokens) = (0.0, if chosen > 0 { 1.0 } else { w.line });
            for at in open(out, at) {
                sum += worth(out, at);
                tokens += sentences[at].tokens;
            }
            let sentence = &sentences[at];
            let repeated = match (facts.exacts[&sentence.exact], facts.shapes[&sentence.shape]) {
                (3.., _) => w.repeated,
                (2, _) => 0.7,
                (_, 3..) => w.shape,
                _ => 1.0,
            };
            let place = if of_text(at).next() == Some(at) { w.first } else { 1.0 };
            let spread = w.spread.powi(chosen as i32);
            sum * w.speaker(sentence.speaker) * repeated * place * spread / libm::pow(tokens + w.plus, w.power)
        };
        let mut left: Vec<Candidate> =
            candidates.into_iter().map(|index| Candidate { score: score(&[], index), index, round: 0 }).collect();
        let (mut out, mut free, mut round) = (Vec::new(), tokens, 0);
        while let Some(at) = (0..left.len()).max_by(|&one, &other| left[one].cmp(&left[other])) {
            let best = left.swap_remove(at);
            if free <= 0.0 || best.score <= 0.0 {
                break;
            }
            if out.contains(&best.index) {
                continue;
            }
            let now = score(&out, best.index);
            if best.round < round && left.iter().any(|next| next.score > now) {
                left.push(Candidate { score: now, round, ..best });
                continue;
            }
            let mut taken = open(&out, best.index);
            if is_short(best.index) {
                let density = |at: usize| worth(&out, at) / sentences[at].tokens.max(1.0);
                crate::rank::sort_by(&mut taken, |one, other| density(*other).total_cmp(&density(*one)));
            }
            for index in taken {
                out.push(index);
                free -= sentences[index].tokens + w.line;
            }
            round += 1;
        }
        out
    }

    #[test]
    fn the_order_is_that_of_scores_computed_afresh() {
        const WORDS: [&str; 20] = [
            "the", "parser", "it", "fails", "Berlin", "42", "src/a.rs", "budget", "$300", "never", "the", "수정",
            "코드", "使用", "测试", "Anna", "is", "now", "instead", "UTC",
        ];
        for seed in 0..60 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let mut facts = Facts::default();
            for id in 0..rng.usize(1..12) {
                let mut text = String::new();
                for _ in 0..rng.usize(1..8) {
                    let words: Vec<&str> = (0..rng.usize(1..9)).map(|_| WORDS[rng.usize(..WORDS.len())]).collect();
                    text.push_str(&words.join(" "));
                    text.push_str(if rng.bool() { ". " } else { ".\n" });
                }
                let speaker = [Speaker::User, Speaker::Assistant, Speaker::Tool, Speaker::Record][rng.usize(..4)];
                facts.add(&format!("m{id}"), speaker, &text);
            }
            let tokens = f64::from(rng.u32(10..400));
            let order = order_by(&facts, facts.candidates(), tokens, WEIGHTS);
            assert_eq!(order, reference(&facts, facts.candidates(), tokens), "seed {seed}");
        }
    }
}
