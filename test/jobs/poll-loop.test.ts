import { expect, it } from "vitest";
import { PollLoop } from "../../adapters/delivery/jobs/timers.js";
import { VirtualTime } from "../webhooks/simulation/virtual-time.js";

const POLL_MS = 1_000;

/** Opens a loop whose runs take 10 ms, and records when each begins. */
function openScene({ firstMs = 0, isWell = true } = {}) {
  const time = new VirtualTime(0);
  const runs: number[] = [];
  const work = async () => {
    runs.push(time.now);
    await time.pass(10);
    return isWell;
  };
  const loop = new PollLoop(work, {
    pollMs: POLL_MS,
    minPauseMs: () => 50,
    initialDelayMs: firstMs,
    after: time.after,
  });
  const passTime = (ms: number) => time.leapTo(time.now + ms, () => new Promise((go) => setImmediate(go)));
  loop.start();
  return { loop, runs, pass: passTime };
}

it("a poll loop runs its work immediately or after an initial pause, and then at regular intervals", async () => {
  const [now, later] = [openScene(), openScene({ firstMs: 500 })];
  for (const { pass } of [now, later]) await pass(2_200);
  expect(now.runs).toEqual([0, 1_060, 2_120]);
  expect(later.runs).toEqual([500, 1_560]);
});

it("a poll loop that is woken runs soon, and only once for several calls", async () => {
  const { loop, runs, pass } = openScene();
  await pass(300);
  loop.wake();
  loop.wake();
  await pass(5);
  loop.wake();
  loop.wake();
  await pass(500);
  expect(runs).toEqual([0, 300, 360]);
});

it("a poll loop doubles its pause after each failure, up to 30 seconds, even if it is woken", async () => {
  const { loop, runs, pass } = openScene({ isWell: false });
  for (let second = 0; second < 100; second += 1) {
    await pass(1_000);
    loop.wake();
  }
  const pauses = runs.slice(1).map((at, index) => at - (runs[index] ?? 0) - 10);
  expect(pauses).toEqual([2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
});

it("a poll loop that is stopped waits for the current run, and starts no other", async () => {
  const { loop, runs, pass } = openScene();
  await pass(5);
  let isStopped = false;
  const stopped = loop.stop().then(() => {
    isStopped = true;
  });
  await pass(3);
  expect(isStopped).toBe(false);
  await pass(2);
  await stopped;
  await pass(5_000);
  expect(runs).toEqual([0]);
});
