import { randomBytes } from "node:crypto";
import Sqlite from "better-sqlite3";
import { LoyaltyService, type StorageAdapter } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { checkStorage, copyStorage } from "loyalty-kit/storage";
import { describe, expect, it, onTestFinished } from "vitest";
import { RowTable } from "../../adapters/storage/kysely/copying/row-table.js";
import { adapters } from "../kit/adapters.js";
import { collect } from "../kit/collect.js";
import { isInThisRun } from "../kit/this-run.js";
import { createTemporaryFile } from "../sqlite/temporary-file.js";

const kinds = [
  { from: "sqlite", to: "postgres" },
  { from: "postgres", to: "sqlite" },
  { from: "sqlite", to: "sqlite" },
  { from: "postgres", to: "postgres" },
] as const;
const kindsOfThisRun = kinds.filter(({ from, to }) => isInThisRun(`${from} ${to}`));

async function openStorage(kind: "sqlite" | "postgres"): Promise<StorageAdapter> {
  const storage = await adapters[kind]();
  onTestFinished(() => storage.close());
  return storage;
}

const USERS = 700;

/**
 * Creates two organizations with tags, users, cards, tokens, webhooks, a segment and a picture.
 * @returns the card and the token, which must still work after the copy.
 */
async function fillStorage(storage: StorageAdapter) {
  const loyalty = new LoyaltyService({ storage });
  const acme = loyalty.organization("acme");
  for (const name of ["VIP", "Guest", "New"]) await acme.tags.create({ name });
  const { created } = await acme.users.import(
    Array.from({ length: USERS }, (_, at) => ({
      email: `customer-${at}@example.com`,
      externalId: `c-${at}`,
      name: `Zoë ${at} Ĳsbrand`,
      metadata: { at, since: null },
      tags: at % 3 === 0 ? ["vip"] : ["guest", "new"],
    })),
  );
  expect(created).toBe(USERS);
  for (const each of ["c-1", "c-2", "c-4"]) await acme.tags.assign(each, "vip");
  await acme.tags.unassign("c-2", "vip");
  const { id: coffee } = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 10 });
  const { id: card } = await acme.passes.create(coffee, { userId: "c-7" });
  await acme.stamps.add(card, { count: 12, note: "it's \u{1f389}", idempotencyKey: "receipt-1" });
  await acme.stamps.redeem(card);
  const { token } = await acme.apiTokens.create({ name: "till", scopes: ["pass:read"] });
  await acme.apps.create({ name: "App", redirectUris: ["https://app.example/"], scopes: ["user:read"] });
  await acme.webhooks.create({ url: "https://hooks.example/loyalty" });
  await acme.segments.create({
    name: "Guests",
    filter: { operator: "AND", conditions: [{ slug: "guest" }] },
    emitsEvents: true,
  });
  const globex = loyalty.organization("globex");
  await globex.users.create({ email: "grace@example.com" });
  const picture = {
    type: "image/png",
    width: 1,
    height: 1,
    bytes: randomBytes(5_000),
    createdAt: 1,
  } as const;
  await storage.transaction("acme", (tx) => tx.putPicture({ ...picture, hash: "a".repeat(64) }));
  return { card, token };
}

describe.each(kindsOfThisRun)("a copy from $from to $to", ({ from, to }) => {
  it("has all data, finds it in searches, and continues where the source was", async () => {
    const source = await openStorage(from);
    const { card, token } = await fillStorage(source);
    const target = await openStorage(to);
    const tables = await copyStorage(source, target);
    expect(tables.find(({ table }) => table === "loyalty_users")?.rows).toBe(USERS + 1);
    // Compares everything once more in the other direction: a third storage gets the same rows from the copy.
    const reopened = await openStorage(from);
    expect(await copyStorage(target, reopened)).toEqual(tables);

    const [sourceOrganization, targetOrganization] = [source, target].map((storage) =>
      new LoyaltyService({ storage }).organization("acme"),
    );
    if (sourceOrganization === undefined || targetOrganization === undefined)
      throw new Error("there are two");
    expect(await collect(targetOrganization.users.export())).toEqual(
      await collect(sourceOrganization.users.export()),
    );
    expect(await targetOrganization.events.list({ limit: 100 })).toEqual(
      await sourceOrganization.events.list({ limit: 100 }),
    );
    expect(await targetOrganization.webhooks.list()).toEqual(await sourceOrganization.webhooks.list());
    expect(await targetOrganization.statistics.get({ days: 2 })).toEqual(
      await sourceOrganization.statistics.get({ days: 2 }),
    );
    expect((await targetOrganization.stamps.history(card)).content).toEqual(
      (await sourceOrganization.stamps.history(card)).content,
    );
    expect((await targetOrganization.contacts.list({ search: "zoë 699 ĳs" })).totalElements).toBe(1);
    expect((await targetOrganization.contacts.list({ search: "zoë 11" })).totalElements).toBe(11);
    expect((await targetOrganization.tags.verifyIndex()).wrong).toEqual([]);
    expect(await targetOrganization.segments.list()).toEqual(await sourceOrganization.segments.list());
    const found = await checkStorage(target);
    expect(found.filter(({ kind }) => kind === "savedSegments")).toEqual([]);
    const replay = await targetOrganization.stamps.add(card, {
      count: 12,
      note: "it's \u{1f389}",
      idempotencyKey: "receipt-1",
    });
    expect(replay.totalStampsCollected).toBe(12);
    expect(await new LoyaltyService({ storage: target }).verifyApiToken(token)).toMatchObject({
      organizationId: "acme",
    });
    await targetOrganization.users.create({ email: "later@example.com" });
    expect((await targetOrganization.contacts.list()).totalElements).toBe(USERS + 1);
    expect((await targetOrganization.tags.verifyIndex()).wrong).toEqual([]);
  });

  it("continues where it stopped after any interruption", async () => {
    const source = await openStorage(from);
    await fillStorage(source);
    const target = await openStorage(to);
    const interruptCopy = async (steps: number) => {
      let remaining = steps;
      await copyStorage(source, target, {
        onProgress() {
          remaining -= 1;
          if (remaining === 0) throw new Error("cut short");
        },
      });
    };
    let cuts = 0;
    for (; cuts < 100; cuts += 1) {
      const errorMessage = await interruptCopy(4).catch((error: Error) => error.message);
      if (errorMessage === undefined) break;
      expect(errorMessage).toBe("cut short");
    }
    expect(cuts).toBeGreaterThan(3);
    expect(
      (
        await new LoyaltyService({ storage: target })
          .organization("acme")
          .contacts.list({ search: "zoë 699" })
      ).totalElements,
    ).toBe(1);
    // The target is now a storage that isn't empty.
    await expect(copyStorage(source, target)).rejects.toThrow(/isn.t empty/);
  });

  it("fails if its source has changed since it started", async () => {
    const source = await openStorage(from);
    await fillStorage(source);
    const target = await openStorage(to);
    const throwStopped = () => {
      throw new Error("cut short");
    };
    await expect(copyStorage(source, target, { onProgress: throwStopped })).rejects.toThrow("cut short");
    await new LoyaltyService({ storage: source }).organization("acme").tags.create({ name: "Late" });
    await expect(copyStorage(source, target)).rejects.toThrow(/the source changed after the copy started/);
  });
});

describe("the list of copied tables", () => {
  it("has every table with its key, except the tables that the target fills itself", async () => {
    const file = createTemporaryFile();
    await (await sqliteStorage(file)).close();
    const database = new Sqlite(file, { readonly: true });
    const found = database
      .prepare<[], { name: string; key: string }>(
        `select tables.name, group_concat(columns.name) as key from sqlite_master tables
          join pragma_table_info(tables.name) columns on columns.pk > 0
          where tables.type = 'table' and tables.name like 'loyalty!_%' escape '!'
          and tables.name not like 'loyalty!_user!_words%' escape '!'
          group by tables.name order by tables.name`,
      )
      .all();
    database.close();
    const newTables = ["migrations", "servers", "search_organizations", "search_texts"].map(
      (name) => `loyalty_${name}`,
    );
    const copiedTables = RowTable.all.map(({ name, key }) => ({ name, key: key.toSorted().join() }));
    const keyColumns = (key: string) => (key === "place" ? "organization_id,position" : key);
    const storedTables = found.map(({ name, key }) => ({
      name,
      key: keyColumns(key).split(",").sort().join(),
    }));
    expect(copiedTables.sort((a, b) => (a.name < b.name ? -1 : 1))).toEqual(
      storedTables.filter(({ name }) => !newTables.includes(name)),
    );
  });
});

describe("copying to an unsuitable target", () => {
  it("is refused if the target isn't empty or is memory storage", async () => {
    const [source, target] = [await openStorage("sqlite"), await openStorage("sqlite")];
    await fillStorage(source);
    const acme = new LoyaltyService({ storage: target }).organization("acme");
    await acme.users.create({ email: "ada@example.com" });
    await expect(copyStorage(source, target)).rejects.toThrow(/isn.t empty/);
    expect((await acme.contacts.list()).totalElements).toBe(1);
    await expect(copyStorage(source, memoryStorage())).rejects.toThrow(TypeError);
  });
});
