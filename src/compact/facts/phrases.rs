//! Phrases of eight languages with spaces between words, by what they say of a sentence: data of
//! [`rules`](super::rules), in lower case, separated by bars.

/// See [`rules`](super::rules): makes a rule wherever it is, unless the speaker is its subject.
pub const STRONG: &str = "\
nie wolno|zabronione|od teraz|odtąd|od tej pory|po każdej|po każdym|przed każdym|przed każdą|bez mojej|bez mojego|musi|muszą|\
powinny być|powinien być|powinna być|powinno być|trzeba|należy|pod żadnym|w żadnym|maksymalnie|co najwyżej|nie więcej niż|nie dłużej niż|\
zapytaj mnie|pytaj mnie|wyłącznie|zanim zmienisz|upewnij się|nie może|nie mogą|ma teraz|en lecture seule|de solo lectura|somente leitura|\
nur lesend|obligatoirement|obligatoriamente|têm que ser|\
merci de ne|merci d'utiliser|merci de répondre|merci de garder|merci de rester|merci de limiter|exclusivement|exclusivamente|somente|\
avant chaque|après chaque|antes de cada|después de cada|depois de cada|vor jedem|vor jeder|nach jedem|nach jeder|перед каждым|перед каждой|\
mieux vaut|il vaut mieux|mejor código|es mejor no|impossible de le dépasser|impossible de la dépasser|arrête de|arrête d'|arrêtez de|arrêtez d'|\
cesse de|cesse d'|cessez de|cessez d'|deja de|dejad de|deje de|ya no uses|ya no use|ya no pongas|ya no añadas|ya no hagas|ya no incluyas|\
on n'utilise que|on ne déploie|on ne livre|on ne touche|on ne publie|on ne modifie|on ne change rien|on n'ajoute|no se despliega|no se publica|\
no se toca|no se puede tocar|no se puede usar|no se puede cambiar|solo se usa|solo se usan|sólo se usa|sólo se usan|ten en cuenta que|\
tenga en cuenta que|tenez compte|tiens compte|leve em conta|é preciso|é necessário|tem que caber|têm que caber|tem de caber|\
нужно всегда|надо всегда|всегда нужно|всегда надо|следи за тем|следите за тем|не выкатываем|не деплоим|не трогаем|используем только|\
halt dich an|halte dich an|halten sie sich an|we only use|we only ship|we only deploy|we never deploy|we don't deploy|\
tutoie|tutoie-moi|tutoyez|tutoyez-moi|vouvoie|vouvoie-moi|vouvoyez|vouvoyez-moi|tutea|tutéame|trátame de|tráteme de|me trate por|\
duze mich|siezen sie|duzen sie|обращайся ко|обращайтесь ко|limita tus|limita las|limita los|limite tes|limite suas|limitez vos|\
laisse telles|laissez telles|deja las|deja los|dejad las|\
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
nigdy|zawsze|żaden|żadna|żadne|zamiast|unikaj|trzymaj się|odpowiadaj|używaj|każda|każdy|każde|\
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
zawsze|nigdy|zamiast|\
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
isto|o|os|as|um|uma|já|оно|это|этот|эта|эти|hace|hacía|faz|il fait";

/// Phrases before a report of what somebody says, or before a reason or guess.
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
nie mam|nie wiem|nie jest|nie działa|nie rozumiem|nie widzę|nie ma|nie było|nie są|nie pamiętam|nie sądzę|nie mogę|to musi|nie udało|\
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
