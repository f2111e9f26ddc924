import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StorageAdapter } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { newStorage } from "../postgres/open-storage.js";
import { createStorage as inSqlite } from "../sqlite/new-storage.js";
import { addCleanup } from "./cleanup.js";

/** Opens a new, empty storage of each kind. The library's promises hold on all of them. */
export const adapters = {
  memory: async () => memoryStorage(),
  sqlite: async () => {
    const directory = mkdtempSync(join(tmpdir(), "loyalty-kit-"));
    addCleanup(() => rmSync(directory, { recursive: true }));
    return inSqlite(join(directory, "loyalty.db"));
  },
  postgres: newStorage,
} satisfies Record<string, () => Promise<StorageAdapter>>;

/** The adapters that run in this process. Tests of the core that make many calls use these. */
export const adaptersInProcess = Object.entries(adapters)
  .map(([name, open]) => ({ name, open }))
  .filter(({ name }) => name !== "postgres");
