import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { pathOf, startExample } from "./example.js";

describe.concurrent.each(["quickstart.ts", "till.ts", "moving/move.ts"])("the example %s", (example) => {
  it("prints what the comment at its end says", async () => {
    const source = readFileSync(pathOf(example), "utf8");
    const [, promised = ""] = /\/\* Output[^:]*:\n\n(.+)\*\/\n$/s.exec(source) ?? [];
    expect(promised.split("\n").length).toBeGreaterThan(10);
    expect(await startExample(example).ended).toEqual({ code: 0, stdout: promised, stderr: "" });
  });
});
