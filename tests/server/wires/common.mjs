/** What the wires share. */

export const isFields = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
export const list = (value) => (Array.isArray(value) ? value : []);

/** Cuts a text into pieces as models do, also in the middle of a surrogate pair's neighbours but never within one. */
export function pieces(text, size = 7) {
  const units = [...text];
  const out = [];
  for (let at = 0; at < units.length; at += size) out.push(units.slice(at, at + size).join(""));
  return out;
}

/** One event of a stream. */
export const event = (data, name) =>
  `${name ? `event: ${name}\n` : ""}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
