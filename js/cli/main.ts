#!/usr/bin/env node
/**
 * `espalier count | prune | compact | bill | doctor | convert | log FILE`, `summarize FILE…`, `outline DIR`, `search
 * DIR QUERY`: the package on the command line.
 */

import { readFileSync } from "node:fs";
import "../entries/engines/core-node.ts";
import { nearest } from "../options/nearest.ts";
import { EspalierError, init } from "../entries/verbs.ts";
import { parseCommandLine, UsageError, whole } from "./arguments.ts";
import type { Values } from "./arguments.ts";
import { EXIT, exitCode } from "./exit.ts";
import { refuseUnwritable, UnwritableError } from "./files.ts";
import { flagged } from "./flags.ts";
import { viewOf } from "./given.ts";
import { showHistory } from "./history.ts";
import { onConversation } from "./on-conversation.ts";
import { counting, openOptions } from "./options.ts";
import { outlineOf } from "./outline.ts";
import { finishText, print, tell } from "./out.ts";
import { refuseOverwriting } from "./overwriting.ts";
import type { NamedFile } from "./overwriting.ts";
import { printable } from "./printable.ts";
import { searchCommand } from "./search.ts";
import { summarizeCommand } from "./summarize.ts";
import { COMMANDS, completion, FLAGS, help, isCommand, OPTIONS, SHELLS } from "./table.ts";
import type { FlagName } from "./table.ts";

async function main(args: string[]): Promise<number> {
  const { values, positionals } = parseCommandLine(args);
  if (values.version) return print(version());
  const [command, file, ...rest] = positionals;
  if (command === "help" && file !== undefined && !isCommand(file) && file !== "completion") throw unknown(file);
  if (values.help || command === "help" || command === undefined) {
    print(help(command === "help" ? file : command));
    return values.help || command === "help" ? EXIT.ok : EXIT.usage;
  }
  if (command === "completion") {
    const shell = SHELLS.find((name) => name === file);
    if (shell === undefined) throw new UsageError(`espalier completion needs one of ${SHELLS.join(", ")}`);
    return print(completion(shell));
  }
  if (!isCommand(command)) throw unknown(command);
  for (const name of Object.keys(values) as FlagName[]) {
    const known: readonly string[] = FLAGS[name].of;
    if (!known.includes(command)) throw new UsageError(`--${name} is for espalier ${known.join(", ")}`);
  }
  const operands = positionals.slice(1);
  if (command === "search") {
    refuseUnwritable(named("--output", values.output));
    return searchCommand(operands, values);
  }
  const outputs = [...named("--output", values.output), ...named("--log", values.log)];
  refuseOverwriting([...operands.map((path) => ({ path })), ...named("--session", values.session)], outputs);
  refuseUnwritable(outputs);
  if (command === "summarize") return summarizeCommand(operands, values);
  if (file === undefined) throw new UsageError(`espalier ${command} needs a FILE ("-" reads standard input)`);
  if (rest.length > 0) throw new UsageError(`only one FILE is accepted; ${JSON.stringify(rest[0])} is one too many`);
  if (command === "outline") return outlineCommand(file, values);
  if (command === "log") return historyCommand(file, values);
  return onConversation(command, file, values);
}

function unknown(command: string): UsageError {
  const known = [...Object.keys(COMMANDS), "help", "completion"];
  const close = nearest(command, known);
  const advice = close ? `did you mean ${close}?` : `the commands are ${known.join(", ")}`;
  return new UsageError(`unknown command ${JSON.stringify(command)}; ${advice}`);
}

async function outlineCommand(file: string, values: Values): Promise<number> {
  await init({ encodings: [] });
  const made = await outlineOf(file, { ...values, budget: whole(values.budget, "--budget") });
  const text = values.json ? JSON.stringify(made.result, null, 2) : printable(made.result.text);
  if (!values.json) tell(made.note, values);
  return text === "" && values.output === undefined ? EXIT.ok : finishText(text, values);
}

async function historyCommand(file: string, values: Values): Promise<number> {
  const view = viewOf(values);
  await init({ encodings: [] });
  const asked = { ...counting(values), recall: values.recall, view };
  return finishText(await showHistory(file, openOptions(values), asked), values);
}

function named(flag: string, path: string | undefined): NamedFile[] {
  return path === undefined ? [] : [{ flag, path }];
}

function version(): string {
  const file = new URL("../package.json", import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}

// Reading only the beginning of the output (`| head`) is not an error; a full disk is.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(EXIT.ok);
  process.stderr.write(printable(`espalier: standard output cannot be written: ${error.message}\n`));
  process.exit(EXIT.input);
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
    } else if (error instanceof UnwritableError || (error instanceof Error && "syscall" in error)) {
      process.stderr.write(printable(`espalier: ${error.message}\n`));
      process.exitCode = EXIT.input;
    } else {
      process.stderr.write(printable(`espalier: ${(error as Error).stack ?? String(error)}\n`));
      process.exitCode = EXIT.bug;
    }
  },
);
