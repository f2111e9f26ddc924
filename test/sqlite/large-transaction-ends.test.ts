import { describe, expect, it, vi } from "vitest";
import { awaitInStep, runStep } from "../../src/base/concurrency/step.js";
import { open } from "./open-storage.js";
import { addTag, addUser, listSlugs } from "./records.js";
import { threads } from "./threads.js";
import { openWithConnection } from "./watched.js";

vi.mock("node:worker_threads", () => import("./threads.js"));

const large = { isLarge: true };

describe("a thread that ends during its transaction", () => {
  /** Ways to end the thread while a call runs. */
  const ends = [
    { how: "is ended", end: () => threads.started.at(-1)?.terminate(), reason: "has ended" },
    {
      how: "fails",
      end: () => threads.started.at(-1)?.emit("error", new Error("out of memory")),
      reason: "out of memory",
    },
  ];

  describe.each(ends)("when it $how", ({ end, reason }) => {
    it.each(["during a statement", "between statements"])(
      "%s stores nothing, and later transactions continue",
      async (when) => {
        const { storage, committed } = await openWithConnection();
        const writing = storage.transaction(
          "acme",
          function* (tx) {
            yield* addTag(tx, "vip");
            const last = when === "during a statement" ? runStep(addUser(tx)) : null;
            yield* awaitInStep<unknown>(end());
            yield* awaitInStep(last?.catch(() => undefined));
          },
          large,
        );
        const behind = storage.transaction("acme", (tx) => addTag(tx, "behind"));
        await expect(writing).rejects.toThrow(reason);
        expect(committed()).toEqual([]);
        await behind;
        await storage.transaction("acme", (tx) => addTag(tx, "next"), large);
        expect(committed()).toEqual(["behind", "next"]);
        expect(await runStep(storage.reader("acme").listUsers(-1, 10))).toEqual([]);
      },
    );
  });

  it("refuses later calls too", async () => {
    const storage = await open();
    const writing = storage.transaction(
      "acme",
      function* (tx) {
        yield* addTag(tx, "vip");
        yield* awaitInStep(threads.started.at(-1)?.terminate());
        yield* awaitInStep(expect(runStep(addTag(tx, "after"))).rejects.toThrow("has ended"));
        yield* awaitInStep(expect(runStep(tx.listTags())).rejects.toThrow("has ended"));
      },
      large,
    );
    await expect(writing).rejects.toThrow("has ended");
    expect(await listSlugs(storage)).toEqual([]);
  });

  it("before the transaction begins makes the call fail", async () => {
    const storage = await open();
    let hasBegun = false;
    threads.pragmas = ["not a pragma ("];
    const writing = storage.transaction(
      "acme",
      () => {
        hasBegun = true;
        return awaitInStep(undefined);
      },
      large,
    );
    await expect(writing).rejects.toThrow("syntax error");
    expect(hasBegun).toBe(false);
    threads.pragmas = [];
    await storage.transaction("acme", (tx) => addTag(tx, "next"), large);
    expect(await listSlugs(storage)).toEqual(["next"]);
  });
});
