import { join } from "node:path";
import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { serviceInternals } from "../../src/internals.js";
import { ManualClock } from "../kit/manual-clock.js";
import { emptyFolder } from "./command.js";
import { customers } from "./customers.js";
import { ran } from "./ran.js";

const DAY = 86_400_000;
const vips = JSON.stringify({ operator: "AND", conditions: [{ slug: "vip" }] });
const others = JSON.stringify({ operator: "NOT", conditions: [{ slug: "vip" }] });

/** Three customers, of whom two are VIPs. */
async function shop() {
  const acme = customers();
  const file = "email,tags\nada@example.com,VIP\nbob@example.com,\ncem@example.com,VIP; new\n";
  expect(await acme.import(file, "--create-tags")).toMatchObject({ code: 0 });
  const segment = (...args: string[]) => ran(["segment", ...args, ...acme.place]);
  return { acme, segment };
}

describe.concurrent("segment", () => {
  it("counts whom a filter finds", async () => {
    const { segment } = await shop();
    expect(await segment("count", "--filter", vips)).toEqual({ code: 0, stdout: "2\n", stderr: "" });
    expect(await segment("count", "--filter", others)).toMatchObject({ stdout: "1\n" });
  });

  it("writes them as lines of JSON, oldest first, however many pages they are", async () => {
    const acme = customers();
    const emails = Array.from({ length: 205 }, (_, at) => `${at}@example.com`);
    await acme.import(`email,tags\n${emails.map((email) => `${email},VIP\n`).join("")}`, "--create-tags");
    const { stdout } = await ran(["segment", "list", "--filter", vips, ...acme.place]);
    const users = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).email);
    expect(users).toEqual(emails);
  });

  it("is exported with tags by the same filter", async () => {
    const { acme } = await shop();
    const [headers, ...lines] = (await acme.export("--filter", vips)).trim().split("\n");
    expect(headers).toMatch(/^email,/);
    expect(lines.map((line) => line.split(",").slice(0, 5))).toEqual([
      ["ada@example.com", "", "", "", "vip"],
      ["cem@example.com", "", "", "", "vip;new"],
    ]);
    const wrong = await ran(["export", "--filter", '{"operator":"and"}', ...acme.place]);
    expect(wrong).toMatchObject({ stdout: "" });
    expect(wrong.stderr).toContain("--filter must be one of");
  });

  it("gives all of them a tag, and takes it", async () => {
    const { acme, segment } = await shop();
    expect(await segment("tag", "new", "--filter", vips)).toMatchObject({
      code: 0,
      stdout: "1 got the tag, 1 already had it\n",
    });
    expect((await acme.all()).map(({ tags }) => tags.includes("new"))).toEqual([true, false, true]);
    expect(await segment("untag", "vip", "--filter", vips)).toMatchObject({
      stdout: "2 lost the tag, 0 didn't have it\n",
    });
    expect(await segment("count", "--filter", vips)).toMatchObject({ stdout: "0\n" });
  });

  it("is saved under a name, shown and deleted", async () => {
    const { segment } = await shop();
    expect(await segment("show")).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("no saved segments"),
    });
    const made = await segment(
      "create",
      "The VIPs",
      "--filter",
      vips,
      "--emits-events",
      "--color",
      "#112233",
    );
    expect(made).toEqual({ code: 0, stdout: "segment the-vips saved with 2 users\n", stderr: "" });
    expect(JSON.parse((await segment("show", "the-vips")).stdout)).toMatchObject({
      ...{ slug: "the-vips", name: "The VIPs", color: "#112233", emitsEvents: true, members: 2 },
      filter: JSON.parse(vips),
    });
    expect((await segment("show")).stdout).toMatch(/the-vips +The VIPs +2 +yes/);
    const within = JSON.stringify({ operator: "AND", conditions: [{ segment: "the-vips" }] });
    await segment("create", "Outer", "--filter", within);
    expect(await segment("delete", "the-vips")).toMatchObject({
      code: 1,
      stderr:
        "loyalty-kit: segment the-vips is used by outer. See loyalty-kit/docs/errors.md#segment_in_use\n",
    });
    expect(await segment("delete", "outer")).toMatchObject({ code: 0, stdout: "segment outer deleted\n" });
    expect(await segment("delete", "the-vips")).toMatchObject({ code: 0 });
  });

  it("is explained for one customer", async () => {
    const { segment } = await shop();
    await segment("create", "The VIPs", "--filter", vips);
    for (const [filter, matched] of [
      [vips, true],
      [others, false],
    ] as const) {
      const [line = ""] = (await segment("list", "--filter", filter)).stdout.split("\n");
      const { id: userId } = JSON.parse(line);
      const { stdout } = await segment("explain", "the-vips", userId);
      expect(JSON.parse(stdout)).toMatchObject({ object: "segment_explanation", userId, matched });
    }
    expect(await segment("explain", "the-vips", "nobody")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("has no user with the ID nobody"),
    });
  });

  it("is counted, listed, exported and tagged by its slug as by its filter", async () => {
    const { acme, segment } = await shop();
    await segment("create", "The VIPs", "--filter", vips);
    expect(await segment("count", "--segment", "the-vips")).toMatchObject({ stdout: "2\n" });
    const listed = await segment("list", "--segment", "the-vips");
    expect(listed).toEqual(await segment("list", "--filter", vips));
    expect(await acme.export("--segment", "the-vips")).toBe(await acme.export("--filter", vips));
    expect(await segment("tag", "new", "--segment", "the-vips")).toMatchObject({
      stdout: "1 got the tag, 1 already had it\n",
    });
    expect(await segment("untag", "vip", "--segment", "the-vips")).toMatchObject({
      stdout: "2 lost the tag, 0 didn't have it\n",
    });
    expect(await segment("count", "--segment", "the-vips")).toMatchObject({ stdout: "0\n" });
    const none = await ran(["export", "--segment", "none", ...acme.place]);
    expect(none).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("no segment with the slug none"),
    });
  });

  it.each([
    [["count", "--segment", "none"], 1, "no segment with the slug none"],
    [["list", "--segment", "none"], 1, "no segment with the slug none"],
    [["tag", "new", "--segment", "none"], 1, "no segment with the slug none"],
    [["show", "none"], 1, "no segment with the slug none"],
    [["explain", "none", "ada"], 1, "no segment with the slug none"],
    [["delete", "none"], 1, "no segment with the slug none"],
    [["count", "--segment", "vips", "--filter", vips], 2, "--segment"],
    [["count", "--filter", "{"], 2, "--filter"],
    [["count", "--filter", '{"operator":"XOR"}'], 2, "--filter"],
    [["count"], 2, "--filter"],
    [["tag", "none", "--filter", vips], 1, "no tag with the slug none"],
  ])("refuses %j in one line", async (args, code, tells) => {
    const { segment } = await shop();
    const refused = await segment(...args);
    expect(refused).toMatchObject({ code, stdout: "" });
    expect(refused.stderr).toMatch(/^loyalty-kit: .+\n$/);
    expect(refused.stderr).toContain(tells);
  });
});

describe("segment refresh", () => {
  /** A database whose customer, who came today, is so no more after five days of a process that runs. */
  async function leftBehind() {
    const database = join(emptyFolder(), "loyalty.db");
    const clock = new ManualClock();
    clock.now = Date.now() - 5 * DAY;
    const errors: unknown[] = [];
    const onError = (error: unknown) => errors.push(error);
    const loyalty = new LoyaltyService({
      storage: await sqliteStorage(database),
      clock: clock.read,
      onError,
    });
    onTestFinished(() => loyalty.close());
    const acme = loyalty.organization("acme");
    const filter = { operator: "AND", conditions: [{ joined: { withinDays: 0 } }] } as const;
    const { slug } = await acme.segments.create({ name: "Today", filter, emitsEvents: true });
    await acme.users.create({ email: "ada@example.com" });
    const left = async () => {
      const { content } = await acme.events.list({ types: ["segment.left"] });
      return content.length;
    };
    return { database, clock, errors, loyalty, slug, left };
  }

  it("settles the midnights that were missed, each once", async () => {
    const { database, left } = await leftBehind();
    const swept = await ran(["segment", "refresh", "--database", database]);
    expect(swept).toMatchObject({ code: 0, stderr: "" });
    expect(swept.stdout).toMatch(/^midnights processed: [56]; users who entered: 1; users who left: 1\n$/);
    expect((await ran(["segment", "refresh", "--database", database])).stdout).toMatch(
      /^midnights processed: [01]; users who entered: 0; users who left: 0\n$/,
    );
    expect(await left()).toBe(1);
  });

  it("lets a process go on that refuses its clock, with --accept-clock", async () => {
    const { database, clock, errors, loyalty, left } = await leftBehind();
    clock.move(5 * DAY);
    expect(await loyalty.refreshSegments()).toMatchObject({ midnights: 0, left: 0, isClockRejected: true });
    expect(errors.map(String)).toEqual([expect.stringContaining("segment refresh --accept-clock")]);
    const accepted = await ran(["segment", "refresh", "--accept-clock", "--database", database]);
    expect(accepted.stdout).toMatch(/^midnights processed: [56]; users who entered: 0; users who left: 1\n$/);
    expect(await loyalty.refreshSegments()).toMatchObject({ left: 0, isClockRejected: false });
    expect([await left(), serviceInternals(loyalty).isClockRejected]).toEqual([1, false]);
  });
});

describe.concurrent("tags", () => {
  it("lists all tags of an organization, oldest first", async () => {
    const { acme } = await shop();
    const { stdout } = await ran(["tags", ...acme.place]);
    expect(stdout.split("\n").map((line) => line.split(" ", 1).join())).toEqual(["SLUG", "vip", "new", ""]);
    const empty = customers();
    await empty.import("email\n");
    expect(await ran(["tags", ...empty.place])).toMatchObject({ code: 0, stdout: "" });
  });
});

describe.concurrent("tags", () => {
  it("are made by their names, and listed", async () => {
    const acme = customers();
    await ran(["migrate", ...acme.place.slice(0, 2)]);
    const create = (...options: string[]) => ran(["tags", "create", ...options, ...acme.place]);
    expect(await create("--name", "Spring Mail", "--color", "#00ff00")).toEqual({
      code: 0,
      stdout: "spring-mail\n",
      stderr: "",
    });
    expect(await create("--name", "spring mail")).toMatchObject({ code: 1, stdout: "" });
    expect(await create("--name", "Summer", "--color", "green")).toMatchObject({ code: 2, stdout: "" });
    const { stdout } = await ran(["tags", ...acme.place]);
    expect(stdout).toMatch(/^SLUG .*\nspring-mail +Spring Mail +#00FF00 /);
    expect((await ran(["tags", "list", ...acme.place])).stdout).toBe(stdout);
  });
});
