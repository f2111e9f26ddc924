import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { describe, expect, it } from "vitest";
import { unzip } from "../exports/unzipped.js";
import { createEmptyFolder, program, runLoyaltyKit, start } from "./command.js";
import { buildCustomersCsv, openCustomers } from "./customers.js";
import { runCommand } from "./run-command.js";

describe.concurrent("export", () => {
  it("writes one CSV line per user, with a column for each metadata key", async () => {
    const acme = openCustomers();
    await acme.import(
      'email,name,phone,externalId,tags,metadata.city,metadata.a.b\nada@example.com,"Ada, ""Countess""",1,c-1,b;a,Berlin,\nbob@example.com,,,,,,x\n',
      "--create-tags",
    );
    const [headers, ...lines] = (await acme.export()).split("\n");
    expect(headers).toBe(
      "email,name,phone,externalId,tags,metadata.city,metadata.a.b,id,createdAt,updatedAt",
    );
    expect(lines).toEqual([
      expect.stringMatching(/^ada@example\.com,"Ada, ""Countess""",1,c-1,b;a,Berlin,,usr_\S+,\S+Z,\S+Z$/),
      expect.stringMatching(/^bob@example\.com,,,,,,x,usr_\S+,\S+Z,\S+Z$/),
      "",
    ]);
  });

  it("writes one JSON line per user", async () => {
    const acme = openCustomers();
    await acme.import("email,tags,metadata.city\nada@example.com,a,Berlin\n", "--create-tags");
    expect(JSON.parse(await acme.export("--format", "ndjson"))).toEqual({
      id: expect.stringMatching(/^usr_/),
      object: "user",
      email: "ada@example.com",
      name: null,
      phone: null,
      externalId: null,
      metadata: { city: "Berlin" },
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      tags: ["a"],
    });
  });

  it("without users writes only the CSV headers, and no JSON lines", async () => {
    const acme = openCustomers();
    await acme.import("email\n");
    expect(await acme.export()).toBe("email,name,phone,externalId,tags,id,createdAt,updatedAt\n");
    expect(await acme.export("--format", "ndjson")).toBe("");
  });

  it("escapes texts that would be formulas", async () => {
    const acme = openCustomers();
    const formulas = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1", "＋1", "－1", "＠1"];
    await acme.import("email\n");
    const loyalty = new LoyaltyService({ storage: await sqliteStorage(join(acme.folder, "loyalty.db")) });
    const rows = formulas.map((x, at) => ({ email: `${at}@example.com`, metadata: { x } }));
    await loyalty.organization("acme").users.import(rows);
    await loyalty.close();
    const text = await acme.export();
    // A cell may also begin after a tab or a line end.
    for (const formula of formulas) expect(text).toContain(`'${formula.replace(/^(\s)=/, "$1'=")}`);
  });

  it("also escapes formulas after a semicolon and in a header", async () => {
    const acme = openCustomers();
    await acme.import('email,name,"metadata.a;=1"\na@example.com,x;=1+1,y\n');
    const text = await acme.export();
    expect(text).toContain("metadata.a;'=1");
    expect(text).toContain("x;'=1+1");
    const copy = openCustomers();
    await copy.import(text);
    expect(await copy.listAll()).toEqual(await acme.listAll());
  });

  it("begins with a byte-order mark and uses another delimiter if requested", async () => {
    const acme = openCustomers();
    await acme.import("email,name\na@example.com,Zo\u00EB\n");
    const text = await acme.export("--bom", "--delimiter", ";");
    expect(text).toMatch(/^\uFEFFemail;name;.+\na@example\.com;Zo\u00EB;/);
    const copy = openCustomers();
    await copy.import(text);
    expect(await copy.listAll()).toEqual(await acme.listAll());
  });

  it("writes an empty cell for a missing email, which can be imported where none is required", async () => {
    const acme = openCustomers();
    const importWithoutEmail = async (shop: typeof acme) => {
      await shop.import("email\n");
      await runCommand(["settings", "set", "--requires-email", "no", ...shop.databaseArgs]);
    };
    await importWithoutEmail(acme);
    await acme.import("email,name,phone,externalId\nada@example.com,Ada,,\n,Bo,030 1234,\n,Cy,,7\n");
    const text = await acme.export();
    expect(text).toMatch(/^email,name,.*\nada@example.com,Ada,.*\n,Bo,030 1234,.*\n,Cy,,7,.*\n$/);
    const copy = openCustomers();
    await importWithoutEmail(copy);
    await copy.import(text);
    expect(await copy.listAll()).toEqual(await acme.listAll());
  });

  it("doesn't overwrite a file, and leaves no partial file", async () => {
    const acme = openCustomers();
    await acme.import("email\n");
    const file = join(acme.folder, "mine.csv");
    writeFileSync(file, "mine");
    const failure = await runCommand(["export", "--output", file, ...acme.databaseArgs]);
    expect(failure).toEqual({ code: 1, stdout: "", stderr: `loyalty-kit: ${file} already exists\n` });
    expect(readFileSync(file, "utf8")).toBe("mine");

    const keys = Array.from({ length: 1_001 }, (_, at) => `metadata.${at}`);
    const tooMany = `email,${keys.join(",")}\nada@example.com${",x".repeat(keys.length)}\n`;
    expect(await acme.import(tooMany)).toMatchObject({ code: 0 });
    const partialFile = join(acme.folder, "half.csv");
    const failedExport = await runCommand(["export", "--output", partialFile, ...acme.databaseArgs]);
    expect(failedExport).toMatchObject({ code: 1, stderr: expect.stringContaining("use --format ndjson") });
    expect(existsSync(partialFile)).toBe(false);
  });

  it("writes everything as a ZIP file, and refuses options that filter customers or set their format", async () => {
    const acme = openCustomers();
    await acme.import("email,tags\nada@example.com,vip\n", "--create-tags");
    const file = join(acme.folder, "acme.zip");
    const result = await runCommand(["export", "--everything", "--output", file, ...acme.databaseArgs]);
    expect(result).toMatchObject({ code: 0, stdout: "" });
    expect(result.stderr).toContain(`exported to ${file}`);
    const files = unzip(readFileSync(file));
    expect(String(files.get("users.csv"))).toContain("ada@example.com");
    expect(String(files.get("user-tags.csv"))).toContain("vip");
    expect(files.has("README.txt")).toBe(true);

    const secondExport = await runCommand(["export", "--everything", "--output", file, ...acme.databaseArgs]);
    expect(secondExport).toMatchObject({ code: 1, stderr: `loyalty-kit: ${file} already exists\n` });
    for (const extraArgs of [["--format", "csv"], ["--bom"], ["--delimiter", ";"], ["--segment", "vip"]]) {
      const failure = await runCommand(["export", "--everything", ...extraArgs, ...acme.databaseArgs]);
      expect(failure.stdout).toBe("");
      expect(failure.stderr).toContain("cannot be used with option");
    }
  });

  it("doesn't create a missing database", async () => {
    const database = join(createEmptyFolder(), "loyalty.db");
    const { code, stderr } = await runCommand(["export", "--database", database, "--organization", "acme"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^loyalty-kit: database .+ doesn't exist; .+\n$/);
    expect(existsSync(database)).toBe(false);
  });

  it("writes to standard output, and doesn't fail when the reader closes it", async () => {
    const acme = openCustomers();
    await acme.import(buildCustomersCsv(5_000), "--create-tags");
    const args = ["export", ...acme.databaseArgs];
    const { code, stdout, stderr } = await runLoyaltyKit(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toBe(await acme.export());

    const child = start([program, ...args]);
    child.process.stdout?.destroy();
    expect(await child.exit).toMatchObject({ code: 0, stderr: "" });
  });
});
