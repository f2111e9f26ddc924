import { mergeConfig } from "vitest/config";
import base, { longTests } from "./vitest.config.js";

/** The tests that take long. */
export default mergeConfig(base, { test: { include: [longTests], exclude: [] } });
