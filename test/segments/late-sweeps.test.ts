import { describe, expect, it } from "vitest";
import { everyAdapter } from "../kit/adapters.js";
import { toldHistory } from "./told-history.js";

const CHANGES = 80;

describe.each(everyAdapter)("what is told of segments on $name", ({ name, open }) => {
  it.each(name === "postgres" ? [1] : [1, 2, 3])(
    "is the same however late time is settled, in history %i",
    async (seed) => {
      const prompt = await toldHistory([await open()], seed, CHANGES, "at once");
      expect(await toldHistory([await open()], seed, CHANGES, "now and then")).toEqual(prompt);
      expect(await toldHistory([await open()], seed, CHANGES, "at the end")).toEqual(prompt);
      expect(prompt.length).toBeGreaterThan(10);
    },
  );
});
