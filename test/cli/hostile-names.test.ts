import Database from "better-sqlite3";
import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { describe, expect, it } from "vitest";
import { openCustomers } from "./customers.js";
import { createDatabase } from "./new-database.js";
import { runCommand } from "./run-command.js";

/** Clears the screen, colors it, sets its title, breaks the line, and reverses the following text. */
const hostile = "Ada\u001b[2J\u009b31m\u001b]0;x\u0007\u2028\u2029\u0085\u202e\u2066\u200f!";

/** Reverses the following text, without control characters. */
const hostileLine = "Ada \u202e\u2066\u200f!";

/** Characters that control a terminal or the direction of text, except for the line feed. */
const controlCharacters = /[^\P{Cc}\n]|[\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

const vips = JSON.stringify({ operator: "AND", conditions: [{ slug: "vip" }] });

/** Opens an organization in which everything that has a name has a hostile one. */
async function openHostileShop() {
  const database = await createDatabase();
  const loyalty = new LoyaltyService({ storage: await sqliteStorage(database) });
  const acme = loyalty.organization("acme");
  const user = await acme.users.create({
    ...{ email: "ada@example.com", name: hostile, externalId: "x" },
    metadata: { [hostile]: hostile },
  });
  await acme.tags.ensure("vip", { name: hostile });
  await acme.tags.assign(user.id, "vip");
  const segment = await acme.segments.create({ name: hostile, filter: JSON.parse(vips) });
  await acme.settings.update({ name: hostileLine });
  await acme.people.add({ email: "owner@example.com", role: "owner", name: hostileLine });
  await acme.apps.create({
    ...{ name: hostile, redirectUris: ["https://app.example/"], scopes: ["user:read"], isPublic: true },
  });
  const texts = [{ language: "en", subject: hostileLine, text: hostileLine }];
  const message = await acme.messages.create({
    ...{ name: hostileLine, audience: { all: true }, channels: ["email"], texts },
  });
  const automation = await acme.automations.create({
    ...{ name: hostileLine, on: { event: "user.created" }, isEnabled: false },
    do: [{ assignTag: "vip" }],
  });
  await loyalty.close();
  const databaseArgs = ["--database", database, "--organization", "acme"];
  return { database, databaseArgs, segment, message, automation };
}

describe("hostile names", () => {
  it("don't control the terminal, whatever command prints them", async () => {
    const { databaseArgs, segment, message, automation } = await openHostileShop();
    const commands = [
      ["segment", "list", "--filter", vips],
      ["segment", "show"],
      ["segment", "show", segment.slug],
      ["segment", "explain", segment.slug, "x"],
      ["tags", "list"],
      ["settings", "show"],
      ["people", "list"],
      ["app", "list"],
      ["audit", "list"],
      ["message", "list"],
      ["message", "show", message.id],
      ["automation", "list"],
      ["automation", "show", automation.id],
      ["automation", "test", automation.id, "x"],
    ];
    for (const command of commands) {
      const { code, stdout, stderr } = await runCommand([...command, ...databaseArgs]);
      expect([command, code, stdout === ""]).toEqual([command, 0, false]);
      expect(stdout + stderr, command.join(" ")).not.toMatch(controlCharacters);
    }
    const { stdout } = await runCommand(["segment", "list", "--filter", vips, ...databaseArgs]);
    expect(JSON.parse(stdout)).toMatchObject({ name: hostile, metadata: { [hostile]: hostile } });
  });

  it("in the cells of a refused file don't control the terminal", async () => {
    const acme = openCustomers();
    for (const file of [
      `email,\nada@example.com,${hostileLine}\u009b2J\n`,
      `email,${hostileLine}\u009b2J\nada@example.com,x\n`,
      `email,consent\nada@example.com,${hostileLine}\u009b2J\n`,
      `email,template\nada@example.com,${hostileLine}\u009b2J\n`,
      `email,${hostileLine}\u009b2J,${hostileLine}\u009b2J\nada@example.com,x,y\n`,
    ]) {
      const { code, stdout, stderr } = await acme.import(file);
      expect([code === 0, stderr === ""], file).toEqual([false, false]);
      expect(stdout + stderr, file).not.toMatch(controlCharacters);
    }
  });

  it("don't look like further columns of a list", async () => {
    const database = await createDatabase();
    const loyalty = new LoyaltyService({ storage: await sqliteStorage(database) });
    const acme = loyalty.organization("acme");
    const gaps = ["     ", "\u00a0\u2003\u3000", " \u200b \u200b ", "\u3164\u115f\u2800"];
    for (const [at, gap] of gaps.entries())
      await acme.people.add({ email: `${at}@example.com`, role: "till", name: `Bob${gap}owner` });
    await loyalty.close();
    const { stdout } = await runCommand(["people", "list", "--database", database, "--organization", "acme"]);
    expect(stdout.match(/Bob owner/g)).toHaveLength(gaps.length);
  });

  it("don't control the terminal in the stack of an unexpected error", async () => {
    const { database, databaseArgs } = await openHostileShop();
    const file = new Database(database);
    file.prepare("update loyalty_users set metadata = ?").run(hostile);
    file.close();
    const { code, stderr } = await runCommand(["segment", "list", "--filter", vips, ...databaseArgs]);
    expect(code).toBe(1);
    expect(stderr).toContain("\n    at ");
    expect(stderr).not.toMatch(controlCharacters);
  });
});
