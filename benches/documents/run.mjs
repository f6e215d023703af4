// Documents: `npm run bench documents`, or `node benches/documents/run.mjs [--rounds=25]` after `npm run build`. Times
// of structures and summaries, beside web-tree-sitter; then what they keep (kept.mjs), and maps of repositories
// (repository.mjs).
await import("./speed.mjs");
await import("./kept.mjs");
await import("./repository.mjs");
