import { testStorage } from "loyalty-kit/testing";
import { describe, it } from "vitest";
import { newStorage } from "../sqlite/new-storage.js";
import { temporaryFile } from "../sqlite/temporary-file.js";

testStorage({ describe, it }, () => newStorage(temporaryFile()));
