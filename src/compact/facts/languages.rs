//! Words of nine languages that rules know.

use std::cell::RefCell;

use crate::map::{HashMap, HashSet};

/// Words that carry nothing by themselves, in lower case, by language, in order.
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
그 이 저 것 수 등 및 그리고 하지만 ";

/// Numbers in words, from two on: one is an article in most of these languages.
const NUMBERS: &str = "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen \
nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion dozen half twice \
zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig hundert tausend deux trois quatre cinq sept huit neuf dix onze douze \
vingt trente cent mille dos tres cuatro cinco seis siete ocho nueve diez doce veinte treinta cien mil dois duas três quatro sete oito nove dez \
doze vinte trinta два три четыре пять шесть семь восемь девять десять двадцать тридцать сто тысяча";

/// Returns true for a number in words, or two with a hyphen.
pub fn is_number(word: &str) -> bool {
    word.len() <= 24 && word.split('-').all(|part| listed(NUMBERS, part))
}

/// Returns true for a word that carries nothing by itself.
pub fn is_stop(word: &str) -> bool {
    word.len() <= 16 && listed(STOP, word)
}

/// True if a list, whose words stand between spaces, has this word in any case. A list is read once: scans of lists by substrings took a sixth of the
/// time of a long talk.
pub(super) fn listed(list: &'static str, word: &str) -> bool {
    thread_local! {
        static SETS: RefCell<HashMap<(usize, usize), HashSet<u32>>> = RefCell::default();
    }
    SETS.with_borrow_mut(|sets| {
        let set = sets.entry((list.as_ptr() as usize, list.len()));
        set.or_insert_with(|| list.split_whitespace().map(exact).collect()).contains(&exact(word))
    })
}

/// A hash of a word in lower case, apostrophes straight.
pub fn exact(word: &str) -> u32 {
    let add = |hash: u32, c: u32| (hash ^ c).wrapping_mul(0x0100_0193);
    // Most words. The general walk took a third of the time of a long talk.
    if word.is_ascii() {
        return word.bytes().fold(0x811c_9dc5, |hash, byte| add(hash, byte.to_ascii_lowercase().into()));
    }
    let letters = word.chars().flat_map(char::to_lowercase).map(|c| if c == '’' { '\'' } else { c });
    letters.fold(0x811c_9dc5, |hash, c| add(hash, c.into()))
}

/// See [`rules`](super::rules): makes a rule wherever it is, unless the speaker is its subject.
pub const STRONG: &str = "\
tu n'as pas besoin|vous n'avez pas besoin|il est important|es importante que|es importante no|é importante que|é importante não|важно не|\
it is important that|attention à ne|attention de ne|cuidado de no|cuidado para não|care not|careful not|\
pass auf dass|passen sie auf|on garde|on reste sur|seguimos con|ficamos com|wir bleiben bei|остаёмся на|\
commencent par|empiezan por|empiezan con|começam com|anything but|todo salvo|todo menos|tudo menos|tudo exceto|\
alles außer|\
il faudra que|il faudrait que|as long as|doesn't exceed|stay as|stays as|is not acceptable|are not acceptable|\
doravante|no hay que|запрещаю|не больше|\
pero nada más|mais rien d'autre|aber nichts anderes|aber sonst nichts|mas nada mais|но больше ничего|\
but nothing else|but no more|congelado|congelada|congelados|congeladas|eingefroren|gelé|gelée|gelés|gelées|\
заморожены|заморожен|intocable|intocables|intocável|unantastbar|intouchable|\
at a time|auf einmal|à la fois|a la vez|de cada vez|за раз|you are not to|you're not to|through me|by me first|\
with me first|past me|mit mir ab|über mich|par moi|por mí|por mim|со мной|через меня|deadline moved|deadline has|\
deadline is|date limite est|la date limite|frist wurde|fecha límite se|fecha límite es|fecha límite ahora|prazo foi|\
prazo mudou|срок перенес|come first|comes first|can't cost|cannot cost|may not cost|darf nirgends|darf nirgendwo|\
whenever possible|wherever possible|wo immer|wenn immer|dans la mesure|siempre que sea|sempre que possível|\
по возможности|du brauchst keine|du brauchst nicht|sie brauchen keine|sie brauchen nicht|du musst nicht|\
du musst keine|sie müssen nicht|n'as pas besoin|n'avez pas besoin|pas besoin de|no hace falta|no es necesario|\
no necesitas|no tienes que|não precisa|não precisam|não é necessário|не нужно|не надо|необязательно|не требуется|\
maximum|tops|не длиннее|não mais que|y nada más|e nada mais|und sonst nichts|rien de plus|и ничего больше|\
wait until|hold until|in dollars|in euros|in pounds|\
you don't need|you needn't|you don't have to|no need to|hands off|can't go over|cannot go over|can't exceed|cannot exceed|can't be more|nothing over|nothing above|as of today|\
as of now|from here on|from this point|starting now|in english|in german|in french|in spanish|in bullet points|read-only|\
my limit is|limit is now|the budget is|my budget is|our budget is|budget is now|the deadline is|deadline is now|the cap is|\
cap is now|responses should|answers should|replies should|comments should|names should|tests should|messages should|\
should be in|should stay|should remain|should follow|should use|every commit|every function|every file|every test|every change|\
every answer|each function|each file|each test|each commit|each answer|no longer support|no longer valid|no longer applies|\
needs my|need my|has priority|takes precedence|is not an option|is out of the question|do it only|and nothing else|\
and nobody else|by no means|on no account|at no point|at any point|finger weg|hände weg|auf deutsch|auf englisch|\
auf französisch|es darf nichts|es dürfen keine|es darf kein|es darf keine|antworten sollen|sollen kurz|soll immer|sollen immer|\
sollen nicht|soll nie|sollen nie|darf nichts|darf nie|darf niemand|nicht länger als|nicht mehr der|frist ist|\
unter allen umständen|in jedem fall|keinesfalls|keineswegs|lass die finger|bis auf weiteres|von jetzt an|nichts anderes|\
sonst nichts|hat vorrang|kommt nicht in frage|nur mit meiner|nur nach|erst nach|nicht ohne|mit meiner zustimmung|bevor du etwas|\
bevor sie etwas|pas touche|en français|en anglais|en allemand|dorénavant|quoi qu'il arrive|il faut que|il faut toujours|\
il ne faut pas|il ne faut jamais|hors de question|strictement|rien d'autre|à l'exception|sauf si|avant de supprimer|\
avant de modifier|avec mon accord|sans mon accord|à condition|n'a pas le droit|n'est plus|n'est pas autorisé|en español|\
en inglés|en francés|ni se te ocurra|ni se le ocurra|hay que usar|hay que mantener|bajo ninguna circunstancia|pase lo que pase|\
nada más que|a menos que|salvo que|antes de borrar|antes de cambiar|con mi permiso|con mi autorización|estrictamente|\
tiene prioridad|no está permitido|fuera de cuestión|desde ahora|em português|em inglês|em espanhol|nem pense|aconteça o que|\
nada além|a não ser que|antes de apagar|antes de mudar|com a minha|com minha|estritamente|tem prioridade|não é permitido|\
fora de questão|de agora em diante|de hoje em diante|nada de|по-русски|по-английски|на русском|на английском|срок теперь|пусть|\
руки прочь|ни при каких условиях|что бы ни случилось|за исключением|только с моего|только после|с моего разрешения|\
без разрешения|прежде чем|строго|не допускается|не допускаются|разрешено только|не позволяется|можно только|в приоритете|\
лучше не|must|mustn't|has to|have to|may not|must not|is not allowed|are not allowed|not allowed|isn't allowed|aren't allowed|\
may only|can only be|off limits|off-limits|forbidden|is required|are required|mandatory|prohibited|from now on|going forward|\
under no circumstances|at most|no more than|not before|not earlier|not later|no later than|no earlier than|no longer than|\
not exceed|make sure|be sure to|is reserved for|are reserved for|is frozen|are frozen|is fixed|is final|needs approval|\
need approval|without asking|without my|unless i|until i|should not|shouldn't|should always|should never|should only|\
nothing may|nobody may|only touch|nothing else|needs to stay|need to stay|has to stay|the limit is|is capped|capped at|do not|\
darf nur|dürfen nur|darf nicht|dürfen nicht|darf kein|darf keine|dürfen keine|darfst nicht|muss|müssen|verboten|unzulässig|tabu|\
ab sofort|ab jetzt|künftig|in zukunft|von nun an|höchstens|maximal|nicht mehr als|bleibt unverändert|bleiben unverändert|\
bleibt so|auf keinen fall|unter keinen umständen|ohne mich|ohne meine|ohne rücksprache|gehören nicht|gehört nicht|\
nichts zu suchen|nicht übersteigen|nicht überschreiten|spätestens|ausschließlich|statt zu|nicht früher|nicht vor|nicht mehr am|\
nicht erlaubt|gilt nur|achte darauf|stell sicher|stelle sicher|stellen sie sicher|doit|doivent|dois pas|devez|ne doit|\
ne doivent|interdit|interdite|interdits|interdites|obligatoire|à partir de maintenant|désormais|au maximum|au plus|pas plus de|\
en aucun cas|sous aucun prétexte|sans mon|sans me|sans ma|uniquement|pas avant|n'ont rien à faire|n'a rien à faire|\
on n'y touche pas|ne peuvent pas|ne dépasse|ne pas dépasser|assure-toi|assurez-vous|veille à|veillez à|le seul|la seule|\
au plus tard|debe|deben|no debe|no deben|tiene que|tienen que|no pueden|prohibido|prohibida|obligatorio|obligatoria|\
a partir de ahora|de ahora en adelante|en adelante|como máximo|como mucho|no más de|bajo ningún concepto|en ningún caso|sin mi|\
sin consultarme|sin preguntarme|únicamente|no antes|ya no el|ya no la|no se toca|asegúrate|asegúrese|la única|el único|\
a más tardar|exclusivamente|deve|devem|não deve|não devem|tem de|têm de|não podem|só pode|só podem|proibido|proibida|\
obrigatório|obrigatória|a partir de agora|daqui em diante|daqui pra frente|no máximo|não mais de|em hipótese alguma|\
em caso algum|sem me|sem a minha|sem o meu|sem minha|somente|não é mais|não antes|ninguém mexe|certifique-se|garanta que|\
o único|a única|no mais tardar|должен|должна|должно|должны|нельзя|запрещено|запрещён|запрещена|запрещены|запрещается|\
недопустимо|недопустимы|недопустим|недопустима|обязательно|с этого момента|отныне|впредь|не больше|не более|не выше|не позже|\
не раньше|не дольше|не меньше|не менее|максимум|ни в коем случае|ни при каких|без моего|без моей|без согласия|исключительно|\
а не|следи чтобы|убедись что|убедитесь что|не превышать|o limite é|o limite agora|o limite passa|o prazo é|o prazo agora|\
o orçamento é|o orçamento agora|el límite es|el límite ahora|el límite pasa|el presupuesto es|el presupuesto ahora|\
la fecha límite es|le budget est de|le budget est maintenant|la limite est|das limit ist|das budget ist|das budget liegt|\
die obergrenze ist|лимит теперь|лимит не|бюджет теперь|бюджет не|срок до|nicht mehr gilt|gilt nicht mehr|n'est plus valable|\
ya no vale|já não vale|больше не действует|no puede ser|no puede superar|no puede pasar|no puede haber|no puede contener|\
no puede exceder|no puede faltar|não pode ser|não pode passar|não pode haver|não pode ter|não pode conter|não pode exceder|\
não pode ultrapassar|não pode faltar|ne peut pas être|ne peut pas dépasser|ne peut être|is to be left|are to be left|\
nobody is to|is to remain|soll so bleiben|soll nicht verändert|es sei denn|à moins que|a no ser que|rühr nichts|rühre nichts|\
nichts anfassen|ne change rien|no cambies nada|não mude nada|ничего не меняй|ничего не трогай|jusqu'à nouvel ordre|\
hasta nuevo aviso|até segunda ordem|до дальнейших указаний|until further notice";

/// Makes a rule at the beginning of a clause.
pub const ORDER: &str = "\
pas question|que nadie|que ninguém|que personne|\
merci de ne|merci d'éviter|merci de toujours|prière de|interdiction de|défense de|que les|que tout|que rien|\
cantonne-toi|contente-toi|contentez-vous|beschränk dich|spar dir|pas un mot|not a word|try to keep|try to be|\
try to avoid|try to use|prends soin|prenez soin|procura|trata de usar|trata de no|procure usar|procure manter|\
procure não|старайся|старайтесь|arrête les|basta de|chega de|parle-moi comme|parlez-moi comme|talk to me like|\
é para|перед каждым|перед каждой|при каждом|при каждой|после каждого|после каждой|\
forget the|forget about|vergiss|vergessen sie|oublie|oubliez|olvida|olvide|olviden|esquece|esqueça|esqueçam|забудь|\
забудьте|ni|weder|nem|ни|permite solo|usa solo|utiliza solo|\
each|every|any|jede|jeder|jedes|jeglicher|chaque|toute|cada|todo|toda|каждый|каждая|каждое|любой|любая|любое|\
stick with|first|erst|zuerst|d'abord|primero|primeiro|сначала|max|min|minimum|maximum|máximo|mínimo|максимум|\
минимум|warte mit|warte bis|warten sie mit|attends que|attends de|attendez que|espera a|espere a|espere o|esperen a|\
жди|ждите|fass dich|fasse dich|fassen sie sich|reste|restez|quédate|quédense|fique no|fique na|fique em|fique com|\
оставайся|оставайтесь|fais court|faites court|fais simple|evítalas|evítalos|évite-les|nenne|nennen sie|rühr|rühre|\
be|skip|try not|drop the|forget the|treat|hold off|do only|just|leave|let me review|let me see|let me know before|nothing in|\
sei|seien sie|melde dich|melden sie sich|alles|lass|lassen sie|beschränke dich|benutze nur|ab|sois|soyez|pas d'|écris|écrivez|\
laisse|laissez|tout|utilise uniquement|n'appelez|n'appelle|préviens-moi|prévenez-moi|personne|sans|uniquement|limite|sé|sea|\
sean|pregunte|pregunten|sin|todo|nadie|avísame|avíseme|cíñete|quédate|seja|sejam|pergunte|sem|tudo|ninguém|avise-me|me avise|\
atenha-se|deixe a|deixe o|deja la|deja el|без|будь|будьте|спроси|спросите|предупреди|предупреждай|предупреждайте|всё|никто|пиши|\
пишите|говори|говорите|держи|держись|держитесь|never|always|only|don't|dont|do not|not|no|nothing|avoid|keep|stay|stick to|stop|\
ensure|call me|address me|answer|reply|respond|speak|prefer|refrain|limit|ask me|ask before|check with me|wait for|whenever|\
nobody|no one|every|all|whatever you|whatever happens|remember to|remember that you|instead of|rather than|without|nie|niemals|\
immer|nur|kein|keine|keinen|keinerlei|nicht|nichts|antworte|antworten sie|duz|duze|sieze|nenn mich|nenne mich|nennen sie mich|\
sprich|halte dich|halten sie sich|behalte|behalten sie|bleib|bleibe|bleiben sie|vermeide|vermeiden sie|hör auf|höre auf|\
hören sie auf|lass die|frag mich|frage mich|fragen sie mich|verzichte|verzichten sie|mindestens|ne|jamais|toujours|seulement|\
aucun|aucune|pas de|rien|réponds|répondez|tutoie-moi|vouvoie-moi|tutoyez-moi|vouvoyez-moi|appelle-moi|appelez-moi|garde|gardez|\
conserve|conservez|respecte|respectez|évite|évitez|arrête de|arrêtez de|cesse de|demande-moi|demandez-moi|limite-toi|\
limitez-vous|tiens-toi|plus de|n'utilise|n'utilisez|n'ajoute|n'ajoutez|nunca|jamás|siempre|solo|sólo|nada|ningún|ninguna|\
contesta|contéstame|responde|respóndeme|responda|háblame|hábleme|llámame|llámeme|trátame|tutéame|mantén|mantenga|mantengan|\
respeta|respete|respeten|conserva|evita|evite|eviten|deja de|deje de|dejen de|pregúntame|pregúnteme|limítate|usa siempre|\
sigue las|siga las|sempre|só|não|nenhum|nenhuma|me chame|chame-me|pode me chamar|trate-me|mantenha|mantém|mantenham|siga|sigam|\
respeite|respeitem|evitem|pare de|parem de|deixe de|pergunte-me|me pergunte|limite-se|fale|falem|никогда|всегда|только|не|\
никаких|никакой|никакого|ничего|никому|отвечай|отвечайте|обращайся|обращайтесь|называй|называйте|зови|сохрани|сохраняй|\
сохраните|придерживайся|придерживайтесь|соблюдай|соблюдайте|избегай|избегайте|перестань|перестаньте|прекрати|прекратите|хватит|\
спрашивай|спрашивайте|оставь|оставьте|ограничься|уже не|больше не|mehr als|moins de|no more|other than|except for|excepto|\
exceto|кроме|apenas|solamente|anstatt|au lieu de|plutôt que|à la place de|en vez de|en lugar de|em vez|em vez de|strictly|\
вместо|por debajo de|abaixo de|en dessous de";

/// Makes a rule in a sentence that begins with an order.
pub const WEAK: &str = "\
restes|sois|soyez|seas|fueras|sean|sejam|concis|conciso|\
erst wenn|erst nachdem|lieber|only after|for any|\
ni|ninguno|nadie|niemand|personne|\
everywhere|throughout|überall|durchgehend|partout|en todas partes|em toda parte|em todo|везде|всюду|nirgends|\
nulle part|nirgendwo|nowhere|nie beim|onde estão|donde están|où ils sont|wo sie sind|first|\
never|always|only|don't|dont|do not|not|no|nothing|instead of|instead|rather than|without|unless|until|before you|before each|\
before every|at least|every time|each time|at any time|as it is|as they are|as is|unchanged|everything|whenever|exactly|alone|\
for now|at all times|in every|for every|nie|niemals|immer|nur|kein|keine|keinen|keinem|keiner|nicht|nichts|statt|vor jedem|\
vor jeder|nach jedem|jedes mal|mindestens|sonst|unverändert|jamais|toujours|seulement|aucun|aucune|pas|rien|avant chaque|\
après chaque|au moins|chaque fois|tel quel|telle quelle|sauf|maximum|sans|nunca|jamás|siempre|solo|sólo|nada|ningún|ninguna|\
antes de cada|después de cada|al menos|por lo menos|cada vez|tal como|tal y como|sin|salvo|menos de|sempre|só|não|nenhum|\
nenhuma|depois de cada|pelo menos|no mínimo|toda vez|sem|никогда|всегда|только|не|никаких|перед каждым|перед каждой|\
после каждого|каждый раз|вместо|без|кроме|как есть|теперь|mehr als|moins de|no more|other than|except for|excepto|exceto|apenas|\
solamente|anstatt|au lieu de|plutôt que|à la place de|en vez de|en lugar de|em vez|em vez de|strictly|por debajo de|abaixo de|\
en dessous de|außer|solange|bevor du|bevor sie|bevor ich|bis ich|tant que|avant de|jusqu'à ce que|hormis|dès que|hasta que|\
mientras|antes de|até que|enquanto|até eu|пока|до тех пор|до|прежде чем|so wie|wie bisher|at a time|by default|per|each|\
weniger als|under|below|above|within|up to|unter|bis zu|innerhalb|dans les|dentro de|até|más de|в течение|по умолчанию|briefly|\
short|shortly|concise|kurz|knapp|bref|brève|breve|brevemente|короче|кратко|uniquement|somente";

/// What the speaker wants, and does not want: a rule by itself.
pub const CHOICE: &str = "\
je ne prends que|je ne mange que|je ne veux que|\
my budget|mon budget|mi presupuesto|meu orçamento|mein budget|мой бюджет|je refuse|je n'accepte|no acepto|\
não aceito|i won't accept|i will not accept|i don't accept|ich akzeptiere kein|ich akzeptiere keine|\
не принимаю|ruego que no|pido que no|peço que não|prie de ne|demande de ne|прошу не|прошу вас не|\
i'd appreciate it if|i would appreciate it if|we only support|only interested in|\
allergic to|i'm vegetarian|i'm vegan|allergisch gegen|vertrage keine|vertrage kein|ich bin vegetarier|\
ich bin vegetarierin|allergique|alérgico a|alérgica a|soy vegetariano|soy vegetariana|sou vegetariano|\
sou vegetariana|аллергия на|je suis végétarien|je suis végétarienne|я вегетарианец|я вегетарианка|\
i prefer|i'd prefer|i would prefer|i'd rather|i would rather|we prefer|i don't want|i do not want|we don't want|i don't need|\
i do not need|we don't need|i only want|i only need|we only need|i only eat|i only fly|i never want|ich bevorzuge|ich will nur|\
ich will kein|ich will keine|ich will keinen|ich möchte kein|ich möchte keine|ich möchte keinen|ich möchte nicht|ich möchte nur|\
ich brauche kein|ich brauche keine|ich brauche nur|wir brauchen kein|wir möchten nicht|je préfère|je préférerais|nous préférons|\
je ne veux pas|je ne veux plus|je veux seulement|je veux uniquement|je n'ai pas besoin|nous ne voulons pas|je ne souhaite pas|\
prefiero|preferimos|preferiría|no quiero|no queremos|solo quiero|sólo quiero|no necesito|prefiro|preferiria|não quero|\
não queremos|só quero|não preciso|предпочитаю|предпочитаем|я бы предпочёл|я не хочу|не хочу чтобы|мне не нужен|мне не нужна|\
мне не нужно|мне не нужны|нам не нужен|нам не нужно";

/// Begins a condition.
pub const IF: &str = "\
con cada|en cada|tras cada|a cada|with each|\
if|when|whenever|should|in case|wenn|falls|sobald|bei|si|en cas|dès que|lorsque|cuando|en caso|se|quando|caso|если|когда|\
как только|при";

/// What the speaker wants.
pub const WISH: &str = "\
ich hätte|\
i want|i only want|i just want|i need|i only need|i'd like|i would like|i'd prefer|i prefer|i'd rather|i would rather|we want|\
we need|we only need|we prefer|we'd like|ich möchte|ich will|ich brauche|ich hätte gern|ich bevorzuge|wir möchten|wir wollen|\
wir brauchen|je veux|je voudrais|je préfère|je souhaite|j'aimerais|nous voulons|nous voudrions|quiero|quisiera|prefiero|\
me gustaría|queremos|preferimos|necesito|eu quero|quero|queria|prefiro|gostaria|preciso|я хочу|мне нужен|мне нужна|мне нужно|\
мне нужны|хочу|нам нужен|нам нужна|нам нужно|хотелось бы|я бы хотел|я бы хотела";

/// The speaker, or somebody else who acts.
pub const SUBJECT: &str = "\
tu n'as|vous n'avez|tu n'es|\
which|\
этого|этому|нам|мне|\
i|i'm|i've|i'll|i'd|we|we're|we've|we'll|he|he's|she|she's|my|our|his|her|thanks|thank|when i|when we|someone|everyone|\
everybody|ich|wir|mein|meine|meiner|unser|unsere|danke|sie haben|sie hatten|je|j'ai|nous|mon|ma|mes|notre|nos|merci|tu as|\
vous avez|tu aurais|yo|nosotros|él|ella|ellos|mi|mis|nuestro|nuestra|gracias|eu|nós|ele|ela|eles|elas|meu|minha|meus|minhas|\
nosso|nossa|obrigado|obrigada|я|мы|он|она|они|мой|моя|моё|мои|наш|наша|наши|у меня|у нас|спасибо|его|её|их|такого|такой|такое";

/// Says of what a sentence speaks.
pub const TOPIC: &str = "\
it|it's|they|they're|their|you|you're|you've|there|that|this|these|those|that's|who|what|why|how|where|here|the|a|an|some|most|\
many|er|es|man|seine|ihre|das|dies|diese|dieser|die|der|ein|eine|hier|da|heute|gestern|il|elle|ils|elles|on|son|sa|ses|ce|cet|\
cette|ces|c'est|ça|cela|le|la|les|un|une|des|su|sus|este|esta|esto|ese|esa|eso|el|los|las|una|unos|ya|seu|sua|esse|essa|isso|\
isto|o|os|as|um|uma|já|оно|это|этот|эта|эти";

/// What follows is what somebody says, or why something is so.
pub const REPORT: &str = "\
il faut que je|il faut que j'|il faut que nous|précise que|précise qu'|indique que|indique qu'|explique que|\
explique qu'|indica que|explica que|states that|recommends|suggests that|empfiehlt|говорится|советует|\
рекомендует|peut-être|probablement|quelque part|seguramente|probablemente|provavelmente|irgendwo|\
wahrscheinlich|vermutlich|где-то|наверное|вероятно|probably|\
because|since then|says|said|say that|told me|must have|should have|must be hit|must admit|i have to|i must|we have to|we must|\
i had to|we had to|you should have|could have|whether|used to|would have|weil|sagt|sagte|sagten|steht dass|da wir|ob|parce que|\
parce qu'il|dit que|dit qu'il|disait|la doc dit|dit|aurais dû|aurait dû|on doit|nous devons|je dois|car il|puisque|porque|dice|\
dijo|decía|pone que|debemos|tenemos que|tengo que|debo|tendrías que|hubiera|diz|disse|dizia|temos que|tenho que|devemos|devo|\
devia ter|deveria|você devia|é preciso|потому что|говорит|сказал|сказала|написано|мы должны|я должен|я должна|мне надо|нам надо|\
так как|поскольку|meinte|meint|erzählt|behauptet|schrieb|heißt es|selon|d'après|il paraît|según|parece que|cuenta que|segundo|\
conta que|считает|сообщил|по словам|according to|apparently|heard that|read that|thinks|thought|believes|mentioned";

/// Common phrases that are no rules.
pub const PHRASE: &str = "\
rien à|nothing to|no se ve|no se puede|não dá|siempre es|siempre está|sempre é|sempre está|solo quería|\
sólo quería|só queria|\
to make sure|to ensure|let me know|not just|nicht nur|pas seulement|no solo|no sólo|não só|не только|read only|\
no reply|no response|no answer|no luck|no news|no errors|keine rückmeldung|kein fehler|keine fehler|\
pas de réponse|pas de nouvelles|pas d'erreur|sin respuesta|sem resposta|sans doute|sin duda|sem dúvida|\
sin problemas|sem problemas|personne n'a|personne n'est|cada mañana|cada noche|cada semana|cada mes|toda manhã|\
toda noite|toda semana|каждое утро|каждый вечер|каждую неделю|jeden morgen|jeden abend|chaque soir|\
chaque semaine|chaque mois|da muss|hier muss|hay que decir|hay que ver|\
not a problem|nothing works|nothing helped|rien ne|nada funciona|nada me|nunca mais|nie mehr|ohne erfolg|\
sans succès|sin éxito|sem sucesso|nicht wirklich|pas vraiment|muss man|er muss|sie muss|il doit|elle doit|cela doit|\
ele deve|ela deve|isso deve|isto deve|этого должно|это должно|toujours rien|first of|first i|first we|first time|\
erst gestern|erst heute|erst jetzt|erst seit|erst mal|primero fui|every day|every year|every week|every month|\
every morning|every night|every evening|every summer|every winter|every monday|every single|every other|every now|\
each day|each year|any idea|any chance|any news|any luck|any time|jeder tag|jeden tag|jedes mal wenn|jedes jahr|\
jeder weiß|jeder kennt|jeder hat|chaque jour|chaque fois que je|chaque année|chaque matin|toute la|toute ma|\
toute une|cada día|cada vez que me|cada vez más|cada año|cada dia|cada vez mais|cada ano|todo el|toda la|todo o|\
toda a|todo está|todo funciona|todo dia|toda vez que|todo mundo|каждый день|каждый раз когда|каждый год|\
каждый знает|любой знает|сначала я|сначала мы|solo me|sólo me|só me|infelizmente|unfortunately|malheureusement|\
desgraciadamente|к сожалению|\
it has to be|it must be|that must be|there's no|there is no|there are no|there was no|there's nothing|only two|only three|\
only one|only a|only some|only when|if you can|if possible|if you like|if you want|if not|if so|if you don't mind|if needed|\
should be fine|should be ok|just a|just the|just wanted|just one|just got|just in|just to|just so|be right|be back|das muss|\
es muss|man muss|man darf|das darf|das kann|es gibt|nur zwei|nur drei|nur ein|nur eine|keine antwort|wenn möglich|falls möglich|\
wenn du willst|nicht wichtig|alles gut|alles klar|alles in ordnung|alles bestens|ça doit|cela doit|il n'y a|personne ne|\
si possible|si tu peux|si tu veux|pas grave|tout va|tout est|tout à fait|rien reçu|debe ser|debe estar|debe de|si puedes|\
si es posible|nadie me|nadie ha|todo bien|todo listo|deve ser|deve estar|deve ter|se possível|se puder|ninguém me|tudo bem|\
tudo certo|só vi|если можно|если получится|ничего страшного|мне никто|всё хорошо|всё работает|всё в порядке|никто не|\
нет разницы|no problem|no worries|no thanks|no thank|no idea|no doubt|no need to worry|no rush|no longer|no wonder|no way|\
no one knows|don't worry|don't know|don't think|don't believe|don't have|don't remember|don't see|don't understand|don't mind|\
don't care|don't get me|don't you|don't forget|don't give up|don't be so hard|don't hesitate|never mind|never know|\
never give up|never been|never had|never liked|never seen|never got|never heard|never thought|not sure|not really|not yet|\
not bad|not too|not that|not only|not much|not at all|not even|not so|keep it up|keep up|keep going|keep in touch|\
keep me posted|keep on|keep in mind|keep pushing|keep shining|stay strong|stay safe|stay positive|stay tuned|stay in touch|\
take care|always here|always a|always been|always wanted|always nice|always great|always good|always remember|nothing like|\
nothing wrong|nothing beats|nothing new|nothing better|nothing else happened|all good|all right|all the best|all of this|\
all that|all in all|every step|every day|every time i|every bit|only if you|only the|only problem|answer is|leave it at|all set|\
all done|all fine|all these|all those|all my|all our|keine sorge|keine ahnung|kein problem|kein wunder|keine eile|\
nicht schlecht|nicht sicher|nicht so|nicht wahr|nichts zu danken|immer wieder|nur noch|nie wieder gesehen|noch nie|\
pas de problème|pas de souci|pas de quoi|pas mal|pas encore|pas sûr|rien de grave|ne t'inquiète|ne vous inquiétez|toujours pas|\
jamais vu|jamais eu|no pasa nada|no hay problema|no sé|no importa|no creo|no hay de qué|nada más|nunca había|nunca he|no he|\
no había|no es|no son|no está|no estoy|no era|no fue|no hay|no me gusta|no funciona|sin problema|ya no tengo|ya no está|\
ya no funciona|não tem problema|não faz mal|não sei|não acho|sem problema|nunca vi|nunca tinha|não é|não são|não está|não estou|\
não era|não foi|não há|não funciona|não gosto|não lembro|не знаю|не думаю|не помню|не уверен|не уверена|не беда|не проблема|\
не страшно|никогда не видел|никогда не видела|не работает|не было|не могу|не нашёл|не нашла|не понимаю|не за что|\
всегда пожалуйста|не так|не совсем|не очень|только что|el único problema|la única duda|o único problema|a única dúvida|\
le seul problème|la seule question|le seul souci|вместо этого|muss gestern|muss wohl|debe haber|debería haber|deve haver|devait|\
doit avoir|doit être une|tiene que ser|tem que ser|tem de ser|must be a|must be the|has to be a|has to be the|have to be a|\
must have been";

/// Returns true for a verb that begins a task rather than a rule: "add a test for every command" is done once.
pub fn begins_task(word: &str) -> bool {
    const VERBS: &str = "add update change implement create fix remove move show do refactor convert replace rename extract \
build install delete rewrite revert commit run try check test find look investigate";
    listed(VERBS, word)
}

/// Returns true for a word that says whose something is: behind an order it names no subject.
pub fn is_possessive(order: &str, word: &str) -> bool {
    if word.eq_ignore_ascii_case("my") || word.eq_ignore_ascii_case("our") {
        return is_order(order, Some(""));
    }
    !is_adverb(order)
        && listed("mein meine meinen unser unsere mon ma mes notre nos mi mis meu minha meus minhas", word)
}

/// Returns true for what only goes with the step that a sentence begins with: "do it again, but without the header".
pub fn goes_with_task(marker: &str) -> bool {
    listed("without instead rather be ensure make just first each every all any", marker)
}

/// Returns true for a marker that makes a lasting rule of a task: "run the tests before every commit".
pub fn lasts(marker: &str, next: Option<&str>) -> bool {
    listed("before after whenever unless", marker)
        || marker.eq_ignore_ascii_case("only") && next.is_some_and(|next| listed("after once if when with", next))
}

/// Returns true for a marker that limits nothing by itself. In front of a figure it does: "under 500".
pub fn is_mild(marker: &str) -> bool {
    listed("all any each every everything first under above below within per up exactly alone short by default", marker)
}

/// Words before the one that counts: courtesies and conjunctions.
pub fn is_opener(word: &str) -> bool {
    const OPENERS: &str = " please and but also so then just ok okay now well oh hey hi hello yes yeah sorry actually \
bitte und aber also dann auch ja ach et mais alors donc aussi oui y pero entonces también sí pois e mas então também sim \
пожалуйста и но а также ещё да ну сразу ";
    word.len() <= 20 && listed(OPENERS, word)
}

/// True for what follows a marker where a sentence tells of something: a verb of the first person or of the past.
pub fn is_past(word: Option<&str>) -> bool {
    let Some(word) = word else { return false };
    const VERBS: &str = " was were had has have got been came saw went did made thought knew heard felt looked worked happened \
tengo puedo recuerdo sé encuentro creo veo entiendo consigo tenho posso lembro acho vejo entendo toco corro duermo vivo trabajo trabalho moro \
había habíamos tuve pude vi fui era eran estaba estaban hubo tinha fui era estava houve consegui pude soube \
могу знаю вижу нашёл нашла понимаю помню был была было были ";
    listed(VERBS, word)
}

/// True for a word that draws a conclusion: what follows may be an order though a statement came before it.
pub fn concludes(word: &str) -> bool {
    matches!(
        word.to_lowercase().as_str(),
        "so" | "therefore" | "also" | "deshalb" | "daher" | "donc" | "entonces" | "então" | "portanto" | "поэтому"
    )
}

/// True for a word that may be the whole answer to a question.
pub fn is_answer(word: &str) -> bool {
    matches!(word.to_lowercase().as_str(), "no" | "nein" | "non" | "não" | "нет" | "not" | "nothing" | "never")
}

/// True if what follows a marker tells what was or is, by the forms of its first verbs.
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
        // What stands between a negation and its verb.
        if is_romance && at == verb && listed("me te le lo la se nos les", &word) {
            verb += 1;
            return false;
        }
        // The first person, and the past: orders do not end so.
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

/// True for what French puts before an apostrophe.
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

/// True for a word that may begin an order behind a condition.
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

/// True for a marker that only its own language has. There a sentence without a subject is an order, or begins with an adverb.
pub fn tells_language(marker: &str) -> bool {
    const MARKERS: &str = " erst nie niemals immer nur kein keine keinen keinem keiner nicht nichts statt vor nach jedes mindestens außer jamais toujours seulement aucun aucune \
pas rien sauf sans uniquement avant au en em sin sem antes menos al pelo por ";
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

/// Whether a Chinese, Japanese or Korean sentence is a rule; nothing for other languages.
pub fn without_spaces(sentence: &str) -> Option<bool> {
    let has = |from: char, to: char| sentence.chars().any(|c| (from..=to).contains(&c));
    if has('\u{ac00}', '\u{d7a3}') {
        return Some(of_table(sentence, &KOREAN));
    }
    if has('\u{3040}', '\u{30ff}') {
        return Some(of_table(sentence, &JAPANESE));
    }
    has('\u{4e00}', '\u{9fff}').then(|| of_table(sentence, &CHINESE))
}

struct Table {
    /// Makes a rule.
    strong: &'static str,
    /// Makes a rule together with one of `asks`.
    weak: &'static str,
    asks: &'static str,
    /// The sentence tells of something, if it begins so ...
    begins: &'static str,
    /// ... or if this stands before the marker ...
    before: &'static str,
    /// ... or anywhere.
    never: &'static str,
}

const CHINESE: Table = Table {
    strong: "避免|改到|得在|一次只|一次一个|就问我|问我|前不行|后不行|再发布|再上线|再提交|之后再|要能|语气|先写|先跑|用人民币|用美元|用欧元|过敏|不发布|原样|不要|别再|别|绝对不|不能动|先问我|先跟我|先告诉我|更喜欢|我不吃|我不喝|只用|立刻停|马上停|就停下|停下来|尽量|预算|上限|截止|最晚|最迟|注意|除非|统一|仅限|不必|无需|以外的|之外的|优先|不得|禁止|不准|不许|勿|切勿|必须|务必|一律|从现在起|从现在开始|今后|只能|我只要|不能出现|不能超过|不允许|严禁|不可以|控制在|不超过|最多|\
以后每|以后都|叫我|称呼我|按照|遵守|遵循|始终|总是用|不再是|换成|保持|用中文|用英文|就好|不想|不希望|而不是|改成|改为|不需要|不用",
    weak: "简短|简洁|至少|只|仅|都|先|以内|之前|不能|尽量|优先",
    asks: "请|要|改|希望",
    begins: "我妈|我爸|我的|我们|我一|我刚|我昨|我今|我已|我还|我也|我是|我没|我不知|我不记|我不太|我家|他|她|它|这|那|你真|谢谢|对|好的|没事|没关系|没问题|不是吗|不知|文档|说明",
    before: "因为|由于|说|写着|以为|觉得|听说",
    never: "错别|什么都没|不用谢|不用担心|别人|别的|区别|特别|分别|级别|类别|识别|别提了|别担心|不要紧|不要客气|别客气|不能理解|是不是|要不要|能不能",
};

const JAPANESE: Table = Table {
    strong: "てはいけ|使わない。|ないと困り|ておいて|そのままに|一つにして|一度に一つ|方針で|聞いてください|出さないよう|無理です|待ってください|限ります|限定|事前に|相談して|が先、|まで。|までです|嫌です|なくていい|なくても|口調|締め切りは|アレルギー|を優先|円で|ドルで|ないで。|わないで|さないで|いようにして|ないように|ほうがいい|の方がいい|ほうが好|したらすぐ|明記|予算は|上限は|期限は|締め切りは|てほしくない|てほしい|避けて|以外は|許可なく|勝手に|なるべく|できるだけ|統一して|徹底して|ないでください|ないで下さい|しないで|禁止|厳禁|不可|してはいけ|てはなりません|てはならない|てはだめ|すること|こと。|しないこと|やめて|今後|以内で|以内に|だけにして|のみ希望|\
絶対に触|避けて|守って|従って|従うこと|では困ります|は困ります|原則|一切|と呼んで|は不要|までにお願い|優先して",
    weak: "短め|向けに|必ず|常に|ではなく|代わりに|ずに|だけ|のみ|まで|以内|すべて|全て|毎回|いつも|これから|必要|先に|前に|以上|以下|英語|日本語|敬語|タメ口|簡潔|短く",
    asks: "ください|下さい|お願い|こと。|して。|てほしい|希望|ように。|よう。|べき|て、|で。",
    begins: "私は|私が|僕は|僕の|俺は|母は|父は|妻は|夫は|友達|彼|彼女|うちの|ありがとう|はい|こんなこと|あの|昨日|最近、|資料|ドキュメント",
    before: "と言って|と言います|と書いて",
    never: "なければならないの|なければならないん|と書いてあ|と言われ|と思いま|なるんです|ませんでした|ていました|知りません",
};

const KOREAN: Table = Table {
    strong: "피해 주|하지 마.|면 좋겠|그대로|하나만|빼 주|빼주|제외|때까지 기다|상의하|물어보|도 돼요|도 됩니다|말투|로 표시|면 안|는 안 |건 안 |에는 안|알레르기|필요 없|있어야 합니다|어야 합니다|해야 합니다|더 좋아|더 좋겠|면 바로|면 멈|예산은|한도는|기한은|마감은|싫어|않았으면|원하지 않|선호|허락 없이|동의 없이|만 사용|만 써|만 쓰|통일|가급적|되도록|지 마지마|지 말|말고|마세요|말아|금지|반드시|앞으로는|앞으로|이제부터|이내로|까지만|으로만|로만|에게만|께만|만 원|그만|불가|절대로 하|\
따라 주|지켜|유지해|무조건|하지 않도록|불러 줘|불러 주|반말|존댓말|않게 해|지 않게|최대|넘기지|넘지 마",
    weak: "에서만|항상|늘|대신|꼭|만 |이내|까지|전에|모두|전부|먼저|매번|짧게|간단히|영어|한국어|이하|이상",
    asks: "하세요|쓰세요|마세요|두세요|돌리세요|작업하세요|주세요|줘|해라|하라|십시오|합니다|바랍니다|해 줘|싶어|야 해요|야 돼요",
    begins: "나는|저는|제가|내가|우리|엄마|아빠|아내|남편|친구|그는|그녀|이런|그 |이미|기차|사장님은|상사|네,|고마|감사|문서|설명서|얼마 전|어제|닭",
    before: "해서 |때문|라고 |다고 ",
    never: "다고 적혀|라고 적혀|다고 하|라고 하|다고 했|걱정하지|걱정 마|몰라|모르|셨어야",
};

fn of_table(sentence: &str, table: &Table) -> bool {
    let first = |list: &str| list.split('|').filter_map(|marker| sentence.find(marker)).min();
    let is_told = table.begins.split('|').any(|start| sentence.starts_with(start))
        && first("我只要|我要|我希望|希望|预算|ないで|하지 마|싶|たい").is_none();
    if is_told || first(table.never).is_some() {
        return false;
    }
    let told = first(table.before).unwrap_or(usize::MAX);
    let strong = first(table.strong).filter(|at| *at < told);
    let weak = first(table.weak).filter(|at| *at < told && first(table.asks).is_some());
    strong.is_some() || weak.is_some()
}
