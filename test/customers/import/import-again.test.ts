import fc from "fast-check";
import type { ImportUser, Organization } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import { FailingStorage, Fault } from "../../faults/failing-storage.js";
import { openAcme } from "../../kit/acme.js";
import { collect } from "../../kit/collect.js";
import { storedRuns } from "../../properties/runs.js";

/** Rows of a few people, so that many collide; some can't be imported. */
const rows = fc.array(
  fc
    .record(
      {
        person: fc.nat({ max: 5 }),
        name: fc.constantFrom("Ada", "Bob", null, " "),
        phone: fc.constantFrom("1", "2", null),
        metadata: fc.constantFrom({}, { a: 1 }, { b: "2" }),
        tags: fc.subarray(["x", "X", "y", "z", "unknown"]),
        byEmail: fc.boolean(),
      },
      { requiredKeys: ["person", "byEmail"] },
    )
    .map(({ person, byEmail, ...fields }): ImportUser => {
      const email = `${person}@example.com`;
      return byEmail ? { ...fields, email } : { ...fields, email, externalId: `c-${person}` };
    }),
  { maxLength: 20 },
);

/** Returns everything about the users except ids and times. */
async function readState({ users }: Organization): Promise<unknown[]> {
  return (await collect(users.export())).map(({ id, createdAt, updatedAt, ...rest }) => rest);
}

async function prepareTags(organization: Organization): Promise<Organization> {
  for (const name of ["x", "y", "z"]) await organization.tags.create({ name });
  return organization;
}

/** Does what an import does to one row, with single calls. */
async function importOneByOne({ users, tags }: Organization, all: readonly ImportUser[]): Promise<void> {
  for (const { tags: slugs = [], ...row } of all) {
    if (slugs.includes("unknown") || row.name === " ") continue;
    const existingUser = (await collect(users.list())).find(({ email }) => email === row.email);
    const present = Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
    const user =
      existingUser === undefined ? await users.create(row) : await users.update(existingUser.id, present);
    for (const slug of slugs) await tags.assign(user.id, slug.toLowerCase()).catch(() => undefined);
  }
}

describe("an import", () => {
  it("has the same result as creating, updating and assigning one by one", async () => {
    await fc.assert(
      fc.asyncProperty(rows, async (all) => {
        const { loyalty } = openAcme();
        const [at, onceOrganization] = [
          await prepareTags(loyalty.organization("a")),
          await prepareTags(loyalty.organization("b")),
        ];
        const { created, updated, unchanged, failed } = await at.users.import(all);
        await importOneByOne(onceOrganization, all);
        expect(await readState(at)).toEqual(await readState(onceOrganization));
        expect(created + updated + unchanged + failed.length).toBe(all.length);
        expect(await at.tags.verifyIndex()).toMatchObject({ wrong: [] });
      }),
      storedRuns(100),
    );
  });

  it("that was cut short has the same result when it is run again", async () => {
    await fc.assert(
      fc.asyncProperty(rows, fc.nat({ max: 20 }), async (all, cutAt) => {
        const { loyalty } = openAcme();
        const [short, wholeOrganization] = [
          await prepareTags(loyalty.organization("a")),
          await prepareTags(loyalty.organization("b")),
        ];
        await short.users.import(all.slice(0, cutAt));
        const secondImport = await short.users.import(all);
        const { failed } = await wholeOrganization.users.import(all);
        expect(await readState(short)).toEqual(await readState(wholeOrganization));
        expect(secondImport.failed).toEqual(failed);
      }),
      storedRuns(100),
    );
  });

  it("stores only whole batches, wherever the storage fails", async () => {
    const all = Array.from({ length: 502 }, (_, at) => ({ email: `${at}@example.com`, tags: ["x"] }));
    for (let call = 1; ; call += 61) {
      const failingStorage = new FailingStorage(memoryStorage());
      const { acme } = openAcme({ storage: failingStorage.storage, outbox: false });
      failingStorage.failAt(call, "after");
      const result = await acme.users.import(all, { createTags: true }).catch((error: unknown) => error);
      if (failingStorage.isArmed) {
        expect(result).toEqual({ created: 502, updated: 0, unchanged: 0, failed: [] });
        break;
      }
      expect(result).toBeInstanceOf(Fault);
      expect([0, 500]).toContain((await readState(acme)).length);

      await acme.users.import(all, { createTags: true });
      const users = await collect(acme.users.export());
      expect(users.map(({ email, tags }) => ({ email, tags }))).toEqual(all);
    }
  });
});
