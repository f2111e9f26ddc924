import { adapters } from "./adapters.js";
import { openForRun } from "./this-run.js";

/** The adapters that this run tests, as rows of `describe.each`. */
export const everyAdapter = Object.entries(openForRun(adapters)).map(([name, open]) => ({ name, open }));
