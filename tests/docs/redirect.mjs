/**
 * Sends requests for the providers' own addresses to the scripted model at DOCS_SERVER. Loaded by the blocks, and by
 * the command line.
 */

const HOSTS = ["api.openai.com", "api.anthropic.com", "generativelanguage.googleapis.com"];
const real = globalThis.fetch;

globalThis.fetch = (input, options) => {
  const url = new URL(input instanceof Request ? input.url : input);
  if (!HOSTS.includes(url.hostname)) return real(input, options);
  const target = `${process.env.DOCS_SERVER}${url.pathname}${url.search}`;
  return real(input instanceof Request ? new Request(target, input) : target, options);
};
