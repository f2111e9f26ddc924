import { describe, expect, it } from "vitest";
import { openCustomers } from "./customers.js";
import { runCommand } from "./ran.js";

describe.concurrent("settings", () => {
  it("are shown, and set", async () => {
    const { place } = openCustomers();
    await runCommand(["migrate", ...place.slice(0, 2)]);
    const runSettings = (...args: string[]) => runCommand(["settings", ...args, ...place]);
    const set = ["--name", "Café Müller", "--language", "de", "--time-zone", "europe/vienna"];
    const stdout =
      "name: Café Müller\nlogo: not set\nlanguage: de\ncurrency: not set\ntime zone: Europe/Vienna\nrequires email: yes\n";
    expect(await runSettings("set", ...set)).toEqual({ code: 0, stdout, stderr: "" });
    expect(await runSettings()).toMatchObject({ code: 0, stdout });
    expect(await runSettings("show")).toMatchObject({ code: 0, stdout });
    const cleared = await runSettings("set", "--name", "", "--currency", "EUR");
    expect(cleared.stdout).toMatch(/^name: not set\n.+\nlanguage: de\ncurrency: EUR\n/);
    const free = await runSettings("set", "--requires-email", "no");
    expect(free.stdout).toMatch(/\nrequires email: no\n$/);
  });

  it("are not set to nothing at all", async () => {
    const { place } = openCustomers();
    expect(await runCommand(["settings", "set", ...place])).toMatchObject({ code: 2, stdout: "" });
  });

  it.each([["+02:00"], ["Vienna"]])("are not set to %s", async (zone) => {
    const { place } = openCustomers();
    await runCommand(["migrate", ...place.slice(0, 2)]);
    const refused = await runCommand(["settings", "set", `--time-zone=${zone}`, ...place]);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toMatch(/^loyalty-kit: --time-zone must be an IANA time zone.+\n$/);
    expect(await runCommand(["settings", ...place])).toMatchObject({
      stdout: expect.stringContaining("time zone: UTC\n"),
    });
  });
});
