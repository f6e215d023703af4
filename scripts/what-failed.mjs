/** The maximum number of lines that are repeated of one process of a failed check. */
const MAX_LINES = 60;

/**
 * Returns what the end of `npm test` repeats of a failed check: the failures that Node's reporter lists at the end of
 * each process of tests. Without such a list, the last lines of the output.
 */
export function whatFailed(output) {
  const [, ...lists] = output.split(/^.*failing tests:$/m);
  if (lists.length === 0) return output.trimEnd().split("\n").slice(-MAX_LINES).join("\n");
  return lists.map((list) => firstLines(list.trim().split("\n"))).join("\n\n");
}

/**
 * Returns the lines of a list, up to the output of the next process: a list has indented lines below two for each test.
 */
function firstLines(lines) {
  const end = lines.findIndex(
    (line, index) => /^\S/.test(line) && ![line, lines[index - 1]].some((line) => line?.startsWith("test at ")),
  );
  return lines
    .slice(0, end < 0 ? undefined : end)
    .slice(0, MAX_LINES)
    .join("\n")
    .trimEnd();
}
