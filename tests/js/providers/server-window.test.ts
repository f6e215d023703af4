/** The windows of local servers, asked of a server that answers as each of them does. */

import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { serverWindow } from "../../../js/providers/index.ts";
import type { ServerWindow, ServerWindowOptions } from "../../../js/providers/index.ts";

/** Answers by path; a path that is missing is refused, text is sent as it is, and `hang` never answers. */
type Answers = Record<string, unknown>;

async function ask(answers: Answers, options: Partial<ServerWindowOptions> = {}, path = "/v1") {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      asked.push(`${request.url}${body}`);
      const answer = answers[request.url!.split("?")[0]!];
      if (answer === "hang") return;
      response.statusCode = answer === undefined ? 404 : 200;
      response.end(typeof answer === "string" ? answer : JSON.stringify(answer ?? { error: "not found" }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
    return { window: await serverWindow({ baseUrl, ...options }), asked };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function check(answers: Answers, wanted: ServerWindow | undefined, model?: string) {
  const { window } = await ask(answers, model === undefined ? {} : { model });
  assert.deepEqual(window, wanted);
}

const list = (...ids: string[]) => ({ object: "list", data: ids.map((id) => ({ id, object: "model" })) });
const ollama = (used: number | undefined, parameters = "") => ({
  "/v1/models": list("qwen3:8b", "llama3:latest"),
  "/api/ps": { models: used === undefined ? [] : [{ name: "qwen3:8b", model: "qwen3:8b", context_length: used }] },
  "/api/show": { parameters, model_info: { "qwen3.context_length": 40_960 } },
});

test("Ollama: what it uses, what is set, what it begins with", async () => {
  await check(ollama(8_192), { tokens: 8_192, server: "ollama", origin: "used" }, "qwen3:8b");
  await check(ollama(8_192), { tokens: 8_192, server: "ollama", origin: "used" });
  const set = 'stop  "<|im_end|>"\nnum_ctx                        16384\ntemperature 1';
  await check(ollama(undefined, set), { tokens: 16_384, server: "ollama", origin: "set" }, "qwen3:8b");
  await check(ollama(undefined), { tokens: 4_096, server: "ollama", origin: "assumed" }, "llama3");
  const { asked } = await ask(ollama(undefined), { model: "qwen3:8b" });
  assert.equal(asked.at(-1), '/api/show{"model":"qwen3:8b"}');
});

test("llama.cpp, vLLM and LM Studio", async () => {
  const props = { default_generation_settings: { n_ctx: 12_288 }, total_slots: 1 };
  await check({ "/v1/models": list("m"), "/props": props }, { tokens: 12_288, server: "llama.cpp", origin: "used" });
  const models = {
    data: [
      { id: "a/b", max_model_len: 32_768 },
      { id: "c", max_model_len: 1_024 },
    ],
  };
  await check({ "/v1/models": models }, { tokens: 32_768, server: "vllm", origin: "used" }, "a/b");
  const loaded = [{ config: { context_length: 6_000 } }];
  const studio = { models: [{ key: "m", max_context_length: 131_072, loaded_instances: loaded }] };
  await check(
    { "/v1/models": list("m"), "/api/v1/models": studio },
    { tokens: 6_000, server: "lm-studio", origin: "used" },
    "m",
  );
});

test("the address may have no version, or a slash at its end", async () => {
  for (const path of ["", "/", "/v1/", "/api"]) {
    const { window } = await ask(ollama(8_192), {}, path);
    assert.equal(window?.tokens, 8_192, path);
  }
});

test("other servers and odd answers have no window", async () => {
  await check({}, undefined);
  await check({ "/v1/models": list("gpt-4o") }, undefined);
  await check({ "/v1/models": "<html>", "/props": "{", "/api/ps": { models: "none" } }, undefined);
  await check({ "/props": { default_generation_settings: { n_ctx: -1 } } }, undefined);
  await check({ "/v1/models": { data: [{ id: "m", max_model_len: "8k" }, null] } }, undefined, "m");
  assert.equal(await serverWindow({ baseUrl: "http://127.0.0.1:9/v1", timeoutMs: 500 }), undefined);
});

test("a server that hangs costs the time limit; an abort ends the call", async () => {
  const hangs = { "/v1/models": "hang", "/props": "hang", "/api/ps": "hang", "/api/v1/models": "hang" };
  assert.equal((await ask(hangs, { timeoutMs: 20 })).window, undefined);
  const controller = new AbortController();
  setTimeout(() => controller.abort(new Error("enough")), 20);
  await assert.rejects(ask(hangs, { signal: controller.signal }), /enough/);
});

test("wrong options are refused by name", async () => {
  const refused = (options: unknown, path: string) =>
    assert.rejects(serverWindow(options as ServerWindowOptions), { code: "bad_option", path });
  await refused({ baseUrl: "localhost" }, "options.baseUrl");
  await refused({ baseUrl: "http://localhost/v1", modle: "m" }, "options.modle");
});

test("a redirect takes headers to no other host", async () => {
  const seen: unknown[] = [];
  const elsewhere = createServer((request, response) => {
    seen.push(request.headers["x-api-key"]);
    response.end(JSON.stringify({ data: [{ id: "m", max_model_len: 1_000 }] }));
  });
  await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
  const { port } = elsewhere.address() as AddressInfo;
  const server = createServer((request, response) => {
    response.writeHead(307, { location: `http://127.0.0.1:${port}${request.url}` }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  try {
    assert.equal(await serverWindow({ baseUrl, headers: { "x-api-key": "secret" } }), undefined);
    assert.deepEqual(seen, []);
  } finally {
    elsewhere.close();
    server.close();
  }
});
