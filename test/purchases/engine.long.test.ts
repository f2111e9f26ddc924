import { memoryStorage } from "loyalty-kit/memory";
import { describe, it } from "vitest";
import { everyAdapter } from "../kit/every-adapter.js";
import { runs } from "../properties/runs.js";
import { runHistories } from "./engine-histories.js";

describe("purchases, points, and stamps in long runs", () => {
  it("agree with the model after each of 20,000 steps, regardless of the configured share of runs", () =>
    runHistories(async () => memoryStorage(), { numRuns: 500 }));

  it.each(everyAdapter)("agree with the model after each step of any history on $name", ({ name, open }) =>
    runHistories(open, runs(500, name)),
  );

  it("agree with the model after each step of any history through a client", () =>
    runHistories(async () => memoryStorage(), runs(100), "client"));
});
