import { describe } from "vitest";
import { databases } from "./damageable.js";
import { looksAtDerivedColumns } from "./derived-columns.js";

describe.each(databases)("a check on $name", looksAtDerivedColumns);
