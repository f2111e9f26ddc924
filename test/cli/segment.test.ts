import { join } from "node:path";
import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { serviceInternals } from "../../src/internals.js";
import { ManualClock } from "../kit/manual-clock.js";
import { createEmptyFolder } from "./command.js";
import { openCustomers } from "./customers.js";
import { runCommand } from "./run-command.js";

const DAY = 86_400_000;
const vips = JSON.stringify({ operator: "AND", conditions: [{ slug: "vip" }] });
const othersFilter = JSON.stringify({ operator: "NOT", conditions: [{ slug: "vip" }] });

/** Opens a shop with three customers, two of them VIPs. */
async function openShop() {
  const acme = openCustomers();
  const file = "email,tags\nada@example.com,VIP\nbob@example.com,\ncem@example.com,VIP; new\n";
  expect(await acme.import(file, "--create-tags")).toMatchObject({ code: 0 });
  const runSegment = (...args: string[]) => runCommand(["segment", ...args, ...acme.databaseArgs]);
  return { acme, runSegment };
}

describe.concurrent("segment", () => {
  it("counts the users who match a filter", async () => {
    const { runSegment } = await openShop();
    expect(await runSegment("count", "--filter", vips)).toEqual({ code: 0, stdout: "2\n", stderr: "" });
    expect(await runSegment("count", "--filter", othersFilter)).toMatchObject({ stdout: "1\n" });
  });

  it("prints them as lines of JSON, oldest first, across several pages", async () => {
    const acme = openCustomers();
    const emails = Array.from({ length: 205 }, (_, at) => `${at}@example.com`);
    await acme.import(`email,tags\n${emails.map((email) => `${email},VIP\n`).join("")}`, "--create-tags");
    const { stdout } = await runCommand(["segment", "list", "--filter", vips, ...acme.databaseArgs]);
    const users = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).email);
    expect(users).toEqual(emails);
  });

  it("can be exported with tags by the same filter", async () => {
    const { acme } = await openShop();
    const [headers, ...lines] = (await acme.export("--filter", vips)).trim().split("\n");
    expect(headers).toMatch(/^email,/);
    expect(lines.map((line) => line.split(",").slice(0, 5))).toEqual([
      ["ada@example.com", "", "", "", "vip"],
      ["cem@example.com", "", "", "", "vip;new"],
    ]);
    const wrong = await runCommand(["export", "--filter", '{"operator":"and"}', ...acme.databaseArgs]);
    expect(wrong).toMatchObject({ stdout: "" });
    expect(wrong.stderr).toContain("--filter must be one of");
  });

  it("assigns a tag to all its users, and removes one", async () => {
    const { acme, runSegment } = await openShop();
    expect(await runSegment("tag", "new", "--filter", vips)).toMatchObject({
      code: 0,
      stdout: "1 got the tag, 1 already had it\n",
    });
    expect((await acme.listAll()).map(({ tags }) => tags.includes("new"))).toEqual([true, false, true]);
    expect(await runSegment("untag", "vip", "--filter", vips)).toMatchObject({
      stdout: "2 lost the tag, 0 didn't have it\n",
    });
    expect(await runSegment("count", "--filter", vips)).toMatchObject({ stdout: "0\n" });
  });

  it("is saved under a name, shown, and deleted unless another segment uses it", async () => {
    const { runSegment } = await openShop();
    expect(await runSegment("show")).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("no saved segments"),
    });
    const creation = await runSegment(
      "create",
      "The VIPs",
      "--filter",
      vips,
      "--emits-events",
      "--color",
      "#112233",
    );
    expect(creation).toEqual({ code: 0, stdout: "segment the-vips saved with 2 users\n", stderr: "" });
    expect(JSON.parse((await runSegment("show", "the-vips")).stdout)).toMatchObject({
      ...{ slug: "the-vips", name: "The VIPs", color: "#112233", emitsEvents: true, members: 2 },
      filter: JSON.parse(vips),
    });
    expect((await runSegment("show")).stdout).toMatch(/the-vips +The VIPs +2 +yes/);
    const nestedFilter = JSON.stringify({ operator: "AND", conditions: [{ segment: "the-vips" }] });
    await runSegment("create", "Outer", "--filter", nestedFilter);
    expect(await runSegment("delete", "the-vips")).toMatchObject({
      code: 1,
      stderr:
        "loyalty-kit: segment the-vips is used by outer. See loyalty-kit/docs/errors.md#segment_in_use\n",
    });
    expect(await runSegment("delete", "outer")).toMatchObject({ code: 0, stdout: "segment outer deleted\n" });
    expect(await runSegment("delete", "the-vips")).toMatchObject({ code: 0 });
  });

  it("is explained for one customer", async () => {
    const { runSegment } = await openShop();
    await runSegment("create", "The VIPs", "--filter", vips);
    for (const [filter, matchedNames] of [
      [vips, true],
      [othersFilter, false],
    ] as const) {
      const [line = ""] = (await runSegment("list", "--filter", filter)).stdout.split("\n");
      const { id: userId } = JSON.parse(line);
      const { stdout } = await runSegment("explain", "the-vips", userId);
      expect(JSON.parse(stdout)).toMatchObject({
        object: "segment_explanation",
        userId,
        matched: matchedNames,
      });
    }
    expect(await runSegment("explain", "the-vips", "nobody")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("has no user with the ID nobody"),
    });
  });

  it("can be counted, listed, exported and tagged by its slug as by its filter", async () => {
    const { acme, runSegment } = await openShop();
    await runSegment("create", "The VIPs", "--filter", vips);
    expect(await runSegment("count", "--segment", "the-vips")).toMatchObject({ stdout: "2\n" });
    const listing = await runSegment("list", "--segment", "the-vips");
    expect(listing).toEqual(await runSegment("list", "--filter", vips));
    expect(await acme.export("--segment", "the-vips")).toBe(await acme.export("--filter", vips));
    expect(await runSegment("tag", "new", "--segment", "the-vips")).toMatchObject({
      stdout: "1 got the tag, 1 already had it\n",
    });
    expect(await runSegment("untag", "vip", "--segment", "the-vips")).toMatchObject({
      stdout: "2 lost the tag, 0 didn't have it\n",
    });
    expect(await runSegment("count", "--segment", "the-vips")).toMatchObject({ stdout: "0\n" });
    const none = await runCommand(["export", "--segment", "none", ...acme.databaseArgs]);
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
    const { runSegment } = await openShop();
    const failure = await runSegment(...args);
    expect(failure).toMatchObject({ code, stdout: "" });
    expect(failure.stderr).toMatch(/^loyalty-kit: .+\n$/);
    expect(failure.stderr).toContain(tells);
  });
});

describe("segment refresh", () => {
  /**
   * Creates a database with a customer who joined five days ago, and a segment that matches only on the day of joining.
   */
  async function createStaleDatabase() {
    const database = join(createEmptyFolder(), "loyalty.db");
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
    const countLeftEvents = async () => {
      const { content } = await acme.events.list({ types: ["segment.left"] });
      return content.length;
    };
    return { database, clock, errors, loyalty, slug, countLeftEvents };
  }

  it("processes each missed midnight once", async () => {
    const { database, countLeftEvents } = await createStaleDatabase();
    const swept = await runCommand(["segment", "refresh", "--database", database]);
    expect(swept).toMatchObject({ code: 0, stderr: "" });
    expect(swept.stdout).toMatch(/^midnights processed: [56]; users who entered: 1; users who left: 1\n$/);
    expect((await runCommand(["segment", "refresh", "--database", database])).stdout).toMatch(
      /^midnights processed: [01]; users who entered: 0; users who left: 0\n$/,
    );
    expect(await countLeftEvents()).toBe(1);
  });

  it("makes a process that rejects its clock continue, with --accept-clock", async () => {
    const { database, clock, errors, loyalty, countLeftEvents } = await createStaleDatabase();
    clock.move(5 * DAY);
    expect(await loyalty.refreshSegments()).toMatchObject({ midnights: 0, left: 0, isClockRejected: true });
    expect(errors.map(String)).toEqual([expect.stringContaining("segment refresh --accept-clock")]);
    const refreshResult = await runCommand(["segment", "refresh", "--accept-clock", "--database", database]);
    expect(refreshResult.stdout).toMatch(
      /^midnights processed: [56]; users who entered: 0; users who left: 1\n$/,
    );
    expect(await loyalty.refreshSegments()).toMatchObject({ left: 0, isClockRejected: false });
    expect([await countLeftEvents(), serviceInternals(loyalty).isClockRejected]).toEqual([1, false]);
  });
});

describe.concurrent("tags", () => {
  it("lists all tags of an organization, oldest first", async () => {
    const { acme } = await openShop();
    const { stdout } = await runCommand(["tags", ...acme.databaseArgs]);
    expect(stdout.split("\n").map((line) => line.split(" ", 1).join())).toEqual(["SLUG", "vip", "new", ""]);
    const empty = openCustomers();
    await empty.import("email\n");
    expect(await runCommand(["tags", ...empty.databaseArgs])).toMatchObject({ code: 0, stdout: "" });
  });
});

describe.concurrent("tags", () => {
  it("are created by name, and listed", async () => {
    const acme = openCustomers();
    await runCommand(["migrate", ...acme.databaseArgs.slice(0, 2)]);
    const createTag = (...options: string[]) =>
      runCommand(["tags", "create", ...options, ...acme.databaseArgs]);
    expect(await createTag("--name", "Spring Mail", "--color", "#00ff00")).toEqual({
      code: 0,
      stdout: "spring-mail\n",
      stderr: "",
    });
    expect(await createTag("--name", "spring mail")).toMatchObject({ code: 1, stdout: "" });
    expect(await createTag("--name", "Summer", "--color", "green")).toMatchObject({ code: 2, stdout: "" });
    const { stdout } = await runCommand(["tags", ...acme.databaseArgs]);
    expect(stdout).toMatch(/^SLUG .*\nspring-mail +Spring Mail +#00FF00 /);
    expect((await runCommand(["tags", "list", ...acme.databaseArgs])).stdout).toBe(stdout);
  });
});
