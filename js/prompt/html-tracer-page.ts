/**
 * The tracer's page: one file, with requests only to the tracer's own server. Its script and style, which the
 * playground shares, are a file of the package that is loaded when a page is made.
 */

import type { PageData } from "./html-tracer-data.ts";
import { pack } from "./html-tracer-pack.ts";

/**
 * Returns the page's content security policy: its own script and style, which carry `nonce`, pictures of the prompt,
 * and answers of its server. Names and texts of the prompt are data in the script; the policy also holds if one of them
 * gets into the markup.
 */
function policy({ server }: PageData, nonce: string): string {
  const origin = server === undefined || !URL.canParse(server) ? "'none'" : new URL(server).origin;
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "img-src data:",
    `connect-src ${origin}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

/** Returns the page for a traced prompt. `nonce` marks its own script and style. */
export async function page(data: PageData, nonce: string): Promise<string> {
  const { default: made } = await import("#trace-page");
  // Inside a script element only these characters could end it early.
  const json = JSON.stringify(pack(data)).replace(
    /[<\u2028\u2029]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy(data, nonce)}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Prompt trace</title>
<link rel="icon" href="data:,">
<style nonce="${nonce}">${made.style}</style>
</head>
<body>
<div id="trace"></div>
<script nonce="${nonce}">const DATA = ${json};
${made.script}</script>
</body>
</html>
`;
}
