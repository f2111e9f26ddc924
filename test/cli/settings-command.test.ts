import { describe, expect, it } from "vitest";
import { customers } from "./customers.js";
import { ran } from "./ran.js";

describe.concurrent("settings", () => {
  it("are shown, and set", async () => {
    const { place } = customers();
    await ran(["migrate", ...place.slice(0, 2)]);
    const settings = (...args: string[]) => ran(["settings", ...args, ...place]);
    expect(await settings("set", "--time-zone", "europe/vienna")).toEqual({
      code: 0,
      stdout: "time zone: Europe/Vienna\n",
      stderr: "",
    });
    expect(await settings()).toMatchObject({ code: 0, stdout: "time zone: Europe/Vienna\n" });
    expect(await settings("show")).toMatchObject({ code: 0, stdout: "time zone: Europe/Vienna\n" });
  });

  it.each([["+02:00"], ["Vienna"]])("are not set to %s", async (zone) => {
    const { place } = customers();
    await ran(["migrate", ...place.slice(0, 2)]);
    const refused = await ran(["settings", "set", `--time-zone=${zone}`, ...place]);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toMatch(/^loyalty-kit: --time-zone must be a time zone .+\n$/);
    expect(await ran(["settings", ...place])).toMatchObject({ stdout: "time zone: UTC\n" });
  });
});
