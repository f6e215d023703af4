/** Profiles, and rules for the host's tools. */

/** One step of the ladder. Calls and results are paired before the first. */
export type Rung =
  | "stale" // results that newer messages repeat or outdate
  | "media" // old pictures, documents and reasoning
  | "cap" // results over the limit of one result, or of all together
  | "clear" // all old results and long arguments, in one batch
  | "summary" // written by the model
  | "offline" // written by rules
  | "fit"; // drops older groups, shortens the largest texts

export type ProfileName = "espalier" | "copilot-chat" | "gemini-cli" | "copilot-cli";

/** A share within bounds, in tokens. */
export interface Share {
  share: number;
  minTokens: number;
  maxTokens: number | null;
}

/** The form of a record: what the request to the model describes, and how its answer is parsed. */
export interface RecordForm {
  /** The element around the record: `summary`, or gemini-cli's `state_snapshot`. */
  tag: string;
  /** The element for reasoning before the record. It is not kept. */
  scratch: string;
  /**
   * The form of the sections in the record: under Markdown headings, or in XML elements (`Key Knowledge` in
   * `<key_knowledge>`).
   */
  markup: "headings" | "elements";
  /** The name of the section that contains the title. */
  title: string | null;
  /** The sections in order; `content` describes a section. `vital` ones are cut last. */
  sections: { name: string; content: string; vital?: boolean }[];
}

/**
 * The constants of one system. Shares are shares of the tokens for messages (without the frame), unless noted
 * otherwise.
 */
export interface Profile {
  name: string;
  /** Max size of a request if the host sets none; the room that stays free below a limit learned from a refusal. */
  limit: { window: number | null; fallback: number | null; retryBuffer: number; maxRetryBuffer: number };
  /**
   * The size of a request for triggers: the prediction; at least the last report of the server; that report alone.
   * Whether a request fits is always decided by count.
   */
  measured: "predicted" | "atLeastReported" | "reported";
  /** When a compaction starts by itself, as a share of the limit: `warm + spread * r`, or `cold` with a cold cache. */
  start: { warm: number; spread: number; cold: number };
  /** A request with at least this share of the limit waits for a running job. */
  block: number | null;
  /** A finished summary is applied from this share of the limit on; below it, it is parked or dropped. */
  applyMin: number;
  early: "parked" | "dropped";
  minMessages: { automatic: number; manual: number; system: boolean };
  /** Share of the limit, minus tools, that a request with tools may use. */
  withTools: number;
  background: boolean;
  /** If true, a change of the model cancels a running summary; otherwise the change waits. */
  cancelsOnSwitch: boolean;
  ladder: Rung[];
  shares: Record<"relief" | "target" | "ongoing", number> &
    Record<"keepRecent" | "working" | "names" | "users" | "ledger" | "entries" | "errorLines" | "summary", Share>;
  /** Min tokens that a step must free. */
  gain: Record<"stale" | "media" | "cap" | "clear" | "summary", Share> & { covered: number };
  /** Newest results that no rule clears. */
  protect: { results: number; rounds: number; tokens: Share; turn: boolean };
  media: { media: "keep" | "note"; reasoning: "keep" | "olderTurns" | "outsideTail" };
  /**
   * Max tokens of results before they are cut in the middle: of all together, of each, and of each as a share of the
   * limit.
   */
  cap: { all: number | null; each: number | null; eachOfLimit: number | null };
  clear: { argumentCharacters: number };
  cut: {
    at: "tokens" | "fraction" | "lastRound" | "snapshot";
    window: [number, number];
    insideTurn: number;
    beforeCheck: number;
    openFailure: number;
    fraction: number;
    splitInsideTurn: boolean;
  };
  summary: {
    verify: "auto" | "always" | "never";
    /** When the running request with one more message is what the model is asked. */
    fork: "warm" | "background" | "always" | "never";
    /** The shapes otherwise, one after the other. */
    overflowModes: ("full" | "simple")[];
    temperature: number;
    overlong: number;
    argumentUnits: number;
    simpleResults: number;
    handoffResults: number;
    fullHeadroom: number;
    /** What the record looks like that the model is asked for. */
    form: RecordForm;
  };
  /**
   * `acknowledgement`: the model's words after the summary, if a user message follows it. `headShare`: the share of a
   * long user message that is its beginning.
   */
  replacement: { form: "record" | "messages" | "summary"; acknowledgement: string | null; headShare: number };
  failure: { requests: number; tokens: number; gainTokens: number; flag: boolean };
  /** `veto`: a hook may postpone a compaction that can wait. */
  hook: { onNoop: boolean; twoTriggers: boolean; veto: boolean };
  /** Milliseconds. */
  timeoutsMs: { wait: number; hook: number; model: number };
}

/** One field in which two profiles differ. */
export interface ProfileDifference {
  field: string;
  a: unknown;
  b: unknown;
}

/** Some fields of a profile; the others are those of the profile with that name, or of `espalier`. */
export type ProfileFields = Fields<Profile>;

export type Fields<T> = {
  readonly [K in keyof T]?: T[K] extends object
    ? T[K] extends readonly unknown[]
      ? Readonly<T[K]>
      : Fields<T[K]>
    : T[K];
};

/** What a tool does. Decides what its calls contribute: files read and changed, commands, the plan, decisions. */
export type ToolKind =
  | "read"
  | "write"
  | "edit"
  | "delete"
  | "search"
  | "shell"
  | "todo"
  | "ask"
  | "web"
  | "delegate"
  | "other";

/** A tool of the host whose purpose does not follow from its name and the names of its arguments. */
export interface ToolRule {
  /** The name of the tool, as calls have it. */
  name: string;
  /** What the tool does. */
  kind: ToolKind;
  /** Names of arguments that hold paths. Default: the usual names. */
  path?: readonly string[];
  /** Names of arguments that hold command lines. Default: the usual names. */
  command?: readonly string[];
  /** Names of arguments that hold text for files. Default: the usual names. */
  content?: readonly string[];
  /**
   * True if calls change nothing, like MCP's `readOnlyHint`; other calls are listed as actions. Default: derived from
   * the name.
   */
  readOnly?: boolean;
}

/**
 * An agent whose tools are known: what each of its calls does, the names of their arguments, the form of their results.
 * The name of a session layout selects the agent that writes it.
 */
export type ToolDialect =
  | "claude-code"
  | "codex"
  | "gemini-cli"
  | "copilot-cli"
  | "vscode-chat"
  | "cline"
  | "pi"
  | "opencode"
  | "openhands"
  | "swe-agent"
  | "aider"
  | "cursor"
  | "zed"
  | "goose"
  | "gemini-chat"
  | "gemini-checkpoint"
  | "gemini-stream"
  | "qwen-code"
  | "vscode-chat-log"
  | "copilot-replay"
  | "cline-session"
  | "openhands-events";

export interface LedgerRules {
  /** Folder to which paths are made relative. Default: paths stay unchanged. */
  root?: string;
  /** What the host's own tools do. Default: derived from their names and arguments. */
  tools?: readonly ToolRule[];
  /**
   * The agent that made the calls; a few names differ in meaning between agents (`offset` counts from 0 in gemini-cli,
   * from 1 in others). Default: every known agent.
   */
  dialect?: ToolDialect;
  /** More words (lower case) that mark a sentence of the user as a constraint. */
  markers?: readonly string[];
  /** Pinned facts in words: they are listed among the constraints of every record. */
  facts?: readonly string[];
}
