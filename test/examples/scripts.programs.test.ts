import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { pathToExample, startExample } from "./example.js";

const examples = ["quickstart.ts", "till.ts", "moving/move.ts", "production/try.ts"];

describe.concurrent.each(examples)("the example %s", (example) => {
  it("prints what the comment at its end says", async () => {
    const source = readFileSync(pathToExample(example), "utf8");
    const [, promisedOutput = ""] = /\/\* Output[^:]*:\n\n(.+)\*\/\n$/s.exec(source) ?? [];
    expect(promisedOutput.split("\n").length).toBeGreaterThan(6);
    expect(await startExample(example).exit).toEqual({ code: 0, stdout: promisedOutput, stderr: "" });
  });
});
