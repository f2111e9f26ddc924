import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newStorage } from "../sqlite/new-storage.js";
import { runSuite } from "./suite.js";

const folder = mkdtempSync(join(tmpdir(), "loyalty-kit-planted-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
let files = 0;

await runSuite(() => newStorage(join(folder, `${files++}.db`)));
