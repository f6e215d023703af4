/** The commands and flags of the command line. Options, help and completion are all made from this table. */

import { FORMATS } from "../formats/index.ts";
import { sessionLayouts } from "../sessions/index.ts";
import { PROVIDERS } from "../validity/providers.ts";

const TRANSCRIPTS = ["count", "prune", "compact", "bill"] as const;
/** Commands that read a conversation: a session file, messages or a request. */
const READING = [...TRANSCRIPTS, "doctor", "convert"] as const;
const ALL = [...READING, "log", "summarize", "outline", "search"] as const;
export type Command = (typeof ALL)[number];

/** The description of each command, and its operand. */
export const COMMANDS: Readonly<Record<Command, readonly [operand: string, what: string]>> = {
  count: ["FILE", "reports the tokens of a conversation, message by message"],
  prune: ["FILE --budget N", "cuts one request to N tokens; the result goes to standard output"],
  compact: ["FILE --budget N", "replaces older history by a summary"],
  bill: ["FILE", "replays a session request by request, and prices it without us, pruned and compacted"],
  doctor: ["FILE", "reports what a provider would refuse, what fills the window and what repeats; --repair fixes it"],
  convert: ["FILE --to NAME", "writes a conversation in another format, or in the layout of its session file"],
  log: ["FILE", "shows the history of a conversation, from a log of compact or from a session file"],
  summarize: ["FILE… --budget N", "cuts source files to N tokens, with a comment for each removed part"],
  outline: [
    "DIR --budget N | FILE",
    "lists the most important definitions in a folder of source files; for one FILE all of them",
  ],
  search: ["DIR QUERY", "finds the lines of a folder's files that answer a query, most relevant first"],
};

interface Flag {
  /** The value of the flag; absent for switches. */
  value?: string;
  short?: string;
  multiple?: true;
  /** The commands that accept it. */
  of: readonly Command[];
  help: string;
  /** Values for completion. */
  values?: readonly string[];
}

const SESSIONS = [...READING, "log"] as const;
const LAYOUTS = sessionLayouts().map(({ layout }) => layout);
const WRITABLE = sessionLayouts().flatMap(({ layout, isWritable }) => (isWritable ? [layout] : []));
const compact = ["compact"] as const;

export const FLAGS = {
  budget: {
    value: "N",
    short: "b",
    of: ["prune", "compact", "bill", "summarize", "outline", "search"],
    help:
      "max tokens of the result; 32k is 32000, 1.5k is 1500. Default for search: 32000; for outline FILE: no " +
      "limit; for bill, where it limits each request: the window",
  },
  json: {
    of: [...READING, "summarize", "outline", "search"],
    help: "one object with messages, report and edits, instead of messages on stdout and a report on stderr",
  },
  output: { value: "FILE", short: "o", of: ALL, help: "write there instead of to standard output" },
  quiet: { short: "q", of: ALL, help: "no report on standard error; errors are still printed" },
  format: { value: "NAME", of: READING, help: `${FORMATS.join(", ")}; default: detected`, values: FORMATS },
  layout: {
    value: "NAME",
    of: SESSIONS,
    help: `the layout of a session file; default: recognised. ${LAYOUTS.join(", ")}`,
    values: LAYOUTS,
  },
  view: {
    value: "NAME",
    of: SESSIONS,
    values: ["live", "history"],
    help:
      "for a session file: live (default), the messages of its next request; history (default of bill), all " +
      "messages that it ever had",
  },
  "side-chain": {
    value: "ID",
    of: SESSIONS,
    help: "for a session file: the conversation of a sub-agent, or an abandoned branch",
  },
  conversation: { value: "N", of: SESSIONS, help: "for a file with several conversations: the Nth" },
  to: {
    value: "NAME",
    of: ["prune", "compact", "convert"],
    help:
      "write messages in this format, or a file in the session's own layout, from which its tool can resume: " +
      `${WRITABLE.join(", ")}`,
    values: [...FORMATS, ...WRITABLE],
  },
  session: {
    value: "FILE",
    of: ["convert"],
    help: "with --to LAYOUT: the session file that the messages belong to; it is not changed",
  },
  provider: {
    value: "NAME",
    of: ["doctor"],
    help: "the provider whose rules apply; default: that of the format",
    values: PROVIDERS,
  },
  window: {
    value: "N",
    of: ["doctor", "bill"],
    help: "max input tokens of the model; default: the window in the session file, else that of its model if known",
  },
  ttl: {
    value: "5m|1h",
    of: ["bill"],
    help: "lifetime of cache entries; 1h doubles Anthropic's price of writing. Default: the provider's",
    values: ["5m", "1h"],
  },
  pace: {
    value: "SECONDS",
    of: ["bill"],
    help: "pause between two requests, if the file has no times; default 30",
  },
  "summary-tokens": {
    value: "N",
    of: ["bill"],
    help: "price summaries of N tokens by a model; default: rules write them, which costs nothing",
  },
  repair: {
    of: ["doctor"],
    help:
      "write an accepted session: in the file's own layout if its tool can resume from it, else messages; the " +
      "original stays",
  },
  encoding: {
    value: "NAME",
    of: ALL,
    help: "o200k_base (default) or cl100k_base",
    values: ["o200k_base", "cl100k_base"],
  },
  model: {
    value: "NAME",
    of: [...READING, "summarize", "log"],
    help:
      "selects the encoding by model; default: the model of a request. For bill: its prices, window and cache; " +
      "default: the session's model",
  },
  "cost-model": {
    value: "NAME",
    of: [...READING, "log"],
    help: "espalier (default), copilot-chat or copilot-chat-extension",
    values: ["espalier", "copilot-chat", "copilot-chat-extension"],
  },
  headroom: { value: "N", of: ["prune"], help: "tokens to leave free" },
  llm: {
    value: "PROVIDER:MODEL",
    of: compact,
    help:
      "the model that writes the summary: openai, openai-responses, anthropic or gemini; the key comes from " +
      "OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY. Without it rules write the summary, offline",
  },
  "base-url": {
    value: "URL",
    of: compact,
    help: "a server that is compatible with the provider; default: the provider's own",
  },
  "max-llm-tokens": {
    value: "N",
    of: compact,
    help: "max input tokens of this model; default: tries the whole history, and less of it if the model refuses",
  },
  "on-failure": {
    value: "WHAT",
    of: compact,
    help:
      "offline (default): if the model fails, rules write the summary; leave: nothing changes, and a " +
      "conversation that does not fit is an error",
    values: ["leave", "offline"],
  },
  "timeout-ms": { value: "MS", of: compact, help: "timeout of each model call, in milliseconds; default 120000" },
  focus: {
    value: "TEXT|PATHS",
    of: ["compact", "outline"],
    help:
      "compact: what the summary should focus on; outline: comma-separated files that are being worked on, " +
      "which are left out",
  },
  force: { of: compact, help: "compact even if the conversation fits" },
  plan: { of: compact, help: "show the planned changes, message by message, and the summary; nothing is written" },
  log: {
    value: "FILE",
    of: compact,
    help: "keep an event log (JSON lines) in FILE beside the messages; the messages may have grown since",
  },
  undo: { of: compact, help: "with --log: undo the newest compaction, one at a time" },
  redo: { of: compact, help: "with --log: redo it" },
  pin: {
    value: "IDS",
    multiple: true,
    of: compact,
    help: "comma-separated messages that stay word for word; with --log permanently",
  },
  unpin: { value: "IDS", multiple: true, of: compact, help: "with --log: end a pin" },
  profile: {
    value: "NAME",
    of: ["compact", "bill", "search"],
    help: "the rules to apply: espalier (default), copilot-chat, or for compact and bill gemini-cli or copilot-cli",
    values: ["espalier", "copilot-chat", "gemini-cli", "copilot-cli"],
  },
  recall: {
    value: "ID",
    of: ["log"],
    help:
      "print the originals that an edit hid: of a message (m17), a range (m3..m9), an edit (e40) or a summary " +
      "(e40:summary); for a session file: messages of its view (m17, m3..m9)",
  },
  selection: {
    value: "A[:B]",
    of: ["summarize"],
    help: "lines of the first file that stay, from 1; a single line is a cursor, whose surroundings are kept first",
  },
  lines: { of: ["summarize"], help: "begin each line with its number" },
  language: {
    value: "NAME",
    of: ["summarize", "outline"],
    help: "the language of sources without a telling name, such as standard input",
  },
  mention: { value: "NAMES", of: ["outline"], help: "names and paths that matter more" },
  root: {
    value: "DIR",
    multiple: true,
    of: ["search"],
    help: "a further folder; paths then begin with the names of their folders",
  },
  "max-results": { value: "N", of: ["search"], help: "max number of hits; default 128" },
  index: {
    value: "DIR",
    of: ["search"],
    help:
      "store the index there, so that the next search only reads new and changed files; default: not stored. " +
      "It is rebuilt if it is damaged or has another version or other options",
  },
  structure: {
    of: ["search"],
    help:
      "cut files of languages with a grammar at their definitions, and name the definitions of each hit; " +
      "indexing takes longer",
  },
  contributions: { of: ["search"], help: "show what each word contributed to each score" },
  help: { short: "h", of: ALL, help: "print this" },
  version: { of: ALL, help: "print the version" },
} as const satisfies Record<string, Flag>;

export type FlagName = keyof typeof FLAGS;
const rows = Object.entries(FLAGS) as [FlagName, Flag][];

/** The flags in the form of `parseArgs`. */
export const OPTIONS = Object.fromEntries(
  rows.map(([name, { value, short, multiple }]) => [
    name,
    {
      type: value === undefined ? "boolean" : "string",
      ...(short && { short }),
      ...(multiple && { multiple }),
    },
  ]),
) as unknown as {
  [name in FlagName]: (typeof FLAGS)[name] extends { value: string }
    ? (typeof FLAGS)[name] extends { multiple: true }
      ? { type: "string"; multiple: true }
      : { type: "string" }
    : { type: "boolean" };
};

export function isCommand(name: string): name is Command {
  return Object.hasOwn(COMMANDS, name);
}

const WIDTH = 118;
const INDENT = 28;

/** Returns a flag with its explanation, wrapped. */
function row([name, { value, short, help }]: [string, Flag]): string {
  const left = `  ${short ? `-${short},` : "   "} --${name}${value ? ` ${value}` : ""}`;
  const lines = [""];
  for (const word of help.split(" ")) {
    if (lines.at(-1)!.length + word.length + 1 > WIDTH - INDENT) lines.push("");
    lines.push(`${lines.pop()!} ${word}`.trim());
  }
  const [first, ...rest] = lines;
  const begin = left.length < INDENT - 1 ? left.padEnd(INDENT) + first : `${left}\n${" ".repeat(INDENT)}${first}`;
  return [begin, ...rest.map((line) => " ".repeat(INDENT) + line)].join("\n");
}

const INPUT = `\
FILE is a session file of an agent (Claude Code, Codex, gemini-cli, Copilot, Cline, pi and more: docs/sessions.md), or
JSON (or JSON Lines, one message a line): messages, or a request with messages, of OpenAI chat or Responses,
Anthropic, Gemini, VS Code or the AI SDK. Its kind is detected from its content, and reported. "-" reads standard
input. FILE is never changed. Text is UTF-8, or UTF-16 with a byte order mark.`;

const LEFT_OUT = `\
outline leaves out node_modules, .git, what the repository's .gitignore files name, links, binary files, files that
are not UTF-8 or UTF-16, files of more than 1 MB, and files of languages without a grammar; standard error reports how
many.`;

const NOT_SEARCHED = `\
search leaves out what the .gitignore and .ignore files name, links, binary, generated and minified files, files of
more than 1.5 MiB, those that are not UTF-8 or UTF-16, lock files, and folders of dependencies and caches; standard
error reports how many. QUERY "-" is read from standard input. Nothing is sent anywhere.`;

const WORDS = `\
After a count: exact (the model's own public encoding), prior (a similar encoding, since the model's own is not
public), estimate (it contains something that cannot be counted). "System", in errors "frame", counts system messages,
which are never removed.`;

const CODES = `\
Exit codes: 0 done, 1 a bug of espalier, 2 usage, 3 unreadable input or a file that cannot be written, 4 the budget
cannot be met, 5 the model failed and nothing was changed, 6 doctor found what a provider would refuse, 130 interrupted
(Ctrl-C) and nothing was changed.`;

/** Returns the help on everything, or on one command. */
export function help(command?: string): string {
  if (command === "completion")
    return (
      `espalier completion ${SHELLS.join("|")}\n  prints a completion script for your shell, such as: source ` +
      "<(espalier completion bash)"
    );
  if (command === undefined || !isCommand(command)) {
    const list = Object.entries(COMMANDS).map(
      ([name, [operand, what]]) => `  espalier ${`${name} ${operand}`.padEnd(28)} ${what}`,
    );
    const groups = [
      ["", rows.filter(([, { of }]) => of.length > 1)] as const,
      ...ALL.map((name) => [name, rows.filter(([, { of }]) => of.length === 1 && of[0] === name)] as const),
    ];
    const flags = groups.flatMap(([name, own]) =>
      own.length === 0 ? [] : [`${name ? `${name}:\n` : ""}${own.map(row).join("\n")}`],
    );
    const more =
      "  espalier help COMMAND                 help on one command\n  espalier completion bash|zsh|fish     " +
      "a completion script for your shell";
    return [
      "espalier fits a conversation into a context window.",
      [...list, more].join("\n"),
      INPUT,
      ...flags,
      LEFT_OUT,
      NOT_SEARCHED,
      WORDS,
      CODES,
    ].join("\n\n");
  }
  const [operand, what] = COMMANDS[command];
  const own = rows
    .filter(([, { of }]) => of.includes(command))
    .map(row)
    .join("\n");
  const isConversation = (READING as readonly string[]).includes(command);
  return [
    `espalier ${command} ${operand}\n  ${what}`,
    ...(isConversation ? [INPUT] : []),
    own,
    ...(command === "outline" ? [LEFT_OUT] : []),
    ...(command === "search" ? [NOT_SEARCHED] : []),
    ...(isConversation ? [WORDS] : []),
    CODES,
  ].join("\n\n");
}

export const SHELLS = ["bash", "zsh", "fish"] as const;

/** Returns a completion script: commands, then the flags of the command, known values, else files. */
export function completion(shell: (typeof SHELLS)[number]): string {
  const names = [...ALL, "help", "completion"];
  if (shell === "fish") {
    const of = (list: readonly string[]) => `__fish_seen_subcommand_from ${list.join(" ")}`;
    const quoted = (text: string) => `'${text.replace(/['\\]/g, "\\$&")}'`;
    return [
      ...names.map(
        (name) =>
          `complete -c espalier -n __fish_use_subcommand -f -a ${name} -d ` +
          `${quoted(isCommand(name) ? COMMANDS[name][1] : name)}`,
      ),
      ...rows.map(
        ([name, { value, short, values, of: commands, help: text }]) =>
          `complete -c espalier -n ${quoted(of(commands))} -l ${name}` +
          (short ? ` -s ${short}` : "") +
          (value ? " -r" : "") +
          (values ? ` -f -a ${quoted(values.join(" "))}` : "") +
          ` -d ${quoted(text)}`,
      ),
    ].join("\n");
  }
  const flags = ALL.map(
    (command) =>
      `    ${command}) flags="${rows
        .filter(([, { of }]) => (of as readonly string[]).includes(command))
        .map(([name]) => `--${name}`)
        .join(" ")}" ;;`,
  );
  const values = rows.flatMap(([name, flag]) =>
    flag.values ? [`    --${name}) COMPREPLY=($(compgen -W "${flag.values.join(" ")}" -- "$word")); return ;;`] : [],
  );
  const bash = `_espalier() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" flags=""
  case "$before" in
${values.join("\n")}
    help) COMPREPLY=($(compgen -W "${ALL.join(" ")} completion" -- "$word")); return ;;
    completion) COMPREPLY=($(compgen -W "${SHELLS.join(" ")}" -- "$word")); return ;;
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then COMPREPLY=($(compgen -W "${names.join(" ")}" -- "$word")); return; fi
  case "\${COMP_WORDS[1]}" in
${flags.join("\n")}
  esac
  case "$word" in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$word")) ;;
    *) COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}
complete -o filenames -F _espalier espalier`;
  return shell === "bash" ? bash : `autoload -U +X bashcompinit && bashcompinit\n${bash}`;
}
