import { stat } from "node:fs";
import { describe, expect, it } from "vitest";
import { isTurnDue, turn } from "../../src/concurrency/event-loop.js";

/** Goes on where answers of the disk and of the network come, which is after the timers of a turn. */
const afterTimers = () => new Promise((resolve) => stat(".", resolve));

describe("a turn of the event loop", () => {
  it("is due once steps have kept the loop for 10 ms, until somebody else had one", async () => {
    await afterTimers();
    expect(isTurnDue()).toBe(false);
    const begun = performance.now();
    while (performance.now() - begun < 11);
    expect(isTurnDue()).toBe(true);
    await turn();
    expect(isTurnDue()).toBe(false);
  });

  it("lets all timers have theirs that are due, wherever in the loop the steps were", async () => {
    await afterTimers();
    let isHeard = false;
    setTimeout(() => {
      isHeard = true;
    }, 1);
    while (!isTurnDue());
    await turn();
    expect(isHeard).toBe(true);
  });
});
