/** Profiles of compaction. Written by `npm run types`: do not edit. */

import type { LlmShape } from "./compact.ts";

/** One step of the ladder. Calls and results are paired before the first. */
export type Rung =
  /** Results that newer messages repeat or outdate. */
  | "stale"
  /** Old pictures, documents and reasoning. */
  | "media"
  /** Results over their own limit, or over the limit for all, are cut in the middle. */
  | "cap"
  /** All old results and long arguments, in one batch. */
  | "clear"
  /** The model's summary. */
  | "summary"
  /** A summary by rules, without a model or after it failed. */
  | "offline"
  /** Older groups are removed, then the largest texts are shortened. */
  | "fit";

/** A share within bounds, in tokens. */
export interface Share {
  share: number;
  /** Minimum tokens. */
  minTokens: number;
  /** Maximum tokens. */
  maxTokens: number | null;
}

/** The form of a record: what the request to the model describes, and how its answer is parsed. */
export interface RecordForm {
  /** The element around the record: `summary`, or gemini-cli's `state_snapshot`. */
  tag: string;
  /** The element in which the model thinks first. It is not stored. */
  scratch: string;
  /**
   * The form of the sections in a record.
   * - `headings`: Each under a Markdown heading.
   * - `elements`: Each in an XML element.
   */
  markup: "headings" | "elements";
  /** The section with the title; nothing else belongs in it. */
  title: string | null;
  /** The sections in order. */
  sections: {
    /** Its heading. Its element has the same name in lower case, with `_` for blanks. */
    name: string;
    /** The content of the section. */
    content: string;
    /** True if it is cut last: without it nobody can continue the work. */
    vital?: boolean;
  }[];
}

/**
 * The constants of one system. Shares are shares of the tokens for messages (without the frame), unless noted
 * otherwise.
 */
export interface Profile {
  name: string;
  /** The maximum size of a request in tokens, beside what the host says of its model. */
  limit: {
    /** The window assumed for every model, whatever its name. A smaller one that the host states takes precedence. */
    window: number | null;
    /** The limit of an unknown model, if `window` is not set. */
    fallback: number | null;
    /** Share of the learned limit that is left free after a request was refused as too long. */
    retryBuffer: number;
    /** The maximum of this share, which doubles with every refusal. */
    maxRetryBuffer: number;
  };
  /**
   * How the fill level of a request is measured. Whether it fits is always counted.
   * - `predicted`: The predicted size of the request, tools included.
   * - `atLeastReported`: The same, but at least the server's count of the newest answered request.
   * - `reported`: The server's count; the predicted size if the server has reported none since the history was last
   *   replaced.
   */
  measured: "predicted" | "atLeastReported" | "reported";
  /**
   * When a compaction starts by itself, as a share of the limit. With a warm cache at `warm + spread × r`, where the
   * host draws `r` in [0, 1), so that many conversations do not start at once. With a cold one at `cold`, since the
   * summary request then costs its full price.
   */
  start: { warm: number; spread: number; cold: number };
  /**
   * While a job runs, a request at or above this share of the limit waits for it; `null`: only one that does not fit.
   */
  block: number | null;
  /** A finished summary is applied at or above this share of the limit. */
  applyMin: number;
  /**
   * What happens to a finished summary below that share.
   * - `parked`: Kept, since it was paid for.
   */
  early: "parked" | "dropped";
  /** Minimum messages of an automatic compaction, and of a manual one. */
  minMessages: {
    automatic: number;
    manual: number;
    /** True if system messages count among them. */
    system: boolean;
  };
  /** Share of the limit, minus tools, that a request with tools may use. */
  withTools: number;
  /** If true, compactions run beside the conversation; otherwise before the request. */
  background: boolean;
  /** If true, a change of the model cancels a running summary; otherwise it waits. */
  cancelsOnSwitch: boolean;
  /** The steps in order. */
  ladder: Rung[];
  /** How the tokens for messages are divided. */
  shares: {
    /** The steps end once a cheap step brings the request down to this. */
    relief: number;
    /** What the result of a single compaction fills. */
    target: number;
    /** The same in a conversation that goes on: the rest is room for its next turns. */
    ongoing: number;
    /** Newest messages that stay verbatim, of the room below the target. */
    keepRecent: Share;
    /** Files and other things in their latest state, of the room below the target. */
    working: Share;
    /** Names in use, of the room below the target. */
    names: Share;
    /** Older messages of the user, verbatim. */
    users: Share;
    /** The rest of the record. */
    ledger: Share;
    /** The maximum size of a record that gives every entry a line of its own. */
    entries: Share;
    /** Error lines that stay when their results are cleared. */
    errorLines: Share;
    /** The model's text. */
    summary: Share;
  };
  /** The minimum that a step must free to be worth the broken cache. */
  gain: {
    stale: Share;
    media: Share;
    cap: Share;
    clear: Share;
    summary: Share;
    /** A summary must also free this share of the tokens that it replaces. */
    covered: number;
  };
  /** The newest results, which no rule clears. */
  protect: {
    results: number;
    rounds: number;
    /** The newest results that have at most this together. */
    tokens: Share;
    /** True if all results of the current turn are among them. */
    turn: boolean;
  };
  /** What happens to old media. */
  media: {
    /**
     * Pictures and documents outside the tail.
     * - `note`: A line replaces them.
     */
    media: "keep" | "note";
    /**
     * Which reasoning is removed.
     * - `olderTurns`: Reasoning of turns before the newest request is removed, because providers require the rest.
     * - `outsideTail`: All outside the tail.
     */
    reasoning: "keep" | "olderTurns" | "outsideTail";
  };
  /** Maximum tokens of results before they are cut in the middle. */
  cap: {
    /** All results together, newest first; `null`: each counts by itself. */
    all: number | null;
    /** Maximum tokens of a cut result. */
    each: number | null;
    /** The same as a share of the limit; the smaller one counts. */
    eachOfLimit: number | null;
  };
  /** How results are cleared. */
  clear: {
    /** Strings in arguments of more than 2,000 characters are cut to this. */
    argumentCharacters: number;
  };
  /** Where the covered range ends. */
  cut: {
    /**
     * Which boundaries are considered.
     * - `tokens`: All boundaries between groups, by the tokens of the tail.
     * - `fraction`: Before the first request after a share of the conversation.
     * - `lastRound`: After the last round but one of the turn, or the last round of earlier turns.
     * - `snapshot`: Everything so far; later messages follow.
     */
    at: "tokens" | "fraction" | "lastRound" | "snapshot";
    /** Minimum and maximum tail of the boundaries that are considered, as shares of the kept tokens. */
    window: [number, number];
    /** Penalty of a boundary that is not before a request, beside its distance from the target. */
    insideTurn: number;
    /** Penalty of a boundary between an edit and the first command after it. */
    beforeCheck: number;
    /** Penalty of a boundary after a command that failed and did not succeed later. */
    openFailure: number;
    /** For `fraction`: the share of the messages' tokens that is covered. */
    fraction: number;
    /** For `fraction`: considers boundaries between rounds if none before a request qualifies. */
    splitInsideTurn: boolean;
  };
  /** How the summary is requested. */
  summary: {
    /**
     * When a second call checks the first summary.
     * - `auto`: If a section is empty, something was invented, or a fact that must stay had no room.
     */
    verify: "auto" | "always" | "never";
    /**
     * When the running request itself is used.
     * - `warm`: While the provider has it cached.
     * - `background`: In background compactions, cached or not.
     * - `always`: Whenever it fits.
     */
    fork: "warm" | "background" | "always" | "never";
    /** The shapes that are tried otherwise, in order. */
    overflowModes: LlmShape[];
    /** Sent if the summary has a request of its own and the model accepts it. */
    temperature: number;
    /** Factor by which a reply may exceed the requested length before it is cut. */
    overlong: number;
    /** Maximum length of arguments in the simple form, in UTF-16 units. */
    argumentUnits: number;
    /** Maximum of a result in the simple form, as a share of what `Cap` allows. */
    simpleResults: number;
    /** Maximum tokens of results in the input of a handover. */
    handoffResults: number;
    /** Factor on the room of the full form. */
    fullHeadroom: number;
    /** The requested tag, markup and sections. */
    form: RecordForm;
  };
  /** What replaces the covered range. */
  replacement: {
    /**
     * The form of the message that replaces the covered range.
     * - `record`: The summary, and the ledger in tagged blocks.
     * - `messages`: The requests in `<user_message>` tags, and the summary.
     * - `summary`: The summary alone.
     */
    form: "record" | "messages" | "summary";
    /** The model's reply after the summary, if a user message follows it. */
    acknowledgement: string | null;
    /** Share of a long user message that its beginning gets. */
    headShare: number;
  };
  /** The consequences of a failure of the model. */
  failure: {
    /** Number of requests to wait after a failure. */
    requests: number;
    /** Or new tokens to wait for, as a share. */
    tokens: number;
    /** New tokens after which a plan without gain is tried again, as a share. */
    gainTokens: number;
    /** If true, after a failure no model is asked until a compaction succeeds; results are still cut. */
    flag: boolean;
  };
  /** How the host's hooks before and after a compaction are called. */
  hook: {
    /** True if they are called even if there is nothing to compact. */
    onNoop: boolean;
    /** True if hooks see the trigger only as `auto` or `manual`. */
    twoTriggers: boolean;
    /** True if the hook may put off a compaction that can wait. */
    veto: boolean;
  };
  /** How long the host waits, in milliseconds. */
  timeoutsMs: {
    /** For a running job, before a request. */
    wait: number;
    hook: number;
    /** For one call of the model. */
    model: number;
  };
}

/** What a tool does. Decides what its calls contribute: files read and changed, commands, the plan, decisions. */
export type ToolKind =
  | "read"
  /** Creates a file or replaces all of it. */
  | "write"
  /** Changes a part of a file. */
  | "edit"
  | "delete"
  | "search"
  | "shell"
  /** Todo lists and plans: each call replaces the state. */
  | "todo"
  /** Asks the user a question. */
  | "ask"
  | "web"
  /** Starts a sub-agent. */
  | "delegate"
  | "other";
