#!/usr/bin/env node
/**
 * `espalier count | prune | compact | bill | doctor | convert | log FILE`, `summarize FILE…`, `outline DIR`, `search
 * DIR QUERY`: the package on the command line.
 */

import { readFileSync, writeFileSync } from "node:fs";
import "../entries/engines/core-node.ts";
import { EspalierError, compact, countMessages, init, prune } from "../entries/verbs.ts";
import type { LogCompactOptions } from "../log/types.ts";
import type { ReplayCostOptions } from "../bill/types.ts";
import type { CacheLifetime } from "../types/cache.ts";
import type { CompactReport } from "../types/compact-report.ts";
import type { EncodingName, CostModelName } from "../types/count.ts";
import type { Format } from "../types/messages.ts";
import type { Llm } from "../types/llm.ts";
import type { ProfileName } from "../types/profile.ts";
import type { ProviderName } from "../types/validity.ts";
import { dialectOf } from "../sessions/dialects.ts";
import type { Session, SessionLayout, SessionView } from "../sessions/index.ts";
import { PROVIDERS } from "../validity/providers.ts";
import { ids, oneOf, parseCommandLine, UsageError, whole } from "./arguments.ts";
import type { Values } from "./arguments.ts";
import { bill } from "./bill.ts";
import { isLayout, writtenAs } from "./convert.ts";
import type { Written } from "./convert.ts";
import { doctor, windowOf } from "./doctor.ts";
import { EXIT, exitCode } from "./exit.ts";
import { flagged } from "./flags.ts";
import { showHistory } from "./history.ts";
import { llmFrom } from "./llm.ts";
import { openFile } from "./opened.ts";
import type { OpenFlags } from "./opened.ts";
import { outlineOf } from "./outline.ts";
import { runOnLog } from "./log.ts";
import type { Logged } from "./log.ts";
import { planned } from "./plan.ts";
import { finish, finishText, finishWritten, jsonOf, print, tell } from "./out.ts";
import type { To } from "./out.ts";
import { refuseOverwriting } from "./overwriting.ts";
import type { NamedFile } from "./overwriting.ts";
import { progress } from "./progress.ts";
import { printable } from "./printable.ts";
import { shown, shownRemovals } from "./report.ts";
import { sessionFacts, shownSession } from "./shown-session.ts";
import { asJson, indexProgress, searchFolders, shownHits, shownSearch } from "./search.ts";
import { sourceOf } from "./source.ts";
import { readLines, shownLosses, shownSummaries, summarizeFiles } from "./summarize.ts";
import { COMMANDS, completion, FLAGS, help, isCommand, OPTIONS, SHELLS } from "./table.ts";
import type { FlagName } from "./table.ts";
import { readText } from "./text.ts";

async function main(args: string[]): Promise<number> {
  const { values, positionals } = parseCommandLine(args);
  if (values.version) return print(version());
  const [command, file, ...rest] = positionals;
  if (command === "help" && file !== undefined && !isCommand(file) && file !== "completion")
    throw new UsageError(
      `unknown command ${JSON.stringify(file)}; the commands are ${Object.keys(COMMANDS).join(", ")}`,
    );
  if (values.help || command === "help" || command === undefined) {
    print(help(command === "help" ? file : command));
    return values.help || command === "help" ? EXIT.ok : EXIT.usage;
  }
  if (command === "completion") {
    const shell = SHELLS.find((name) => name === file);
    if (shell === undefined) throw new UsageError(`espalier completion needs one of ${SHELLS.join(", ")}`);
    return print(completion(shell));
  }
  if (!isCommand(command))
    throw new UsageError(
      `unknown command ${JSON.stringify(command)}; the commands are ${Object.keys(COMMANDS).join(", ")}`,
    );
  for (const name of Object.keys(values) as FlagName[]) {
    const known: readonly string[] = FLAGS[name].of;
    if (!known.includes(command)) throw new UsageError(`--${name} is for espalier ${known.join(", ")}`);
  }
  const operands = positionals.slice(1);
  if (command === "search") return searchCommand(operands, values);
  refuseOverwriting(
    [...operands.map((path) => ({ path })), ...named("--session", values.session)],
    [...named("--output", values.output), ...named("--log", values.log)],
  );
  if (command === "summarize") return summarizeCommand(operands, values);
  if (file === undefined) throw new UsageError(`espalier ${command} needs a FILE ("-" reads standard input)`);
  if (rest.length > 0) throw new UsageError(`only one FILE is accepted; ${JSON.stringify(rest[0])} is one too many`);

  if (command === "outline") {
    await init({ encodings: [] });
    const made = await outlineOf(file, { ...values, budget: whole(values.budget, "--budget") });
    const text = values.json ? JSON.stringify(made.result, null, 2) : printable(made.result.text);
    if (!values.json) tell(made.note, values);
    return text === "" && values.output === undefined ? EXIT.ok : finishText(text, values);
  }

  const view = oneOf(values.view, "--view", ["live", "history"]) as SessionView | undefined;
  if (command === "log") {
    await init({ encodings: [] });
    const asked = { ...counting(values), recall: values.recall, view };
    return finishText(await showHistory(file, openOptions(values), asked), values);
  }
  const as = values.to === undefined ? undefined : needTarget(values.to);
  if (command === "convert" && as === undefined) throw new UsageError("espalier convert needs --to NAME");
  const budget = whole(values.budget, "--budget");
  const [pin, unpin] = [ids(values.pin), ids(values.unpin)];
  const back = values.undo ? "--undo" : values.redo ? "--redo" : undefined;
  if (back ?? (unpin.length > 0 ? "--unpin" : undefined)) {
    if (values.log === undefined) throw new UsageError(`${back ?? "--unpin"} needs --log FILE`);
    if (values.plan)
      throw new UsageError(
        `--plan only shows the planned changes, but ${back ?? "--unpin"} changes the log; use one of them`,
      );
    if (values.undo && values.redo) throw new UsageError("--undo and --redo exclude each other; use one of them");
  }
  const hasLog = values.log !== undefined && !values.plan;
  const changesLogOnly = hasLog && (back !== undefined || (budget === undefined && pin.length + unpin.length > 0));
  if ((command === "prune" || command === "compact") && budget === undefined && !changesLogOnly)
    throw new UsageError(`espalier ${command} needs --budget N`);
  const shownView = view ?? (command === "bill" ? "history" : "live");
  const { input, session, model } = await openFile(file, {
    ...openOptions(values),
    view: shownView,
    format: values.format,
  });
  values.model ??= model;
  await init({ encodings: [] });
  const given = (values.format as Format | undefined) ?? session?.format;
  const common = { ...counting(values), ...(given !== undefined && { format: given }) };
  const { format, list } = sourceOf(input, common.format);
  if (!values.json) {
    if (session) tell(shownSession(session, shownView), values);
    tell(`format: ${format}${values.format === undefined ? " (detected)" : ""}`, values);
  }
  const original = () => readText(file);
  const converted =
    as === undefined
      ? undefined
      : (messages: unknown) => writtenAs(messages, as, format, session, original, values.model);
  if (command === "count") {
    return finish({ report: countMessages(input, common), ...sessionFacts(session) }, values);
  }
  if (command === "bill") return bill(input, list, session, billOptions(values, session, common), values);
  if (command === "doctor") {
    const provider = oneOf(values.provider, "--provider", PROVIDERS) as ProviderName | undefined;
    const window = whole(values.window, "--window") ?? windowOf(session, values.model);
    return doctor(
      file,
      input,
      session,
      { ...values, window },
      {
        ...common,
        ...(provider && { provider }),
        ...(window !== undefined && { limits: { maxTokens: window } }),
        openEnd: session !== undefined,
      },
    );
  }
  if (command === "convert") {
    if (as === undefined || values.session === undefined) return finishWritten(converted!(input), values);
    const other = await openFile(values.session, {});
    return finishWritten(
      writtenAs(input, as, format, other.session, () => readText(values.session!), values.model),
      values,
    );
  }
  const log =
    values.log === undefined || values.plan
      ? undefined
      : { file: values.log, undo: values.undo, redo: values.redo, pin, unpin, counting: common, budget };
  if (log && changesLogOnly) return keptLog(await runOnLog(input, { ...log, compact: undefined }), values, converted);
  if (command === "prune") {
    const headroom = whole(values.headroom, "--headroom");
    const pruned = prune(input, { ...common, budget, ...(headroom !== undefined && { headroom }) });
    if (!converted) return finish({ ...pruned, ...sessionFacts(session) }, values);
    if (!values.json) tell(shown(pruned.report), values);
    return finishWritten(converted(pruned.messages), values, { report: pruned.report, ...sessionFacts(session) });
  }
  const timeoutMs = whole(values["timeout-ms"], "--timeout-ms");
  const maxLlmTokens = whole(values["max-llm-tokens"], "--max-llm-tokens");
  const llm: Llm | undefined =
    values.llm === undefined ? undefined : llmFrom(values.llm, values["base-url"], process.env);
  const onFailure = values["on-failure"];
  if (onFailure !== undefined && onFailure !== "leave" && onFailure !== "offline")
    throw new UsageError("--on-failure must be leave or offline");
  const abort = new AbortController();
  process.once("SIGINT", () => abort.abort());
  const bar = values.quiet ? { event: () => undefined, end: () => undefined } : progress(process.stderr);
  const dialect = session && dialectOf(session.layout);
  const how: LogCompactOptions = {
    budget: budget!,
    ...(dialect !== undefined && { ledger: { dialect } }),
    signal: abort.signal,
    onProgress: bar.event,
    force: values.force ?? false,
    ...(llm && { llm }),
    ...(maxLlmTokens !== undefined && { maxLlmTokens: maxLlmTokens }),
    ...(onFailure && { onFailure }),
    ...(values.focus !== undefined && { focus: values.focus }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(values.profile !== undefined && { profile: values.profile as ProfileName }),
  };
  if (log) return keptLog(await runOnLog(input, { ...log, compact: how }).finally(bar.end), values, converted);
  const result = await compact(input, { ...common, ...how, ...(pin.length > 0 && { keep: pin }) }).finally(bar.end);
  if (result.status === "cancelled") return cancelled(result.report, values);
  if (values.plan) return finish({ ...result, messages: undefined, text: planned(result) }, values);
  if (!converted) finish({ ...result, ...sessionFacts(session) }, values);
  else {
    const { messages, ...facts } = result;
    if (!values.json) tell(shown(result.report), values);
    finishWritten(converted(messages), values, { ...facts, ...sessionFacts(session) });
  }
  return codeOf(result.status);
}

/** Reports an interruption. Writes no output: a script that finds the file takes it for the result. */
function cancelled(report: CompactReport, to: To): number {
  tell(`${shown(report)}\nnothing was written`, to);
  return EXIT.cancelled;
}

function codeOf(status: string): number {
  if (status === "cancelled") return EXIT.cancelled;
  return [
    "applied",
    "unchanged",
    "nothing_to_compact",
    "undone",
    "nothing_to_undo",
    "redone",
    "nothing_to_redo",
    "pinned",
    "unpinned",
  ].includes(status)
    ? EXIT.ok
    : EXIT.model;
}

/** Reports the outcome for a log: the messages that it shows, and a line about the change. */
function keptLog(done: Logged, to: To, converted: ((messages: unknown) => Written) | undefined): number {
  const { json, quiet } = to;
  const { messages, ...facts } = done;
  const { status, edits, report, repaired } = facts;
  if (status === "cancelled" && report) return cancelled(report, { quiet });
  if (!json) {
    const outcome = `${status}${edits.length > 0 ? `: ${edits.join(", ")}` : ""}`;
    tell([...(report ? [shown(report)] : []), ...shownRemovals(repaired), outcome].join("\n"), { quiet });
  }
  if (converted) finishWritten(converted(messages), to, facts);
  else finishText(jsonOf(json ? done : messages), to);
  return codeOf(status);
}

function named(flag: string, path: string | undefined): NamedFile[] {
  return path === undefined ? [] : [{ flag, path }];
}

/** Runs `summarize`, which takes text, not conversations. */
async function summarizeCommand(files: string[], values: Values): Promise<number> {
  if (files.length === 0) throw new UsageError('espalier summarize needs a FILE ("-" reads standard input)');
  if (files.filter((path) => path === "-").length > 1)
    throw new UsageError('"-" reads standard input, which can be read once');
  const budget = whole(values.budget, "--budget");
  if (budget === undefined) throw new UsageError("espalier summarize needs --budget N");
  const lines = values.selection === undefined ? undefined : readLines(values.selection);
  if (values.selection !== undefined && !lines)
    throw new UsageError(`--selection must be one line or two, A or A:B, and is ${JSON.stringify(values.selection)}`);
  const made = await summarizeFiles(
    files,
    {
      budget,
      lineNumbers: values.lines ?? false,
      ...(values.language !== undefined && { language: values.language }),
      ...(values.encoding !== undefined && { encoding: values.encoding as EncodingName }),
      ...(values.model !== undefined && { model: values.model }),
    },
    lines,
  );
  const text = values.json ? JSON.stringify(made, null, 2) : shownSummaries(made, files);
  if (values.output === undefined) print(text);
  else writeFileSync(values.output, text);
  if (!values.json) tell(shownLosses(made, budget), values);
  return EXIT.ok;
}

async function searchCommand(given: readonly string[], values: Values): Promise<number> {
  const [folder, typed, extra] = given;
  if (folder === undefined || typed === undefined)
    throw new UsageError('espalier search needs a DIR and a QUERY ("-" reads it from standard input)');
  if (extra !== undefined)
    throw new UsageError(
      `only one QUERY is accepted, in quotation marks if it has spaces; ${JSON.stringify(extra)} is one too many`,
    );
  const budget = whole(values.budget, "--budget");
  const profile = oneOf(values.profile, "--profile", ["espalier", "copilot-chat"]);
  const maxResults = whole(values["max-results"], "--max-results");
  const bar = indexProgress(process.stderr, values.quiet ?? false);
  const { root = [], encoding, index, contributions, structure } = values;
  const query = typed === "-" ? readText("-") : typed;
  if (query.trim() === "") throw new UsageError("the QUERY is empty");
  const options = { budget, maxResults, encoding, profile, index, contributions, structure };
  const found = await searchFolders([folder, ...root], query, options, bar.event).finally(bar.end);
  const text = values.json ? asJson(found) : printable(shownHits(found.answer));
  if (!values.json) tell(shownSearch(found.answer, found.report, budget), values);
  return text === "" && values.output === undefined ? EXIT.ok : finishText(text, values);
}

/** Returns the options for opening a session file. */
function openOptions(values: Values): OpenFlags {
  const conversation = whole(values.conversation, "--conversation");
  return {
    ...(values.layout !== undefined && { layout: values.layout as SessionLayout }),
    ...(values["side-chain"] !== undefined && { sideChain: values["side-chain"] }),
    ...(conversation !== undefined && { conversation }),
  };
}

/** Returns the format or layout that --to names. */
function needTarget(to: string): string {
  const formats: readonly string[] = FLAGS.format.values;
  if (!formats.includes(to) && !isLayout(to))
    throw new UsageError(`--to must be one of ${FLAGS.to.values.join(", ")}, and is ${JSON.stringify(to)}`);
  return to;
}

/** Returns the options of `bill`; model and window are those of the session unless stated. */
function billOptions(
  values: Values,
  session: Session | undefined,
  common: Pick<ReplayCostOptions, "encoding" | "costModel" | "format">,
): ReplayCostOptions {
  const model = values.model ?? session?.model;
  const window = whole(values.window, "--window") ?? session?.window;
  const budget = whole(values.budget, "--budget");
  const lifetime = oneOf(values.ttl, "--ttl", ["5m", "1h"]) as CacheLifetime | undefined;
  const pace = whole(values.pace, "--pace");
  const summaryTokens = whole(values["summary-tokens"], "--summary-tokens");
  return {
    ...common,
    ...(model !== undefined && { model }),
    ...(window !== undefined && { window }),
    ...(budget !== undefined && { budget }),
    ...(lifetime && { lifetime }),
    ...(pace !== undefined && { paceMs: pace * 1_000 }),
    ...(summaryTokens !== undefined && { summaryTokens }),
    ...(values.profile !== undefined && { profile: values.profile as ProfileName }),
  };
}

/** Returns the options for counting. */
function counting(values: Values) {
  return {
    ...(values.encoding !== undefined && { encoding: values.encoding as EncodingName }),
    ...(values.model !== undefined && { model: values.model }),
    ...(values["cost-model"] !== undefined && { costModel: values["cost-model"] as CostModelName }),
  };
}

function version(): string {
  const file = new URL("../package.json", import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}

// Reading only the beginning of the output (`| head`) is not an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(EXIT.ok);
  throw error;
});

main(process.argv.slice(2)).then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    if (error instanceof UsageError) {
      process.stderr.write(printable(`espalier: ${error.message}\nespalier --help lists all commands and flags.\n`));
      process.exitCode = EXIT.usage;
    } else if (error instanceof EspalierError) {
      const largest = error.code === "budget_exceeded" ? (error.details.largest ?? []) : [];
      const lines = largest.map(({ id, tokens, why }) => `  ${String(tokens).padStart(9)}  ${id} (${why})`);
      process.stderr.write(
        printable(
          [`espalier: ${flagged(error.message, Object.keys(OPTIONS))} [${error.code}]`, ...lines, ""].join("\n"),
        ),
      );
      process.exitCode = exitCode(error);
    } else if (error instanceof Error && "syscall" in error) {
      // For a file or folder that cannot be read or written, the system's message names it.
      process.stderr.write(printable(`espalier: ${error.message}\n`));
      process.exitCode = EXIT.input;
    } else {
      process.stderr.write(`espalier: ${(error as Error).stack ?? String(error)}\n`);
      process.exitCode = EXIT.bug;
    }
  },
);
