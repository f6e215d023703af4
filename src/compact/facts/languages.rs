//! Words of nine languages that the rules know.

use std::cell::RefCell;

use crate::fnv::{START_32, add_32};
use crate::map::{HashMap, HashSet};

/// Words without meaning of their own, in lower case, by language, in order.
const STOP: &str = " a about after again all also am an and any are aren't as at be because been before being both but by can can't \
could did didn't do does doesn't doing don't down each even ever few for from further get getting go going got had has have haven't having he \
he's her here here's hers him his how i i'd i'll i'm i've if in into is isn't it it's its itself just keep know let let's like lot made make makes \
maybe me might more most much my myself no nor not now of off oh okay on once one only or other our out over own please quite really right same \
say she should so some something still such sure take than thanks that that's the their them then there there's these they they're thing things \
think this those though through to too under until up us use used very want was way we we're we've well were what when where which while who \
why will with would yeah yes yet you you're your \
aber als am an auch auf aus bei bin bis bitte das dass dein dem den der des die dies diese doch du ein eine einem einen einer er es für hat habe \
hier ich ihr im in ist ja kann mein mit nach nicht noch nur oder schon sehr sein sich sie sind so über um und uns von war was wenn wie wir wird \
zu zum zur \
au aux avec ce ces cette dans de des du elle en est et il ils je la le les leur lui ma mais me mes mon ne nous on ou où par pas plus pour que qui \
sa se ses si son sont sur ta te tu un une vous \
al como con cuando de del el ella en entre era es esta este esto la las le lo los más me mi mis muy no nos o para pero por porque que se si sin \
su sus te tiene un una y ya yo \
ao aos as com da das do dos e ela ele em essa esse este eu foi isso já mais mas meu minha na nas não no nos os ou para pela pelo por quando \
que se sem ser seu sua são também tem um uma você \
а без бы был была были было в вам вас во вот все вы да для до его ее если есть еще же за и из или им их к как ко когда кто ли мне мы на не \
него нет ни но ну о об он она они от по при с со так там то тоже только ты у уже что чтобы это я \
\
ve bir bu için ile na w z się że są przez của và là cho với trong các từ في من على إلى عن أن هذا هذه ما में से की के का को पर है हैं और यह \
그 이 저 것 수 등 및 그리고 하지만 ";

/// Numbers in words, from two on: "one" is an article in most of these languages.
const NUMBERS: &str = "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen \
nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion dozen half twice \
zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig hundert tausend deux trois quatre cinq sept huit neuf dix onze douze \
vingt trente cent mille dos tres cuatro cinco seis siete ocho nueve diez doce veinte treinta cien mil dois duas três quatro sete oito nove dez \
doze vinte trinta два три четыре пять шесть семь восемь девять десять двадцать тридцать сто тысяча";

/// True for a number in words, or two of them with a hyphen.
pub fn is_number(word: &str) -> bool {
    word.len() <= 24 && word.split('-').all(|part| listed(NUMBERS, part))
}

/// True for a word without meaning of its own.
pub fn is_stop(word: &str) -> bool {
    word.len() <= 16 && listed(STOP, word)
}

/// True if a list, whose words are between spaces, contains this word in any case. Each list is parsed once: searching
/// lists for substrings took a sixth of the time of a long conversation.
pub(in crate::compact) fn listed(list: &'static str, word: &str) -> bool {
    thread_local! {
        static SETS: RefCell<HashMap<(usize, usize), HashSet<u32>>> = RefCell::default();
    }
    SETS.with_borrow_mut(|sets| {
        let set = sets.entry((list.as_ptr() as usize, list.len()));
        set.or_insert_with(|| list.split_whitespace().map(exact).collect()).contains(&exact(word))
    })
}

/// Returns a hash of a word in lower case, with straight apostrophes.
pub fn exact(word: &str) -> u32 {
    // Most words are ASCII. The general walk took a third of the time of a long conversation.
    if word.is_ascii() {
        return word.bytes().fold(START_32, |hash, byte| add_32(hash, byte.to_ascii_lowercase().into()));
    }
    let letters = word.chars().flat_map(char::to_lowercase).map(|c| if c == '’' { '\'' } else { c });
    letters.fold(START_32, |hash, c| add_32(hash, c.into()))
}

/// True for a verb that begins a task rather than a rule: "add a test for every command" is done once.
pub fn begins_task(word: &str) -> bool {
    const VERBS: &str = "add update change implement create fix remove move show do refactor convert replace rename extract \
build install delete rewrite revert commit run try check test find look investigate";
    listed(VERBS, word)
}

/// True for a possessive: after an order it names no subject.
pub fn is_possessive(order: &str, word: &str) -> bool {
    if word.eq_ignore_ascii_case("my") || word.eq_ignore_ascii_case("our") {
        return is_order(order, Some(""));
    }
    !is_adverb(order)
        && listed("mein meine meinen unser unsere mon ma mes notre nos mi mis meu minha meus minhas", word)
}

/// True for a marker that only qualifies the step with which a sentence begins: "do it again, but without the header".
pub fn goes_with_task(marker: &str) -> bool {
    listed("without instead rather be ensure make just first each every all any", marker)
}

/// True for a marker that makes a lasting rule of a task: "run the tests before every commit".
pub fn lasts(marker: &str, next: Option<&str>) -> bool {
    listed("before after whenever unless", marker)
        || marker.eq_ignore_ascii_case("only") && next.is_some_and(|next| listed("after once if when with", next))
}

/// True for a marker that limits nothing by itself. Before a figure it does: "under 500".
pub fn is_mild(marker: &str) -> bool {
    listed("all any each every everything first under above below within per up exactly alone short by default", marker)
}

/// True for courtesies and conjunctions before the first word that counts.
pub fn is_opener(word: &str) -> bool {
    const OPENERS: &str = " please and but also so then just ok okay now well oh hey hi hello yes yeah sorry actually \
bitte und aber also dann auch ja ach et mais alors donc aussi oui y pero entonces también sí pois e mas então também sim \
пожалуйста и но а также ещё да ну сразу ";
    word.len() <= 20 && listed(OPENERS, word)
}

/// True for a word after a marker that makes the sentence a report: a verb of the first person or of the past.
pub fn is_past(word: Option<&str>) -> bool {
    let Some(word) = word else { return false };
    const VERBS: &str = " was were had has have got been came saw went did made thought knew heard felt looked worked happened \
tengo puedo recuerdo sé encuentro creo veo entiendo consigo tenho posso lembro acho vejo entendo toco corro duermo vivo trabajo trabalho moro \
había habíamos tuve pude vi fui era eran estaba estaban hubo tinha fui era estava houve consegui pude soube \
могу знаю вижу нашёл нашла понимаю помню был была было были ";
    listed(VERBS, word)
}

/// True for a word that draws a conclusion: an order may follow it, even after a statement.
pub fn concludes(word: &str) -> bool {
    matches!(
        word.to_lowercase().as_str(),
        "so" | "therefore" | "also" | "deshalb" | "daher" | "donc" | "entonces" | "então" | "portanto" | "поэтому"
    )
}

/// True for a word that may be the whole answer to a question.
pub fn is_answer(word: &str) -> bool {
    matches!(word.to_lowercase().as_str(), "no" | "nein" | "non" | "não" | "нет" | "nie" | "not" | "nothing" | "never")
}

/// True for "all tests pass" and "all of them", which begin with a marker and report what is.
pub fn reports<'a>(mut words: impl Iterator<Item = &'a str>) -> bool {
    const REPORTED: &str = " pass passes passing fail fails failing work works working compiles builds crashes hangs \
looks seems takes fine good great green red broken done gone merged committed pushed ";
    if !words.next().is_some_and(|word| listed(" all each every everything ", word)) {
        return false;
    }
    let next: Vec<&str> = words.take(4).collect();
    matches!(next[..], ["of", _]) || next.iter().any(|word| listed(REPORTED, word))
}

/// True for the words that begin an English question: "why do you".
pub fn asks(words: [&str; 3]) -> bool {
    listed(" why how what when where who which ", words[0])
        && listed(" do does did is are was were can could would should will has have ", words[1])
        && listed(" i you we they he she it this that there ", words[2])
}

/// True if the first verbs after a marker report what was or is, by their forms.
pub fn tells<'a>(words: impl Iterator<Item = &'a str>) -> bool {
    const FORMS: [&str; 17] = [
        "dieron", "eram", "oram", "ieron", "aron", "aban", "ían", "ieram", "aram", "avam", "ел", "ал", "ил", "ели",
        "али", "ает", "яет",
    ];
    const WORDS: &str = " he ha hemos han había has have had was were came went conmigo comigo passiert двое трое arrived happened broke failed stopped ";
    let (mut is_habit, mut is_romance, mut verb) = (false, false, 1);
    words.take(4).enumerate().any(|(at, word)| {
        let word = word.to_lowercase();
        if at == 0 {
            is_habit = matches!(
                word.as_str(),
                "solo"
                    | "sólo"
                    | "só"
                    | "siempre"
                    | "nunca"
                    | "sempre"
                    | "always"
                    | "never"
                    | "nobody"
                    | "toujours"
                    | "jamais"
                    | "nada"
            );
            is_romance = matches!(word.as_str(), "no" | "não" | "nunca" | "nada" | "siempre" | "sempre" | "ya" | "já");
            return false;
        }
        if is_habit && at == 1 && matches!(word.as_str(), "me" | "te" | "lo" | "se") {
            return true;
        }
        // Words between a negation and its verb.
        if is_romance && at == verb && listed("me te le lo la se nos les", &word) {
            verb += 1;
            return false;
        }
        // Forms of the first person and of the past: orders do not end like this.
        let ends = |all: &[&str]| all.iter().any(|end| word.ends_with(end));
        let is_we = at == verb && ends(&["mos"]);
        let is_english_past = at == 1 && ends(&["ed"]) && !ends(&["eed", "bed"]);
        if (is_habit || is_romance) && is_we || is_habit && is_english_past {
            return true;
        }
        if is_romance && at == verb && word.len() > 2 && ends(&["o", "é", "í", "ei", "i", "ou", "eu", "iu"]) {
            return true;
        }
        FORMS.iter().any(|form| word.ends_with(form)) || listed(WORDS, &word)
    })
}

/// True for a word that French elides before an apostrophe.
pub fn is_elided(word: &str) -> bool {
    matches!(
        word.to_lowercase().as_str(),
        "l" | "d" | "n" | "j" | "s" | "c" | "m" | "t" | "qu" | "jusqu" | "lorsqu" | "puisqu"
    )
}

/// True for a Russian verb in the past.
pub fn is_russian_past(word: &str) -> bool {
    word.len() > 8 && ["ло", "ла", "ли", "лся", "лась", "лось", "лись"].iter().any(|end| word.ends_with(end))
}

/// True for a word that may begin an order after a condition.
pub fn is_order_in_clause(word: &str) -> bool {
    !word.starts_with(|c: char| ('\u{400}'..='\u{4ff}').contains(&c)) || is_order(word, Some(word))
}

/// True for "не" before a verb in the imperative.
pub fn is_russian_order(marker: &str, verb: &str) -> bool {
    let (marker, verb) = (marker.to_lowercase(), verb.to_lowercase());
    let is_noun = ["ый", "ий", "ой", "ли", "сти"].iter().any(|end| verb.ends_with(end));
    marker == "не"
        && !is_noun
        && ["й", "йте", "и", "ите", "ь", "ьте"].iter().any(|end| verb.ends_with(end))
        && !verb.ends_with("ть")
}

/// True for a marker that exists in one language only. There, a sentence without a subject is an order or begins with
/// an adverb.
pub fn tells_language(marker: &str) -> bool {
    const MARKERS: &str = " erst nie niemals immer nur kein keine keinen keinem keiner nicht nichts statt vor nach jedes mindestens außer jamais toujours seulement aucun aucune \
pas rien sauf sans uniquement avant au zawsze en em sin sem antes menos al pelo por ";
    listed(MARKERS, marker)
}

/// True for an adverb, a preposition or another word that begins a statement.
pub fn is_adverb(word: &str) -> bool {
    const WORDS: &str = " gestern heute morgen leider vielleicht eigentlich hoffentlich manchmal oft meist meistens dann danach davor dort jetzt nun seit wegen mit nach vor \
aus bei von zum zur im am vorhin ahora agora antes normalmente neulich damals endlich sogar fast schon wieder aujourd'hui hier demain peut-être malheureusement parfois souvent ensuite puis là depuis \
avec dans pour par chez enfin presque encore déjà hoy ayer mañana quizás tal vez lamentablemente desafortunadamente muchas muchos luego después desde con para por \
en casi aún todavía ontem hoje amanhã talvez depois desde com para por em quase ainda muito muita bom boa gut schön schade klar genau voilà d'accord bien sûr claro vale \
danke merci gracias obrigado obrigada hallo bonjour hola oi ";
    listed(WORDS, word)
}

/// True if the beginning of a sentence looks like an order.
pub fn is_order(first: &str, second: Option<&str>) -> bool {
    let is_cyrillic = first.starts_with(|c: char| ('\u{400}'..='\u{4ff}').contains(&c));
    if is_cyrillic {
        let first = first.to_lowercase();
        let is_noun = ["ый", "ий", "ой", "ли", "ость"].iter().any(|end| first.ends_with(end));
        return !is_noun
            && ["й", "йте", "и", "ите", "ь", "ьте", "йся", "йтесь", "ись", "итесь"]
                .iter()
                .any(|end| first.ends_with(end));
    }
    // Verbs of the past, and of the first person.
    let told = ["mos", "ó", "é", "í", "ei", "ou", "eu", "iu", "aron", "ieron", "aram", "eram", "iram"];
    if first.len() > 4
        && (told.iter().any(|end| first.ends_with(end)) || first.ends_with('i') && !first.ends_with("ai"))
    {
        return false;
    }
    if !first.is_ascii() || second.is_none() {
        return true;
    }
    const FOLLOW: &str = " it them me us him her the a an this that these those my our your all any each every everything to in on \
with for from by at as into only no up out off over sie du mich mir uns den die das dem der ein eine einen keine keinen nichts nicht ihn zum am im \
auf mit bei an bitte pas le la les un une des moi à en dans de du vos nos el los las una unos me lo al con que ningún o os um uma as na nas nos na em para ao uniquement solo sólo só siempre sempre toujours jamais nur immer only always never únicamente somente apenas solamente seulement m' me ";
    let is_in = listed;
    second.is_some_and(is_number)
        || is_verb_of_order(first)
        || first.contains('-')
        || second.is_some_and(|second| {
            is_in(FOLLOW, second) || second.contains(['`', '/', '_', '-']) || second.bytes().any(|b| b.is_ascii_digit())
        })
}

/// True for a verb that begins an order more often than not.
pub fn is_verb_of_order(word: &str) -> bool {
    const VERBS: &str = " veuillez puedes pode use run write put send deliver make answer reply keep work add do name give show format log commit \
return round sort store test build deploy change fix check read create start stay leave let set mark treat call book pay ship charge \
contact email text tell speak schreib schreibe schreiben lass lasse nutze nutzen verwende verwenden nimm mach mache benutze benutzen \
nenne erwähne zitiere formuliere formatiere erkläre fasse fass rühr rühre lösche ändere entferne buche bestelle prüfe teste starte schick schicke schicken liefere liefern halte halten sag sage zeig zeige gib explain quote cite translate report ask wait abort skip ";
    listed(VERBS, word)
}
