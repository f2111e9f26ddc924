import type { StorageAdapter } from "loyalty-kit";
import type { StorageTransaction } from "loyalty-kit/storage";
import { describe, expect, it } from "vitest";
import type { Step } from "../../src/base/concurrency/step.js";
import { openAcme } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { replaceTransactions } from "../kit/intercepted.js";
import { hear, told } from "./heard.js";
import { heardOf, keptEvents } from "./kept.js";
import { operations } from "./operations.js";
import { someScene } from "./scene.js";

/** A storage that finds at the end of each transaction from `begin` on that it has to be done again, as some databases do. */
function repeating(storage: StorageAdapter) {
  const again = new Error("could not serialize access");
  let isBegun = false;
  const transaction = async <T>(work: (tx: StorageTransaction) => Step<T>): Promise<T> => {
    if (!isBegun) return storage.transaction(work);
    const first = storage.transaction(function* (tx) {
      yield* work(tx);
      throw again;
    });
    await first.catch((error: unknown) => {
      if (error !== again) throw error;
    });
    return storage.transaction(work);
  };
  const begin = () => {
    isBegun = true;
  };
  return { storage: replaceTransactions(storage, transaction), begin };
}

describe.each(everyAdapter)("when $name does the work of a transaction again", ({ open }) => {
  it.each(Object.entries(operations))("%s is done, kept and told once", async (_name, operation) => {
    const { storage, begin } = repeating(await open());
    const { loyalty } = openAcme({ storage });
    const scene = await someScene(loyalty);
    begin();
    const kept = await keptEvents(scene.acme);
    const heard = hear(loyalty);
    const expected = await operation(scene);
    expect(told(heard)).toEqual(expected);
    expect(await keptEvents(scene.acme)).toEqual([...kept, ...heardOf("acme", heard)]);
  });
});
