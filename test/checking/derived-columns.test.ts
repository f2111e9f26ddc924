import { describe } from "vitest";
import { databases } from "./damageable.js";
import { testDerivedColumns } from "./derived-columns.js";

describe.each(databases)("a storage check on $name", testDerivedColumns);
