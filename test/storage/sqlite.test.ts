import { sqliteStorage } from "loyalty-kit/sqlite";
import { testStorage } from "loyalty-kit/testing";
import { describe, it } from "vitest";
import { temporaryFile } from "../sqlite/temporary-file.js";

testStorage({ describe, it }, async () => sqliteStorage(temporaryFile(), { synchronous: "NORMAL" }));
