//! Words of nine languages that rules know.

use std::sync::OnceLock;

use crate::map::HashSet;

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

/// True for a word that carries nothing by itself.
pub fn is_stop(word: &str) -> bool {
    static SET: OnceLock<HashSet<u32>> = OnceLock::new();
    let set = SET.get_or_init(|| STOP.split_whitespace().map(exact).collect());
    word.len() <= 16 && set.contains(&exact(word))
}

/// A hash of a word in lower case, apostrophes straight.
pub fn exact(word: &str) -> u32 {
    let letters = word.chars().flat_map(char::to_lowercase).map(|c| if c == '’' { '\'' } else { c });
    letters.fold(0x811c_9dc5, |hash, c| (hash ^ u32::from(c)).wrapping_mul(0x0100_0193))
}
