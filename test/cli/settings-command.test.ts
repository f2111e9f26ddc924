import { describe, expect, it } from "vitest";
import { openCustomers } from "./customers.js";
import { runCommand } from "./run-command.js";

describe.concurrent("settings", () => {
  it("are set and printed", async () => {
    const { databaseArgs } = openCustomers();
    await runCommand(["migrate", ...databaseArgs.slice(0, 2)]);
    const runSettings = (...args: string[]) => runCommand(["settings", ...args, ...databaseArgs]);
    const settingArgs = ["--name", "Café Müller", "--language", "de", "--time-zone", "europe/vienna"];
    const stdout =
      "name: Café Müller\nlogo: not set\nlanguage: de\ncurrency: not set\ntime zone: Europe/Vienna\nrequires email: yes\n";
    expect(await runSettings("set", ...settingArgs)).toEqual({ code: 0, stdout, stderr: "" });
    expect(await runSettings()).toMatchObject({ code: 0, stdout });
    expect(await runSettings("show")).toMatchObject({ code: 0, stdout });
    const clearResult = await runSettings("set", "--name", "", "--currency", "EUR");
    expect(clearResult.stdout).toMatch(/^name: not set\n.+\nlanguage: de\ncurrency: EUR\n/);
    const free = await runSettings("set", "--requires-email", "no");
    expect(free.stdout).toMatch(/\nrequires email: no\n$/);
  });

  it("need at least one value to set", async () => {
    const { databaseArgs } = openCustomers();
    expect(await runCommand(["settings", "set", ...databaseArgs])).toMatchObject({ code: 2, stdout: "" });
  });

  it.each([["+02:00"], ["Vienna"]])("can't be set to the time zone %s", async (zone) => {
    const { databaseArgs } = openCustomers();
    await runCommand(["migrate", ...databaseArgs.slice(0, 2)]);
    const failure = await runCommand(["settings", "set", `--time-zone=${zone}`, ...databaseArgs]);
    expect(failure).toMatchObject({ code: 2, stdout: "" });
    expect(failure.stderr).toMatch(/^loyalty-kit: --time-zone must be an IANA time zone.+\n$/);
    expect(await runCommand(["settings", ...databaseArgs])).toMatchObject({
      stdout: expect.stringContaining("time zone: UTC\n"),
    });
  });
});
