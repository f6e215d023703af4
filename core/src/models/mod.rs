//! Windows and prices of models by name.
//!
//! In: a name, as a provider or a router writes it. Out: [`Facts`], or nothing for a name that is not in the table. The
//! table (`table.txt`) is data with a date and a source; `npm run models` writes it. Start reading at [`facts`].

use std::cell::RefCell;

use serde::Serialize;

const TABLE: &str = include_str!("table.txt");

/// The unit of prices in the table is this part of a dollar.
const PARTS: f64 = 10_000.0;

/// What is known of a model.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Facts {
    /// The company: `anthropic`, `openai`, `google`, `mistral`, `deepseek`, `x-ai`, `moonshotai`, `cohere`.
    pub provider: &'static str,
    /// Tokens of input and output together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u64>,
    /// Maximum tokens of the input, if the answer has a limit of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_prompt_tokens: Option<u64>,
    /// Absent for models whose prices are not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prices: Option<Dollars>,
}

/// US dollars per million tokens, of the lowest tier.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Dollars {
    /// A token that is neither read from the cache nor written to it.
    pub input: f64,
    /// A token read from the cache; that of input if the provider has no such price.
    pub cache_read: f64,
    /// A token written to the cache (for five minutes, if there are several times); that of input if writing is free.
    pub cache_write: f64,
    /// A token of the answer.
    pub output: f64,
}

/// Returns the first line of the table, without its mark: the package of the data, its version and date.
pub fn source() -> &'static str {
    TABLE.lines().next().unwrap_or_default().trim_start_matches("# ").split(". ").next().unwrap_or_default()
}

/// A row of the table.
struct Row {
    provider: &'static str,
    /// See [`rank`].
    names: Vec<&'static str>,
    /// Window, input, and the prices of input, cache read, cache write and output.
    numbers: [Option<u64>; 6],
}

thread_local! {
    static ROWS: Vec<Row> = rows();
    /// The last name that was looked up: a host asks for one model in request after request.
    static LAST: RefCell<Option<(String, Option<Facts>)>> = const { RefCell::new(None) };
}

fn rows() -> Vec<Row> {
    let mut provider = "";
    let mut rows = Vec::new();
    for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
        if let Some(maker) = line.strip_prefix('[') {
            provider = maker.trim_end_matches(']');
        } else if let Some((names, numbers)) = line.split_once(' ') {
            let mut numbers = numbers.split(' ').map(|number| number.parse().ok());
            let numbers = std::array::from_fn(|_| numbers.next().flatten());
            rows.push(Row { provider, names: names.split(',').collect(), numbers });
        }
    }
    rows
}

/// Returns what is known of a model. The name may have the path of a router (`openai/gpt-5`) or the region and maker of
/// a platform (`us.anthropic.claude-sonnet-4-5`). The whole name counts more than its start, a longer start more than a
/// shorter one; what one row lacks comes from the next.
///
/// ```
/// use espalier::models::facts;
/// let sonnet = facts("us.anthropic.claude-sonnet-4-5-20250929-v1:0").unwrap();
/// assert_eq!((sonnet.provider, sonnet.context_window), ("anthropic", Some(200_000)));
/// assert_eq!(facts("openai/gpt-4o").unwrap().prices.unwrap().output, 10.0);
/// assert_eq!(facts("my-own-model"), None);
/// ```
pub fn facts(name: &str) -> Option<Facts> {
    LAST.with_borrow_mut(|last| match last {
        Some((known, facts)) if known == name => *facts,
        _ => last.insert((name.to_string(), look_up(name))).1,
    })
}

fn look_up(name: &str) -> Option<Facts> {
    let name = name.rsplit('/').next()?.to_lowercase().replacen("gpt-35", "gpt-3.5", 1);
    let name = name.split_once("anthropic.").map_or(name.as_str(), |(_, name)| name);
    ROWS.with(|rows| {
        let fits = |row| Some((best(row, name)?, row));
        let mut fitting: Vec<(usize, &Row)> = rows.iter().filter_map(fits).collect();
        // The best first; of equal ones the first in the table.
        crate::rank::sort(&mut fitting, |(rank, _)| u64::MAX - *rank as u64);
        let provider = fitting.first()?.1.provider;
        let mut found = Facts { provider, context_window: None, max_prompt_tokens: None, prices: None };
        for (_, row) in fitting.into_iter().filter(|(_, row)| row.provider == provider) {
            let [window, most, input, cache_read, cache_write, output] = row.numbers;
            if found.context_window.is_none() {
                (found.context_window, found.max_prompt_tokens) = (window, most);
            }
            let dollars = |parts: u64| parts as f64 / PARTS;
            let prices = input.zip(output).map(|(input, output)| Dollars {
                input: dollars(input),
                cache_read: dollars(cache_read.unwrap_or(input)),
                cache_write: dollars(cache_write.unwrap_or(input)),
                output: dollars(output),
            });
            found.prices = found.prices.or(prices);
        }
        Some(found)
    })
}

/// Returns how well a name fits the names of a row.
fn best(row: &Row, name: &str) -> Option<usize> {
    row.names.iter().filter_map(|pattern| rank(pattern, name)).max()
}

/// Returns how well a name fits a pattern of the table: `=whole`, `start*`, `*part*`.
fn rank(pattern: &str, name: &str) -> Option<usize> {
    if let Some(whole) = pattern.strip_prefix('=') {
        return (whole == name).then_some(usize::MAX);
    }
    match pattern.strip_prefix('*') {
        Some(part) => name.contains(part.trim_end_matches('*')).then_some(part.len()),
        // A start counts more than a part of the same length.
        None => name.starts_with(pattern.trim_end_matches('*')).then_some(1_000 + pattern.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::{Dollars, Facts, TABLE, facts, source};

    fn check(name: &str, provider: &str, window: u64, input: Option<u64>) {
        let found = facts(name).unwrap_or_else(|| panic!("{name}"));
        assert_eq!(
            (found.provider, found.context_window, found.max_prompt_tokens),
            (provider, Some(window), input),
            "{name}"
        );
    }

    #[test]
    fn names_of_providers_routers_and_platforms() {
        check("gpt-4", "openai", 8_192, None);
        check("openai/gpt-4-0613", "openai", 8_192, None);
        check("gpt-35-turbo", "openai", 16_385, None);
        check("gpt-5", "openai", 400_000, Some(272_000));
        check("gpt-5-chat-latest", "openai", 128_000, None);
        check("openai/gpt-5.2-chat", "openai", 128_000, None);
        check("claude-sonnet-4-5", "anthropic", 200_000, None);
        check("claude-haiku-5-5", "anthropic", 1_000_000, None);
        check("claude-of-tomorrow", "anthropic", 200_000, None);
        check("anthropic.claude-3-haiku-20240307-v1:0", "anthropic", 200_000, None);
        check("claude-opus-4-6", "anthropic", 1_000_000, None);
        check("gemini-2.5-pro", "google", 1_048_576, Some(1_048_576));
        check("google/gemini-9", "google", 1_048_576, Some(1_048_576));
        for name in ["", "llama3:8b", "qwen", "my-gpt-4"] {
            assert_eq!(facts(name), None, "{name}");
        }
    }

    #[test]
    fn prices_are_those_of_the_row_that_fits_best() {
        let prices = |name| facts(name).and_then(|found| found.prices);
        let sonnet = Dollars { input: 3.0, cache_read: 0.3, cache_write: 3.75, output: 15.0 };
        assert_eq!(prices("claude-sonnet-4-5-20250929"), Some(sonnet));
        assert_eq!(prices("claude-of-tomorrow"), None);
        assert!(source().starts_with("@pydantic/genai-prices 0.1.8, 2026-"), "{}", source());
    }

    #[test]
    fn each_row_can_be_read() {
        for line in TABLE.lines().filter(|line| !line.starts_with(['#', '['])) {
            let (names, numbers) = line.split_once(' ').unwrap();
            assert_eq!(numbers.split(' ').count(), 6, "{line}");
            assert!(numbers.split(' ').all(|number| number == "-" || number.parse::<u64>().is_ok()), "{line}");
            for name in names.split(',') {
                let own = name.trim_start_matches(['=', '*']).trim_end_matches('*');
                let found: Facts = facts(own).unwrap_or_else(|| panic!("{name}"));
                assert!(found.context_window.is_some() || found.prices.is_some(), "{name}");
            }
        }
    }
}
