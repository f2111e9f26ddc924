import fc from "fast-check";
import { afterAll } from "vitest";
import { cleanUp } from "./cleanup.js";

const { LOYALTY_PROPERTY_SEED: seed = "1" } = process.env;

// The same code has the same outcome each time. New cases are for a run that looks for bugs, not for one that gates a
// change.
if (seed !== "random") fc.configureGlobal({ seed: Number(seed) });

// Runs for each test file, while the modules that the files share are loaded once per worker.
afterAll(cleanUp);
