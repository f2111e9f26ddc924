import { describe, expect, it } from "vitest";
import { everyAdapter } from "../kit/every-adapter.js";
import { storedSeeds, storedSteps } from "../properties/runs.js";
import { toldHistory } from "./told-history.js";

const CHANGES = 80;

describe.each(everyAdapter)("what is told of segments on $name", ({ name, open }) => {
  const changes = name === "postgres" ? storedSteps(CHANGES) : CHANGES;

  it.each(storedSeeds(3, name))("is the same however late time is settled, in history %i", async (seed) => {
    const prompt = await toldHistory([await open()], seed, changes, "at once");
    expect(await toldHistory([await open()], seed, changes, "now and then")).toEqual(prompt);
    expect(await toldHistory([await open()], seed, changes, "at the end")).toEqual(prompt);
    expect(prompt.length).toBeGreaterThan(10);
  });
});
