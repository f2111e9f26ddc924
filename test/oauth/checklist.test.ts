import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");

const rules = readFileSync(join(root, "docs/contributing/standards.md"), "utf8")
  .split("\n")
  .flatMap((line) => {
    const [, standard, , test = ""] = /^\| (RFC [^|]+?) +\| ([^|]+?) +\| ([^|]+?) +\|$/.exec(line) ?? [];
    return standard === undefined ? [] : [{ standard, test: test.replace(/ \(`[^`]+`\)$/, "") }];
  });

const tests = ["oauth", "http", "access"]
  .flatMap((folder) =>
    readdirSync(join(root, "test", folder)).map((file) => join(root, "test", folder, file)),
  )
  .filter((file) => file.endsWith(".test.ts") && file !== import.meta.filename)
  .map((file) => readFileSync(file, "utf8"))
  .join("\n");

it("the table of standards has rules", () => {
  expect(rules.length).toBeGreaterThan(30);
});

it.each(rules)("the test of $standard exists: $test", ({ test }) => {
  expect(tests).toContain(test);
});
