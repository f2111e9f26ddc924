import { describe } from "vitest";
import { databases } from "./damageable.js";
import { looksAtDerivedColumns } from "./derived-columns.js";

describe.each(databases.filter(({ name }) => name === "SQLite"))("a check on $name", looksAtDerivedColumns);
