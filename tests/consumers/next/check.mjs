import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { WANTED } from "../wanted.js";

export default async function check({ folder, bin, ran, titleAt }) {
  for (const bundler of ["--turbopack", "--webpack"]) {
    rmSync(join(folder, ".next"), { recursive: true, force: true });
    await ran("next", ["build", bundler], { env: { NEXT_TELEMETRY_DISABLED: "1" } });
    await started(bin("next"), folder, async (url) => {
      // The route has no grammar: it reports how to get one.
      assert.match(await (await fetch(`${url}api/use`)).text(), /^3 3 true applied /);
      assert.equal(await titleAt(url), WANTED, bundler);
    });
  }
}

async function started(next, folder, work) {
  const port = String(20_000 + (process.pid % 20_000));
  const server = spawn(next, ["start", "--port", port], {
    cwd: folder,
    detached: true,
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: "1" },
  });
  try {
    await new Promise((resolve, reject) => {
      server.stdout.on("data", (text) => /Ready/.test(text) && resolve());
      server.stderr.on("data", (text) => reject(new Error(String(text))));
      server.once("exit", () => reject(new Error("next start ended")));
    });
    await work(`http://localhost:${port}/`);
  } finally {
    process.kill(-server.pid);
  }
}
