import { defineConfig } from "vitest/config";
import { serviceTests, settings } from "./vitest.config.js";

/** The tests that need Chromium and a Redis server on the machine. Loading the same modules for each file took a sixth of the time. */
export default defineConfig({
  ...settings,
  test: { ...settings.test, include: [serviceTests], isolate: false },
});
