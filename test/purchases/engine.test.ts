import { memoryStorage } from "loyalty-kit/memory";
import { describe, it } from "vitest";
import { everyAdapter } from "../kit/every-adapter.js";
import { runs, storedRuns } from "../properties/runs.js";
import { runHistories } from "./engine-histories.js";

describe("purchases, points, and stamps", () => {
  it.each(everyAdapter)("agree with the model after each step of any history on $name", ({ name, open }) =>
    runHistories(open, storedRuns(50, name)),
  );

  it("agree with the model after each step of any history through a client", () =>
    runHistories(async () => memoryStorage(), runs(10), "client"));
});
