import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { LoyaltyService } from "loyalty-kit";
import { backupSqlite, sqliteStorage } from "loyalty-kit/sqlite";
import { describe, expect, it } from "vitest";
import { getSqlAccess } from "../../adapters/storage/kysely/copying/sql-access.js";
import { registerServer } from "../../adapters/storage/kysely/servers.js";
import { createTemporaryFile } from "./temporary-file.js";

const openFile = async (file: string) =>
  new LoyaltyService({ storage: await sqliteStorage(file, { synchronous: "NORMAL" }) });

async function listEmails(file: string): Promise<(string | null)[]> {
  const loyalty = await openFile(file);
  const emails: (string | null)[] = [];
  for await (const { email } of loyalty.organization("acme").users.list()) emails.push(email);
  await loyalty.close();
  return emails;
}

describe("a backup", () => {
  it("has every change that completed before it, even under continuous writes", async () => {
    const [file, target] = [createTemporaryFile(), createTemporaryFile()];
    const loyalty = await openFile(file);
    const { users } = loyalty.organization("acme");
    const rows = Array.from({ length: 5_000 }, (_, at) => ({ email: `${at}@example.com` }));
    await users.import(rows);
    let isWriting = true;
    let later = 0;
    const writing = (async () => {
      while (isWriting) await users.create({ email: `later-${later++}@example.com` });
    })();
    await backupSqlite(file, target);
    isWriting = false;
    await writing;
    await loyalty.close();
    const emails = await listEmails(target);
    expect(emails.slice(0, 5_000)).toEqual(rows.map(({ email }) => email));
    // Later changes are included up to some point, without gaps.
    expect(emails.slice(5_000)).toEqual(emails.slice(5_000).map((_, at) => `later-${at}@example.com`));
  });

  it("is a single file that only its owner may read", async () => {
    const [file, target] = [createTemporaryFile(), createTemporaryFile()];
    await (await openFile(file)).close();
    await backupSqlite(file, target);
    expect(statSync(target).mode & 0o777).toBe(0o600);
    for (const suffix of ["-wal", "-shm", ".unfinished"]) expect(existsSync(target + suffix)).toBe(false);
  });

  it("isn't affected by leftovers of an earlier backup, and removes them", async () => {
    const beside = ["", "-journal", "-wal", "-shm"].map((suffix) => `.unfinished${suffix}`);
    const [file, text] = [createTemporaryFile(), createTemporaryFile()];
    const loyalty = await openFile(file);
    await loyalty.organization("acme").users.create({ email: "ada@example.com" });
    await loyalty.close();
    writeFileSync(text, "no database at all".repeat(1_000));
    for (const source of [file, text]) {
      const target = createTemporaryFile();
      for (const suffix of beside) writeFileSync(target + suffix, "left".repeat(2_000));
      const backup = backupSqlite(source, target);
      if (source === text) await expect(backup).rejects.toThrow();
      else await backup;
      for (const suffix of beside) expect(existsSync(target + suffix)).toBe(false);
      if (source === file) expect(await listEmails(target)).toEqual(["ada@example.com"]);
    }
  });

  it("lists none of the servers that use its source", async () => {
    const registerAndList = async (file: string, id: string) => {
      const storage = await sqliteStorage(file);
      const servers = await registerServer(getSqlAccess(storage), { id, keyPrint: id, seenAt: 1_000 }, 0);
      await storage.close();
      return servers.map((server) => server.id);
    };
    const file = createTemporaryFile();
    await registerAndList(file, "source:1");
    for (const withPending of [false, true]) {
      const target = createTemporaryFile();
      await backupSqlite(file, target, { withPending });
      expect(await registerAndList(target, "copy:1")).toEqual([]);
    }
    expect(await registerAndList(file, "source:2")).toEqual(["source:1"]);
  });

  it("reports that its folder is missing or is a file", async () => {
    const file = createTemporaryFile();
    await (await openFile(file)).close();
    for (const folder of [`${file}-none`, file]) {
      const reason = `folder ${folder} doesn't exist; create it first`;
      await expect(backupSqlite(file, `${folder}/copy.db`)).rejects.toThrow(reason);
    }
  });

  it("overwrites nothing, and leaves nothing behind if the source isn't a database or is damaged", async () => {
    const [file, target] = [createTemporaryFile(), createTemporaryFile()];
    await (await openFile(file)).close();
    writeFileSync(target, "mine");
    await expect(backupSqlite(file, target)).rejects.toThrow("already exists");
    expect(readFileSync(target, "utf8")).toBe("mine");

    const [text, damaged] = [createTemporaryFile(), createTemporaryFile()];
    writeFileSync(text, "no database at all".repeat(1_000));
    const bytes = readFileSync(file);
    bytes.fill(0xff, 4_096, 12_288);
    writeFileSync(damaged, bytes);
    for (const source of [text, damaged, `${file}-missing`]) {
      const copy = createTemporaryFile();
      await expect(backupSqlite(source, copy)).rejects.toThrow();
      expect(existsSync(copy)).toBe(false);
      expect(existsSync(`${copy}.unfinished`)).toBe(false);
    }
  });
});
