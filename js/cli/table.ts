/** The commands and flags of the command line. Options, help and completion are all made from this table. */

import { FORMATS } from "../formats/index.ts";
import { sessionLayouts } from "../sessions/index.ts";
import { PROVIDERS } from "../validity/providers.ts";

const TRANSCRIPTS = ["count", "prune", "compact"] as const;
/** Commands that read a conversation: a session file, messages or a request. */
const READING = [...TRANSCRIPTS, "doctor", "convert"] as const;
const ALL = [...READING, "log", "summarize", "outline", "search"] as const;
type Command = (typeof ALL)[number];

/** The description of each command, and its operand. */
export const COMMANDS: Readonly<Record<Command, readonly [operand: string, what: string]>> = {
  count: ["FILE", "says what a conversation costs, message by message"],
  prune: ["FILE --budget N", "cuts one request to N tokens; the result goes to standard output"],
  compact: ["FILE --budget N", "replaces older history by a summary"],
  doctor: ["FILE", "says what a provider would refuse, what fills the window and what repeats; --repair mends it"],
  convert: ["FILE --to NAME", "writes a conversation in another format, or in the layout of its session file"],
  log: ["FILE", "says what happened to a conversation, from a log that compact keeps or from a session file"],
  summarize: ["FILE… --budget N", "cuts source files to N tokens, with a comment where something is missing"],
  outline: [
    "DIR --budget N",
    "lists the definitions that matter most in a folder of source files; of one FILE all of them",
  ],
  search: ["DIR QUERY --budget N", "finds the lines of a folder's files that answer a query, most relevant first"],
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
    of: ["prune", "compact", "summarize", "outline", "search"],
    help: "tokens that the result may have; 32k is 32000, 1.5k is 1500",
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
    help: "of a session file: live (default), what its next request would hold; history, all messages that ever were",
  },
  "side-chain": {
    value: "ID",
    of: SESSIONS,
    help: "of a session file: the conversation of a sub-agent, or a branch that was given up",
  },
  conversation: { value: "N", of: SESSIONS, help: "of a file with several conversations: the Nth" },
  to: {
    value: "NAME",
    of: ["prune", "compact", "convert"],
    help: `write messages in this format, or a file in the session's own layout, which its tool resumes from: ${WRITABLE.join(", ")}`,
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
    help: "whose rules count; default: those of the format",
    values: PROVIDERS,
  },
  window: {
    value: "N",
    of: ["doctor"],
    help: "input tokens that the model takes; default: what the session file says, else the window of its model if that is known",
  },
  repair: {
    of: ["doctor"],
    help: "write a session that is accepted: in the file's own layout if its tool resumes from it, else messages; the original stays",
  },
  encoding: {
    value: "NAME",
    of: ALL,
    help: "o200k_base (default) or cl100k_base",
    values: ["o200k_base", "cl100k_base"],
  },
  model: { value: "NAME", of: [...READING, "summarize", "log"], help: "picks the encoding by model" },
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
    help: "the model that writes the summary: openai, openai-responses, anthropic or gemini; the key comes from OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY. Without it rules write the summary, offline",
  },
  "base-url": {
    value: "URL",
    of: compact,
    help: "any server that speaks like that provider; default: the provider's own",
  },
  "max-llm-tokens": {
    value: "N",
    of: compact,
    help: "tokens that this model accepts; default: the whole history is tried, and less of it if the model refuses it",
  },
  "on-failure": {
    value: "WHAT",
    of: compact,
    help: "offline (default): if the model fails rules take over; leave: nothing changes, and what does not fit is an error",
    values: ["leave", "offline"],
  },
  "timeout-ms": { value: "MS", of: compact, help: "milliseconds for each model call; default 120000" },
  focus: {
    value: "TEXT|PATHS",
    of: ["compact", "outline"],
    help: "compact: what the summary should pay attention to; outline: files that the work is about, with commas between them, which are left out",
  },
  force: { of: compact, help: "compact even if the conversation fits" },
  plan: { of: compact, help: "show what would be done, message by message, and the summary; nothing is written" },
  log: {
    value: "FILE",
    of: compact,
    help: "keep an event log (JSON lines) in FILE beside the messages; the messages may have grown since",
  },
  undo: { of: compact, help: "with --log: take back the newest compaction, one step each time" },
  redo: { of: compact, help: "with --log: put it back" },
  pin: {
    value: "IDS",
    multiple: true,
    of: compact,
    help: "messages that stay word for word, with commas between them; with --log for good",
  },
  unpin: { value: "IDS", multiple: true, of: compact, help: "with --log: end a pin" },
  profile: {
    value: "NAME",
    of: ["compact", "search"],
    help: "whose rules: espalier (default), copilot-chat, or for compact gemini-cli or copilot-cli",
    values: ["espalier", "copilot-chat", "gemini-cli", "copilot-cli"],
  },
  recall: {
    value: "ID",
    of: ["log"],
    help: "print what an edit hid: of a message (m17), a range (m3..m9), an edit (e40) or a summary (e40:summary)",
  },
  selection: {
    value: "A[:B]",
    of: ["summarize"],
    help: "lines of the first file that stay, from 1; one line is a cursor, whose surroundings come first",
  },
  lines: { of: ["summarize"], help: "begin each line with its number" },
  language: {
    value: "NAME",
    of: ["summarize", "outline"],
    help: "of sources whose name does not say it, such as standard input",
  },
  mention: { value: "NAMES", of: ["outline"], help: "names and paths that matter more" },
  root: {
    value: "DIR",
    multiple: true,
    of: ["search"],
    help: "a further folder; paths then begin with the names of their folders",
  },
  "max-results": { value: "N", of: ["search"], help: "hits that are looked for; default 128" },
  index: {
    value: "DIR",
    of: ["search"],
    help: "keep the index there, so that the next search with it reads new and changed files only; without it nothing is kept. It is made anew if it is damaged, of another version or of other options",
  },
  structure: {
    of: ["search"],
    help: "cut files of languages with a grammar at their definitions, and name those of each hit; takes longer to index",
  },
  contributions: { of: ["search"], help: "say what each word added to each score" },
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

const INPUT = `FILE is a session file of an agent (Claude Code, Codex, gemini-cli, Copilot, Cline, pi and more: docs/sessions.md), or JSON (or JSON
Lines, one message a line): messages, or a request with messages, of OpenAI chat or Responses, Anthropic, Gemini, VS Code or the AI SDK.
What it is is detected by what it holds, and reported. "-" reads standard input. FILE is never changed.`;

const LEFT_OUT = `outline leaves out node_modules, .git, what the repository's .gitignore files name, links, binary files, files of more than 1 MB,
and files of languages without a grammar; standard error says how many.`;

const NOT_SEARCHED = `search leaves out what the .gitignore and .ignore files name, links, binary, generated and minified files, files of more than 1.5 MiB,
those that are not UTF-8 or UTF-16, lock files, and folders of dependencies and caches; standard error says how many. QUERY "-" is read
from standard input. Nothing is sent anywhere.`;

const WORDS = `After a count: exact (the model's own public encoding), prior (a stand-in encoding, since the model's own is not public),
estimate (something in it cannot be counted). "System", in errors "frame", counts system messages, which are never
removed.`;

const CODES = `Exit codes: 0 done, 1 a bug of espalier, 2 usage, 3 unreadable input, 4 the budget cannot be met, 5 the model failed and nothing was
changed, 6 doctor found what a provider would refuse, 130 interrupted (Ctrl-C) and nothing was changed.`;

/** Returns the help on everything, or on one command. */
export function help(command?: string): string {
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
      "  espalier help COMMAND                 help on one command\n  espalier completion bash|zsh|fish     a completion script for your shell";
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
          `complete -c espalier -n __fish_use_subcommand -f -a ${name} -d ${quoted(isCommand(name) ? COMMANDS[name][1] : name)}`,
      ),
      ...rows.map(
        ([name, { value, short, values, of: commands, help: text }]) =>
          `complete -c espalier -n ${quoted(of(commands))} -l ${name}${short ? ` -s ${short}` : ""}${value ? " -r" : ""}${values ? ` -f -a ${quoted(values.join(" "))}` : ""} -d ${quoted(text)}`,
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
    help) COMPREPLY=($(compgen -W "${ALL.join(" ")}" -- "$word")); return ;;
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
