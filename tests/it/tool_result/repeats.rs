//! Lines that an earlier result has, too: each note names a result that contains the replaced lines.

use espalier::tool_result::reduce::{Earlier, Source, reduce};
use espalier_testing::runs;
use fastrand::Rng;

use crate::support::Quarter;

const WORDS: [&str; 9] =
    ["}", "", "    return value;", "error: no", "import a", "  if (x) {", "12: y", "fn name() {", "é\t"];

/// A text of few different lines, so that runs of them repeat, with the numbers of its lines or without.
fn text(rng: &mut Rng, lines: &[String], is_numbered: bool) -> String {
    let first = rng.usize(1..200);
    let number = |at: usize| if is_numbered { format!("{}\t", first + at) } else { String::new() };
    lines.iter().enumerate().map(|(at, line)| format!("{}{line}\n", number(at))).collect()
}

fn edited(rng: &mut Rng, lines: &[String]) -> Vec<String> {
    let mut out = lines.to_vec();
    for _ in 0..rng.usize(0..4) {
        let at = rng.usize(..=out.len());
        match rng.bool() {
            true => out.insert(at, format!("changed {}", rng.u8(..))),
            false if at < out.len() => drop(out.remove(at)),
            false => {}
        }
    }
    out
}

/// Splits `12\tline`.
fn unnumbered(line: &str) -> &str {
    let rest = line.trim_start_matches(' ').trim_start_matches(|c: char| c.is_ascii_digit());
    rest.strip_prefix(['\t', ':']).filter(|rest| rest.len() + 1 < line.len()).unwrap_or(line)
}

/// Reads a note with rules of its own: the number of replaced lines, where they are, and the name of the result.
fn note(line: &str) -> Option<(usize, Option<usize>, &str)> {
    let inner = line.strip_prefix('[')?.strip_suffix(']')?;
    let name = inner.split('`').nth(1)?;
    let range = |text: &str| {
        let (_, numbers) = text.split_once("lines ")?;
        let (first, last) = numbers.split([' ', ':', ',']).next()?.split_once('-')?;
        Some((first.parse::<usize>().ok()?, last.parse::<usize>().ok()?))
    };
    let (here, there) = inner.split_once(": as ")?;
    let length = match range(here) {
        Some((first, last)) => last - first + 1,
        None => here.split(' ').next()?.parse().ok()?,
    };
    // Without numbers of its own the other result has the same ones, or a line that the note quotes.
    let first = range(there).or_else(|| range(here).filter(|_| !there.contains("from"))).map(|(first, _)| first);
    Some((length, first, name))
}

#[test]
fn notes_stand_for_the_same_lines() {
    let mut found = 0;
    for seed in 0..runs(2_000) {
        let mut rng = Rng::with_seed(seed as u64);
        let lines: Vec<String> =
            (0..rng.usize(5..60))
                .map(|at| {
                    if rng.u8(..4) == 0 { format!("let value_{at} = {at};") } else { rng.choice(WORDS).unwrap().into() }
                })
                .collect();
        let (one, two) = (edited(&mut rng, &lines), edited(&mut rng, &lines));
        let numbers = [rng.bool(), rng.bool(), rng.bool()];
        let texts = [text(&mut rng, &one, numbers[0]), text(&mut rng, &two, numbers[1])];
        let new = text(&mut rng, &lines, numbers[2]);
        let earlier = [Earlier { name: "one", text: &texts[0] }, Earlier { name: "two", text: &texts[1] }];
        let command = if rng.bool() { "cat -n a.ts" } else { "make" };
        let Some(done) = reduce(&new, Source { command, recall: "", earlier: &earlier }, &Quarter) else { continue };
        assert!(done.tokens < done.before);

        // Outputs lose blank lines, which are no part of this test.
        if command == "make" {
            assert!(new.lines().filter(|line| line.contains("error")).all(|line| done.text.contains(line)), "{seed}");
            continue;
        }
        let body: Vec<&str> = done.text.lines().filter(|line| !line.starts_with("[left out:")).collect();
        let mut rest: Vec<&str> = new.lines().collect();
        for line in body {
            let Some((length, first, name)) = note(line) else {
                // Aligned numbers of lines lose the spaces before them.
                assert_eq!(line.trim_start(), rest.remove(0).trim_start(), "{seed}:\n{}", done.text);
                continue;
            };
            found += 1;
            let run: Vec<&str> = rest.drain(..length).map(unnumbered).collect();
            let there: Vec<&str> = earlier.iter().find(|result| result.name == name).unwrap().text.lines().collect();
            let is_at = |at: usize| {
                let number = there[at].split('\t').next().and_then(|number| number.parse::<usize>().ok());
                first.is_none_or(|first| number == Some(first))
                    && there[at..at + length].iter().map(|line| unnumbered(line)).eq(run.iter().copied())
            };
            assert!((0..=there.len() - length).any(is_at), "{seed}: {line}\n{new}\n---\n{}", texts.join("\n---\n"));
        }
        assert!(rest.is_empty(), "{seed}: {rest:?}");
    }
    assert!(found * 5 > runs(2_000), "{found} notes");
}

#[test]
fn the_last_line_names_the_whole_text() {
    let text: String = (0..40).map(|at| format!("let value_{at} = compute({at});\n")).collect();
    let earlier = [Earlier { name: "cat a.ts", text: &text }];
    let done = reduce(&text, Source { command: "cat a.ts", recall: "m9", earlier: &earlier }, &Quarter).unwrap();
    assert_eq!(
        done.text,
        "[40 lines from \"let value_0 = compute(0);\" on: as in `cat a.ts` above]\n[left out: 40 repeated lines; recall m9]"
    );
    assert_eq!(done.rules, ["repeats"]);
}
