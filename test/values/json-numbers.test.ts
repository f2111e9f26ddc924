import { expect, onTestFinished, test, vi } from "vitest";
import { parseBody } from "../../src/base/fields/metadata.js";
import { withInexactAsInfinite } from "../../src/base/values/metadata-value.js";

const createList = (number: string, count: number) => `[${Array(count).fill(number).join(",")}]`;

test("numbers are checked where there is metadata, and up to 20,000 long ones of a body", () => {
  const parse = vi.spyOn(JSON, "parse");
  onTestFinished(() => parse.mockRestore());
  parseBody(`{"email":"ada@example.com","other":${createList("1e100", 100_000)}}`);
  expect(parse).toHaveBeenCalledTimes(1);
  const marked = withInexactAsInfinite(createList("1e100", 20_001));
  expect(marked.endsWith("1e100,1e999]")).toBe(true);
  expect(marked.match(/1e999/g)).toHaveLength(1);
  expect(withInexactAsInfinite(`[${createList("17", 30_000)},1e100]`).endsWith(",1e100]")).toBe(true);
});
