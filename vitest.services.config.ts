import { defineConfig } from "vitest/config";
import { serviceTests, settings } from "./vitest.config.js";

/** The tests that need Chromium and a Redis server on the machine. */
export default defineConfig({ ...settings, test: { ...settings.test, include: [serviceTests] } });
