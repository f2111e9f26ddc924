import type { ImportCustomer, ImportUser, Organization } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { openAcme } from "../../kit/acme.js";
import { collected } from "../../kit/collected.js";
import { everyAdapter } from "../../kit/every-adapter.js";

/** All that an import could have changed. */
async function state(acme: Organization) {
  const users = await collected(acme.users.export());
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
  // In several batches, and each twice.
  ...Array.from({ length: 1_200 }, (_, at) => ({
    email: `${at % 600}@example.com`,
    tags: [`Tag ${at % 5}`],
  })),
];

describe.each(everyAdapter)("a dry run of an import on $name", ({ open }) => {
  it("tells what an import does, and leaves everything as it was", async () => {
    const { acme, loyalty } = openAcme({ storage: await open() });
    await acme.users.create({ email: "known@example.com" });
    const before = await state(acme);
    const heard: string[] = [];
    loyalty.on("user.created", ({ data }) => heard.push(data.email));
    const progress: unknown[][] = [[], []];
    const [report, done] = [
      await acme.users.import(rows, {
        createTags: true,
        dryRun: true,
        onProgress: (at) => progress[0]?.push(at),
      }),
      heard.length > 0 ? null : await state(acme),
    ];
    expect(done).toEqual(before);
    expect(report).toMatchObject({ created: 600, updated: 2, unchanged: 600 });
    expect(report.failed).toEqual([{ row: 3, errors: { email: "must be a valid email address" } }]);
    const onProgress = (at: unknown) => progress[1]?.push(at);
    expect(await acme.users.import(rows, { createTags: true, onProgress })).toEqual(report);
    expect(progress[0]).toEqual(progress[1]);
  });

  it("does so with cards", async () => {
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
    const before = await state(acme);
    const report = await acme.passes.import(customers, { dryRun: true });
    expect(report.failed).toEqual([{ row: 2, errors: { "passes.0.code": "is the code of another pass" } }]);
    expect(await state(acme)).toEqual(before);
    expect(await acme.passes.import(customers)).toEqual(report);
  });

  it("ends with what the rows or onProgress throw", async () => {
    const { acme } = openAcme({ storage: await open() });
    const onProgress = () => {
      throw new Error("enough");
    };
    const all = [{ email: "ada@example.com" }];
    await expect(acme.users.import(all, { dryRun: true, onProgress })).rejects.toThrow("enough");
    expect((await acme.contacts.list()).totalElements).toBe(0);
  });
});
