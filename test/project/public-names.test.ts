import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { root } from "./imports.js";

describe("the names of the main entry point", () => {
  const path = join(root, "src/index.ts");
  const { statements } = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.ES2023);
  const names = statements.filter(ts.isExportDeclaration).flatMap(({ exportClause, isTypeOnly }) => {
    if (exportClause === undefined || !ts.isNamedExports(exportClause)) throw new Error("name each export");
    return exportClause.elements.map((each) => ({
      name: each.name.text,
      isType: isTypeOnly || each.isTypeOnly,
    }));
  });

  it("are all read by this test", () => {
    expect(statements.every(ts.isExportDeclaration)).toBe(true);
    expect(names.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["LoyaltyService", "User", "CreateUser"]),
    );
  });

  it("include at most 40 values", () => {
    expect(names.filter(({ isType }) => !isType).length).toBeLessThanOrEqual(40);
  });

  it("include at most 161 types: the resources, inputs, events and options that a host names", () => {
    expect(names.filter(({ isType }) => isType).length).toBeLessThanOrEqual(161);
  });
});
