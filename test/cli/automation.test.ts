import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { createEmptyFolder } from "./command.js";
import { runCommand } from "./run-command.js";

const welcome = { name: "Welcome", on: { event: "user.created" }, do: [{ assignTag: "new" }] };

/** Opens an organization with a tag, the service on its database, and helpers that run `loyalty-kit automation`. */
async function openShop() {
  const folder = createEmptyFolder();
  const database = join(folder, "loyalty.db");
  const loyalty = new LoyaltyService({ storage: await sqliteStorage(database) });
  onTestFinished(() => loyalty.close());
  const acme = loyalty.organization("acme");
  await acme.tags.create({ name: "New" });
  const databaseArgs = ["--database", database, "--organization", "acme"];
  const runAutomation = (...args: string[]) => runCommand(["automation", ...args, ...databaseArgs]);
  const writeAutomation = (content: string) => {
    const path = join(folder, "automation.json");
    writeFileSync(path, content);
    return path;
  };
  const createAutomation = (content: object) =>
    runAutomation("create", writeAutomation(JSON.stringify(content)));
  return { loyalty, acme, runAutomation, writeAutomation, createAutomation };
}

describe("loyalty-kit automation", () => {
  it("creates an automation from a file, which only later events trigger", async () => {
    const { loyalty, acme, createAutomation } = await openShop();
    await acme.users.create({ email: "before@example.com" });
    const creation = await createAutomation(welcome);
    const [automation] = await acme.automations.list();
    expect(creation).toEqual({ code: 0, stdout: `automation ${automation?.id} created\n`, stderr: "" });
    expect(automation).toMatchObject({ ...welcome, isEnabled: true });
    const after = await acme.users.create({ email: "after@example.com" });
    await loyalty.runAutomations();
    expect((await acme.tags.list()).length).toBe(1);
    const { content } = await acme.segments.query({
      filter: { operator: "AND", conditions: [{ slug: "new" }] },
    });
    expect(content.map(({ id }) => id)).toEqual([after.id]);
  });

  it("creates an automation from the output of `show`, and reports that it is disabled", async () => {
    const { acme, runAutomation, createAutomation } = await openShop();
    await createAutomation({ ...welcome, isEnabled: false });
    const [{ id = "" } = {}] = await acme.automations.list();
    const { stdout } = await runAutomation("show", id);
    expect(JSON.parse(stdout)).toEqual(await acme.automations.get(id));
    expect((await createAutomation(JSON.parse(stdout))).stdout).toMatch(
      /^automation aut_[\w-]+ created, but disabled\n$/,
    );
    expect(await acme.automations.list()).toHaveLength(2);
  });

  it("lists automations with their triggers, oldest first", async () => {
    const { acme, runAutomation, createAutomation } = await openShop();
    expect(await runAutomation("list")).toEqual({
      ...{ code: 0, stdout: "", stderr: "organization acme has no automations\n" },
    });
    await acme.segments.create({
      ...{ name: "The new", emitsEvents: true },
      filter: { operator: "AND", conditions: [{ slug: "new" }] },
    });
    await createAutomation(welcome);
    await createAutomation({ ...welcome, name: "Came", on: { segmentEntered: "the-new" }, isEnabled: false });
    await createAutomation({
      ...welcome,
      name: "Birthday",
      on: { date: { metadata: ["born", "on"], at: "09:00" } },
    });
    const [head, ...lines] = (await runAutomation("list")).stdout.trim().split("\n");
    expect(head?.split(/ {2,}/)).toEqual(["ID", "ENABLED", "TRIGGER", "NAME", "CREATED"]);
    expect(lines.map((line) => line.split(/ {2,}/).slice(1, 4))).toEqual([
      ["yes", "user.created", "Welcome"],
      ["no", "segment the-new", "Came"],
      ["yes", "date born.on", "Birthday"],
    ]);
  });

  it("disables, enables and deletes an automation", async () => {
    const { acme, runAutomation, createAutomation } = await openShop();
    await createAutomation({ ...welcome, after: 1 });
    const [{ id = "" } = {}] = await acme.automations.list();
    expect(await runAutomation("disable", id)).toEqual({
      ...{ code: 0, stdout: `automation ${id} is disabled\n`, stderr: "" },
    });
    expect((await acme.automations.get(id)).isEnabled).toBe(false);
    expect(await runAutomation("enable", id)).toMatchObject({ stdout: `automation ${id} is enabled\n` });
    expect((await acme.automations.get(id)).isEnabled).toBe(true);
    expect(await runAutomation("delete", id)).toMatchObject({ stdout: `automation ${id} deleted\n` });
    expect(await acme.automations.list()).toEqual([]);
  });

  it("doesn't enable an automation whose tag was deleted", async () => {
    const { acme, runAutomation, createAutomation } = await openShop();
    await createAutomation({ ...welcome, isEnabled: false });
    const [{ id = "" } = {}] = await acme.automations.list();
    await acme.tags.delete("new");
    const failure = await runAutomation("enable", id);
    expect(failure).toMatchObject({ code: 1, stdout: "" });
    expect(failure.stderr).toMatch(/^loyalty-kit: .*tag.*\n$/i);
    expect((await acme.automations.get(id)).isEnabled).toBe(false);
  });

  it("writes all runs as CSV, newest first, or only those with one status", async () => {
    const { loyalty, acme, runAutomation, createAutomation } = await openShop();
    const filter = { operator: "AND", conditions: [{ field: { name: "phone", exists: true } }] };
    await createAutomation({ ...welcome, if: filter });
    const [{ id = "" } = {}] = await acme.automations.list();
    for (let nth = 0; nth < 202; nth += 1) await acme.users.create({ email: `${nth}@example.com` });
    const ada = await acme.users.create({ email: "ada@example.com", phone: "+43 1 234" });
    await loyalty.runAutomations();
    const [head, ...lines] = (await runAutomation("runs", id)).stdout.trim().split("\n");
    expect(head).toBe("id,userId,version,occasion,status,reason,actionIndex,dueAt,createdAt,updatedAt");
    expect(new Set(lines.map((line) => line.split(",", 1).join()))).toHaveProperty("size", 203);
    const times = lines.map((line) => line.split(",")[8] ?? "");
    expect(times).toEqual(times.toSorted().reverse());
    const doneRuns = (await runAutomation("runs", id, "--status", "DONE")).stdout.trim().split("\n").slice(1);
    expect(doneRuns.map((line) => line.split(",").slice(1, 7))).toEqual([
      [ada.id, "1", expect.stringMatching(/^evt_/), "DONE", "", ""],
    ]);
    const skippedRuns = (await runAutomation("runs", id, "--status", "SKIPPED")).stdout.trim().split("\n");
    expect(skippedRuns.slice(1).every((line) => line.includes(",SKIPPED,condition,"))).toBe(true);
    expect(await runAutomation("runs", id, "--status", "done")).toMatchObject({ code: 2, stdout: "" });
  });

  it("prints whether an automation would run for a user, and changes nothing", async () => {
    const { acme, runAutomation, createAutomation } = await openShop();
    await createAutomation({ ...welcome, if: { operator: "NOT", conditions: [{ slug: "new" }] } });
    const [{ id = "" } = {}] = await acme.automations.list();
    const { id: userId } = await acme.users.create({ email: "ada@example.com", externalId: "c-1" });
    expect(JSON.parse((await runAutomation("test", id, "c-1")).stdout)).toMatchObject({
      ...{ object: "automation_test", automationId: id, userId, wouldRun: true, reason: null },
      actions: [{ action: "assignTag", reason: null }],
    });
    await acme.tags.assign(userId, "new");
    expect(JSON.parse((await runAutomation("test", id, userId)).stdout)).toMatchObject({
      ...{ wouldRun: false, reason: "condition", if: { matched: false } },
    });
    expect(await runAutomation("test", id, "nobody")).toEqual({
      ...{ code: 1, stdout: "" },
      stderr: "loyalty-kit: organization acme has no user with the ID nobody\n",
    });
  });

  it.each([
    { content: "{", tells: "automation.json is not valid json", code: 2 },
    { content: "[]", tells: "", code: 1 },
    { content: "{}", tells: "name", code: 2 },
    { content: JSON.stringify({ ...welcome, name: "" }), tells: "loyalty-kit: name ", code: 2 },
    { content: JSON.stringify({ ...welcome, on: { event: "none" } }), tells: "on.event", code: 2 },
    {
      content: JSON.stringify({ ...welcome, if: { operator: "AND", conditions: [{ stamp: 1 }] } }),
      ...{ tells: "if.conditions.0.stamp", code: 2 },
    },
    { content: JSON.stringify({ ...welcome, do: [{ assignTag: "gone" }] }), tells: "tag", code: 1 },
  ])("reports in one line what is wrong with the file $content", async ({ content, tells, code }) => {
    const { acme, runAutomation, writeAutomation } = await openShop();
    const failure = await runAutomation("create", writeAutomation(content));
    expect(failure).toMatchObject({ code, stdout: "" });
    expect(failure.stderr).toMatch(/^loyalty-kit: .+\n$/);
    expect(failure.stderr.toLowerCase()).toContain(tells);
    expect(await acme.automations.list()).toEqual([]);
  });

  it("reports a missing file and an unknown automation", async () => {
    const { runAutomation } = await openShop();
    expect(await runAutomation("create", "/none/such.json")).toMatchObject({
      ...{ code: 2, stderr: "loyalty-kit: /none/such.json can't be read: it doesn't exist\n" },
    });
    for (const verb of ["show", "enable", "disable", "delete", "runs", "test"]) {
      const { code, stdout, stderr } = await runAutomation(
        verb,
        "aut_none",
        ...(verb === "test" ? ["ada"] : []),
      );
      expect([code, stdout, stderr]).toEqual([
        ...[1, "", "loyalty-kit: organization acme has no automation with the ID aut_none\n"],
      ]);
    }
  });
});
