import { setImmediate as turn } from "node:timers/promises";
import { isLoyaltyError } from "loyalty-kit";
import type { CardState, StampRenderer } from "loyalty-kit/wallets";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createDrawingCache } from "../../../adapters/delivery/wallets/drawing.js";
import { LruCache } from "../../../adapters/delivery/wallets/picture-cache.js";
import { findNoPicture, someLook } from "./some-look.js";

const createState = (filled: number, total = 100): CardState => ({ look: someLook, filled, total });

/** Creates a drawer whose drawings finish on command. */
function createSlowDrawer() {
  const starts: (() => void)[] = [];
  const draw = (bytes: number) =>
    new Promise<Uint8Array>((resolve) => starts.push(() => resolve(new Uint8Array(bytes))));
  const drawer: StampRenderer = { strip: () => draw(1), hero: () => draw(2) };
  return { drawer, begun: starts };
}

describe("drawings", () => {
  it("are made once per state, and again for another scale, state or design", async () => {
    const drawings: string[] = [];
    const drawer = createDrawingCache(
      {
        strip: async ({ filled }, scale) => Buffer.from([drawings.push(`${filled} ${scale}`)]),
        hero: async ({ filled }) => Buffer.from([drawings.push(`${filled} hero`)]),
      },
      () => {},
    );
    const first = await drawer.strip("acme", createState(1), 2, findNoPicture);
    expect(await drawer.strip("acme", createState(1), 2, findNoPicture)).toBe(first);
    await drawer.strip("acme", createState(1), 3, findNoPicture);
    await drawer.strip("acme", createState(2), 2, findNoPicture);
    await drawer.hero("acme", createState(1), findNoPicture);
    await drawer.strip(
      "acme",
      { ...createState(1), look: { ...someLook, backgroundColor: "#000000" } },
      2,
      findNoPicture,
    );
    expect(drawings).toEqual(["1 2", "1 3", "2 2", "1 hero", "1 2"]);
  });

  it("are made two at a time, of different organizations, and concurrent requests for a drawing share it", async () => {
    const { drawer, begun } = createSlowDrawer();
    const patient = createDrawingCache(drawer, () => {});
    const strips = [1, 1, 2, 3].map((filled) => patient.strip("acme", createState(filled), 1, findNoPicture));
    await turn();
    expect(begun).toHaveLength(1);
    strips.push(...[4, 5].map((filled) => patient.strip("globex", createState(filled), 1, findNoPicture)));
    await turn();
    expect(begun).toHaveLength(2);
    for (let at = 0; at < 5; at += 1) {
      begun[at]?.();
      await turn();
    }
    expect((await Promise.all(strips)).map((png) => png?.byteLength)).toEqual([1, 1, 1, 1, 1, 1]);
    expect(begun).toHaveLength(5);
  });

  it("of an organization wait for at most one drawing of another organization, even of the same state", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const starts: string[] = [];
    const neverResolve = () => new Promise<Uint8Array>(() => {});
    const strip = async ({ total }: CardState) => {
      starts.push(String(total));
      return total === 100 ? neverResolve() : new Uint8Array(1);
    };
    const patient = createDrawingCache({ strip, hero: neverResolve }, () => {});
    for (let filled = 0; filled < 50; filled += 1) {
      void patient.strip("acme", createState(filled), 1, findNoPicture);
      void patient.strip("acme", createState(filled, 99), 1, findNoPicture);
    }
    await turn();
    expect(await patient.strip("globex", createState(49, 99), 1, findNoPicture)).toHaveLength(1);
    expect(starts).toEqual(["100", "99"]);
  });

  it("are refused when 200 of the organization wait, and are left out of the card after 10 seconds", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { drawer } = createSlowDrawer();
    const reported = new Set<unknown>();
    const patient = createDrawingCache(drawer, (error) => reported.add(String(error)));
    const requestStrip = (organizationId: string, filled: number) =>
      patient.strip(organizationId, createState(filled), 1, findNoPicture).then(
        (png) => (png === null ? "left out" : "drawn"),
        (error: unknown) => (isLoyaltyError(error) ? error.code : error),
      );
    const strips = Array.from({ length: 201 }, (_, at) => requestStrip("acme", at));
    expect(await requestStrip("acme", 201)).toBe("storage_unavailable");
    const others = [requestStrip("globex", 1), requestStrip("globex", 2)];
    await vi.advanceTimersByTimeAsync(10_000);
    expect(new Set(await Promise.all(strips.slice(1)))).toEqual(new Set(["left out"]));
    expect(await others[1]).toBe("left out");
    expect([...reported]).toEqual(["Error: a drawing waited longer than 10000 ms for others"]);
  });

  it("that never end are given up after 25 seconds, reported, and let the next one start", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const errors: unknown[] = [];
    const neverResolve = () => new Promise<Uint8Array>(() => {});
    const drawer = { strip: neverResolve, hero: async () => new Uint8Array(1) };
    const patient = createDrawingCache(drawer, (error) => errors.push(error));
    const hanging = patient.strip("acme", createState(1), 1, findNoPicture);
    await vi.advanceTimersByTimeAsync(19_000);
    const next = patient.hero("acme", createState(1), findNoPicture);
    await vi.advanceTimersByTimeAsync(6_000);
    expect(await hanging).toBeNull();
    expect(await next).toHaveLength(1);
    expect(errors).toMatchObject([{ message: "a drawing took longer than 25000 ms" }]);
  });

  it("that fail are reported, and the card goes out without them", async () => {
    const errors: unknown[] = [];
    const rejectAlways = () => Promise.reject(new Error("no ink"));
    const drawer = createDrawingCache({ strip: rejectAlways, hero: rejectAlways }, (error) =>
      errors.push(error),
    );
    expect(await drawer.strip("acme", createState(1), 1, findNoPicture)).toBeNull();
    expect(errors).toMatchObject([{ message: "no ink" }]);
  });
});

describe("a bounded cache", () => {
  it("evicts the least recently used entry when it is full, and doesn't cache failures", async () => {
    const drawings: string[] = [];
    const memory = new LruCache<string>(3, ({ length }) => length);
    const get = (key: string) =>
      memory.get(key, async () => {
        drawings.push(key);
        return key;
      });
    for (const key of ["a", "b", "c", "a", "d", "a", "c", "b"]) await get(key);
    expect(drawings.join("")).toBe("abcdb");
    await expect(memory.get("x", () => Promise.reject(new Error("gone")))).rejects.toThrow("gone");
    expect(await memory.get("x", async () => "y")).toBe("y");
    expect(await memory.get("z", async () => null)).toBeNull();
  });
});
