import { stat } from "node:fs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  deferLowPriorityWork,
  isYieldDue,
  runLowPriority,
  waitForIterationEnd,
  yieldIfDue,
} from "../../src/base/concurrency/event-loop.js";
import { runStep, type Step } from "../../src/base/concurrency/step.js";

/** Resolves where disk and network results arrive, which is after the timers of an iteration. */
const afterTimers = () => new Promise((resolve) => stat(".", resolve));

describe("yielding to the event loop", () => {
  // The loop iteration in which the previous test ended may be long.
  beforeEach(() => waitForIterationEnd());

  it("is due after 10 ms of steps, until the loop has run something else", async () => {
    await afterTimers();
    expect(isYieldDue()).toBe(false);
    const startedAt = performance.now();
    while (performance.now() - startedAt < 11);
    expect(isYieldDue()).toBe(true);
    await waitForIterationEnd();
    expect(isYieldDue()).toBe(false);
  });

  it("lets all due timers run, wherever in the loop the steps ran", async () => {
    await afterTimers();
    let isHeard = false;
    setTimeout(() => {
      isHeard = true;
    }, 1);
    while (!isYieldDue());
    await waitForIterationEnd();
    expect(isHeard).toBe(true);
  });
});

const waitIteration = () => new Promise((resolve) => setImmediate(resolve));

describe("low-priority work", () => {
  afterEach(async () => {
    vi.useRealTimers();
    for (let at = 0; at < 5; at += 1) await waitIteration();
  });

  /** Takes this many steps of 11 ms each, and records them. */
  function* steps(count: number, note: () => void): Step<void> {
    for (let step = 0; step < count; step += 1) {
      yield* yieldIfDue();
      note();
      vi.advanceTimersByTime(11);
    }
  }

  let later = 0;

  async function stopTime() {
    vi.useFakeTimers({ toFake: ["performance"] });
    // A new fake clock starts from zero, but time must never go back.
    later += 1e9;
    vi.advanceTimersByTime(later);
    for (let at = 0; at < 5; at += 1) await waitIteration();
    const order: string[] = [];
    const runWork = (name: string, count: number) =>
      runStep(runLowPriority(() => steps(count, () => order.push(name))));
    return { order, runWork };
  }

  it("runs in order of arrival, one step each", async () => {
    const { order, runWork } = await stopTime();
    await Promise.all(["a", "b", "c"].map((name) => runWork(name, 3)));
    expect(order.join("")).toBe("abcabcabc");
  });

  it("runs after all other work that yields, even if that came later", async () => {
    const { order, runWork } = await stopTime();
    const searches = ["a", "b"].map((name) => runWork(name, 2));
    const small = runStep(steps(4, () => order.push("small")));
    await small;
    expect(order).toEqual(Array(4).fill("small"));
    await Promise.all(searches);
    expect(order.slice(4).join("")).toBe("abab");
  });

  it("runs one step per 50 ms while other work runs", async () => {
    const { order, runWork } = await stopTime();
    const search = runWork("a", 3);
    const small = runStep(steps(40, () => order.push("small")));
    await search;
    // Five steps of 11 ms exceed 50 ms; one more may begin in the iteration in which they end.
    expect(order.join(" ")).toMatch(/^((small ){5,6}a ?){3}$/);
    await small;
  });

  it("runs one step per 50 ms while connections keep arriving", async () => {
    const { order, runWork } = await stopTime();
    const search = runWork("a", 3);
    const acceptConnection = async () => {
      deferLowPriorityWork();
      order.push("connection");
      vi.advanceTimersByTime(10);
      await waitIteration();
    };
    while (order.filter((each) => each === "a").length < 3) await acceptConnection();
    await search;
    expect(order.join(" ")).toMatch(/^((connection ){5,6}a ?){3}$/);
  });
});
