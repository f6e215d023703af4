/** A static server for the playground: loopback only, no dependencies. */

import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize, sep } from "node:path";

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".wasm": "application/wasm",
  ".vocab": "application/octet-stream",
  ".md": "text/plain; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Sends a file of `folder`, or what is wrong with `url`. */
function send(folder, url, request, response) {
  let path;
  try {
    path = normalize(decodeURIComponent(new URL(url, "http://localhost").pathname));
  } catch {
    return response.writeHead(400).end();
  }
  let file = join(folder, path);
  if (file !== folder && !file.startsWith(folder + sep)) return response.writeHead(403).end();
  if (existsSync(file) && statSync(file).isDirectory()) file = join(file, "index.html");
  if (!existsSync(file)) return response.writeHead(404).end("not found");
  // A reopened page need not download the engine again.
  const { mtimeMs, size } = statSync(file);
  const etag = `"${Math.round(mtimeMs).toString(36)}-${size.toString(36)}"`;
  if (request.headers["if-none-match"] === etag) return response.writeHead(304, { etag }).end();
  response.writeHead(200, {
    etag,
    "content-type": TYPES[extname(file)] ?? "application/octet-stream",
    "cache-control": "no-cache",
  });
  return createReadStream(file).pipe(response);
}

/**
 * Returns an `answer` for {@link serve} that sends the files of another folder below `path`, such as `/reference/`.
 */
export const under = (path, folder) => (request, response) => {
  const { url = "/" } = request;
  if (!url.startsWith(path)) return false;
  send(folder, url.slice(path.length - 1), request, response);
  return true;
};

/**
 * Serves `folder`; resolves with the address. If the port is taken, uses a free one. `answer` returns true for requests
 * that it handles itself.
 */
export function serve(folder, port = 0, answer = (_request, _response) => false) {
  const server = createServer((request, response) => {
    if (!answer(request, response)) send(folder, request.url ?? "/", request, response);
  });
  return new Promise((resolve, reject) => {
    server.once("error", (error) => {
      if (error.code !== "EADDRINUSE" || port === 0) return reject(error);
      server.listen(0, "127.0.0.1");
    });
    server.on("listening", () =>
      resolve({
        url: `http://localhost:${server.address().port}/`,
        close: () => {
          server.close();
          server.closeAllConnections();
        },
      }),
    );
    server.listen(port, "127.0.0.1");
  });
}
