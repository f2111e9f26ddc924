import { expect, it } from "vitest";
import { bounds, findExceeded } from "./figures/bounds.js";
import { countLines, listSourceFiles } from "./figures/source-lines.js";

it("the figures count import lines and comments of a file once each, and nothing that only looks like a comment", () => {
  const file = [
    "/** Of things. */",
    "import {",
    "  first,",
    '} from "./first.js";',
    'export { second } from "./second.js";',
    "",
    "/**",
    " * Returns the address.",
    " */",
    'export const url = "https://example.com"; // plain',
    "export const screen = <p>// {first /* none */}</p>;",
    "",
  ].join("\n");
  expect(countLines("screen.tsx", file)).toEqual({
    files: 1,
    lines: 11,
    smallFiles: 1,
    importLines: 4,
    comments: 4,
    commentLines: 6,
    vagueComments: 1,
  });
});

it("the figures leave out tests, and name each figure that exceeds its bound", () => {
  expect(listSourceFiles()).toContain("src/index.ts");
  expect(listSourceFiles().filter((file) => file.startsWith("adapters/testing/storage-suite/"))).toEqual([]);
  expect(findExceeded(bounds)).toEqual([]);
  const { filesOfAssignment: most } = bounds;
  expect(findExceeded({ filesOfAssignment: most + 1 })).toEqual([
    `filesOfAssignment is ${most + 1}, at most ${most}`,
  ]);
});
