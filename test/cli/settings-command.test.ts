import { describe, expect, it } from "vitest";
import { customers } from "./customers.js";
import { ran } from "./ran.js";

describe.concurrent("settings", () => {
  it("are shown, and set", async () => {
    const { place } = customers();
    await ran(["migrate", ...place.slice(0, 2)]);
    const settings = (...args: string[]) => ran(["settings", ...args, ...place]);
    const set = ["--name", "Café Müller", "--language", "de", "--time-zone", "europe/vienna"];
    const stdout =
      "name: Café Müller\nlogo: not set\nlanguage: de\ncurrency: not set\ntime zone: Europe/Vienna\nrequires email: yes\n";
    expect(await settings("set", ...set)).toEqual({ code: 0, stdout, stderr: "" });
    expect(await settings()).toMatchObject({ code: 0, stdout });
    expect(await settings("show")).toMatchObject({ code: 0, stdout });
    const cleared = await settings("set", "--name", "", "--currency", "EUR");
    expect(cleared.stdout).toMatch(/^name: not set\n.+\nlanguage: de\ncurrency: EUR\n/);
    const free = await settings("set", "--requires-email", "no");
    expect(free.stdout).toMatch(/\nrequires email: no\n$/);
  });

  it("are not set to nothing at all", async () => {
    const { place } = customers();
    expect(await ran(["settings", "set", ...place])).toMatchObject({ code: 2, stdout: "" });
  });

  it.each([["+02:00"], ["Vienna"]])("are not set to %s", async (zone) => {
    const { place } = customers();
    await ran(["migrate", ...place.slice(0, 2)]);
    const refused = await ran(["settings", "set", `--time-zone=${zone}`, ...place]);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toMatch(/^loyalty-kit: --time-zone must be an IANA time zone.+\n$/);
    expect(await ran(["settings", ...place])).toMatchObject({
      stdout: expect.stringContaining("time zone: UTC\n"),
    });
  });
});
