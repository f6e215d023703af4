/** The line of `use` if everything works. */
export const WANTED = "3 3 true applied syntax syntax 3";
