import { defineConfig } from "vitest/config";
import { longTests, settings } from "./vitest.config.js";

/** The tests that take long. */
export default defineConfig({ ...settings, test: { ...settings.test, include: [longTests] } });
