//! The context of a completion as JSON.

use serde::Serialize;

use espalier_inline::{Context, Kind, Reason, Unfit, utf16_len};

/// Contains lengths instead of texts, because JavaScript cuts prefix and suffix out of its own text.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Out<'a> {
    prefix: usize,
    trailing: usize,
    rest_of_line: usize,
    suffix: usize,
    is_suffix_reused: bool,
    items: Vec<ItemOut<'a>>,
    tokens: SpentOut,
    is_too_short: bool,
    is_excluded: bool,
    is_partial: bool,
    next_ms: Option<u64>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ItemOut<'a> {
    kind: &'static str,
    id: &'a str,
    text: &'a str,
    weight: f64,
    tokens: u64,
    is_cut: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dropped: Option<&'static str>,
}

/// Tokens of a prompt: `context + prefix + restOfLine + suffix + free` is `budget`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SpentOut {
    budget: u64,
    context: u64,
    prefix: u64,
    rest_of_line: u64,
    suffix: u64,
    free: u64,
    /// Tokens of context and prefix that this request shares with the previous one's beginning; only set by
    /// `InlineContext`.
    shared: u64,
}

/// Writes a context.
pub(crate) fn to_json(context: &Context) -> String {
    let tokens = &context.tokens;
    let out = Out {
        prefix: utf16_len(&context.prefix),
        trailing: utf16_len(&context.trailing),
        rest_of_line: utf16_len(&context.rest_of_line),
        suffix: utf16_len(&context.suffix),
        is_suffix_reused: context.is_suffix_reused,
        items: (context.items.iter())
            .map(|item| ItemOut {
                kind: kind(item.kind),
                id: &item.id,
                text: &item.text,
                weight: item.weight,
                tokens: item.tokens,
                is_cut: item.is_cut,
                first_line: item.lines.map(|lines| lines.0),
                end_line: item.lines.map(|lines| lines.1),
                score: item.score,
                dropped: item.dropped.map(reason),
            })
            .collect(),
        tokens: SpentOut {
            budget: tokens.limit,
            context: tokens.context,
            prefix: tokens.prefix,
            rest_of_line: tokens.rest_of_line,
            suffix: tokens.suffix,
            free: tokens.free,
            shared: tokens.shared,
        },
        is_too_short: context.is_too_short,
        is_excluded: context.is_excluded,
        is_partial: context.is_partial,
        next_ms: context.next_ms,
    };
    // Writing texts, numbers and booleans cannot fail.
    serde_json::to_string(&out).unwrap_or_default()
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Marker => "marker",
        Kind::Trait => "trait",
        Kind::Diagnostic => "diagnostic",
        Kind::Snippet => "snippet",
        Kind::SimilarSnippet => "similarSnippet",
        Kind::RecentEdits => "recentEdits",
        Kind::Neighbour => "neighbour",
    }
}

fn reason(reason: Reason) -> &'static str {
    match reason {
        Reason::NoRoom => "noRoom",
        Reason::PoolUsedUp => "poolUsedUp",
        Reason::Duplicate | Reason::Unfit(Unfit::Duplicate) => "duplicate",
        Reason::Empty => "empty",
        Reason::Excluded => "excluded",
        Reason::Pending => "pending",
        Reason::Late => "late",
        Reason::Unfit(Unfit::CurrentFile) => "currentFile",
        Reason::Unfit(Unfit::OtherScheme) => "otherScheme",
        Reason::Unfit(Unfit::OtherLanguage) => "otherLanguage",
        Reason::Unfit(Unfit::TooLarge) => "tooLarge",
        Reason::Unfit(Unfit::TooMany) => "tooMany",
        Reason::NotCompared => "notCompared",
        Reason::NotSimilar => "notSimilar",
        Reason::NotReached => "notReached",
        Reason::SnippetsInstead => "snippetsInstead",
    }
}
