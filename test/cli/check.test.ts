import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { describe, expect, it } from "vitest";
import { createEmptyFolder } from "./command.js";
import { openCustomers } from "./customers.js";
import { runCommand } from "./run-command.js";

describe.concurrent("check", () => {
  it("exits with 0 if there are no problems and with 1 otherwise, and repairs derived data", async () => {
    const acme = openCustomers();
    await acme.import("email\nada@example.com\n");
    const [, file = ""] = acme.databaseArgs;
    const check = ["check", "--database", file];
    expect(await runCommand(check)).toEqual({ code: 0, stdout: "no problems found\n", stderr: "" });
    const database = new Sqlite(file);
    database.exec("update loyalty_organizations set next_user_ordinal = 0");
    database.close();
    expect(await runCommand(check)).toEqual({
      code: 1,
      stdout: "",
      stderr: "acme: counters: next_user_ordinal is wrong\nloyalty-kit: problems remain: 1\n",
    });
    expect(await runCommand([...check, "--organization", "globex"])).toMatchObject({ code: 0 });
    expect(await runCommand([...check, "--repair"])).toMatchObject({
      code: 0,
      stdout: "no problems remain; 1 repaired\n",
    });
    expect(await runCommand(check)).toMatchObject({ code: 0, stdout: "no problems found\n" });
  });

  it("reports on every run why a problem isn't repaired", async () => {
    const acme = openCustomers();
    const file = join(acme.folder, "loyalty.db");
    const loyalty = new LoyaltyService({ storage: await sqliteStorage(file) });
    const { templates, passes, stamps } = loyalty.organization("acme");
    const { id } = await templates.create({ name: "Card", type: "STAMP_CARD", maxStamps: 10 });
    const pass = await passes.create(id, { user: { email: "ada@example.com" } });
    for (let at = 0; at < 3; at += 1) await stamps.add(pass.id);
    await loyalty.close();
    const database = new Sqlite(file);
    database.exec("delete from loyalty_stamp_entries where sequence = 2");
    database.close();
    const message = `acme: ledger: ${pass.id} is wrong: entry 2 of its ledger is missing\n`;
    for (const options of [["--repair"], ["--repair"], []]) {
      const { code, stdout, stderr } = await runCommand(["check", "--database", file, ...options]);
      expect({ code, stdout, isTold: stderr.startsWith(message) }).toEqual({
        code: 1,
        stdout: "",
        isTold: true,
      });
    }
  });

  it("summarizes the findings of one kind after the first twenty", async () => {
    const acme = openCustomers();
    const file = join(acme.folder, "loyalty.db");
    const loyalty = new LoyaltyService({ storage: await sqliteStorage(file) });
    const { templates, passes } = loyalty.organization("acme");
    const { id } = await templates.create({ name: "Card", type: "STAMP_CARD", maxStamps: 10 });
    for (let at = 0; at < 25; at += 1) await passes.create(id, { user: { email: `${at}@example.com` } });
    await loyalty.close();
    const database = new Sqlite(file);
    database.exec("update loyalty_wallet_passes set current_stamps = 3");
    database.close();
    const { code, stderr } = await runCommand(["check", "--database", file]);
    expect(code).toBe(1);
    expect(stderr.split("\n")).toHaveLength(20 + 3);
    expect(stderr).toContain("\n5 more findings: acme: ledger is wrong\n");
    expect(stderr).toContain("problems remain: 25\n");
  });

  it("fails if the database doesn't exist", async () => {
    const missing = await runCommand(["check", "--database", join(createEmptyFolder(), "a.db")]);
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining("doesn't exist") });
  });
});
