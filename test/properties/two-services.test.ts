import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { isLoyaltyError, LoyaltyService, type Organization, type TagFilter } from "loyalty-kit";
import type { OrganizationCalls } from "loyalty-kit/client";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHttpClient } from "../client/over-http.js";
import { someEmail } from "../kit/acme.js";
import { arbitraryTagFilters } from "./arbitraries.js";
import { matchesFilter } from "./oracle.js";
import { storedRuns } from "./runs.js";

const slugs = ["a", "b"];

/** A service as the changes see it: in the process, or over HTTP. */
type ServiceSide = OrganizationCalls & { readonly tags: Pick<Organization["tags"], "rebuildIndex"> };

/** A change through one of the services. It may be refused if there is nothing to change. */
type Change = (acme: ServiceSide, userId: string, slug: string) => Promise<unknown>;

const changes: Record<string, Change> = {
  assign: ({ tags }, userId, slug) => tags.assign(userId, slug),
  unassign: ({ tags }, userId, slug) => tags.unassign(userId, slug),
  deleteUser: ({ users }, userId) => users.delete(userId),
  createUser: ({ users }) => users.create({ email: someEmail() }),
  deleteTag: ({ tags }, _userId, slug) => tags.delete(slug),
  createTag: ({ tags }, _userId, slug) => tags.create({ name: slug }),
  rebuildIndex: ({ tags }) => tags.rebuildIndex(),
};

const steps = fc.array(
  fc.record({
    change: fc.oneof(
      { arbitrary: fc.constant("assign"), weight: 8 },
      { arbitrary: fc.constantFrom(...Object.keys(changes)), weight: 10 },
    ),
    writer: fc.nat({ max: 1 }),
    readers: fc.subarray([0, 1]),
    user: fc.nat(),
    slug: fc.constantFrom(...slugs),
  }),
  { maxLength: 40 },
);

describe("two services on one SQLite file", () => {
  const directory = mkdtempSync(join(tmpdir(), "loyalty-kit-"));
  const services: LoyaltyService[] = [];
  let organizations = 0;
  beforeAll(async () => {
    for (let at = 0; at < 2; at += 1) {
      const storage = await sqliteStorage(join(directory, "loyalty.db"), { synchronous: "NORMAL" });
      services.push(new LoyaltyService({ storage }));
    }
  });
  afterAll(async () => {
    for (const service of services) await service.close();
    rmSync(directory, { recursive: true });
  });

  it("find the same users at any time, whichever service made the changes and the earlier reads", async () => {
    await fc.assert(
      fc.asyncProperty(steps, arbitraryTagFilters([...slugs, "unknown"]), async (list, filter) => {
        organizations += 1;
        const both = services.map((service, at) =>
          createSide(service, `organization-${organizations}`, at === 1),
        );
        for (const { change, writer, readers, user, slug } of list) {
          const acme = both[writer];
          if (acme === undefined) throw new Error("there are two services");
          const ids = (await acme.contacts.list()).content.map(({ id }) => id);
          const call = changes[change]?.(acme, ids[user % ids.length] ?? "nobody", slug);
          await call?.catch((error: unknown) => {
            if (!isLoyaltyError(error)) throw error;
          });
          for (const reader of readers) await expectAgreement(both[reader] ?? acme, filter);
        }
        for (const acme of both) await expectAgreement(acme, filter);
      }),
      storedRuns(40),
    );
  });
});

/** Opens an organization in the process or over HTTP, where only the library's own calls stay in the process. */
function createSide(service: LoyaltyService, id: string, isRemote: boolean): ServiceSide {
  const library = service.organization(id);
  if (!isRemote) return library;
  const client = createHttpClient(service, id);
  const rebuildIndex = () => library.tags.rebuildIndex();
  return { ...client, tags: { ...client.tags, rebuildIndex } };
}

/** Expects that the query finds the users whose own tags match the filter. */
async function expectAgreement(acme: OrganizationCalls, filter: TagFilter): Promise<void> {
  const expected: string[] = [];
  for (const { id } of (await acme.contacts.list({ sort: "createdAt,asc" })).content) {
    const tags = await acme.tags.ofUser(id);
    if (matchesFilter(new Set(tags.map(({ slug }) => slug)), filter)) expected.push(id);
  }
  const { content, totalElements } = await acme.tags.query({ filter, size: 100 });
  expect([totalElements, content.map(({ id }) => id)]).toEqual([expected.length, expected]);
}
