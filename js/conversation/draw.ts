/** Numbers that look random and are the same for the same log: what jitter is drawn from. */

/** FNV-1a of 32 bits over the UTF-16 units of a text. */
export function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/**
 * A number in [0, 1) from a seed and what it is drawn for. The bits are mixed, since FNV's last step changes few of
 * them.
 */
export function draw(seed: string | number, what: string): number {
  let hash = hash32(`${seed}/${what}`);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
