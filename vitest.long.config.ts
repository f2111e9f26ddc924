import { defineConfig } from "vitest/config";
import { longTests, settings } from "./vitest.config.js";

/** The tests that take long, and so does what some of them prepare. */
export default defineConfig({
  ...settings,
  test: { ...settings.test, include: [longTests], testTimeout: 900_000, hookTimeout: 900_000 },
});
