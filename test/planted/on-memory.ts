import { memoryStorage } from "loyalty-kit/memory";
import { runSuite } from "./suite.js";

await runSuite(async () => memoryStorage());
