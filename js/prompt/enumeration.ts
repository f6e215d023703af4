/**
 * Numbered names that behave like a TypeScript `enum` at run time, including the lookup of names by number
 * (`ChatRole[1] === "User"`). Type strippers refuse the `enum` syntax itself.
 */
export function enumeration<const T extends Record<string, number>>(
  members: T,
): T & { readonly [value: number]: string } {
  const names = Object.fromEntries(Object.entries(members).map(([name, value]) => [value, name]));
  return { ...names, ...members };
}
