//! A later statement replaces an earlier one with the same key, and no other.

use espalier::compact::facts::{Facts, Speaker};
use espalier::compact::ledger::{Ledger, Rules};

use crate::support::{numbered, user};

fn held(said: &[(Speaker, &str)]) -> Vec<String> {
    let mut facts = Facts::default();
    for (at, (speaker, text)) in said.iter().enumerate() {
        facts.add(&format!("m{at}"), *speaker, text);
    }
    let mut all = facts.ranked(1_000_000);
    all.sort_by_key(|fact| fact.index);
    all.into_iter().map(|fact| fact.sentence.to_string()).collect()
}

fn replaces(earlier: &str, later: &str) {
    let said =
        [(Speaker::User, earlier), (Speaker::User, "The weather was fine in the mountains."), (Speaker::User, later)];
    let held = held(&said);
    assert!(!held.contains(&earlier.to_string()), "{earlier:?} is still there beside {later:?}");
    assert!(held.contains(&later.to_string()), "{later:?} is gone");
}

fn both_stay(earlier: &str, later: &str) {
    let held = held(&[(Speaker::User, earlier), (Speaker::User, later)]);
    assert_eq!(held, [earlier, later]);
}

#[test]
fn the_newest_value_of_a_key_wins() {
    replaces("The budget is $500.", "The budget is $700.");
    replaces("The budget is $500.", "From now on the budget is 700 dollars.");
    replaces("The release date is 2027-03-04.", "The release date has changed to 2027-05-06.");
    replaces("The reviewer this week is Bea Frost.", "Carl Dorn is the reviewer now.");
    replaces("Deliver it on Monday, not earlier.", "Not Monday any more: deliver it on Wednesday.");
    replaces("At most three attempts.", "Actually, allow five attempts instead of three.");
    replaces("Put every timestamp in UTC.", "For reports, show clocks in Pacific Time.");
    replaces(
        "Keep replies terse and use imperial measures.",
        "Please make replies playful, and stick to metric measures.",
    );
    replaces("Branch spike/abc is the base and must stay unpushed.", "We rebased onto spike/xyz.");
    replaces("Das Budget ist 500 Euro.", "Das Budget ist jetzt 700 Euro.");
    replaces("联系人只能是王经理。", "联系人换成李女士，不再是王经理。");
}

#[test]
fn different_things_do_not_replace_each_other() {
    both_stay("Order 12 costs $5.", "Order 13 costs $7.");
    both_stay("The production database is in eu-north-1.", "The staging database is in us-west-2.");
    both_stay("Run unit tests with pytest.", "Run integration tests with make.");
    both_stay("Report all times in UTC.", "The call is at 9:00 Pacific time.");
    both_stay("Write a long letter to Ann.", "Keep replies short.");
    both_stay("We sold 5 boxes.", "We sold 7 boxes.");
    both_stay("Never touch the parser tests.", "Now fix the parser tests.");
    both_stay("Gate 5 closes at 10:00.", "Gate 6 closes at 10:30.");
}

#[test]
fn an_answer_or_a_question_does_not_replace_what_the_user_said() {
    let of = |speaker, later| held(&[(Speaker::User, "The budget is $500."), (speaker, later)]);
    assert!(of(Speaker::Assistant, "The budget is $900.").contains(&"The budget is $500.".to_string()));
    assert!(of(Speaker::Tool, "The budget is $900.").contains(&"The budget is $500.".to_string()));
    assert!(of(Speaker::User, "The budget is $900?").contains(&"The budget is $500.".to_string()));
}

#[test]
fn rules_and_requests_leave_with_what_they_said() {
    let messages = numbered(vec![user("The limit must be $500."), user("Go on."), user("The limit must be $700.")]);
    let ledger = Ledger::fold(&messages, &Rules::default());
    assert_eq!(ledger.constraints.len(), 1);
    assert_eq!(ledger.constraints[0].sentence, "The limit must be $700.");
    let replaced: Vec<bool> = ledger.requests.iter().map(|request| request.is_replaced).collect();
    assert_eq!(replaced, [true, false, false]);
}

#[test]
fn ten_thousand_requests_of_one_word_take_no_time() {
    let mut facts = Facts::default();
    for at in 0..10_000 {
        facts.add(&format!("m{at}"), Speaker::User, ["now", "go", "The cap is 5 now.", "no longer"][at % 4]);
    }
    assert!(facts.ranked(1_000).len() <= 4);
}

#[test]
fn a_later_rule_replaces_an_earlier_one_in_nine_languages() {
    replaces("Answer in English.", "From now on answer in German.");
    replaces("Please reply in French.", "Actually, please reply in English from now on.");
    replaces("Use at most three colours.", "You may use five colours now instead of three.");
    replaces("The deadline is Friday.", "The deadline moved to Monday.");
    replaces("Keep the summary under 200 words.", "Make the summary up to 400 words instead.");
    replaces("Call me before noon.", "Don't call me before noon any more, call me after 3 pm.");
    replaces("Livrez avant vendredi.", "Finalement, livrez avant mardi.");
    replaces("Réponds en anglais.", "Désormais, réponds en français.");
    replaces("Le budget maximum est de 300 euros.", "Le budget maximum passe à 500 euros maintenant.");
    replaces("Livrez lundi, pas avant.", "Plus lundi : livrez mercredi.");
    replaces("Écrivez à madame Roux uniquement.", "N'écrivez plus à madame Roux, écrivez à monsieur Blanc.");
    replaces("Llámame solo los martes.", "Ya no los martes: llámame los jueves.");
    replaces("Responde en inglés.", "A partir de ahora responde en español.");
    replaces("Hablen únicamente con Marta Gil.", "En lugar de Marta Gil, hablen ahora con Pedro Sanz.");
    replaces("Responda em inglês.", "A partir de agora responda em português.");
    replaces("Entregue na terça.", "Não é mais na terça: entregue na sexta.");
    replaces("O limite é de 300 reais.", "O limite agora é de 500 reais.");
    replaces("Fale somente com a Marta Lima.", "Em vez da Marta Lima, fale agora com o Pedro Reis.");
    replaces("Antworte auf Englisch.", "Ab jetzt antworte auf Deutsch.");
    replaces("Rufen Sie mich nur dienstags an.", "Rufen Sie mich nicht mehr dienstags an, sondern donnerstags.");
    replaces("Das Limit sind 300 Euro.", "Das Limit liegt jetzt bei 500 Euro.");
    replaces("Отвечай по-английски.", "Теперь отвечай по-русски.");
    replaces("Доставьте во вторник.", "Уже не во вторник: доставьте в пятницу.");
    replaces("Лимит 300 евро.", "Лимит теперь 500 евро.");
    replaces("Пишите только Анне Ивановой.", "Вместо Анны Ивановой пишите теперь Олегу Петрову.");
    replaces("用英文回答。", "从现在起用中文回答。");
    replaces("周二送货。", "不是周二了，改成周五送货。");
    replaces("预算是三百欧元。", "预算改成五百欧元了。");
    replaces("英語で答えてください。", "これからは日本語で答えてください。");
    replaces("每页最多显示二十条。", "每页改成五十条，不再是二十条。");
    replaces("預算是三百歐元。", "預算改成五百歐元。");
    replaces("予算は十万円を超えないようにしてください。", "予算は十五万円に増やします。");
    replaces("Pas plus de 50 éléments par page.", "Finalement, 100 éléments par page, c'est la nouvelle limite.");
    replaces("配達は火曜日にしてください。", "火曜日ではなく、金曜日の配達に変えてください。");
    replaces("予算は三万円までです。", "予算は五万円に変更してください。");
    replaces("連絡は田中さんだけにしてください。", "田中さんの代わりに、これからは山本さんに連絡してください。");
    replaces("영어로 답해 주세요.", "이제부터 한국어로 답해 주세요.");
    replaces("배송은 화요일에 해 주세요.", "화요일 말고 금요일 배송으로 바꿔 주세요.");
    replaces("예산은 30만 원까지입니다.", "예산은 이제 50만 원까지입니다.");
    replaces("연락은 김 과장님께만 해 주세요.", "김 과장님 대신 이제 이 부장님께 연락해 주세요.");
}

#[test]
fn a_rule_about_something_else_replaces_none() {
    both_stay("Never touch the parser tests.", "Now fix the parser tests.");
    both_stay("Answer in English.", "From now on run the tests before each commit.");
    both_stay("Use at most three colours.", "Use at most two fonts.");
    both_stay("Don't call me before noon.", "From now on don't write to my work address.");
    both_stay("Ne touche pas au fichier config.", "Désormais, lance les tests avant chaque commit.");
    both_stay("Antworte kurz.", "Ab jetzt duz mich.");
    both_stay("Keep the functions under 40 lines.", "From now on keep the tests in tests/.");
    both_stay("最多重试三次。", "现在每页显示五条。");
    both_stay("不要改数据库。", "以后提交之前先跑测试。");
    both_stay("データベースは変更しないでください。", "今後はコミットの前にテストを実行してください。");
    both_stay("데이터베이스는 바꾸지 마세요.", "앞으로는 커밋 전에 테스트를 돌리세요.");
}
