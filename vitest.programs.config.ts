import { defineConfig } from "vitest/config";
import { programTests, settings } from "./vitest.config.js";

/** The tests that start programs: the command line, the examples, and the code of the documentation. */
export default defineConfig({
  ...settings,
  test: { ...settings.test, include: [programTests], isolate: false },
});
