// Documents: `npm run bench documents`, or `node benches/documents/run.mjs [--rounds=25]` after `npm run build`.
// What structures and summaries take, beside web-tree-sitter; then what they keep (kept.mjs), and maps of repositories
// (repository.mjs).
await import("./speed.mjs");
await import("./kept.mjs");
await import("./repository.mjs");
