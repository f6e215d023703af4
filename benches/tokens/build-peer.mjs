// Builds tiktoken-rs as WebAssembly, once; needs Rust and the wasm-bindgen that `npm run build` at the root provides.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { env } from "../../scripts/lib.mjs";

/** Returns true if the peer can be measured. */
export function buildTiktokenRs() {
  const folder = fileURLToPath(new URL("tiktoken-rs/", import.meta.url));
  if (existsSync(`${folder}pkg/tiktoken_rs_bench_bg.wasm`)) return true;
  const run = (command, args) =>
    spawnSync(command, args, { cwd: folder, env, stdio: ["ignore", "ignore", "inherit"] }).status === 0;
  const target = "wasm32-unknown-unknown";
  return (
    run("cargo", ["build", "--release", "--quiet", "--target", target]) &&
    run("wasm-bindgen", [`target/${target}/release/tiktoken_rs_bench.wasm`, "--target", "web", "--out-dir", "pkg"])
  );
}
