//! The four profiles. Each figure has its source beside it; those of the other systems are theirs, not ours.

use std::borrow::Cow;

use super::{
    Cap, Clear, Cut, CutAt, Early, FailureRule, Fewest, ForkRule, Form, Gain, HookRule, LimitRule, Measured, Media,
    MediaPolicy, Profile, Protect, ReasoningPolicy, Replacement, Rung, Share, Shares, Start, Summary, Timeouts, Verify,
};
use crate::compact::form;
use crate::effect::Shape;

/// A share without bounds.
const fn share(share: f64) -> Share {
    Share { share, min_tokens: 0, max_tokens: None }
}

/// A share with an upper bound.
const fn at_most(share: f64, max_tokens: u64) -> Share {
    Share { share, min_tokens: 0, max_tokens: Some(max_tokens) }
}

/// A fixed number of tokens.
const fn fixed(tokens: u64) -> Share {
    Share { share: 0.0, min_tokens: tokens, max_tokens: None }
}

const SHARES: Shares = Shares {
    relief: 0.60,
    target: 0.985,
    ongoing: 0.40,
    // Fitted on public transcripts by what the next 20 calls use.
    keep_recent: share(0.20),
    working: share(0.35),
    names: share(0.10),
    // OpenAI codex keeps 20,000 tokens of the user's messages.
    users: at_most(0.14, 20_000),
    ledger: at_most(0.05, 12_000),
    // Measured on an agent's run of 400,000 tokens: 0.05 A of 40,000 holds 8 % of its error lines and 9 % of its
    // commands, 0.30 A of 32,000 holds 83 and 81 %. If that would exceed the target, the tail shrinks.
    entries: at_most(0.25, 40_000),
    error_lines: at_most(0.10, 12_000),
    summary: Share { share: 0.04, min_tokens: 512, max_tokens: Some(8_000) },
};

/// Shares of the other systems: they keep room for the next turns, and restore no working set.
const REFERENCE: Shares = Shares {
    target: 0.40,
    keep_recent: share(0.375),
    working: fixed(0),
    names: fixed(0),
    users: at_most(0.10, 20_000),
    ..SHARES
};

const GAIN: Gain = Gain {
    stale: share(0.02),
    media: share(0.02),
    cap: share(0.02),
    // opencode prunes from 20,000 tokens on.
    clear: at_most(0.10, 20_000),
    summary: share(0.05),
    covered: 0.20,
};

const CUT: Cut = Cut {
    at: CutAt::Tokens,
    window: [0.5, 1.25],
    inside_turn: 0.15,
    before_check: 0.5,
    open_failure: 0.25,
    fraction: 0.7,
    split_inside_turn: true,
};

const fn summary(verify: Verify, fork: ForkRule, form: form::Form) -> Summary {
    Summary {
        verify,
        fork,
        // Copilot Chat's source of July 2026 uses only the simple shape unless a setting says otherwise.
        overflow_modes: Cow::Borrowed(&[Shape::Full, Shape::Simple]),
        temperature: 0.0,
        overlong: 1.5,
        // Copilot Chat's limits for arguments, for results (half of a result's cap) and for results in a handover; its
        // older builds had 1.05 for the full form.
        argument_units: 200,
        simple_results: 0.5,
        handoff_results: 2_000,
        full_headroom: 1.0,
        form,
    }
}

const NO_CAP: Cap = Cap { all: None, each: None, each_of_limit: None };

/// Our profile.
pub static ESPALIER: Profile = Profile {
    name: Cow::Borrowed("espalier"),
    limit: LimitRule { window: None, fallback: None, retry_buffer: 0.05, max_retry_buffer: 0.25 },
    measured: Measured::Predicted,
    start: Start { warm: 0.78, spread: 0.04, cold: 0.90 },
    block: Some(0.95),
    apply_min: 0.65,
    early: Early::Parked,
    min_messages: Fewest { automatic: 3, manual: 2, system: false },
    with_tools: 1.0,
    background: true,
    cancels_on_switch: false,
    ladder: Cow::Borrowed(&[Rung::Stale, Rung::Media, Rung::Clear, Rung::Summary, Rung::Offline, Rung::Fit]),
    shares: SHARES,
    gain: GAIN,
    protect: Protect { results: 3, rounds: 2, tokens: at_most(0.20, 40_000), turn: false },
    media: Media { media: MediaPolicy::Note, reasoning: ReasoningPolicy::OlderTurns },
    cap: NO_CAP,
    clear: Clear { argument_characters: 500 },
    cut: CUT,
    summary: summary(Verify::Auto, ForkRule::Warm, form::eight()),
    replacement: Replacement { form: Form::Record, acknowledgement: None, head_share: 0.6 },
    failure: FailureRule { requests: 2, tokens: 0.05, gain_tokens: 0.10, flag: false },
    hook: HookRule { on_noop: false, two_triggers: false, veto: true },
    timeouts_ms: Timeouts { wait: 60_000, hook: 10_000, model: 120_000 },
};

/// Copilot Chat. It renders twice and prunes by cache marks; here requests are counted instead.
pub static COPILOT_CHAT: Profile = Profile {
    name: Cow::Borrowed("copilot-chat"),
    limit: LimitRule { window: None, fallback: None, retry_buffer: 0.05, max_retry_buffer: 0.25 },
    measured: Measured::AtLeastReported,
    // Source of July 2026; builds of March started at 0.75.
    start: Start { warm: 0.78, spread: 0.04, cold: 0.90 },
    block: None,
    apply_min: 0.65,
    early: Early::Dropped,
    min_messages: Fewest { automatic: 2, manual: 2, system: false },
    // Only with tools; in March 2026 0.85, always.
    with_tools: 0.9,
    background: true,
    cancels_on_switch: true,
    ladder: Cow::Borrowed(&[Rung::Cap, Rung::Summary, Rung::Offline, Rung::Fit]),
    shares: REFERENCE,
    gain: GAIN,
    protect: Protect { results: 0, rounds: 0, tokens: fixed(0), turn: false },
    media: Media { media: MediaPolicy::Keep, reasoning: ReasoningPolicy::Keep },
    // Half of the current render's budget.
    cap: Cap { all: None, each: None, each_of_limit: Some(0.5) },
    clear: Clear { argument_characters: 500 },
    cut: Cut { at: CutAt::LastRound, ..CUT },
    summary: summary(Verify::Never, ForkRule::Background, form::eight()),
    replacement: Replacement { form: Form::Record, acknowledgement: None, head_share: 0.6 },
    failure: FailureRule { requests: 2, tokens: 0.05, gain_tokens: 0.10, flag: false },
    hook: HookRule { on_noop: false, two_triggers: true, veto: false },
    timeouts_ms: Timeouts { wait: 60_000, hook: 10_000, model: 120_000 },
};

/// gemini-cli. Shares apply to tokens instead of characters of JSON.
pub static GEMINI_CLI: Profile = Profile {
    name: Cow::Borrowed("gemini-cli"),
    // For every model, so that compression starts at 524,288.
    limit: LimitRule { window: Some(1_048_576), fallback: None, retry_buffer: 0.05, max_retry_buffer: 0.25 },
    measured: Measured::Reported,
    // DEFAULT_COMPRESSION_TOKEN_THRESHOLD; equality compresses.
    start: Start { warm: 0.5, spread: 0.0, cold: 0.5 },
    block: None,
    apply_min: 0.0,
    early: Early::Dropped,
    min_messages: Fewest { automatic: 2, manual: 2, system: false },
    with_tools: 1.0,
    background: false,
    cancels_on_switch: false,
    ladder: Cow::Borrowed(&[Rung::Cap, Rung::Clear, Rung::Summary, Rung::Offline, Rung::Fit]),
    shares: REFERENCE,
    // Masking acts from 30,000 tokens on.
    gain: Gain { clear: fixed(30_000), covered: 0.0, summary: share(0.0), ..GAIN },
    // Masking: the newest 50,000 tokens of results, and the latest turn.
    protect: Protect { results: 0, rounds: 0, tokens: fixed(50_000), turn: true },
    media: Media { media: MediaPolicy::Keep, reasoning: ReasoningPolicy::Keep },
    // COMPRESSION_FUNCTION_RESPONSE_TOKEN_BUDGET; one response 40,000 characters, at 4 for a token.
    cap: Cap { all: Some(50_000), each: Some(10_000), each_of_limit: None },
    clear: Clear { argument_characters: 500 },
    // COMPRESSION_PRESERVE_THRESHOLD 0.3, so 0.7 is covered. The reference finds nothing inside a turn.
    cut: Cut { at: CutAt::Fraction, fraction: 0.7, split_inside_turn: true, ..CUT },
    summary: summary(Verify::Always, ForkRule::Never, form::gemini_cli()),
    // The reference's words.
    replacement: Replacement {
        form: Form::Summary,
        acknowledgement: Some(Cow::Borrowed("Got it. Thanks for the additional context!")),
        head_share: 0.6,
    },
    failure: FailureRule { requests: 2, tokens: 0.05, gain_tokens: 0.10, flag: true },
    hook: HookRule { on_noop: false, two_triggers: true, veto: false },
    timeouts_ms: Timeouts { wait: 60_000, hook: 10_000, model: 120_000 },
};

/// Copilot CLI. Figures that are not public are ours.
pub static COPILOT_CLI: Profile = Profile {
    name: Cow::Borrowed("copilot-cli"),
    limit: LimitRule { window: None, fallback: Some(128_000), retry_buffer: 0.05, max_retry_buffer: 0.25 },
    measured: Measured::Predicted,
    // COPILOT_BACKGROUND_COMPACTION_THRESHOLD
    start: Start { warm: 0.80, spread: 0.0, cold: 0.80 },
    // COPILOT_BUFFER_EXHAUSTION_THRESHOLD
    block: Some(0.95),
    apply_min: 0.0,
    early: Early::Dropped,
    // Inferred from a test of the SDK: the system message counts.
    min_messages: Fewest { automatic: 4, manual: 2, system: true },
    with_tools: 1.0,
    background: true,
    cancels_on_switch: false,
    ladder: Cow::Borrowed(&[Rung::Summary, Rung::Offline, Rung::Fit]),
    shares: REFERENCE,
    gain: Gain { covered: 0.0, summary: share(0.0), ..GAIN },
    protect: Protect { results: 0, rounds: 0, tokens: fixed(0), turn: false },
    media: Media { media: MediaPolicy::Keep, reasoning: ReasoningPolicy::Keep },
    cap: NO_CAP,
    clear: Clear { argument_characters: 500 },
    cut: Cut { at: CutAt::Snapshot, ..CUT },
    summary: summary(Verify::Never, ForkRule::Always, form::copilot_cli()),
    replacement: Replacement { form: Form::Messages, acknowledgement: None, head_share: 0.6 },
    failure: FailureRule { requests: 2, tokens: 0.05, gain_tokens: 0.10, flag: false },
    hook: HookRule { on_noop: false, two_triggers: false, veto: true },
    timeouts_ms: Timeouts { wait: 60_000, hook: 10_000, model: 120_000 },
};

/// All profiles, the default first.
pub static ALL: [&Profile; 4] = [&ESPALIER, &COPILOT_CHAT, &GEMINI_CLI, &COPILOT_CLI];
