/** Profiles and what the host says of its tools. */

/** One step of the ladder. Calls and results are paired before all of them. */
export type Rung =
  | "stale" // results that newer messages repeat or outdate
  | "media" // old pictures, documents and reasoning
  | "cap" // results over what one, or all together, may have
  | "clear" // all old results and long arguments, in one batch
  | "summary" // by the model
  | "offline" // by rules
  | "fit"; // older groups go, the largest texts are shortened

export type ProfileName = "espalier" | "copilot-chat" | "gemini-cli" | "copilot-cli";

/** A share within bounds, in tokens. */
export interface Share {
  of: number;
  least: number;
  most: number | null;
}

/** The form of a record: what a model is asked for, and what its answer is read by. */
export interface RecordForm {
  /** The element around the record: `summary`, or gemini-cli's `state_snapshot`. */
  tag: string;
  /** The element that the model thinks in before that. It is not kept. */
  scratch: string;
  /**
   * The form of the sections in the record: under Markdown headings, or in XML elements (`Key Knowledge` in
   * `<key_knowledge>`).
   */
  markup: "headings" | "elements";
  /** The name of the section that a title is read from. */
  title: string | null;
  /** The sections in order; `content` says what belongs into one. `vital` ones are cut last. */
  sections: { name: string; content: string; vital?: boolean }[];
}

/** The constants of one system. Shares are of what messages may have beside the frame, unless they say otherwise. */
export interface Profile {
  name: string;
  /** How large a request may be where the host does not say; what is left free below a limit learned from a refusal. */
  limit: { window: number | null; fallback: number | null; retryBuffer: number; mostRetryBuffer: number };
  /**
   * How full a request is taken to be: what it will have; at least what the server counted last; that count alone. What
   * fits is always counted.
   */
  measured: "predicted" | "atLeastReported" | "reported";
  /** When a compaction starts by itself, as a share of the limit: `warm + spread * r`, or `cold` with a cold cache. */
  start: { warm: number; spread: number; cold: number };
  /** A request this full waits for a running job. */
  block: number | null;
  /** A finished summary is used from here on; below it is parked or dropped. */
  applyMin: number;
  early: "parked" | "dropped";
  minMessages: { automatic: number; manual: number; system: boolean };
  /** Share of the limit, tools taken off, that a request with tools may use. */
  withTools: number;
  background: boolean;
  /** A change of the model gives up the summary that is being made, or waits. */
  cancelsOnSwitch: boolean;
  ladder: Rung[];
  shares: Record<"relief" | "target" | "ongoing", number> &
    Record<"keepRecent" | "working" | "names" | "users" | "ledger" | "entries" | "errorLines" | "summary", Share>;
  /** What a step must free. */
  gain: Record<"stale" | "media" | "cap" | "clear" | "summary", Share> & { covered: number };
  /** Newest results that no rule clears. */
  protect: { results: number; rounds: number; tokens: Share; turn: boolean };
  media: { media: "keep" | "note"; reasoning: "keep" | "olderTurns" | "outsideTail" };
  /** What results may have before they are cut in the middle: all together, each, each as a share of the limit. */
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
  /** `acknowledgement`: the model's words behind the summary, where a message of the user's follows it. */
  replacement: { form: "record" | "messages" | "summary"; acknowledgement: string | null; headShare: number };
  failure: { requests: number; tokens: number; gainTokens: number; flag: boolean };
  /** `veto`: it may put off what can wait. */
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

/** Some fields of a profile; the others are those of the profile of that name, or of `espalier`. */
export type ProfileFields = Fields<Profile>;

export type Fields<T> = {
  readonly [K in keyof T]?: T[K] extends object
    ? T[K] extends readonly unknown[]
      ? Readonly<T[K]>
      : Fields<T[K]>
    : T[K];
};

/** What a tool is for. Decides what its calls tell: files read and changed, commands, the plan, decisions. */
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

/** A tool of the host's, where its name and the usual names of arguments do not tell what it does. */
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
   * Whether calls leave the world as it is, like MCP's `readOnlyHint`; calls that do not are listed as actions.
   * Default: read from the name.
   */
  readOnly?: boolean;
}

/**
 * An agent whose tools are known: what each of its calls does, under which names its arguments are, how its results
 * look. The name of a layout that such an agent writes names it, too.
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
  /** Folder that paths are made relative to. Default: paths stay as they are. */
  root?: string;
  /** What the host's own tools do. Default: read from their names and arguments. */
  tools?: readonly ToolRule[];
  /**
   * The agent that made the calls; a few names mean different things in different agents (`offset` counts from 0 in
   * gemini-cli, from 1 in others). Default: every known agent.
   */
  dialect?: ToolDialect;
  /** Further words (lower case) that make a sentence of the user a constraint. */
  markers?: readonly string[];
  /** Facts that were pinned in words: they stand among the constraints of every record. */
  facts?: readonly string[];
}
