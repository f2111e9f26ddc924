import { writeFile } from "node:fs/promises";
import { benches } from "./benches.js";
import { output } from "./report.js";

const [, , name = "", settings = "", file = ""] = process.argv;
await benches[name]?.(JSON.parse(settings));
await writeFile(file, JSON.stringify(output));
