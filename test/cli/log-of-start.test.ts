import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createEmptyFolder } from "./command.js";
import { runCommand } from "./run-command.js";

const json = ["--log", "json"];

describe("a server with a JSON log", () => {
  it.each([
    ["an option is wrong", ["--port", "65536", ...json]],
    ["an option is unknown", ["--prot", "3000", "--log=json"]],
    ["an option is missing", json],
    ["the file isn't a database", ["--database", "/proc/version", ...json]],
    [
      "a badge can't be read",
      ["--database", join(createEmptyFolder(), "x.db"), "--apple-badge", "nowhere", ...json],
    ],
  ])("logs as JSON why it can't start: %s", async (_why, options) => {
    const { code, stdout, stderr } = await runCommand(["serve", ...options]);
    expect(code).toBeGreaterThan(0);
    expect(stderr).toBe("");
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.at(-1)).toEqual({
      level: 60,
      time: expect.stringMatching(/^\d{4}-.+Z$/),
      pid: process.pid,
      message: expect.stringMatching(/^loyalty-kit: ./),
    });
  });

  it("is configured by the last --log option, otherwise by the environment", async () => {
    expect((await runCommand(["serve", ...json, "--log", "text"])).stderr).toMatch(/^loyalty-kit: /);
    process.env.LOYALTY_LOG = "json";
    try {
      expect((await runCommand(["serve"])).stderr).toBe("");
      expect((await runCommand(["serve", "--log", "text"])).stderr).toMatch(/^loyalty-kit: /);
      expect((await runCommand(["migrate"])).stderr).toMatch(/^loyalty-kit: /);
    } finally {
      delete process.env.LOYALTY_LOG;
    }
  });
});
