import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";

/** Nitro leaves packages as they are and copies the files that it traces; Nuxt builds its server with it. */
export default async function check({ folder, ran }) {
  await ran("nitro", ["build"]);
  const moved = join(folder, "..", "nitro-moved");
  cpSync(join(folder, ".output"), moved, { recursive: true });
  const server = spawn(process.execPath, ["server/index.mjs"], {
    cwd: moved,
    env: { ...process.env, PORT: "0", HOST: "127.0.0.1" },
  });
  try {
    const url = await new Promise((resolve, reject) => {
      let said = "";
      const read = (text) => {
        said += text;
        const found = /http:\/\/[^\s/]+:[1-9]\d*/.exec(said);
        if (found) resolve(found[0]);
      };
      server.stdout.on("data", read);
      server.stderr.on("data", read);
      server.once("exit", () => reject(new Error(said)));
    });
    assert.match(await (await fetch(url)).text(), /^3 3 true applied /);
  } finally {
    server.kill();
  }
}
