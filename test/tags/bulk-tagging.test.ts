import fc, { type Arbitrary } from "fast-check";
import {
  type EventType,
  LoyaltyService,
  type Organization,
  type TagFilter,
  type TaggingResult,
  type UserSelection,
} from "loyalty-kit";
import { describe, expect, it, onTestFinished } from "vitest";
import { CHUNK_SIZE } from "../../src/storage/bitmap.js";
import { listTypesAndData, recordEvents } from "../events/recorded-events.js";
import { eventsOfOrganization, listStoredEvents, readPages } from "../events/stored-events.js";
import { FailingStorage, Fault } from "../faults/failing-storage.js";
import { openAcme } from "../kit/acme.js";
import { adaptersInProcess } from "../kit/adapters.js";
import { collect } from "../kit/collect.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { numberFrom } from "../kit/numbered-from.js";
import { getErrorDetail, notFound } from "../kit/refusal.js";
import { arbitraryTagFilters } from "../properties/arbitraries.js";
import { matchesFilter } from "../properties/oracle.js";
import { storedRuns } from "../properties/runs.js";

const slugs = ["a", "b", "c"] as const;
const kinds = ["assign", "unassign"] as const;
type Kind = (typeof kinds)[number];

/** Selects all users, because no user has this tag. */
const everybody: UserSelection = { filter: { operator: "NOT", conditions: [{ slug: "unknown" }] } };

function changeTags({ tags }: Organization, kind: Kind, slug: string, selection: UserSelection) {
  return kind === "assign" ? tags.assignUsers(slug, selection) : tags.unassignUsers(slug, selection);
}

/**
 * Adds users with the external ids c-0, c-1, …
 * @returns their ids.
 */
async function addUsers({ users }: Organization, count: number): Promise<string[]> {
  const rows = Array.from({ length: count }, (_, at) => {
    return { email: `${at}@example.com`, externalId: `c-${at}` };
  });
  expect(await users.import(rows)).toMatchObject({ created: count });
  return (await collect(users.list())).map(({ id }) => id);
}

/** Lists the types and data of the tagging events in the outbox. */
async function listTagEvents(acme: Organization): Promise<unknown[]> {
  const types: EventType[] = ["user_tag.assigned", "user_tag.unassigned", "user_tag.deleted"];
  const pages = await readPages(acme, { types, limit: 1_000 });
  return pages.flatMap(({ content }) => content.map(({ type, data }) => [type, data]));
}

/* A model of the rule, as simple as it can be, to compare with. */

interface Member {
  readonly id: string;
  /** Oldest assignment first. */
  tags: string[];
}

/** Users that a step selects: by index, each with its service id or its external id, or by a filter. */
type Selected =
  | { readonly places: readonly (readonly [place: number, byExternalId: boolean])[] }
  | { readonly filter: TagFilter };

interface Step {
  readonly kind: Kind;
  readonly slug: (typeof slugs)[number];
  readonly selected: Selected;
}

const MEMBERS = 8;

const steps: Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...kinds),
  slug: fc.constantFrom(...slugs),
  selected: fc.oneof(
    fc.record({
      places: fc.array(fc.tuple(fc.nat({ max: MEMBERS - 1 }), fc.boolean()), {
        minLength: 1,
        maxLength: 2 * MEMBERS,
      }),
    }),
    fc.record({ filter: arbitraryTagFilters([...slugs, "unknown"]) }),
  ),
});

describe.each(everyAdapter)("bulk tagging on $name", ({ name, open }) => {
  it("changes exactly the users who need it, and emits one event for each of them, in order", async () => {
    const loyalty = new LoyaltyService({ storage: await open() });
    onTestFinished(() => loyalty.close());
    const events = recordEvents(loyalty);
    let organizations = 0;
    const property = fc.asyncProperty(fc.array(steps, { minLength: 1, maxLength: 8 }), async (all) => {
      organizations += 1;
      const acme = loyalty.organization(`organization ${organizations}`);
      for (const name of slugs) await acme.tags.create({ name });
      const members: Member[] = (await addUsers(acme, MEMBERS)).map((id) => ({ id, tags: [] }));
      for (const { kind, slug, selected } of all) {
        const selectedMembers = selectMembers(members, selected);
        const isChanged = ({ tags }: Member) => tags.includes(slug) === (kind === "unassign");
        const changedMembers = selectedMembers.filter(isChanged);
        const userTag = await acme.tags.get(slug);
        const before = events.length;
        expect(await changeTags(acme, kind, slug, createSelection(members, selected))).toEqual({
          changed: changedMembers.length,
          unchanged: selectedMembers.length - changedMembers.length,
        } satisfies TaggingResult);
        expect(listTypesAndData(events.slice(before))).toEqual(
          changedMembers.map(({ id }) => [`user_tag.${kind}ed`, { userId: id, userTag }]),
        );
        for (const member of changedMembers) {
          const others = member.tags.filter((other) => other !== slug);
          member.tags = kind === "assign" ? [...others, slug] : others;
        }
      }
      for (const { id, tags } of members) {
        expect((await acme.tags.ofUser(id)).map(({ slug }) => slug)).toEqual(tags);
      }
      for (const slug of slugs) {
        const holders = members.filter(({ tags }) => tags.includes(slug)).map(({ id }) => id);
        const filter = { operator: "OR", conditions: [{ slug }] } as const;
        expect((await acme.tags.query({ filter })).content.map(({ id }) => id)).toEqual(holders);
      }
      expect(await acme.tags.verifyIndex()).toEqual({ checked: slugs.length + 1, wrong: [] });
      expect(await listStoredEvents(acme)).toEqual(eventsOfOrganization(acme.id, events));
    });
    await fc.assert(property, storedRuns(40, name));
  });

  it("and concurrent single changes give each user a tag only once", async () => {
    const { loyalty, acme } = openAcme({ storage: await open() });
    await acme.tags.create({ name: "VIP" });
    const ids = await addUsers(acme, 20);
    const events = recordEvents(loyalty);
    const singles = ids.map((id) => acme.tags.assign(id, "vip").then(...oneOrNone));
    const bulks = [everybody, { userIds: ids }].map((selection) => acme.tags.assignUsers("vip", selection));
    const alone = (await Promise.all(singles)).reduce((sum, one) => sum + one, 0);
    const together = await Promise.all(bulks);
    expect(together.reduce((sum, { changed }) => sum + changed, alone)).toBe(20);
    await loyalty.close();
    expect(events.map(({ data }) => Reflect.get(data, "userId")).toSorted()).toEqual(ids.toSorted());
  });

  it("of users on both sides of a chunk boundary keeps the tag sets correct", async () => {
    // As many users before the boundary as fit, or fewer where creating users is slow.
    const border = name === "postgres" ? 1_500 : CHUNK_SIZE;
    const storage = numberFrom(await open(), CHUNK_SIZE - border);
    const { loyalty, acme } = openAcme({ storage });
    const userTag = await acme.tags.create({ name: "VIP" });
    const ids = await addUsers(acme, border + 1_500);
    const events = recordEvents(loyalty);
    const middle = ids.slice(border - 700, border + 700);
    const expected: unknown[] = [];
    const expectEvents = (type: EventType, userIds: readonly string[]) => {
      for (const userId of userIds) expected.push([type, { userId, userTag }]);
    };
    const listHolders = async (operator: "OR" | "NOT") =>
      (await acme.tags.query({ filter: { operator, conditions: [{ slug: "vip" }] } })).totalElements;

    expect(await acme.tags.assignUsers("vip", { userIds: middle })).toEqual(createResult(1_400, 0));
    expectEvents("user_tag.assigned", middle);
    expect(await acme.tags.verifyIndex()).toEqual({ checked: 2, wrong: [] });

    expect(await acme.tags.assignUsers("vip", everybody)).toEqual(createResult(border + 100, 1_400));
    expectEvents("user_tag.assigned", [...ids.slice(0, border - 700), ...ids.slice(border + 700)]);
    expect([await listHolders("OR"), await listHolders("NOT")]).toEqual([border + 1_500, 0]);
    expect(await acme.tags.verifyIndex()).toEqual({ checked: 2, wrong: [] });

    expect(await acme.tags.unassignUsers("vip", { userIds: middle })).toEqual(createResult(1_400, 0));
    expectEvents("user_tag.unassigned", middle);
    expect([await listHolders("OR"), await listHolders("NOT")]).toEqual([border + 100, 1_400]);
    expect(await acme.tags.verifyIndex()).toEqual({ checked: 2, wrong: [] });

    await acme.tags.delete("vip");
    expectEvents("user_tag.unassigned", [...ids.slice(0, border - 700), ...ids.slice(border + 700)]);
    expected.push(["user_tag.deleted", userTag]);
    expect(await acme.tags.verifyIndex()).toEqual({ checked: 1, wrong: [] });
    await expect.poll(() => events.at(-1)?.type).toBe("user_tag.deleted");
    expect(listTypesAndData(events)).toEqual(expected);
    expect(await listTagEvents(acme)).toEqual(expected);
  });
});

describe.each(adaptersInProcess)("bulk tagging of thousands on $name", ({ open }) => {
  it("emits events in the order in which the users are named", async () => {
    const { loyalty, acme } = openAcme({ storage: await open() });
    await acme.tags.create({ name: "VIP" });
    const ids = await addUsers(acme, 1_500);
    const events = recordEvents(loyalty);
    await acme.tags.assignUsers("vip", { userIds: ids.toReversed() });
    expect(events.map(({ data }) => data)).toMatchObject(ids.toReversed().map((userId) => ({ userId })));
  });

  it("changes no user when one of many user ids is unknown, or the tag is", async () => {
    const { loyalty, acme } = openAcme({ storage: await open() });
    await acme.tags.create({ name: "VIP" });
    const ids = await addUsers(acme, 1_200);
    await acme.tags.assignUsers("vip", { userIds: ids.slice(0, 600) });
    const events = recordEvents(loyalty);
    for (const kind of kinds) {
      const some = { userIds: [...ids, "nobody"] };
      expect(await getErrorDetail(changeTags(acme, kind, "vip", some))).toEqual(notFound);
      expect(await getErrorDetail(changeTags(acme, kind, "none", everybody))).toEqual(notFound);
    }
    expect(events).toEqual([]);
    expect(await listTagEvents(acme)).toHaveLength(600);
    expect(await collect(acme.tags.users("vip"))).toHaveLength(600);
  });

  it.each(kinds)(
    "is done completely or not at all when the storage fails at any step to %s",
    async (kind) => {
      const storage = await open();
      const before = new LoyaltyService({ storage, outbox: false }).organization("acme");
      await before.tags.create({ name: "VIP" });
      const ids = await addUsers(before, 2_100);
      const earlier = kind === "assign" ? ids.slice(500, 600) : ids;
      await before.tags.assignUsers("vip", { userIds: earlier });
      const failing = new FailingStorage(storage);
      // After the change, the failure may still hit the search for old events, which is outside the caller's call.
      const { loyalty, acme } = openAcme({ storage: failing.storage, onError: () => {} });
      const events = recordEvents(loyalty);
      let failures = 0;
      for (let result: TaggingResult | null = null; result === null; ) {
        failing.failAt(failures + 1, "after");
        try {
          result = await changeTags(acme, kind, "vip", everybody);
          expect(result).toEqual(
            kind === "assign" ? { changed: 2_000, unchanged: 100 } : { changed: 2_100, unchanged: 0 },
          );
        } catch (error) {
          if (!(error instanceof Fault)) throw error;
          failures += 1;
          expect(events).toEqual([]);
          expect(await listStoredEvents(acme)).toEqual([]);
          const holders = (await collect(acme.tags.users("vip"))).map(({ id }) => id);
          expect(holders).toEqual(earlier);
          expect(await acme.tags.verifyIndex()).toEqual({ checked: 2, wrong: [] });
        }
      }
      // The tag, the sets and the end; and for each of five batches its users, the change and its events.
      expect(failures).toBe(3 + 5 * 3);
      expect(events).toHaveLength(kind === "assign" ? 2_000 : 2_100);
      expect(await listStoredEvents(acme)).toEqual(eventsOfOrganization("acme", events));
      expect(await acme.tags.verifyIndex()).toEqual({ checked: 2, wrong: [] });
    },
  );
});

const createResult = (changedCount: number, unchanged: number): TaggingResult => ({
  changed: changedCount,
  unchanged,
});

/** Counts a change that may conflict with another one. */
const oneOrNone = [
  () => 1,
  (error: unknown) => {
    expect(error).toHaveProperty("code", "user_tag_already_assigned");
    return 0;
  },
] as const;

/** Returns the members that a step selects, each once: in the order in which they are named, or oldest first. */
function selectMembers(members: readonly Member[], selected: Selected): Member[] {
  if ("places" in selected) {
    return [...new Set(selected.places.flatMap(([place]) => members[place] ?? []))];
  }
  const { filter } = selected;
  return filter === undefined ? [] : members.filter(({ tags }) => matchesFilter(new Set(tags), filter));
}

function createSelection(members: readonly Member[], selected: Selected): UserSelection {
  if (!("places" in selected)) return selected;
  const { places } = selected;
  return {
    userIds: places.map(([at, byExternalId]) => (byExternalId ? `c-${at}` : (members[at]?.id ?? ""))),
  };
}
