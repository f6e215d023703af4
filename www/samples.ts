/** Source files of the page: its own. The build puts them into `samples`. */
export const SAMPLES = [
  "js/log/log.ts",
  "core/src/document/query.rs",
  "www/prompt/example-prompt.tsx",
  "tests/fixtures/sources/cache.py",
  "www/style.css",
];

/** Returns the address of a sample, beside the page. */
export const sampleUrl = (path: string) => `samples/${path}`;
