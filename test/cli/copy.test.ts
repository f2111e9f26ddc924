import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createEmptyFolder } from "./command.js";
import { runCommand } from "./run-command.js";

describe("copy", () => {
  it("requires an existing database and both options", async () => {
    const folder = createEmptyFolder();
    const missing = ["copy", "--from", join(folder, "a.db"), "--to", join(folder, "b.db")];
    expect(await runCommand(missing)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("doesn't exist"),
    });
    expect(existsSync(join(folder, "b.db"))).toBe(false);
    expect(await runCommand(["copy", "--from", join(folder, "a.db")])).toMatchObject({ code: 2 });
    expect(await runCommand(["copy", "--from", "mysql://x", "--to", "b.db"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--from must be"),
    });
  });
});
