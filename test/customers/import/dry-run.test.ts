import { join } from "node:path";
import Database from "better-sqlite3";
import fc from "fast-check";
import type { ImportCustomer, ImportOptions, ImportUser, Organization, StorageAdapter } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { createEmptyFolder } from "../../cli/command.js";
import { openAcme } from "../../kit/acme.js";
import { collect } from "../../kit/collect.js";
import { everyAdapter } from "../../kit/every-adapter.js";
import { newOrganizations } from "../../properties/organizations.js";
import { storedRuns } from "../../properties/runs.js";

/** Reads everything that an import can change. */
async function readState(acme: Organization) {
  const users = await collect(acme.users.export());
  const [tags, events, numbers] = [
    await acme.tags.list(),
    await acme.events.list(),
    await acme.statistics.get(),
  ];
  const cards = await Promise.all(users.map(({ id }) => acme.passes.ofUser(id)));
  return { users, tags, events, numbers, cards, segments: await acme.tags.verifyIndex() };
}

const rows: ImportUser[] = [
  { email: "known@example.com", externalId: "c-1" },
  { email: "known@example.com", tags: ["VIP"] },
  { email: "nobody" },
  // Several batches, with each row twice.
  ...Array.from({ length: 1_200 }, (_, at) => ({
    email: `${at % 600}@example.com`,
    tags: [`Tag ${at % 5}`],
  })),
];

/** The number of rows in a batch. */
const BATCH = 500;

/** Fills a batch that begins with these rows. The other rows change nothing. */
const fillBatch = (rows: readonly ImportCustomer[]): ImportCustomer[] => [
  ...rows,
  ...Array.from({ length: BATCH - rows.length }, () => ({ email: "old@example.com" })),
];

/** Rows that share few keys, tags and codes. */
const emails = fc.constantFrom("a@example.com", "A@example.com", "b@example.com", "c@example.com");
const arbitraryRows = fc.array(
  fc.oneof(
    fc.record({ email: emails }),
    fc.record(
      {
        email: emails,
        externalId: fc.constantFrom("1", "2", "3"),
        name: fc.constant("Ada"),
        metadata: fc.constant({ city: "Bonn" }),
        tags: fc.subarray(["VIP", "Old"]),
        emailConsent: fc.constantFrom("SUBSCRIBED" as const, "UNSUBSCRIBED" as const),
        consentAt: fc.constantFrom("2025-01-01", "2025-02-01"),
        language: fc.constantFrom("de", "en"),
      },
      { requiredKeys: ["email", "consentAt"] },
    ),
  ),
  { minLength: 1, maxLength: 4 },
);

/** Fields that only an import of cards has. */
const arbitraryCards = fc.array(
  fc.record(
    {
      createdAt: fc.constantFrom("2020-01-01", "2021-01-01"),
      code: fc.constantFrom("7", "8"),
    },
    { requiredKeys: [] },
  ),
  { minLength: 4, maxLength: 4 },
);

const batches = fc.array(fc.tuple(arbitraryRows, arbitraryCards), { minLength: 2, maxLength: 3 });

describe.each(everyAdapter)("a dry run of an import on $name", ({ name, open }) => {
  const newOrganization = newOrganizations(open);

  it("reports what the import does when rows of several batches refer to the same customers, tags and cards", async () => {
    await fc.assert(
      fc.asyncProperty(batches, fc.boolean(), fc.boolean(), async (rowsInput, hasCards, createTags) => {
        const acme = newOrganization();
        const { id: templateId } = await acme.templates.create({
          name: "Card",
          type: "STAMP_CARD",
          maxStamps: 5,
        });
        await acme.tags.create({ name: "Old" });
        const createdAt = "2019-01-01";
        await acme.passes.import([
          { email: "a@example.com", externalId: "1", tags: ["Old"], createdAt },
          { email: "old@example.com", createdAt },
          { email: "c@example.com", emailConsent: "SUBSCRIBED", consentAt: "2025-01-15", createdAt },
        ]);
        const rows = rowsInput.flatMap(([users, cards]) =>
          fillBatch(
            users.map((user, at): ImportCustomer => {
              const { createdAt, ...card } = cards[at] ?? {};
              if (!hasCards) return user;
              return {
                ...user,
                ...(createdAt !== undefined && { createdAt }),
                passes: [{ templateId, ...card }],
              };
            }),
          ),
        );
        const importRows = (options: ImportOptions) =>
          hasCards ? acme.passes.import(rows, options) : acme.users.import(rows, options);
        const report = await importRows({ createTags, dryRun: true });
        expect(await importRows({ createTags })).toEqual(report);
      }),
      storedRuns(12, name),
    );
  });

  it("lets other changes run between its batches", async () => {
    const { acme } = openAcme({ storage: await open() });
    const otherImports: Promise<unknown>[] = [];
    let endedCount = 0;
    let endedBefore = 0;
    const onProgress = () => {
      endedBefore = endedCount;
      const email = `other-${otherImports.length}@example.com`;
      otherImports.push(acme.users.create({ email }).then(() => (endedCount += 1)));
    };
    const manyRows = Array.from({ length: 6 * BATCH }, (_, at) => ({ email: `${at}@example.com` }));
    expect(await acme.users.import(manyRows, { dryRun: true, onProgress })).toMatchObject({
      created: 6 * BATCH,
    });
    expect(endedBefore).toBeGreaterThan(0);
    await Promise.all(otherImports);
    expect((await acme.contacts.list()).totalElements).toBe(6);
  });

  it("reports what the import does, and changes nothing", async () => {
    const { acme, loyalty } = openAcme({ storage: await open() });
    await acme.users.create({ email: "known@example.com" });
    const before = await readState(acme);
    const receivedEmails: (string | null)[] = [];
    loyalty.on("user.created", ({ data }) => receivedEmails.push(data.email));
    const progress: unknown[][] = [[], []];
    const [report, doneReport] = [
      await acme.users.import(rows, {
        createTags: true,
        dryRun: true,
        onProgress: (at) => progress[0]?.push(at),
      }),
      receivedEmails.length > 0 ? null : await readState(acme),
    ];
    expect(doneReport).toEqual(before);
    expect(report).toMatchObject({ created: 600, updated: 2, unchanged: 600 });
    expect(report.failed).toEqual([{ row: 3, errors: { email: "must be a valid email address" } }]);
    const onProgress = (at: unknown) => progress[1]?.push(at);
    expect(await acme.users.import(rows, { createTags: true, onProgress })).toEqual(report);
    expect(progress[0]).toEqual(progress[1]);
  });

  it("does the same for an import of cards", async () => {
    const { acme } = openAcme({ storage: await open() });
    const { id: templateId } = await acme.templates.create({
      name: "Card",
      type: "STAMP_CARD",
      maxStamps: 10,
    });
    const customers: ImportCustomer[] = [
      { email: "ada@example.com", createdAt: "2024-05-31", passes: [{ templateId, code: "1", stamps: 3 }] },
      { email: "bob@example.com", createdAt: "2024-06-01", passes: [{ templateId, code: "1" }] },
    ];
    const before = await readState(acme);
    const report = await acme.passes.import(customers, { dryRun: true });
    expect(report.failed).toEqual([
      { row: 2, errors: { "passes.0.code": "is already used by another pass" } },
    ]);
    expect(await readState(acme)).toEqual(before);
    expect(await acme.passes.import(customers)).toEqual(report);
  });

  it("fails with the error that onProgress throws", async () => {
    const { acme } = openAcme({ storage: await open() });
    const onProgress = () => {
      throw new Error("enough");
    };
    const all = [{ email: "ada@example.com" }];
    await expect(acme.users.import(all, { dryRun: true, onProgress })).rejects.toThrow("enough");
    expect((await acme.contacts.list()).totalElements).toBe(0);
  });
});

it("a dry run lets other writers of a SQLite file write between its batches", async () => {
  const file = join(createEmptyFolder(), "loyalty.db");
  const { acme } = openAcme({ storage: await sqliteStorage(file) });
  const other = new Database(file, { timeout: 0 });
  onTestFinished(() => void other.close());
  let writtenCount = 0;
  const onProgress = () => {
    other.exec("begin immediate; commit");
    writtenCount += 1;
  };
  const manyRows = Array.from({ length: 3 * BATCH }, (_, at) => ({ email: `${at}@example.com` }));
  await acme.users.import(manyRows, { dryRun: true, onProgress });
  expect(writtenCount).toBe(3);
});

it("a dry run counts each row once, even if the storage runs a transaction again", async () => {
  const memory = memoryStorage();
  const repeatTransaction: StorageAdapter["transaction"] = async (organizationId, work, options) => {
    await memory.transaction(organizationId, work, options).catch(() => undefined);
    return memory.transaction(organizationId, work, options);
  };
  const storage = new Proxy(memory, {
    get: (target, name) => (name === "transaction" ? repeatTransaction : Reflect.get(target, name)),
  });
  const { acme } = openAcme({ storage });
  const twice = [{ email: "ada@example.com" }, { email: "ADA@example.com", name: "Ada" }];
  expect(await acme.users.import(twice, { dryRun: true })).toMatchObject({ created: 1, updated: 1 });
});
