import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";

const root = join(import.meta.dirname, "../..");

it.each([
  ["1 when a test fails", "1 + 1", 1],
  ["0 when all pass", "2", 0],
])("a test run exits with %s", async (_, value, code) => {
  const folder = mkdtempSync(join(root, "test/.exit-code-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const statement = `expect(${JSON.stringify(value)}).toBe("2")`;
  const test = `import { expect, it } from "vitest"; it("adds up", () => ${statement});`;
  writeFileSync(join(folder, "sum.test.ts"), test);
  const run = spawn("npx", ["vitest", "run", folder], { cwd: root, stdio: "ignore" });
  expect(await once(run, "exit")).toEqual([code, null]);
});
