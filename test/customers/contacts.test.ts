import type { Organization } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { openAcme, someEmail } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { getErrorDetail, getRefusedFields, untyped, wrongType } from "../kit/refusal.js";

async function createPass(acme: Organization, stamps: number, maxStamps = 10) {
  const card = await acme.templates.create({ name: "Card", type: "STAMP_CARD", maxStamps });
  const pass = await acme.passes.create(card.id, { user: { email: someEmail() } });
  if (stamps > 0) await acme.stamps.add(pass.id, { count: stamps });
  return pass;
}

describe.each(everyAdapter)("contacts on $name", ({ open }) => {
  it("show the user's fields and passes, and stamps only on request", async () => {
    const { acme } = openAcme({ storage: await open() });
    const { id: passId, templateId, userId } = await createPass(acme, 13);
    const { object: _object, metadata: _metadata, ...fields } = await acme.users.get(userId);
    const contact = { ...fields, object: "contact", passInfos: [{ templateId, passId }] };
    expect(await acme.contacts.list()).toEqual({
      content: [contact],
      totalElements: 1,
      totalPages: 1,
      number: 0,
      size: 50,
    });
    const stampProgress = [{ templateId, passId, currentStamps: 3, maxStamps: 10, timesCompleted: 1 }];
    for (const query of [
      { includeStamps: true },
      { templateId },
      { templateId, minStamps: 3, maxStamps: 3 },
    ]) {
      expect((await acme.contacts.list(query)).content).toEqual([{ ...contact, stampProgress }]);
    }
  });

  it("show a summary only on request: rewards of all cards, the newest visit, wallets and tags", async () => {
    const { acme, clock } = openAcme({ storage: await open() });
    const first = await createPass(acme, 20);
    const { userId } = first;
    const plain = await acme.templates.create({ name: "Member", type: "LOYALTY_CARD" });
    const member = await acme.passes.create(plain.id, { userId });
    const second = await acme.passes.create(first.templateId, { userId });
    clock.now += 60_000;
    const visitedAt = new Date(clock.now).toISOString();
    await acme.stamps.add(second.id, { count: 10 });
    clock.now += 60_000;
    const mistake = await acme.stamps.add(first.id, { count: 1 });
    await acme.stamps.reverse(first.id, { entryId: mistake.entryId });
    for (const name of ["VIP", "Regular"]) {
      const { slug } = await acme.tags.create({ name });
      await acme.tags.assign(userId, slug);
    }
    await acme.users.create({ email: someEmail() });
    const listSummaries = async () =>
      (await acme.contacts.list({ includeSummary: true, sort: "createdAt,asc" })).content.map(
        ({ summary }) => summary,
      );
    const emptySummary = { cards: { rewardsAvailable: 0, lastVisitAt: null, isInWallet: false }, tags: [] };
    const cards = { rewardsAvailable: 3, lastVisitAt: visitedAt, isInWallet: false };
    expect(await listSummaries()).toEqual([{ cards, tags: ["vip", "regular"] }, emptySummary]);
    await acme.passes.markInstalled(member.id);
    expect(await listSummaries()).toEqual([
      { cards: { ...cards, isInWallet: true }, tags: ["vip", "regular"] },
      emptySummary,
    ]);
    expect((await acme.contacts.list()).content.every((contact) => !("summary" in contact))).toBe(true);
  });

  it("hide cards and tags in the summary from a caller who may not read them", async () => {
    const { acme, loyalty } = openAcme({ storage: await open() });
    const { userId } = await createPass(acme, 10);
    const listWithScopes = async (...scopes: ("user:read" | "pass:read" | "user_tag:read")[]) => {
      const caller = loyalty.organization("acme", { scopes });
      const { content } = await caller.contacts.list({ ids: [userId], includeSummary: true });
      return content[0]?.summary;
    };
    const cards = { rewardsAvailable: 1, lastVisitAt: expect.any(String), isInWallet: false };
    expect(await listWithScopes("user:read")).toEqual({ cards: null, tags: null });
    expect(await listWithScopes("user:read", "pass:read")).toEqual({ cards, tags: null });
    expect(await listWithScopes("user:read", "user_tag:read")).toEqual({ cards: null, tags: [] });
  });

  it("are listed by ids, oldest first, without unknown ids and ids of other organizations", async () => {
    const { acme, loyalty } = openAcme({ storage: await open() });
    const ids: string[] = [];
    for (let at = 0; at < 3; at += 1) ids.push((await acme.users.create({ email: someEmail() })).id);
    const [first = "", second = "", third = ""] = ids;
    const other = await loyalty.organization("other").users.create({ email: someEmail() });
    const requestedIds = [third, "usr_nobody", other.id, first, third];
    expect(await acme.contacts.list({ ids: requestedIds })).toMatchObject({
      content: [{ id: first }, { id: third }],
      totalElements: 2,
      totalPages: 1,
    });
    expect(await acme.contacts.list({ ids: [second, third], size: 1, page: 1 })).toMatchObject({
      content: [{ id: third }],
      totalElements: 2,
    });
    for (const query of [
      { ids: [first], search: "a" },
      { ids: [first], templateId: "tpl_x" },
      { ids: [] },
      { ids: Array.from({ length: 101 }, (_, at) => `usr_${at}`) },
    ]) {
      expect(await getRefusedFields(acme.contacts.list(query))).toEqual(["ids"]);
    }
    expect((await acme.contacts.list({ ids: Array.from({ length: 100 }, () => first) })).totalElements).toBe(
      1,
    );
  });

  it("without passes have empty lists", async () => {
    const { acme } = openAcme({ storage: await open() });
    await acme.users.create({ email: someEmail() });
    expect((await acme.contacts.list({ includeStamps: true })).content).toMatchObject([
      { passInfos: [], stampProgress: [] },
    ]);
  });

  it("show the progress of every stamp card, regardless of the template in the filter", async () => {
    const { acme } = openAcme({ storage: await open() });
    const first = await createPass(acme, 2);
    const plain = await acme.templates.create({ name: "Member", type: "LOYALTY_CARD" });
    await acme.passes.create(plain.id, { userId: first.userId });
    const other = await acme.templates.create({ name: "Tea", type: "STAMP_CARD", maxStamps: 3 });
    const second = await acme.passes.create(other.id, { userId: first.userId });
    const contact = (await acme.contacts.list({ templateId: other.id })).content.at(0);
    expect(contact?.stampProgress?.map(({ passId }) => passId)).toEqual([first.id, second.id]);
    expect(contact?.passInfos).toHaveLength(3);
  });

  it("match a stamp filter if any one pass of the template does", async () => {
    const { acme } = openAcme({ storage: await open() });
    const { templateId, userId } = await createPass(acme, 2);
    const second = await acme.passes.create(templateId, { userId });
    await acme.stamps.add(second.id, { count: 8 });
    const found = async (minStamps: number, maxStamps: number) =>
      (await acme.contacts.list({ templateId, minStamps, maxStamps })).totalElements;
    expect(await Promise.all([found(2, 2), found(8, 8), found(0, 9), found(3, 7), found(9, 9)])).toEqual([
      1, 1, 1, 0, 0,
    ]);
  });

  it("aren't matched by a template that is unknown, blank or not a stamp card", async () => {
    const { acme } = openAcme({ storage: await open() });
    const { userId } = await createPass(acme, 0);
    const plain = await acme.templates.create({ name: "Member", type: "LOYALTY_CARD" });
    await acme.passes.create(plain.id, { userId });
    for (const templateId of [plain.id, "none", "", "%"]) {
      expect((await acme.contacts.list({ templateId })).totalElements).toBe(0);
      expect((await acme.contacts.list({ templateId, minStamps: 0 })).totalElements).toBe(0);
    }
  });

  it("come in pages of at most 200, empty past the end", async () => {
    const { acme } = openAcme({ storage: await open() });
    for (let at = 0; at < 5; at += 1) await acme.users.create({ email: someEmail() });
    expect(await acme.contacts.list({ size: 10_000 })).toMatchObject({ size: 200, totalPages: 1 });
    expect(await acme.contacts.list({ size: 2, page: 2 })).toMatchObject({ number: 2, totalPages: 3 });
    for (const page of [3, 1_000_000, Number.MAX_SAFE_INTEGER]) {
      expect(await acme.contacts.list({ size: 2, page })).toEqual({
        content: [],
        totalElements: 5,
        totalPages: 3,
        number: page,
        size: 2,
      });
    }
  });

  it("are searched literally, and a search for only spaces matches all", async () => {
    const { acme } = openAcme({ storage: await open() });
    const fields = {
      email: "ada@example.com",
      name: "Ada  100%_\\ 'L\"",
      phone: "+1 (2)",
      externalId: "a  b",
    };
    await acme.users.create(fields);
    await acme.users.create({ email: "bob@example.org" });
    const found = async (search: string) => (await acme.contacts.list({ search })).totalElements;
    for (const expectedAll of ["", " ", "   "]) expect(await found(expectedAll)).toBe(2);
    for (const expectedOne of ["ADA", "ada ", "100%", "%_\\", "'l\"", "1 (", "a  b", "EXAMPLE.COM"]) {
      expect([expectedOne, await found(expectedOne)]).toEqual([expectedOne, 1]);
    }
    for (const expectedNone of ["' l", "a b", "com ada", "ada@example.comada", "\t", "1%0", "_ada", "*"]) {
      expect([expectedNone, await found(expectedNone)]).toEqual([expectedNone, 0]);
    }
  });
});

describe("a contacts query", () => {
  it("needs stamp bounds that are in order, not negative and given with a template", async () => {
    const { acme } = openAcme();
    const listErrorFields = (query: object) => getRefusedFields(acme.contacts.list(query));
    expect(await listErrorFields({ minStamps: 0 })).toEqual(["templateId"]);
    expect(await listErrorFields({ maxStamps: 0 })).toEqual(["templateId"]);
    expect(await listErrorFields({ templateId: "t", minStamps: 3, maxStamps: 2 })).toEqual(["minStamps"]);
    expect(await listErrorFields({ minStamps: 3, maxStamps: 2 })).toEqual(["minStamps", "templateId"]);
    expect(await listErrorFields({ templateId: "t", minStamps: -1, maxStamps: -1 })).toEqual([
      "maxStamps",
      "minStamps",
    ]);
  });

  it("needs a page from 0, a size from 1 and a sort from the list", async () => {
    const { acme } = openAcme();
    expect(await getRefusedFields(acme.contacts.list({ page: -1, size: 0 }))).toEqual(["page", "size"]);
    for (const sort of ["", "createdAt", "createdAt,DESC", "phone,asc", "name,asc ", "name, asc", "id,asc"]) {
      expect(await getRefusedFields(acme.contacts.list(untyped({ sort })))).toEqual(["sort"]);
    }
    for (const field of ["createdAt", "updatedAt", "email", "name", "externalId"]) {
      for (const direction of ["asc", "desc"]) {
        await acme.contacts.list(untyped({ sort: `${field},${direction}` }));
      }
    }
  });

  it("is refused with the names of all fields that have the wrong type", async () => {
    const { acme } = openAcme();
    const query = {
      page: "1",
      size: 1.5,
      sort: 1,
      search: 1,
      templateId: 1,
      minStamps: "1",
      includeStamps: "true",
    };
    const detail = await getErrorDetail(acme.contacts.list(untyped(query)));
    expect(detail).toEqual(wrongType(...Object.keys(query)));
  });
});
