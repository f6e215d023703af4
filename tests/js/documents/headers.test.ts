/** Headers named `.h`: C and C++ share the extension, and the text decides. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type * as Internal from "../../../js/entries/chunks/core.ts";

const dist = new URL("../../../pkg/dist/", import.meta.url);
const grammar = (name: string) => readFileSync(new URL(`grammars/tree-sitter-${name}.wasm`, dist));

let copies = 0;
/** The core with only some of the package's grammars. */
async function coreWith(...names: string[]): Promise<typeof Internal> {
  const core = (await import(`${new URL("core.js", dist).href}?headers=${++copies}`)) as typeof Internal;
  core.initSync(readFileSync(new URL("espalier.wasm", dist)));
  for (const name of names) core.loadGrammarSync(name, grammar(name));
  return core;
}

const QUEUE = `/* Copyright. A class of queues; template < of them > is not code. */
#ifndef QUEUE_H_
#define QUEUE_H_

#include <mutex>

namespace jobs {

/** A queue with a limit. */
template <typename Job>
class Queue final : public Base {
 public:
  explicit Queue(size_t limit) : limit_(limit) {}

  bool push(Job job) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (jobs_.size() >= limit_) {
      return false;
    }
    jobs_.push_back(std::move(job));
    return true;
  }

  Job pop() {
    std::lock_guard<std::mutex> lock(mutex_);
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    return job;
  }

 private:
  size_t limit_;
  std::mutex mutex_;
  std::deque<Job> jobs_;
};

}  // namespace jobs

#endif
`;

const DRIVER = `/*
 * class of drivers: namespace foo {
 */
#ifndef DRIVER_H
#define DRIVER_H

#include <linux/types.h>
#include "queue.h" /* std::queue */

#ifdef __cplusplus
extern "C" {
#endif

#define DRIVER_NAME "std::driver"

struct class;
struct device { struct class *class; int private; void *template; };

/* Starts the driver. */
int driver_start(struct device *device, const char *new);
static inline int driver_delete(struct class *class)
{
	int this = class != 0;
	return this ? -1 : 0;
}

#ifdef __cplusplus
}
#endif
#endif
`;

test("the text of a header says whether it is C++", async () => {
  const { languageOf } = await coreWith();
  assert.equal(languageOf("queue.h"), "c");
  assert.equal(languageOf("queue.h", QUEUE), "cpp");
  assert.equal(languageOf("driver.h", DRIVER), "c");
  assert.equal(languageOf("queue.c", QUEUE), "c");
  for (const line of [
    "class Queue;",
    "class EXPORT(1) Queue final\n{",
    "  class jobs::Queue {",
    "struct Queue : public Base {",
    "enum class Color : int { red };",
    "namespace jobs {",
    "inline namespace v1\n{",
    "namespace a::b {",
    "template <typename T>",
    "using Size = int;",
    "using namespace std;",
    " public:",
    "public Q_SLOTS:",
    "virtual int size() const = 0;",
    "#include <vector>",
    "std::string name();",
    "  Queue(const Queue&) = delete;",
    "/* no */ #define AS(x) static_cast<int>(x)",
  ])
    assert.equal(languageOf("a.h", `int a;\n${line}\n`), "cpp", line);
  for (const line of [
    "struct class *class;",
    "int namespace;",
    "int private: 1;",
    "// class Queue;",
    "/* std::vector",
    '#define NAME "class Queue { std::string }',
    "#include <stdio.h>",
    "@class Queue;",
    "@interface Queue : NSObject",
    "typedef enum color { red } color;",
    "typename_t size;",
    "a.using = b;",
    "\\ public ::a",
  ])
    assert.equal(languageOf("a.h", `int a;\n${line}\n`), "c", line);
});

test("reading a header takes time linear in its text", async () => {
  const { languageOf } = await coreWith();
  const start = process.cpuUsage();
  for (const part of [
    "/* ",
    "/",
    '"',
    '\\"',
    "class ",
    "class\n",
    "class a ",
    "namespace\n",
    " ",
    "\t\n",
    "struct a:",
    "~a(",
    "using a::",
  ])
    assert.equal(languageOf("a.h", part.repeat(1_000_000 / part.length)), "c", part);
  assert.ok(process.cpuUsage(start).user < 3_000_000);
});

test("summaries, outlines, maps and changes read a header as the same language", async () => {
  const core = (await import(
    new URL("documents-node.js", dist).href
  )) as typeof import("../../../js/entries/documents.ts");
  for (const [path, text, language, name] of [
    ["queue.h", QUEUE, "cpp", "Queue"],
    ["driver.h", DRIVER, "c", "driver_start"],
  ] as const) {
    const summary = await core.summarizeDocument(text, { path, budget: 300, unit: "characters" });
    const structure = await core.documentStructure(text, { path });
    const outlined = await core.outline(text, { path });
    assert.deepEqual(
      [summary, core.summarizeDocumentSync(text, { path, budget: 300, unit: "characters" }), structure, outlined].map(
        (made) => [made.language, made.basis.path],
      ),
      Array(4).fill([language, "syntax"]),
    );
    assert.match(outlined.text, new RegExp(name));
    if (language === "cpp") assert.equal(structure.basis.path === "syntax" && structure.basis.hasErrors, false);
    const map = await core.repositoryMap([{ path, text }], { budget: 500 });
    assert.ok(
      map.definitions.some((definition) => definition.name === name),
      map.text,
    );
    const { files } = await core.reduceChanges({ files: [{ path, text, selections: [[0, 1]] }], budget: 10_000 });
    assert.equal(files[0]!.basis.path, "syntax");
  }
  assert.equal((await core.summarizeDocument(QUEUE, { path: "queue.h", language: "c", budget: 900 })).language, "c");
});

test("without the grammar of C++ a header is read with that of C", async () => {
  const core = await coreWith("c");
  const options = { path: "queue.h", budget: 300, unit: "characters" } as const;
  const read = async () => [
    await core.documentStructure(QUEUE, { path: "queue.h" }),
    core.documentStructureSync(QUEUE, { path: "queue.h" }),
    await core.summarizeDocument(QUEUE, options),
    core.summarizeDocumentSync(QUEUE, options),
  ];
  for (const { language, basis } of await read()) assert.deepEqual([language, basis.path], ["c", "syntax"]);
  core.setGrammarLocator(() => new URL("http://127.0.0.1:9/x.wasm"));
  for (const { language, basis } of await read()) assert.deepEqual([language, basis.path], ["c", "syntax"]);
  const bare = await coreWith();
  const { language, basis } = await bare.documentStructure(QUEUE, { path: "queue.h" });
  assert.deepEqual([language, basis], ["cpp", { path: "indentation", why: "noGrammar" }]);
});
