//! Requirements of single models and purposes beyond the rules of their provider. The table is data, and hosts add rows
//! of their own.

use std::sync::LazyLock;

use serde::Deserialize;

use super::rules::Provider;

/// The purpose of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Purpose {
    /// The next answer.
    #[default]
    Answer,
    /// A summary of the conversation.
    Summary,
}

/// One row. Its requirements apply if the request matches every condition that it names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Row {
    /// Name of a provider.
    pub provider: Option<String>,
    /// Name of a model; upper and lower case are equal, and `*` matches any characters.
    pub model: Option<String>,
    pub purpose: Option<Purpose>,
    /// The model reads text only: notes replace images and documents.
    pub text_only: bool,
    /// Notes replace images.
    pub no_pictures: bool,
    /// The conversation must not end with an assistant message.
    pub no_prefill: bool,
    /// The first tool call of a turn carries the signature of its reasoning.
    pub signatures: bool,
    /// Messages with tool calls keep their reasoning. Hosts say so by the profile (`media.reasoning`).
    #[serde(skip)]
    pub keeps_reasoning: bool,
    /// The assistant says something between a tool result and a message of the user.
    pub answers_results: bool,
    /// Tools whose calls and results are not sent.
    pub drop_tools: Vec<String>,
}

/// The requirements that apply to one request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Special {
    pub text_only: bool,
    pub no_pictures: bool,
    pub no_prefill: bool,
    pub signatures: bool,
    pub keeps_reasoning: bool,
    pub answers_results: bool,
    pub drop_tools: Vec<String>,
}

/// Models that do not accept images, from the providers' lists of models.
const TEXT_ONLY: [&str; 9] =
    ["gpt-3.5*", "gpt-4", "gpt-4-0314", "gpt-4-0613", "gpt-4-32k*", "gpt-oss*", "o1-mini*", "o1-preview*", "o3-mini*"];

/// Models that get the reasoning of all calls in a conversation. Kimi refuses a call without ("reasoning_content is
/// missing in assistant tool call message"), and so does DeepSeek ("must be passed back", api-docs.deepseek.com, guide
/// "Thinking mode", September 2026); the pages of MiniMax and GLM ask for it.
const WITH_REASONING: [&str; 4] = ["*kimi*", "*deepseek*", "*minimax*", "*glm-*"];

/// Models of Mistral, Codestral, Devstral, Magistral, Ministral, Mixtral, Pixtral and Voxtral. Their servers refuse
/// other orders: "Unexpected role 'user' after role 'tool'", "Expected last role User or Tool (or Assistant with prefix
/// True)" (mistral-common, and reports up to June 2026).
const MISTRAL: [&str; 2] = ["*stral*", "*xtral*"];

impl Special {
    /// No requirements.
    pub const NONE: Special = Special {
        text_only: false,
        no_pictures: false,
        no_prefill: false,
        signatures: false,
        keeps_reasoning: false,
        answers_results: false,
        drop_tools: vec![],
    };

    /// Merges the built-in rows and the host's rows that match the request.
    ///
    /// ```
    /// use espalier::validity::{Provider, Purpose, Special};
    /// assert!(Special::of(Provider::OpenAiChat, "o3-mini", Purpose::Answer, &[]).text_only);
    /// assert!(Special::of(Provider::Gemini, "gemini-3-pro", Purpose::Answer, &[]).signatures);
    /// ```
    pub fn of(provider: Provider, model: &str, purpose: Purpose, host: &[Row]) -> Special {
        let no_prefill = provider == Provider::Anthropic && refuses_prefill(model);
        let mut special = Special { no_prefill, ..Special::default() };
        for row in BUILT_IN.iter().chain(host) {
            let meets = row.provider.as_deref().is_none_or(|name| name == provider.as_str())
                && row.purpose.is_none_or(|wanted| wanted == purpose)
                && row.model.as_deref().is_none_or(|pattern| is_like(pattern, model));
            if meets {
                special.text_only |= row.text_only;
                special.no_pictures |= row.no_pictures;
                special.no_prefill |= row.no_prefill;
                special.signatures |= row.signatures;
                special.keeps_reasoning |= row.keeps_reasoning;
                special.answers_results |= row.answers_results;
                special.drop_tools.extend(row.drop_tools.iter().cloned());
            }
        }
        special
    }
}

static BUILT_IN: LazyLock<Vec<Row>> = LazyLock::new(built_in);

fn built_in() -> Vec<Row> {
    let mut rows: Vec<Row> =
        TEXT_ONLY.iter().map(|model| Row { model: Some((*model).into()), text_only: true, ..Row::default() }).collect();
    let keeps = |model: &&str| Row { model: Some((*model).into()), keeps_reasoning: true, ..Row::default() };
    rows.extend(WITH_REASONING.iter().map(keeps));
    let provider = |provider: Provider| Some(provider.as_str().to_string());
    rows.extend(MISTRAL.iter().map(|model| Row {
        provider: provider(Provider::OpenAiChat),
        model: Some((*model).into()),
        no_prefill: true,
        answers_results: true,
        ..Row::default()
    }));
    // OpenAI's own models send no reasoning in chat completions: a conversation with some is from another server.
    rows.push(Row { provider: provider(Provider::OpenAiChat), keeps_reasoning: true, ..Row::default() });
    rows.push(Row { purpose: Some(Purpose::Summary), no_pictures: true, ..Row::default() });
    rows.push(Row {
        provider: provider(Provider::Anthropic),
        purpose: Some(Purpose::Summary),
        drop_tools: vec!["tool_search".into(), "tool_search_tool_regex".into(), "tool_search_tool_bm25".into()],
        ..Row::default()
    });
    rows.push(Row {
        provider: provider(Provider::Gemini),
        model: Some("*gemini-3*".into()),
        signatures: true,
        ..Row::default()
    });
    rows
}

/// The last version of Claude that continues a message of the assistant. Later ones refuse a conversation that ends
/// with one: "This model does not support assistant message prefill." Anthropic's page "What's new in Claude 4.6",
/// section "Prefill removal", February 2026; the same holds for the models of 5.x (QwenLM/qwen-code#8039, August 2026).
const LAST_WITH_PREFILL: (u32, u32) = (4, 5);

/// Returns whether this is a model of Claude that refuses a conversation that ends with the assistant.
fn refuses_prefill(model: &str) -> bool {
    let name = model.to_lowercase();
    let Some((_, rest)) = name.split_once("claude-") else { return false };
    // `claude-3-5-sonnet-20241022` has its version first, and predates the change.
    let mut pieces = rest.split(['-', '.', '@', ':', '_']);
    let is_family = pieces.next().is_some_and(|family| family.chars().all(|c| c.is_ascii_alphabetic()));
    // A long number is a date.
    let mut number = || pieces.next().filter(|piece| piece.len() < 3).and_then(|piece| piece.parse::<u32>().ok());
    let Some(major) = number().filter(|_| is_family) else { return false };
    (major, number().unwrap_or(0)) > LAST_WITH_PREFILL
}

/// Returns whether `name` matches `pattern`, in which `*` matches any characters. Linear, except for patterns with
/// several stars.
fn is_like(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.to_lowercase(), name.to_lowercase());
    let mut pieces = pattern.split('*');
    let Some(mut rest) = pieces.next().and_then(|first| name.strip_prefix(first)) else { return false };
    let pieces: Vec<&str> = pieces.collect();
    let Some((last, middle)) = pieces.split_last() else { return rest.is_empty() };
    for piece in middle {
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::{is_like, refuses_prefill};

    #[test]
    fn models_without_prefill() {
        for (model, refuses) in [
            ("claude-opus-4-6", true),
            ("us.anthropic.claude-opus-4-6-v1", true),
            ("anthropic/claude-sonnet-4.6", true),
            ("claude-sonnet-4-6@20260217", true),
            ("claude-opus-4-7-20260416", true),
            ("claude-sonnet-5", true),
            ("claude-fable-5-20260801", true),
            ("claude-opus-4-5-20251101", false),
            ("claude-opus-4-20250514", false),
            ("claude-sonnet-4", false),
            ("claude-3-5-sonnet-20241022", false),
            ("claude-3-haiku-20240307", false),
            ("claude-instant-1.2", false),
            ("gpt-5", false),
            ("", false),
        ] {
            assert_eq!(refuses_prefill(model), refuses, "{model}");
        }
    }

    #[test]
    fn patterns() {
        for (pattern, name, like) in [
            ("gpt-4", "GPT-4", true),
            ("gpt-4", "gpt-4o", false),
            ("gpt-4*", "gpt-4", true),
            ("*gemini-3*", "models/gemini-3-pro", true),
            ("a*b*c", "a-b-c", true),
            ("a*b", "ab-", false),
            ("*", "", true),
            ("", "x", false),
        ] {
            assert_eq!(is_like(pattern, name), like, "{pattern} {name}");
        }
    }
}
