import { testStorage } from "loyalty-kit/testing";
import { describe, it } from "vitest";
import { createStorage } from "../sqlite/new-storage.js";
import { createTemporaryFile } from "../sqlite/temporary-file.js";

testStorage({ describe, it }, () => createStorage(createTemporaryFile()));
