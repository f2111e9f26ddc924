import type { FailedRow, ImportUser, Organization } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { getByEmail, openAcme, someEmail } from "../../kit/acme.js";
import { collect } from "../../kit/collect.js";
import { everyAdapter } from "../../kit/every-adapter.js";
import { untyped } from "../../kit/refusal.js";

/** Imports rows with one invalid row among them. */
async function importFailing({ users }: Organization, ...rows: unknown[]): Promise<FailedRow["errors"]> {
  const { failed } = await users.import(rows.map(untyped));
  expect(failed).toHaveLength(1);
  return failed[0]?.errors ?? {};
}

describe.each(everyAdapter)("an import on $name", ({ open }) => {
  it("creates users with their tags, given by slug or by name", async () => {
    const { acme } = openAcme({ storage: await open() });
    await acme.tags.create({ name: "Stammgäste" });
    await acme.tags.create({ name: "VIP" });
    const ada = {
      email: "ada@example.com",
      name: "Ada",
      phone: "+49 30 1",
      externalId: "c-1",
      metadata: { city: "Berlin" },
    };
    const result = await acme.users.import([
      { ...ada, tags: ["vip", "Stammgäste"] },
      { email: "b@example.com" },
    ]);
    expect(result).toEqual({ created: 2, updated: 0, unchanged: 0, failed: [] });
    expect(await acme.users.get("c-1")).toMatchObject(ada);
    expect((await acme.tags.ofUser("c-1")).map(({ slug }) => slug)).toEqual(["vip", "stammgaste"]);
    expect(await acme.tags.verifyIndex()).toMatchObject({ wrong: [] });
  });

  it("merges metadata key by key on request", async () => {
    const { acme } = openAcme({ storage: await open() });
    const metadata = { a: 1, b: { c: 2 }, large: "x".repeat(10_000) };
    await acme.users.create({ email: "a@example.com", metadata });
    const mergeMetadata = async (change: ImportUser["metadata"]) => {
      const { failed } = await acme.users.import([{ email: "a@example.com", metadata: change }], {
        mergeMetadata: true,
      });
      const [user] = await collect(acme.users.list());
      return { errors: failed.map(({ errors }) => errors), metadata: user?.metadata };
    };
    const after = { ...metadata, b: 3, d: 4 };
    expect(await mergeMetadata({ b: 3, d: 4 })).toEqual({ errors: [], metadata: after });
    expect(await mergeMetadata(undefined)).toEqual({ errors: [], metadata: after });
    expect(await mergeMetadata({ more: "x".repeat(10_000) })).toEqual({
      errors: [{ metadata: "must be at most 16384 bytes" }],
      metadata: after,
    });
  });

  it("changes the fields that the row has, and clears none", async () => {
    const { acme } = openAcme({ storage: await open() });
    const before = {
      email: "ada@example.com",
      externalId: "c-1",
      name: "Ada",
      phone: "1",
      metadata: { a: 1, b: 2 },
    };
    await acme.users.create(before);
    const rows: ImportUser[] = [
      { email: "ADA@example.com", externalId: null, name: "Ada L.", phone: null, metadata: { c: 3 } },
    ];
    expect(await acme.users.import(rows)).toEqual({ created: 0, updated: 1, unchanged: 0, failed: [] });
    const after = { ...before, email: "ADA@example.com", name: "Ada L.", metadata: { c: 3 } };
    expect(await acme.users.get("c-1")).toMatchObject(after);
  });

  it("finds the user by external id before email", async () => {
    const { acme } = openAcme({ storage: await open() });
    const { id } = await acme.users.create({ email: "old@example.com", externalId: "c-1" });
    const rows = [{ email: "new@example.com", externalId: "c-1" }];
    expect(await acme.users.import(rows)).toEqual({ created: 0, updated: 1, unchanged: 0, failed: [] });
    expect(await acme.users.get(id)).toMatchObject(rows[0] ?? {});
  });

  it("gives the external id to a user with this email who has none", async () => {
    const { acme } = openAcme({ storage: await open() });
    const { id } = await acme.users.create({ email: "ada@example.com" });
    await acme.users.import([{ email: "ada@example.com", externalId: "c-1" }]);
    expect((await acme.users.get("c-1")).id).toBe(id);
  });

  it("counts a row as unchanged if its user already has all of it, including the tags", async () => {
    const { acme } = openAcme({ storage: await open() });
    const ada = { email: "ada@example.com", name: "Ada", metadata: { a: 1 }, tags: ["VIP"] };
    await acme.users.import([ada, { email: "bob@example.com" }], { createTags: true });
    const { updatedAt } = await getByEmail(acme.users, ada);
    const repeatedRows = [
      ada,
      { email: "ADA@example.com", tags: [] },
      { email: "bob@example.com", tags: ["vip"] },
      ada,
    ];
    const report = { created: 0, updated: 3, unchanged: 1, failed: [] };
    // An address in different case is a change, and so is the change back.
    expect(await acme.users.import(repeatedRows)).toEqual(report);
    expect(await acme.users.import([ada, ada])).toEqual({ ...report, updated: 0, unchanged: 2 });
    expect((await getByEmail(acme.users, ada)).updatedAt > updatedAt).toBe(true);
    const taggedUser = { email: "bob@example.com", tags: ["New", "vip"] };
    const rows = [taggedUser, taggedUser];
    expect(await acme.users.import(rows, { createTags: true })).toEqual({
      ...report,
      updated: 1,
      unchanged: 1,
    });
  });

  it("rejects a row whose email belongs to another user", async () => {
    const { acme } = openAcme({ storage: await open() });
    await acme.users.create({ email: "ada@example.com", externalId: "c-1" });
    await acme.users.create({ email: "bob@example.com", externalId: "c-2" });
    const takenError = { email: "belongs to another user" };
    expect(await importFailing(acme, { email: "Ada@example.com", externalId: "c-3" })).toEqual(takenError);
    expect(await importFailing(acme, { email: "Ada@example.com", externalId: "c-2", name: "Bob" })).toEqual(
      takenError,
    );
    expect(await acme.users.get("c-2")).toMatchObject({ email: "bob@example.com", name: null });
  });

  it("lets a later row of a user update the earlier one", async () => {
    const { acme } = openAcme({ storage: await open() });
    const rows = [
      { email: "ada@example.com", externalId: "c-1", name: "Ada", tags: ["a"] },
      { email: "ada@example.com", phone: "1", tags: ["b", "a"] },
      { email: "lovelace@example.com", externalId: "c-1", tags: ["A"] },
    ];
    expect(await acme.users.import(rows, { createTags: true })).toEqual({
      created: 1,
      updated: 2,
      unchanged: 0,
      failed: [],
    });
    expect(await acme.users.get("c-1")).toMatchObject({
      email: "lovelace@example.com",
      name: "Ada",
      phone: "1",
    });
    expect((await acme.tags.ofUser("c-1")).map(({ slug }) => slug)).toEqual(["a", "b"]);
  });

  it("adds tags and removes none", async () => {
    const { acme } = openAcme({ storage: await open() });
    for (const name of ["a", "b"]) await acme.tags.create({ name });
    await acme.users.import([{ email: "ada@example.com", externalId: "1", tags: ["a"] }]);
    await acme.users.import([{ email: "ada@example.com", tags: ["b"] }, { email: "ada@example.com" }]);
    expect((await acme.tags.ofUser("1")).map(({ slug }) => slug)).toEqual(["a", "b"]);
  });

  it("rejects a row with a tag that does not exist, and stores nothing of it", async () => {
    const { acme } = openAcme({ storage: await open() });
    await acme.tags.create({ name: "a" });
    const row = { email: "ada@example.com", externalId: "1", tags: ["a", "No Tag", "b"] };
    expect(await importFailing(acme, row)).toEqual({ tags: "has unknown tags: No Tag, b" });
    expect(await collect(acme.users.list())).toEqual([]);
    expect(await collect(acme.tags.users("a"))).toEqual([]);
  });

  it("creates missing tags on request, each once and with the text as its name", async () => {
    const { acme } = openAcme({ storage: await open() });
    const rows = [
      { email: someEmail(), tags: ["Große Runde", "große runde"] },
      { email: someEmail(), tags: ["grosse-runde"] },
    ];
    await acme.users.import(rows, { createTags: true });
    expect(await acme.tags.list()).toMatchObject([{ slug: "grosse-runde", name: "Große Runde" }]);
    expect(await collect(acme.tags.users("grosse-runde"))).toHaveLength(2);
  });

  it("creates no tag for a row that fails", async () => {
    const { acme } = openAcme({ storage: await open() });
    await acme.users.create({ email: "ada@example.com", externalId: "c-1" });
    const rows = [{ email: "ada@example.com", externalId: "c-2", tags: ["New"] }];
    expect((await acme.users.import(rows, { createTags: true })).failed).toHaveLength(1);
    expect(await acme.tags.list()).toEqual([]);
  });

  it("imports the valid rows between rows that fail, and numbers the failed rows from 1", async () => {
    const { acme } = openAcme({ storage: await open() });
    const isWrongRow = (row: number) => row % 3 === 0;
    const rows = Array.from({ length: 1_300 }, (_, at) => ({
      email: isWrongRow(at + 1) ? "nobody" : someEmail(),
    }));
    const { created, updated, failed } = await acme.users.import(rows);
    expect({ created, updated }).toEqual({ created: 867, updated: 0 });
    const errors = { email: "must be a valid email address" };
    expect(failed).toEqual(rows.flatMap((_, at) => (isWrongRow(at + 1) ? [{ row: at + 1, errors }] : [])));
    expect(await collect(acme.users.list())).toHaveLength(867);
  });
});

describe("an import", () => {
  it.each([
    [null, { row: "must be an object" }],
    ["ada@example.com", { row: "must be an object" }],
    [[], { row: "must be an object" }],
    [{}, { email: "is required" }],
    [
      { email: 5, tags: "vip" },
      { email: "has the wrong type", tags: "has the wrong type" },
    ],
    [{ email: "a@example.com", tags: ["a", 5] }, { "tags.1": "has the wrong type" }],
    [{ email: "a@example.com", metadata: null }, { metadata: "has the wrong type" }],
    [
      { email: "nobody", phone: " " },
      { email: "must be a valid email address", phone: "must not be blank" },
    ],
    [{ email: "a@example.com", tags: ["!!!"] }, { "tags.0": "must contain a letter or digit, for the slug" }],
    [{ email: "a@example.com", tags: ["x".repeat(101)] }, { "tags.0": "must be at most 100 characters" }],
  ])("reports what is wrong with %j", async (row, errors) => {
    const { acme } = openAcme();
    expect(await importFailing(acme, row)).toEqual(errors);
  });

  it("ignores unknown fields", async () => {
    const { acme } = openAcme();
    const { id } = await acme.users.create({ email: "ada@example.com" });
    await acme.users.import([untyped({ email: "bob@example.com", id, createdAt: "x", toString: 1 })]);
    expect(await acme.users.get(id)).toMatchObject({ email: "ada@example.com" });
  });

  it("reports its progress after each batch", async () => {
    const { acme } = openAcme();
    const progressReports: unknown[] = [];
    const rows = Array.from({ length: 1_001 }, (_, at) => ({ email: `${at % 800}@example.com` }));
    const result = await acme.users.import(rows, {
      onProgress: (progress) => progressReports.push(progress),
    });
    expect(result).toEqual({ created: 800, updated: 0, unchanged: 201, failed: [] });
    const none = { updated: 0, failed: 0 };
    expect(progressReports).toEqual([
      { rows: 500, created: 500, unchanged: 0, ...none },
      { rows: 1_000, created: 800, unchanged: 200, ...none },
      { rows: 1_001, created: 800, unchanged: 201, ...none },
    ]);
  });

  it("without rows does nothing", async () => {
    const { acme } = openAcme();
    const onProgress = () => expect.unreachable();
    expect(await acme.users.import([], { onProgress })).toEqual({
      created: 0,
      updated: 0,
      unchanged: 0,
      failed: [],
    });
  });

  it("keeps the imported rows when onProgress throws", async () => {
    const { acme } = openAcme();
    const onProgress = () => {
      throw new Error("enough");
    };
    await expect(acme.users.import([{ email: "a@example.com" }], { onProgress })).rejects.toThrow("enough");
    expect(await collect(acme.users.list())).toHaveLength(1);
  });

  it("imports the rows before one that can't be read, and then fails with that error", async () => {
    const { acme } = openAcme();
    async function* rows() {
      for (let at = 0; at < 501; at += 1) yield { email: someEmail() };
      throw new Error("out of rows");
    }
    await expect(acme.users.import(rows())).rejects.toThrow("out of rows");
    expect(await collect(acme.users.list())).toHaveLength(501);
  });

  it("closes its input when it fails", async () => {
    const { acme, loyalty } = openAcme();
    let isOver = false;
    async function* rows() {
      try {
        for (;;) yield { email: someEmail() };
      } finally {
        isOver = true;
      }
    }
    const onProgress = () => void loyalty.close();
    await expect(acme.users.import(rows(), { onProgress })).rejects.toHaveProperty(
      "code",
      "storage_unavailable",
    );
    expect(isOver).toBe(true);
  });
});
