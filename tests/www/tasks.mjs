/** Counts the long tasks of a page's thread in a real Chromium. */

/** Microseconds of a task that a person notices. */
const LONG = 50_000;

/**
 * Runs `act`, and returns the milliseconds of every task of the page's main thread that worked longer than 50 ms
 * meanwhile. What is counted is the thread's own time, as the browser's trace has it, so that other programs on a busy
 * machine do not count; a PerformanceObserver for `longtask` sees the time on the clock only.
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
  return { count: tasks.length, long: [...long, ...alone].map(({ tdur }) => Math.round(tdur / 1_000)) };
}
