import fc from "fast-check";
import { LoyaltyService, type Organization } from "loyalty-kit";
import { checkStorage, copyStorage } from "loyalty-kit/storage";
import { describe, expect, it } from "vitest";
import { storedRuns } from "../properties/runs.js";
import { open, otherProgram } from "./open-storage.js";
import { createTemporaryFile } from "./temporary-file.js";

const MINUTE = 60_000;
const USERS = 4;
const slugs = ["a", "b"] as const;
type Slug = (typeof slugs)[number];

/** Opens two storages on one file, whose clock stands still. */
async function openTwoStorages() {
  const file = createTemporaryFile();
  const clock = { now: Date.parse("2026-06-10T12:00:00Z") };
  const storages = [await open(file), await open(file)] as const;
  const [here, there] = storages.map((storage) =>
    new LoyaltyService({ storage, clock: () => clock.now }).organization("acme"),
  );
  if (here === undefined || there === undefined) throw new Error("there are two");
  const ids: string[] = [];
  for (let at = 0; at < USERS; at += 1) {
    ids.push((await here.users.create({ email: `user-${at}@example.com` })).id);
  }
  for (const name of slugs) await here.tags.create({ name });
  const rows = otherProgram(file)
    .prepare<[], number>("select version from loyalty_segment_sets order by set_id")
    .pluck();
  return { file, clock, storages, here, there, ids, readVersions: () => rows.all() };
}

async function listHolders({ tags }: Organization, slug: string): Promise<string[]> {
  const filter = { operator: "AND", conditions: [{ slug }] } as const;
  return (await tags.query({ filter })).content.map(({ id }) => id);
}

describe("set versions in the organization's row", () => {
  it("aren't written to the rows of the sets, and every storage sees them", async () => {
    const { clock, here, there, ids, readVersions: versions, storages } = await openTwoStorages();
    const [ada = "", bob = "", cyd = ""] = ids;
    await here.tags.assign(ada, "a");
    await here.users.create({ email: "more@example.com" });
    const before = versions();
    expect(await listHolders(there, "a")).toEqual([ada]);
    await here.tags.assign(bob, "a");
    expect(await listHolders(here, "a")).toEqual([ada, bob]);
    expect(await listHolders(there, "a")).toEqual([ada, bob]);
    await there.tags.unassign(ada, "a");
    await there.users.create({ email: "last@example.com" });
    expect(versions()).toEqual(before);
    for (const one of [here, there]) expect(await listHolders(one, "a")).toEqual([bob]);
    for (const storage of storages) expect(await checkStorage(storage)).toEqual([]);
    clock.now += MINUTE;
    await here.tags.assign(cyd, "a");
    expect(versions()).toEqual(before);
    for (const one of [here, there]) expect(await listHolders(one, "a")).toEqual([bob, cyd]);
    for (const storage of storages) expect(await checkStorage(storage)).toEqual([]);
  });

  it("are copied", async () => {
    const { here, storages, ids } = await openTwoStorages();
    const [ada = "", bob = ""] = ids;
    await here.tags.assign(ada, "a");
    await here.tags.assign(bob, "a");
    const copied = await open(createTemporaryFile());
    await copyStorage(storages[0], copied);
    const copy = new LoyaltyService({ storage: copied }).organization("acme");
    expect(await listHolders(copy, "a")).toEqual([ada, bob]);
    await copy.tags.unassign(ada, "a");
    expect(await listHolders(copy, "a")).toEqual([bob]);
    expect(await checkStorage(copied)).toEqual([]);
  });

  it("stay correct after the newest event is removed", async () => {
    const { clock, here, there, storages, ids } = await openTwoStorages();
    const [ada = "", bob = ""] = ids;
    await here.tags.assign(ada, "a");
    await here.tags.assign(bob, "a");
    expect(await listHolders(there, "a")).toEqual([ada, bob]);
    const all = { since: clock.now + 1, atMost: 0 };
    await storages[0].transaction("acme", (tx) => tx.removeEvents(all, { after: 0, limit: 1_000 }));
    await there.tags.unassign(ada, "a");
    for (const one of [here, there]) expect(await listHolders(one, "a")).toEqual([bob]);
    expect(await checkStorage(storages[0])).toEqual([]);
  });

  it("are increased by a rebuild, and are repaired by a check if they are lost", async () => {
    const { file, here, there, storages, ids } = await openTwoStorages();
    const [ada = "", bob = "", cyd = ""] = ids;
    await here.tags.assign(ada, "a");
    await here.tags.assign(bob, "a");
    const other = otherProgram(file);
    other.exec("update loyalty_segment_chunks set bits = zeroblob(length(bits)) where set_id = 1");
    const third = new LoyaltyService({ storage: await open(file) }).organization("acme");
    expect(await listHolders(third, "a")).toEqual([]);
    await there.tags.rebuildIndex();
    for (const one of [here, there, third]) expect(await listHolders(one, "a")).toEqual([ada, bob]);
    await here.tags.assign(cyd, "a");
    other.exec("update loyalty_organizations set set_versions = null");
    const finding = { organizationId: "acme", kind: "counters", about: "segment_sets.version" };
    expect(await checkStorage(storages[0])).toContainEqual({ ...finding, isRepaired: false });
    expect(await checkStorage(storages[0], { repair: true })).toContainEqual({
      ...finding,
      isRepaired: true,
    });
    for (const one of [here, there, third]) expect(await listHolders(one, "a")).toEqual([ada, bob, cyd]);
    expect(await checkStorage(storages[0])).toEqual([]);
  });

  it("move to the rows of the sets when there are more than sixteen", async () => {
    const { file, here, there, ids, readVersions: versions } = await openTwoStorages();
    const [ada = "", bob = ""] = ids;
    const many = Array.from({ length: 20 }, (_, at) => `tag-${at}`);
    for (const name of many) await here.tags.create({ name });
    for (const slug of many) await here.tags.assign(ada, slug);
    for (const slug of many) await there.tags.assign(bob, slug);
    const length = otherProgram(file)
      .prepare("select length(set_versions) from loyalty_organizations")
      .pluck();
    expect(length.get()).toBeLessThan(400);
    expect(versions().filter((version) => version > 1).length).toBeGreaterThanOrEqual(16);
    for (const slug of many) expect(await listHolders(here, slug)).toEqual([ada, bob]);
  });

  it("stay correct after any changes by either storage, in one commit or several", async () => {
    const step = fc.record({
      by: fc.nat({ max: 1 }),
      users: fc.uniqueArray(fc.nat({ max: USERS - 1 }), { minLength: 1, maxLength: 3 }),
      slug: fc.constantFrom<Slug>(...slugs),
      next: fc.constantFrom("nothing", "look", "minute", "create", "remove", "rebuild", "recreate"),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 14 }), async (steps) => {
        const { clock, storages, here, there, ids } = await openTwoStorages();
        const both = [here, there] as const;
        const holdersBySlug: Record<Slug, Set<string>> = { a: new Set(), b: new Set() };
        const expectHolders = async () => {
          for (const one of both) {
            for (const slug of slugs) {
              expect(await listHolders(one, slug)).toEqual(ids.filter((id) => holdersBySlug[slug].has(id)));
            }
          }
        };
        for (const [at, { by, users, slug, next }] of steps.entries()) {
          const acme = both[by] ?? here;
          // At the same time, so that they share a commit.
          await Promise.all(
            users.map((user) => {
              const id = ids[user] ?? "";
              if (holdersBySlug[slug].delete(id)) return acme.tags.unassign(id, slug);
              holdersBySlug[slug].add(id);
              return acme.tags.assign(id, slug);
            }),
          );
          if (next === "look") await expectHolders();
          if (next === "minute") clock.now += MINUTE;
          if (next === "create") await acme.users.create({ email: `new-${at}@example.com` });
          if (next === "rebuild") await acme.tags.rebuildIndex();
          if (next === "remove") {
            const all = { since: clock.now + 1, atMost: 0 };
            await storages[0].transaction("acme", (tx) => tx.removeEvents(all, { after: 0, limit: 99 }));
          }
          if (next === "recreate") {
            await acme.tags.delete(slug);
            await acme.tags.create({ name: slug });
            holdersBySlug[slug].clear();
          }
        }
        await expectHolders();
        for (const storage of storages) expect(await checkStorage(storage)).toEqual([]);
      }),
      storedRuns(25),
    );
  });
});
