import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, it } from "vitest";
import { root } from "./imports.js";

/** Tests that start a browser. A page shows a change a moment after its cause. */
const inBrowsers = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".services.test.ts"))
  .map((file) =>
    ts.createSourceFile(file, readFileSync(join(root, "test", file), "utf8"), ts.ScriptTarget.Latest),
  )
  .filter(({ text }) => /openBrowser|playwright/.test(text));

/** Whether code awaits something when it is evaluated, without the functions that are called later. */
const isWaiting = (node: ts.Node): boolean =>
  ts.isAwaitExpression(node) || (!ts.isFunctionLike(node) && ts.forEachChild(node, isWaiting) === true);

/** Returns each `expect(await …)` of a file. */
function findLooks(file: ts.SourceFile): string[] {
  const looks: string[] = [];
  const visit = (node: ts.Node): void => {
    if (
      ts.isCallExpression(node) &&
      node.expression.getText(file) === "expect" &&
      node.arguments.some(isWaiting)
    ) {
      looks.push(`${file.fileName}: ${node.getText(file)}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return looks;
}

it("a test in a browser polls what a page shows, and never reads it just once", () => {
  expect(inBrowsers.length).toBeGreaterThan(20);
  expect(inBrowsers.flatMap(findLooks)).toEqual([]);
});
