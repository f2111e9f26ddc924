import { setImmediate as turn } from "node:timers/promises";
import type { CardState, Drawer } from "loyalty-kit/wallets";
import { describe, expect, it } from "vitest";
import { BoundedMemory } from "../../../adapters/wallets/bounded-memory.js";
import { rememberedDrawings } from "../../../adapters/wallets/drawing.js";
import { noPictures, someLook } from "./some-look.js";

const stateOf = (filled: number, total = 100): CardState => ({ look: someLook, filled, total });

/** A drawer that goes on when it is told to. */
function slowDrawer() {
  const begun: (() => void)[] = [];
  const draw = (bytes: number) =>
    new Promise<Uint8Array>((resolve) => begun.push(() => resolve(new Uint8Array(bytes))));
  const drawer: Drawer = { strip: () => draw(1), hero: () => draw(2) };
  return { drawer, begun };
}

describe("drawings", () => {
  it("are made once for one state, and again for another scale, state or design", async () => {
    const drawn: string[] = [];
    const drawer = rememberedDrawings(
      {
        strip: async ({ filled }, scale) => Buffer.from([drawn.push(`${filled} ${scale}`)]),
        hero: async ({ filled }) => Buffer.from([drawn.push(`${filled} hero`)]),
      },
      () => {},
    );
    const first = await drawer.strip(stateOf(1), 2, noPictures);
    expect(await drawer.strip(stateOf(1), 2, noPictures)).toBe(first);
    await drawer.strip(stateOf(1), 3, noPictures);
    await drawer.strip(stateOf(2), 2, noPictures);
    await drawer.hero(stateOf(1), noPictures);
    await drawer.strip({ ...stateOf(1), look: { ...someLook, backgroundColor: "#000000" } }, 2, noPictures);
    expect(drawn).toEqual(["1 2", "1 3", "2 2", "1 hero", "1 2"]);
  });

  it("are made two at a time, and one that is asked for twice is made once", async () => {
    const { drawer, begun } = slowDrawer();
    const patient = rememberedDrawings(drawer, () => {});
    const asked = [1, 1, 2, 3].map((filled) => patient.strip(stateOf(filled), 1, noPictures));
    await turn();
    expect(begun).toHaveLength(2);
    for (const go of begun) go();
    await turn();
    begun[2]?.();
    expect((await Promise.all(asked)).map((png) => png?.byteLength)).toEqual([1, 1, 1, 1]);
    expect(begun).toHaveLength(3);
  });

  it("are refused when 500 wait", async () => {
    const { drawer } = slowDrawer();
    const patient = rememberedDrawings(drawer, () => {});
    for (let at = 0; at < 500; at += 1) void patient.strip(stateOf(at), 1, noPictures);
    await expect(patient.hero(stateOf(1), noPictures)).rejects.toMatchObject({
      detail: { code: "storage_unavailable" },
    });
  });

  it("that fail are told of, and no reason for a card not to go out", async () => {
    const told: unknown[] = [];
    const failing = () => Promise.reject(new Error("no ink"));
    const drawer = rememberedDrawings({ strip: failing, hero: failing }, (error) => told.push(error));
    expect(await drawer.strip(stateOf(1), 1, noPictures)).toBeNull();
    expect(told).toMatchObject([{ message: "no ink" }]);
  });
});

describe("a bounded memory", () => {
  it("forgets what was used least lately when it is full, and what failed", async () => {
    const made: string[] = [];
    const memory = new BoundedMemory<string>(3, ({ length }) => length);
    const get = (key: string) =>
      memory.get(key, async () => {
        made.push(key);
        return key;
      });
    for (const key of ["a", "b", "c", "a", "d", "a", "c", "b"]) await get(key);
    expect(made.join("")).toBe("abcdb");
    await expect(memory.get("x", () => Promise.reject(new Error("gone")))).rejects.toThrow("gone");
    expect(await memory.get("x", async () => "y")).toBe("y");
    expect(await memory.get("z", async () => null)).toBeNull();
  });
});
