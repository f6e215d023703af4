/**
 * Numbered names that work as a TypeScript `enum` does at run time, names looked up by number included
 * (`ChatRole[1] === "User"`), without the syntax, which type strippers refuse.
 */
export function enumeration<const T extends Record<string, number>>(
  members: T,
): T & { readonly [value: number]: string } {
  const names = Object.fromEntries(Object.entries(members).map(([name, value]) => [value, name]));
  return { ...names, ...members };
}
