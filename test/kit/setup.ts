import { afterAll } from "vitest";
import { cleanUp } from "./afterwards.js";

// Runs for each test file, while the modules that the files share are loaded once a worker.
afterAll(cleanUp);
