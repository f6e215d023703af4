//! Rules in languages whose words have no spaces between them, or endings that a list of words does not have: they are
//! found by pieces of their sentences.

use std::borrow::Cow;
use std::sync::OnceLock;

/// True if a sentence in one of these languages is a rule.
pub fn is_rule(sentence: &str) -> bool {
    !sentence.is_ascii() && table(sentence).is_some_and(|table| table.is_rule(&table.plain(sentence)))
}

/// Whether a letter is one of a language alone.
type Letters = fn(char) -> bool;

/// Returns the table of the language that the letters of a sentence show.
fn table(sentence: &str) -> Option<&'static Table> {
    let has = |is_own: Letters| sentence.chars().any(is_own);
    let tables: [(Letters, &Table); 7] = [
        (|c| matches!(c, '\u{ac00}'..='\u{d7a3}'), &KOREAN),
        (|c| matches!(c, '\u{3040}'..='\u{30ff}'), &JAPANESE),
        (|c| matches!(c, '\u{4e00}'..='\u{9fff}'), &CHINESE),
        (|c| matches!(c, '\u{621}'..='\u{64a}'), &ARABIC),
        (|c| matches!(c, '\u{904}'..='\u{939}'), &HINDI),
        (|c| matches!(c, 'đ' | 'Đ' | 'ơ' | 'ư' | 'Ư' | '\u{1ea0}'..='\u{1ef9}'), &VIETNAMESE),
        (|c| matches!(c, 'ğ' | 'ı' | 'ş' | 'Ş' | 'İ'), &TURKISH),
    ];
    tables.into_iter().find(|(is_own, _)| has(*is_own)).map(|(_, table)| table)
}

/// How a sentence is compared with markers.
#[derive(Clone, Copy)]
enum Writing {
    AsIs,
    /// Han, which markers have in their simplified form.
    Han,
    /// Words between blanks, with a full stop at the end: " kullanma ."
    Words,
}

struct Table {
    writing: Writing,
    /// Makes a rule.
    strong: &'static str,
    /// Makes a rule together with one of `asks`.
    weak: &'static str,
    asks: &'static str,
    /// The sentence is a report if it begins with one of these ...
    begins: &'static str,
    /// ... or if one of these precedes the marker ...
    before: &'static str,
    /// ... or if it contains one of these.
    never: &'static str,
    /// All of these but `begins`, by their first letter.
    markers: OnceLock<Vec<(char, usize, &'static str)>>,
}

/// Wishes, which a sentence may begin with as a report does.
const WISHES: &str = "我只要|我要|我希望|希望|预算|ないで|하지 마|싶|たい";

static CHINESE: Table = Table {
    writing: Writing::Han,
    markers: OnceLock::new(),
    strong: "千万|还是用|还是写|避免|改到|得在|一次只|一次一个|就问我|问我|前不行|后不行|再发布|再上线|再提交|之后再|要能|语气|先写|先跑|用人民币|用美元|用欧元|过敏|不发布|原样|不要|别再|别|绝对不|不能动|先问我|先跟我|先告诉我|更喜欢|我不吃|我不喝|只用|立刻停|马上停|就停下|停下来|尽量|预算|上限|截止|最晚|最迟|注意|除非|统一|仅限|不必|无需|以外的|之外的|优先|不得|禁止|不准|不许|勿|切勿|必须|务必|一律|从现在起|从现在开始|今后|只能|我只要|不能出现|不能超过|不允许|严禁|不可以|控制在|不超过|最多|\
以后每|以后都|叫我|称呼我|按照|遵守|遵循|始终|总是用|不再是|换成|保持|用中文|用英文|就好|不想|不希望|而不是|改成|改为|不需要|不用",
    weak: "简短|简洁|以后|同时|至少|只|仅|都|先|以内|之前|不能|尽量|优先",
    asks: "请|要|改|希望|一点|一些",
    begins: "我妈|我爸|我的|我们|我一|我刚|我昨|我今|我已|我还|我也|我是|我没|我不知|我不记|我不太|我家|他|她|它|这|那|你真|谢谢|对|好的|没事|没关系|没问题|不是吗|不知|文档|说明",
    before: "因为|由于|说|写着|以为|觉得|听说",
    never: "什么都没|不用谢|不用担心|别提了|别担心|不要紧|不要客气|别客气|不能理解|是不是|要不要|能不能",
};

static JAPANESE: Table = Table {
    writing: Writing::AsIs,
    markers: OnceLock::new(),
    strong: "読み取り専用|てはいけ|使わない。|ないと困り|ておいて|そのままに|一つにして|一度に一つ|方針で|聞いてください|出さないよう|無理です|待ってください|限ります|限定|事前に|相談して|が先、|まで。|までです|嫌です|なくていい|なくても|口調|締め切りは|アレルギー|を優先|円で|ドルで|ないで。|わないで|さないで|いようにして|ないように|ほうがいい|の方がいい|ほうが好|したらすぐ|明記|予算は|上限は|期限は|締め切りは|てほしくない|てほしい|避けて|以外は|許可なく|勝手に|なるべく|できるだけ|統一して|徹底して|ないでください|ないで下さい|しないで|禁止|厳禁|不可|してはいけ|てはなりません|てはならない|てはだめ|すること|こと。|しないこと|やめて|今後|以内で|以内に|だけにして|のみ希望|\
絶対に触|避けて|守って|従って|従うこと|では困ります|は困ります|原則|一切|と呼んで|は不要|までにお願い|優先して",
    weak: "短め|向けに|必ず|常に|ではなく|代わりに|ずに|だけ|のみ|まで|以内|すべて|全て|毎回|いつも|これから|必要|先に|前に|以上|以下|英語|日本語|敬語|タメ口|簡潔|短く",
    asks: "ください|下さい|お願い|こと。|して。|てほしい|希望|ように。|よう。|べき|て、|で。",
    begins: "私は|私が|僕は|僕の|俺は|母は|父は|妻は|夫は|友達|彼|彼女|うちの|ありがとう|はい|こんなこと|あの|昨日|最近、|資料|ドキュメント",
    before: "と言って|と言います|と書いて",
    never: "なければならないの|なければならないん|と書いてあ|と言われ|と思いま|なるんです|ませんでした|ていました|知りません",
};

static KOREAN: Table = Table {
    writing: Writing::AsIs,
    markers: OnceLock::new(),
    strong: "피해 주|하지 마.|면 좋겠|그대로|하나만|빼 주|빼주|제외|때까지 기다|상의하|물어보|도 돼요|도 됩니다|말투|로 표시|면 안|는 안 |건 안 |에는 안|알레르기|필요 없|있어야 합니다|어야 합니다|해야 합니다|더 좋아|더 좋겠|면 바로|면 멈|예산은|한도는|기한은|마감은|싫어|않았으면|원하지 않|선호|허락 없이|동의 없이|만 사용|만 써|만 쓰|통일|가급적|되도록|지 마지마|지 말|말고|마세요|말아|금지|반드시|앞으로는|앞으로|이제부터|이내로|까지만|으로만|로만|에게만|께만|만 원|그만|불가|절대로 하|\
따라 주|지켜|유지해|무조건|하지 않도록|불러 줘|불러 주|반말|존댓말|않게 해|지 않게|최대|넘기지|넘지 마",
    weak: "에서만|항상|늘|대신|꼭|만 |이내|까지|전에|모두|전부|먼저|매번|짧게|간단히|영어|한국어|이하|이상",
    asks: "하세요|쓰세요|마세요|두세요|돌리세요|작업하세요|주세요|줘|해라|하라|십시오|합니다|바랍니다|해 줘|싶어|야 해요|야 돼요",
    begins: "나는|저는|제가|내가|우리|엄마|아빠|아내|남편|친구|그는|그녀|이런|그 |이미|기차|사장님은|상사|네,|고마|감사|문서|설명서|얼마 전|어제|닭",
    before: "해서 |때문|라고 |다고 ",
    never: "다고 적혀|라고 적혀|다고 하|라고 하|다고 했|걱정하지|걱정 마|몰라|모르|셨어야",
};

static ARABIC: Table = Table {
    writing: Writing::Words,
    markers: OnceLock::new(),
    strong: " لا ت| ولا ت| يجب | ينبغي | ممنوع | يمنع | لا يجوز | لا يسمح | فصاعدا | من الان | دون موافق| دون اذن| بدون اذن| بدون موافق| الا بعد | اسالني | الزامي| للقراءة فقط | كحد اقصى | على الاكثر | ابدا .| تجنب | التزم | احرص | تاكد من | امتنع | حافظ على ",
    weak: " دائما | فقط | بدلا من | بدل | عوضا | قبل | كل | حصرا ",
    asks: " استخدم | استعمل | اكتب | اجعل | ضع | شغل | اترك | اجب | رد | نفذ | اقرا | ارجو | من فضلك | رجاء | يرجى ",
    begins: " انا | نحن | هذا | هذه | امس | شكرا | ليس لدي ",
    before: " لان | لانه | لانها | قال | يقول | بسبب | اظن | اعتقد ",
    never: " لا تعمل | لا توجد | لا تظهر | لا تزال | لا تقلق | لا تستجيب | لا ترجع | لا تفتح ",
};

static HINDI: Table = Table {
    writing: Writing::Words,
    markers: OnceLock::new(),
    strong: " मत | न करें | न करो | ना करें | ना करो | न करना | नहीं करना | होना चाहिए | होने चाहिए | होनी चाहिए | अनुमति के बिना | मंजूरी के बिना | पूछे बिना | अब से | आगे से | जरूरी है | अनिवार्य | मना है | मुझसे पूछ| कभी नहीं | से ज्यादा नहीं | से अधिक नहीं ",
    weak: " हमेशा | केवल | सिर्फ | की जगह | के बजाय | के बदले | अब | कभी | हर ",
    asks: "ो .|ओ .|ें .|ना .|िए .|कृपया",
    begins: " यह | ये | वह | मैं | हम | हमारे | धन्यवाद | कल ",
    before: " क्योंकि | कहा कि | लिखा है कि | लगता है कि ",
    never: " रहा है .| रही है .| रहे हैं .|ता है .|ती है .|ते हैं .| था .| थी .| थे .| पता नहीं | समझ में ",
};

static VIETNAMESE: Table = Table {
    writing: Writing::Words,
    markers: OnceLock::new(),
    strong: " đừng | không được | không dùng | cấm | tuyệt đối | bắt buộc | luôn | phải | từ giờ | từ nay | kể từ bây giờ | tối đa | tối thiểu | không quá | nhiều nhất | hỏi tôi | cho phép của tôi | đồng ý của tôi | không cần | bạn nên | không nên | tránh ",
    weak: " chỉ | thay vì | thay cho | mọi | mỗi | tất cả ",
    asks: " hãy | dùng | viết | chạy | đặt | trả lời | giữ | xin | vui lòng ",
    begins: " tôi | chúng tôi | nó | hôm qua | cảm ơn | tại sao | có vẻ ",
    before: " vì | bởi vì | nói rằng | bảo rằng | cho rằng ",
    never: " không phải | luôn bị | không được .| không được rồi | không biết | đừng lo | không cần đâu ",
};

static TURKISH: Table = Table {
    writing: Writing::Words,
    markers: OnceLock::new(),
    strong: "ma .|me .|mayın .|meyin .|malı .|meli .|malıdır .|melidir .|malısın .|melisin .| asla | sakın | mutlaka | yasak | bundan sonra | bundan böyle | iznim olmadan | onayım olmadan | izin almadan | bana sor | zorunlu",
    weak: " artık | yerine | sadece | yalnızca | her zaman | önce | olmadan | en fazla | en az ",
    asks: " yaz .| kullan .| oku .| yap .| et .| ver .| sor .| olsun .| çalıştır .| tut .| bırak .| koy .| bekle .| lütfen |ın .|in .|un .|ün .",
    begins: " bu | şu | ben | biz | sanırım | galiba | teşekkür",
    before: " çünkü | dedi | diyor ",
    never: " bilmiyorum | hatırlamıyorum | emin değilim |yor .|dı .|di .|du .|dü .|tı .|ti .|tu .|tü .",
};

/// Traditional characters of the markers, each before its simplified form.
const TRADITIONAL: &str = "別别絕绝對对動动問问發发幣币歐欧過过樣样語语氣气寫写優优統统僅仅須须無无務务從从現现開开後后許许嚴严於于總总為为換换請请簡简潔洁內内說说時时這这們们沒没記记還还剛刚媽妈覺觉聽听錯错謝谢關关係系題题擔担緊紧預预遲迟單单稱称級级類类識识區区變变確确認认盡尽點点檔档數数執执嗎吗減减調调週周準准給给";
/// Words with a character that is a marker elsewhere.
const COMPOUNDS: &str = "错别|别人|别的|区别|特别|分别|级别|类别|识别|个别|告别";

/// Returns a sentence with the simplified forms of Chinese characters that markers contain.
pub fn simplified(sentence: &str) -> String {
    static PAIRS: OnceLock<Vec<(char, char)>> = OnceLock::new();
    let pairs = PAIRS.get_or_init(|| {
        let mut all = TRADITIONAL.chars();
        let mut pairs: Vec<(char, char)> = Vec::new();
        while let (Some(from), Some(to)) = (all.next(), all.next()) {
            pairs.push((from, to));
        }
        crate::rank::sort(&mut pairs, |(from, _)| u64::from(*from));
        pairs
    });
    let simple = |c: char| {
        let at = pairs.partition_point(|(from, _)| *from < c);
        pairs.get(at).filter(|(from, _)| *from == c).map_or(c, |(_, to)| *to)
    };
    sentence.chars().map(simple).collect()
}

/// Returns the words of a sentence between blanks, in lower case, without vowel marks and marks of direction.
fn spaced(sentence: &str) -> String {
    let mut out = String::from(" ");
    for c in sentence.chars().flat_map(char::to_lowercase) {
        match c {
            '\u{307}'
            | '\u{640}'
            | '\u{64b}'..='\u{652}'
            | '\u{93c}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}' => {}
            '\u{2066}'..='\u{2069}' => {}
            'أ' | 'إ' | 'آ' => out.push('ا'),
            _ if c.is_alphanumeric() || matches!(c, '\'' | '_' | '/' | '\u{94d}') => out.push(c),
            _ if out.ends_with(' ') => {}
            _ => out.push(' '),
        }
    }
    out.push_str(if out.ends_with(' ') { "." } else { " ." });
    out
}

impl Table {
    /// Returns a sentence in the writing of the markers.
    fn plain<'a>(&self, sentence: &'a str) -> Cow<'a, str> {
        match self.writing {
            Writing::AsIs => Cow::Borrowed(sentence),
            Writing::Words => Cow::Owned(spaced(sentence)),
            Writing::Han => {
                let simple = simplified(sentence);
                Cow::Owned(COMPOUNDS.split('|').fold(simple, |text, word| match text.contains(word) {
                    true => text.replace(word, "…"),
                    false => text,
                }))
            }
        }
    }

    /// Returns the lists of markers by which a sentence is judged.
    fn lists(&self) -> [&'static str; 6] {
        [self.strong, self.weak, self.asks, self.before, self.never, WISHES]
    }

    /// Returns the first places of markers of each list, in one walk through the sentence. A search for each of 200
    /// markers took an eighth of the time of a long conversation.
    fn places(&self, sentence: &str) -> [Option<usize>; 6] {
        let markers = self.markers.get_or_init(|| {
            let all = self.lists().into_iter().enumerate();
            let mut markers: Vec<(char, usize, &str)> = all
                .flat_map(|(list, words)| words.split('|').map(move |word| (list, word)))
                .filter_map(|(list, word)| Some((word.chars().next()?, list, word)))
                .collect();
            crate::rank::sort(&mut markers, |(first, ..)| u64::from(*first));
            markers
        });
        let mut places = [None; 6];
        for (at, c) in sentence.char_indices() {
            let from = markers.partition_point(|(first, ..)| *first < c);
            for (_, list, word) in markers[from..].iter().take_while(|(first, ..)| *first == c) {
                if places[*list].is_none() && sentence[at..].starts_with(word) {
                    places[*list] = Some(at);
                }
            }
        }
        places
    }

    fn is_rule(&self, sentence: &str) -> bool {
        let [strong, weak, asks, before, never, wish] = self.places(sentence);
        let is_told = wish.is_none() && self.begins.split('|').any(|start| sentence.starts_with(start));
        let told = before.unwrap_or(usize::MAX);
        let is_before = |at: Option<usize>| at.is_some_and(|at| at < told);
        !is_told && never.is_none() && (is_before(strong) || is_before(weak) && asks.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::{ARABIC, CHINESE, HINDI, JAPANESE, KOREAN, TURKISH, VIETNAMESE};

    #[test]
    fn places_of_markers_are_those_that_searches_find() {
        for (table, seed) in [&CHINESE, &JAPANESE, &KOREAN, &ARABIC, &HINDI, &VIETNAMESE, &TURKISH].into_iter().zip(0..)
        {
            let mut rng = fastrand::Rng::with_seed(seed);
            let markers: Vec<&str> = table.lists().iter().flat_map(|list| list.split('|')).collect();
            for _ in 0..2_000 {
                let mut sentence = String::new();
                for _ in 0..rng.usize(0..6) {
                    // Pieces of markers, since one may begin within another.
                    let marker: Vec<char> = markers[rng.usize(..markers.len())].chars().collect();
                    let from = rng.usize(..marker.len());
                    sentence.extend(&marker[from..]);
                    sentence.push_str(["", "a", "我", " "][rng.usize(..4)]);
                }
                let found = table.lists().map(|list| list.split('|').filter_map(|word| sentence.find(word)).min());
                assert_eq!(table.places(&sentence), found, "{sentence}");
            }
        }
    }
}
