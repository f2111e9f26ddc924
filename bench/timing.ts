/**
 * A task is warmed up by four slices, and by up to sixteen until it has had this many calls: V8 compiles frequent code only after
 * some thousands. A task with few calls in four slices spends its time in the database, not in code.
 */
const WARM_UPS = { fewest: 4, most: 16 };
const WARM_CALLS = 5_000;
const FEW_CALLS = 600;

/** A piece of work to time. */
export type Work = () => unknown;

/** A task with a preparation before each call, which is not timed. */
export interface ReadiedWork {
  readonly ready: Work;
  readonly work: Work;
}

/**
 * Times tasks in turn, A B C A B C …, so that a change of the machine's speed affects all of them alike. Each run repeats its
 * task for about `sliceMs`, after four to sixteen such runs as a warm-up.
 * @returns the median time of a task by its name, in milliseconds.
 */
export async function timeInTurn(
  works: Readonly<Record<string, Work | ReadiedWork>>,
  { rounds, sliceMs }: { readonly rounds: number; readonly sliceMs: number },
): Promise<(name: string) => number> {
  const runs = new Map<string, { work: Work | ReadiedWork; repeats: number; times: number[] }>();
  for (const [name, work] of Object.entries(works)) {
    runs.set(name, { work, repeats: await warmUp(work, sliceMs), times: [] });
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const { work, repeats, times } of runs.values()) times.push(await timeRepeats(work, repeats));
  }
  return (name) => medianOf(runs.get(name)?.times ?? []);
}

export function medianOf(values: readonly number[]): number {
  const median = values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
  if (median === undefined) throw new Error("nothing was measured");
  return median;
}

/** Warms a task up: the first calls are slower than all others. @returns how often it then fits into a slice. */
async function warmUp(work: Work | ReadiedWork, sliceMs: number): Promise<number> {
  let [calls, repeats] = [0, 0];
  const isCold = () => calls >= FEW_CALLS && calls < WARM_CALLS;
  for (let slice = 0; slice < WARM_UPS.fewest || (slice < WARM_UPS.most && isCold()); slice += 1) {
    repeats = await countRepeats(work, sliceMs);
    calls += repeats;
  }
  return repeats;
}

async function countRepeats(work: Work | ReadiedWork, sliceMs: number): Promise<number> {
  let repeats = 0;
  const end = performance.now() + sliceMs;
  do {
    await timeRepeats(work, 1);
    repeats += 1;
  } while (performance.now() < end);
  return repeats;
}

async function timeRepeats(work: Work | ReadiedWork, repeats: number): Promise<number> {
  if (typeof work !== "function") return timeWithSetup(work, repeats);
  const start = performance.now();
  for (let at = 0; at < repeats; at += 1) await work();
  return (performance.now() - start) / repeats;
}

async function timeWithSetup({ ready, work }: ReadiedWork, repeats: number): Promise<number> {
  let sum = 0;
  for (let at = 0; at < repeats; at += 1) {
    await ready();
    sum += await timeRepeats(work, 1);
  }
  return sum / repeats;
}

/** The name of the fastest task. */
export function findFastest(names: readonly string[], getTime: (name: string) => number): string {
  const [first] = names.toSorted((a, b) => getTime(a) - getTime(b));
  if (first === undefined) throw new Error("nothing was measured");
  return first;
}
