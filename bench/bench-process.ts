import { writeFile } from "node:fs/promises";
import { benches } from "./benches.js";
import { output } from "./report.js";

const [, , name = "", settings = "", file = ""] = process.argv;
const run = await benches[name]?.();
await run?.(JSON.parse(settings));
await writeFile(file, JSON.stringify(output));
