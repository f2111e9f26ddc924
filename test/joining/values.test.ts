import { describe, expect, it, onTestFinished } from "vitest";
import { integerColumns } from "../../adapters/storage/kysely/sql/integer-results.js";
import { storeScene } from "../../adapters/testing/storage-suite/kit/scene.js";
import { runSceneQuestions } from "../../adapters/testing/storage-suite/law/reads.js";
import { runStep } from "../../src/base/concurrency/step.js";
import { requireHostSupport } from "../../src/storage/storage-adapter.js";
import { bridgedHosts } from "./bridged-hosts.js";

describe.each(bridgedHosts)("the storage in a transaction of $name", ({ open }) => {
  it("returns the same as its own connections in every read", async () => {
    const { storage, transaction, close } = await open();
    onTestFinished(async () => void (await close()));
    const compare = async () => {
      const own = toPlain(await runStep(runSceneQuestions(storage.reader("acme"))));
      await transaction(async (tx) => {
        const joinedStorage = requireHostSupport(storage).joining(tx);
        expect(toPlain(await runStep(runSceneQuestions(joinedStorage.reader("acme"))))).toStrictEqual(own);
        expect(
          toPlain(await joinedStorage.transaction("acme", (inner) => runSceneQuestions(inner))),
        ).toStrictEqual(own);
      });
    };
    await storeScene(storage, "acme");
    await compare();
    await transaction(async (_, execute) => {
      for (const [table, column] of columns)
        await execute(`update ${table} set "${column}" = 7 where "${column}" is null`);
    });
    await compare();
  });
});

/** Every integer column. */
const columns = [...integerColumns].flatMap(([table, names]) =>
  [...names].map((name) => [table, name] as const),
);

/** Converts bytes to plain arrays, whichever class a driver returns. */
function toPlain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Uint8Array.from(value);
  if (Array.isArray(value)) return value.map(toPlain);
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, toPlain(each)]));
}
