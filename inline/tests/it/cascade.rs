//! Prompts cut by shares.

use crate::support::{Units, request, snippet};
use espalier_inline::*;

/// Returns the tokens of stable context, recent edits, prefix and suffix.
fn parts(context: &Context) -> [usize; 4] {
    let of = |is_wanted: fn(Kind) -> bool| {
        context.items.iter().filter(|item| is_wanted(item.kind)).map(|item| utf16_len(&item.text)).sum()
    };
    let edits = of(|kind| kind == Kind::RecentEdits);
    [of(|kind| kind != Kind::RecentEdits), edits, utf16_len(&context.prefix), utf16_len(&context.suffix)]
}

/// Runs a request for a document with this many lines of 20 characters on each side of the cursor, snippets of 50
/// characters, and edits.
fn run(before: usize, behind: usize, snippets: usize, edits: usize, options: &Options) -> Context {
    let line = "let filler = value;\n";
    let text = format!("{}\n{}", line.repeat(before), line.repeat(behind));
    let ids: Vec<String> = (0..snippets).map(|id| format!("{id:02}")).collect();
    let texts: Vec<String> = ids.iter().map(|id| format!("interface N{id} {{}}\n")).collect();
    let items: Vec<ProviderItem<'_>> =
        ids.iter().zip(&texts).map(|(id, text)| ProviderItem { path: Some("a"), ..snippet(id, text, 0.9) }).collect();
    let mut history = EditHistory::new(EditOptions::espalier());
    for edit in 0..edits {
        let path = format!("{edit}.ts");
        history.open(&path, "let a = 1;\n");
        history.change(&path, "let b = 1;\n", 1_000 * edit as u64);
    }
    history.settle(u64::MAX);
    let all = Request { items: &items, edits: Some(&history), ..request(&text, 20 * before, options) };
    inline_context(&all, &Units, &mut Memory::default()).unwrap()
}

fn shares(window: u64) -> Options {
    let cascade = Some(Shares::default());
    Options { window, completion: 0, suffix_reserve: 0, cascade, mode: Mode::Fill, ..Options::copilot_chat() }
}

#[test]
fn every_part_has_its_share() {
    let [stable, edits, prefix, suffix] = parts(&run(500, 500, 200, 8, &shares(8_000)));
    assert!((2_700..=2_800).contains(&stable), "{stable}");
    assert!((600..=1_200).contains(&edits), "{edits}");
    // The share, plus the rest of edits and context.
    assert!((2_780..=4_100).contains(&prefix) && stable + edits + prefix <= 6_800, "{prefix}");
    assert!((1_200..=1_220).contains(&suffix) && stable + edits + prefix + suffix <= 8_000, "{suffix}");
}

#[test]
fn surplus_goes_on() {
    // Neither context nor edits: the prefix has 85 %, the suffix 15 %.
    let [stable, edits, prefix, suffix] = parts(&run(500, 500, 0, 0, &shares(2_000)));
    assert_eq!((stable, edits, prefix), (utf16_len("Path: src/current.ts\n"), 0, 1_660));
    assert_eq!(stable + prefix + suffix, 2_000);
    // A short prefix leaves the rest to the suffix.
    let [_, _, prefix, suffix] = parts(&run(5, 500, 0, 0, &shares(2_000)));
    assert_eq!((prefix, suffix), (100, 1_879));
}

#[test]
fn suffixes_that_fit_come_before_the_prefix() {
    // 300 tokens are more than 0.8 × 380 ÷ 4.
    let [_, _, prefix, suffix] = parts(&run(500, 19, 0, 0, &shares(2_000)));
    assert_eq!((prefix, suffix), (1_580, 380));
    // 300 are less than 0.8 × 1,600 ÷ 4: the prefix comes first, and takes 85 %.
    assert_eq!(parts(&run(500, 80, 0, 0, &shares(2_000)))[2], 1_660);
}

#[test]
fn exact_prompts_use_what_is_left() {
    // One round leaves tokens that the suffix does not need; the next gives them to the context.
    let one = shares(2_000);
    let exact = Options { cascade: one.cascade, window: 2_000, completion: 0, mode: Mode::Fill, ..Options::espalier() };
    let (one, exact) = (run(3, 80, 60, 0, &one), run(3, 80, 60, 0, &exact));
    assert!(exact.tokens.free < 100 && parts(&exact)[0] >= parts(&one)[0], "{:?} {:?}", exact.tokens, one.tokens);
    assert_eq!(exact.tokens.context + exact.tokens.prefix + exact.tokens.suffix + exact.tokens.free, 2_000);
}

#[test]
fn shares_are_checked() {
    for (shares, path) in [
        (Shares { prefix: 0.0, ..Shares::default() }, "options.cascade.prefix"),
        (Shares { suffix: f64::NAN, ..Shares::default() }, "options.cascade.suffix"),
        (Shares { stable: 0.6, ..Shares::default() }, "options.cascade"),
        (Shares { volatile: -0.1, ..Shares::default() }, "options.cascade.volatile"),
    ] {
        let error = Options { cascade: Some(shares), ..Options::espalier() }.prompt_limit().unwrap_err();
        assert_eq!(error.path.as_deref(), Some(path));
    }
}
