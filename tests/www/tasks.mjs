/**
 * Measures the tasks of a page's thread in a real Chromium. A time is no fact that a test can hold on any machine, so
 * the tests only do what is done here; with `ESPALIER_TASKS=1` (`npm run page` in benches/) they measure it too.
 */

import assert from "node:assert/strict";

/** Microseconds of a task that a person notices. */
const LONG = 50_000;

export const isMeasured = Boolean(process.env.ESPALIER_TASKS);

/**
 * Runs `act`. If times are measured, prints the page's long tasks meanwhile, and fails if there are more than `allowed`
 * of them.
 */
export async function busy(page, what, act, allowed = 0) {
  if (!isMeasured) return void (await act());
  const { count, longest, long } = await longTasks(page, act);
  console.log(`| ${what} | ${count} | ${longest} | ${long.join(", ")} |`);
  assert.ok(count > 0, "tasks are seen at all");
  assert.ok(long.length <= allowed, `${what}: ${long} ms`);
}

/**
 * Runs `act`, and returns how many tasks the page's main thread had meanwhile, the milliseconds of the longest one, and
 * those of every one that worked longer than 50 ms. What is counted is the thread's own time, as the browser's trace
 * has it, so that other programs on a busy machine do not count; a PerformanceObserver for `longtask` sees the time on
 * the clock only.
 */
export async function longTasks(page, act) {
  const session = await page.context().newCDPSession(page);
  const events = [];
  session.on("Tracing.dataCollected", ({ value }) => events.push(...value));
  await session.send("Tracing.start", {
    traceConfig: { includedCategories: ["toplevel"], excludedCategories: ["*"] },
    transferMode: "ReportEvents",
  });
  const failure = await act().then(
    () => undefined,
    (error) => error,
  );
  const complete = new Promise((resolve) => session.once("Tracing.tracingComplete", resolve));
  await session.send("Tracing.end");
  await complete;
  await session.detach();
  if (failure) throw failure;
  const threads = new Set(
    events
      .filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain")
      .map(({ pid, tid }) => `${pid}:${tid}`),
  );
  const named = (pattern) =>
    events.filter(({ ph, pid, tid, name }) => ph === "X" && pattern.test(name) && threads.has(`${pid}:${tid}`));
  const isLong = ({ tdur = 0 }) => tdur > LONG;
  const tasks = named(/RunTask$/);
  const long = tasks.filter(isLong);
  // Chromium traces the microtasks after some tasks (a file that was read), but not the task around them.
  const isInside = ({ ts }) => long.some((task) => task.ts <= ts && ts < task.ts + task.dur);
  const alone = named(/PerformMicrotaskCheckpoint$/).filter((one) => isLong(one) && !isInside(one));
  const milliseconds = ({ tdur = 0 }) => Math.round(tdur / 1_000);
  return {
    count: tasks.length,
    longest: Math.max(0, ...[...tasks, ...alone].map(milliseconds)),
    long: [...long, ...alone].map(milliseconds),
  };
}
