import { adapters } from "./adapters.js";
import { inThisRun } from "./this-run.js";

/** The adapters that this run tests on, as rows of `describe.each`. */
export const everyAdapter = Object.entries(inThisRun(adapters)).map(([name, open]) => ({ name, open }));
