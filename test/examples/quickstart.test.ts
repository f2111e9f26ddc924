import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { pathOf, startExample } from "./example.js";

describe("the quickstart", () => {
  it("prints what the comment at its end says", async () => {
    const source = readFileSync(pathOf("quickstart.ts"), "utf8");
    const [, promised = ""] = /\/\* Output:\n\n(.+)\*\/\n$/s.exec(source) ?? [];
    expect(promised.split("\n").length).toBeGreaterThan(10);
    expect(await startExample("quickstart.ts").ended).toEqual({ code: 0, stdout: promised, stderr: "" });
  });
});
