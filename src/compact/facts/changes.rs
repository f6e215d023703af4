//! Words that announce a new value, and the kinds of values.

use std::sync::OnceLock;

use super::languages::{exact, listed};
use super::pieces::simplified;
use super::words::{Kind, Word};
use crate::map::HashSet;

/// Words that announce a change, in lower case.
const CHANGES: &str = "\
artık|bundan sonra|bundan böyle|yerine|vazgeçtim|od teraz|odtąd|już nie|zamiast|teraz|jednak|từ giờ|từ nay|thay cho|thay vì|không còn|đổi|nữa|\
من الآن|الآن|بدلًا من|بدلاً من|بدلا من|لم يعد|لم تعد|अब|आगे से|की जगह|के बजाय|के बदले|\
já não|não mais|mudei de ideia|passa a ser|passam a ser|em lugar de|deixa de|cambia a|cambio a|cambié de|he cambiado|ha cambiado|cambia por|\
deja de|ya no es|ya no hace|pasa a ser|pasan a ser|se pasa a|remplace|remplacez|changé d'avis|a changé|ont changé|arrête de|arrête d'|arrêtez de|\
passe à|passent à|devient|deviennent|ne plus|hör auf|hören sie auf|wechsle|wechseln|wechselt|wird zu|überholt|перестань|перестаньте|меняем|замени|\
замените|переходим на|переехали|stop using|switch to|change it to|from here on|going forward|as of today|starting now|scratch that|make it|changed my mind|after all|not the|künftig|von nun an|von jetzt an|\
ab heute|doch nicht|doch lieber|anstatt|dorénavant|au lieu de|plutôt que|finalement|oublie|oubliez|annule|de ahora en adelante|desde ahora|en adelante|\
en realidad|olvida|olvide|al final|mejor|de agora em diante|daqui em diante|doravante|na verdade|esquece|esqueça|no final|впредь|забудь|\
забудьте|передумал|передумала|лучше|не нужно больше|a partir de hoy|a partir de hoje|в итоге|now|no longer|any more|anymore|instead|instead of|from now on|has changed|have changed|changed to|changed from|moved to|moved from|switched|rotated|rotation|\
renamed|replaced|replaces|quick update|correction|make that|raised to|lowered to|increased to|extended to|postponed|rescheduled|as of|i would rather|i'd rather|rebased|forget|\
retired|superseded|obsolete|jetzt|nun|ab sofort|ab jetzt|statt|stattdessen|nicht mehr|geändert|verschoben|korrektur|anstelle|\
maintenant|désormais|à la place|à partir de maintenant|déplacé|déplacée|reporté|reportée|n'est plus|plus lundi|correction|remplacé|remplacée|\
ahora|ya no|en lugar|en vez|cambió|pasó al|a partir de ahora|corrección|agora|não é mais|em vez|mudou|passou para|a partir de agora|correção|\
теперь|больше не|уже не|вместо|изменилась|изменился|изменилось|изменили|перенесли|перенесён|перенесена|отныне|поправка|с этого момента";
const CHANGES_PIECES: &str = "现在是|改成|改为|改到|改用|换成|不再|不用再|今后|以后|从现在|算了|不是周|而不是|变更|不用|不必|增加到|提高到|降到|调到|减到|还是用|还是写|増や|减ら|に変え|やめて|なくても|늘릴|늘려|줄일|줄여|아니어도|今は|変更|変えて|代わり|ではなく|これから|今後|もう|やっぱり|이제|앞으로|더 이상|대신|변경|바꿔|말고|아니라";
/// Words that announce a change at the beginning of a sentence.
const NEWS: &str = " new update neu neue neuer neues nouveau nouvelle nuevo nueva novo nova новый новая новое ";

/// True if a sentence announces a change.
pub fn is_change(sentence: &str, words: &[Word]) -> bool {
    static PHRASES: OnceLock<HashSet<Vec<u32>>> = OnceLock::new();
    let phrases = PHRASES
        .get_or_init(|| CHANGES.split('|').map(|phrase| phrase.split_whitespace().map(exact).collect()).collect());
    let keys: Vec<u32> = words.iter().map(|word| exact(word.text)).collect();
    let is_there = |at: usize| {
        // "Now run the tests" begins the next step and changes nothing.
        !(at == 0 && is_now(words[0].text))
            && (1..=4).any(|count| keys.get(at..at + count).is_some_and(|keys| phrases.contains(keys)))
    };
    // "N'écrivez plus", "ne va plus".
    let is_french_end = |pair: &[Word]| {
        let verb = pair[0].text.to_lowercase();
        pair[1].text == "plus" && (verb.starts_with("n'") || verb.starts_with("n’") || verb == "ne")
    };
    let is_news = words.first().is_some_and(|word| listed(NEWS, word.text));
    is_news
        || words.windows(2).any(is_french_end)
        || words.windows(3).any(|all| is_french_end(&[all[0], all[2]]))
        || words.windows(4).any(|all| is_french_end(&[all[0], all[3]]))
        || (0..keys.len()).any(is_there)
        || words.iter().any(|word| word.text.starts_with(is_wide)) && {
            let simple = simplified(sentence);
            CHANGES_PIECES.split('|').any(|piece| simple.contains(piece))
        }
}

fn is_wide(c: char) -> bool {
    c >= '\u{2e80}'
}

/// True for "now", which begins a step or announces a change.
pub fn is_now(word: &str) -> bool {
    listed("now jetzt maintenant ahora agora теперь", word)
}

/// True for a word that precedes the value of a subject.
pub fn is_link(word: &str) -> bool {
    const LINKS: &str = " is are was were be to at in on by under below until now only than as = ist sind auf bis um am in est sont à au le dès es son está en el \
é são fica para até em no é это до в на than equals named called ";
    listed(LINKS, word) || word.ends_with(['是', '为', '到', '成', 'は', '은', '는', '을', '를'])
}

/// True for a word that states something of a subject.
pub fn is_stating(word: &str) -> bool {
    const WORDS: &str = " is are be must should will equals ist sind muss sollen soll gilt est sont doit doivent es son está debe deben será é são fica deve será \
это должен должна должно будет ";
    listed(WORDS, word) || word.ends_with(['是', '为', 'は', '은', '는'])
}

/// True for a word that names what the agent answers.
pub fn is_reply(word: &str) -> bool {
    const WORDS: &str = " answer answers reply replies response responses tone style antwort antworten ton stil réponse réponses respuesta respuestas \
resposta respostas tono tom ";
    listed(WORDS, word)
}

/// Returns the type of a value: 1 money, 2 dates, 3 times of day, 4 identifiers, 5 names, 6 time zones, 7 other
/// figures, 8 weekdays, 9 languages, 10 systems of measures, 11 manners of answers.
pub fn value_type(word: &str, kind: Kind, next: Option<&str>, is_first: bool) -> Option<u8> {
    const MONTHS: &str = " january february march april may june july august september october november december januar februar märz mai juni juli oktober dezember \
janvier février mars avril juin juillet août septembre octobre novembre décembre enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre \
janeiro fevereiro março maio junho julho setembro outubro novembro dezembro января февраля марта апреля мая июня июля августа сентября октября ноября декабря ";
    const DAYS: &str = " monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag samstag sonntag lundi mardi mercredi jeudi \
vendredi samedi dimanche lunes martes miércoles jueves viernes sábado domingo segunda terça quarta quinta sexta понедельник вторник среду среда четверг пятницу пятница субботу \
воскресенье ";
    const MONEY: &str = " dollars dollar euro euros usd eur pounds yen bucks reais pesos рублей евро долларов ";
    const ZONES: &str = " utc gmt cet est pst edt pdt cest pacific eastern central mountain ";
    const LANGUAGES: &str = " english german french spanish portuguese russian chinese japanese korean italian englisch deutsch französisch spanisch \
anglais français allemand espagnol inglés alemán francés español inglês alemão francês espanhol português английском английски русском русски \
немецком немецки ";
    let is_next = |list: &'static str| next.is_some_and(|next| listed(list, next));
    let is_sum = || is_next(MONEY) || next.is_some_and(|next| next.contains(['元', '块', '塊', '円', '圓', '원']));
    let is_path_of_zone = || word.contains('/') && word.to_lowercase().contains("zone/");
    if listed(ZONES, word) && (word.chars().all(char::is_uppercase) || is_next(" time ")) || is_path_of_zone() {
        return Some(6);
    }
    if listed(DAYS, word) || !word.is_ascii() && (word.contains('周') || word.contains("曜") || word.contains("요일"))
    {
        return Some(8);
    }
    let is_cjk =
        || ["英文", "中文", "日文", "英语", "英語", "日本", "中国", "영어로", "한국어로", "일본어로"].contains(&word);
    if listed(LANGUAGES, word.rsplit('-').next().unwrap_or(word)) || !word.is_ascii() && is_cjk() {
        return Some(9);
    }
    const MEASURES: &str =
        " metric imperial metrisch metrische metrischen métrique métriques métrico métrica métricas imperiales ";
    const MANNERS: &str = " terse concise brief short verbose detailed long formal informal casual playful serious neutral \
knapp kurz kurze ausführlich förmlich locker sachlich concis bref brèves détaillé formel breve breves conciso detallado formales ";
    if listed(MEASURES, word) {
        return Some(10);
    }
    if listed(MANNERS, word) {
        return Some(11);
    }
    let is_verb = word.eq_ignore_ascii_case("may") || word.eq_ignore_ascii_case("march");
    let is_month = listed(MONTHS, word) && (!is_verb || word.starts_with(char::is_uppercase) && next.is_some());
    if is_month {
        return Some(2);
    }
    if word.contains(['$', '€', '£', '¥']) || listed(MONEY, word) && kind != Kind::Figure {
        return Some(1);
    }
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    match kind {
        Kind::Figure if is_sum() => Some(1),
        Kind::Figure if digits >= 6 && word.matches(['-', '/', '.']).count() == 2 => Some(2),
        Kind::Figure if word.contains(':') && digits >= 3 => Some(3),
        Kind::Figure if digits == 0 => Some(7),
        Kind::Figure if word.chars().any(char::is_alphabetic) => Some(4),
        Kind::Figure if digits == 5 && word.as_bytes().get(2) == Some(&b'-') => Some(2),
        Kind::Figure => Some(7),
        Kind::Name if word.contains(['/', '_', '.', '@']) => Some(4),
        Kind::Name if !is_first && word.starts_with(char::is_uppercase) && !word.chars().all(|c| c.is_uppercase()) => {
            Some(5)
        }
        _ => None,
    }
}
