import type { Scope, SegmentFilter } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { openAcme, someEmail } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { getErrorDetail } from "../kit/refusal.js";

const vips: SegmentFilter = { operator: "AND", conditions: [{ slug: "vip" }] };
const filterBySegments = (...segments: readonly string[]): SegmentFilter => ({
  operator: "AND",
  conditions: segments.map((segment) => ({ segment })),
});

describe.each(everyAdapter)("saved segments on $name", ({ open }) => {
  async function openTagShop() {
    const shop = openAcme({ storage: await open() });
    const { acme } = shop;
    await acme.tags.create({ name: "VIP" });
    const users = [];
    for (const name of ["Cy", "Ada", "Bob"])
      users.push(await acme.users.create({ email: someEmail(), name, metadata: { name } }));
    const [cy, ada, bob] = users.map(({ id }) => id);
    if (cy === undefined || ada === undefined || bob === undefined) throw new Error("nobody came");
    await acme.tags.assignUsers("vip", { userIds: [cy, ada] });
    return { ...shop, cy, ada, bob };
  }

  it("get a slug from their name, and count the customers who match now", async () => {
    const { acme, bob } = await openTagShop();
    const segment = await acme.segments.create({
      name: " Best Guests ",
      filter: { ...vips, filters: [] },
      color: "#112233",
    });
    expect(segment).toMatchObject({
      object: "segment",
      slug: "best-guests",
      name: "Best Guests",
      description: null,
      color: "#112233",
      filter: vips,
      emitsEvents: false,
      isRecounting: false,
      members: 2,
    });
    expect(segment.id).toMatch(/^seg_/);
    await acme.tags.assign(bob, "vip");
    expect(await acme.segments.get("best-guests")).toEqual({ ...segment, members: 3 });
    expect(await acme.segments.list()).toEqual([{ ...segment, members: 3 }]);
  });

  it("are listed oldest first, each with a slug of its own", async () => {
    const { acme, loyalty, clock } = await openTagShop();
    for (const name of ["B", "A", "C"]) {
      await acme.segments.create({ name, filter: vips });
      clock.move(1);
    }
    expect((await acme.segments.list()).map(({ slug }) => slug)).toEqual(["b", "a", "c"]);
    expect(await getErrorDetail(acme.segments.create({ name: "a", filter: vips }))).toEqual({
      code: "segment_already_exists",
      params: ["a"],
    });
    expect(await getErrorDetail(acme.segments.create({ name: "Query", filter: vips }))).toMatchObject({
      code: "validation_failed",
      fields: { name: "must not result in the slug query" },
    });
    expect(await loyalty.organization("globex").segments.list()).toEqual([]);
    expect(await getErrorDetail(loyalty.organization("globex").segments.get("a"))).toMatchObject({
      code: "resource_not_found",
    });
  });

  it("change only the given fields, and return how many members entered and left through another filter", async () => {
    const { acme, clock } = await openTagShop();
    const listUpdates = async () => (await acme.events.list({ types: ["segment.updated"] })).content;
    const segment = await acme.segments.create({ name: "Guests", filter: vips, description: "All" });
    clock.move(1_000);
    const renamed = await acme.segments.update("guests", { name: "Regulars", description: null });
    expect(renamed).toMatchObject({
      slug: "guests",
      name: "Regulars",
      description: null,
      entered: 0,
      left: 0,
    });
    expect(renamed.updatedAt > segment.updatedAt).toBe(true);
    const filter: SegmentFilter = {
      operator: "OR",
      conditions: [
        { metadata: { path: ["name"], equals: "Ada" } },
        { metadata: { path: ["name"], equals: "Bob" } },
      ],
    };
    clock.move(1_000);
    const updatedSegment = await acme.segments.update("guests", { filter });
    expect(updatedSegment).toMatchObject({ members: 2, entered: 1, left: 1 });
    const before = (await listUpdates()).length;
    expect(
      await acme.segments.update("guests", { filter: { ...filter, filters: [] }, name: "Regulars" }),
    ).toEqual({ ...updatedSegment, entered: 0, left: 0 });
    expect((await listUpdates()).length).toBe(before);
  });

  it("emit events without a count, and no move for initial members", async () => {
    const { acme } = await openTagShop();
    const { members: _, ...segment } = await acme.segments.create({
      name: "Guests",
      filter: vips,
      emitsEvents: true,
    });
    await acme.segments.delete("guests");
    const events = (await acme.events.list()).content.filter(({ type }) => type.startsWith("segment."));
    expect(events.map(({ type, data }) => [type, data])).toEqual([
      ["segment.created", segment],
      ["segment.deleted", segment],
    ]);
    expect(await getErrorDetail(acme.segments.delete("guests"))).toMatchObject({
      code: "resource_not_found",
    });
  });

  it("return their members in any order of contacts, page by page, by default oldest first", async () => {
    const { acme, cy, ada, bob } = await openTagShop();
    await acme.tags.assign(bob, "vip");
    await acme.segments.create({ name: "Guests", filter: vips });
    const listPage = async (query?: Parameters<typeof acme.segments.members>[1]) => {
      const { content, ...rest } = await acme.segments.members("guests", query);
      return { ids: content.map(({ id }) => id), ...rest };
    };
    const all = { totalElements: 3, totalPages: 1, number: 0, size: 50 };
    expect(await listPage()).toEqual({ ids: [cy, ada, bob], ...all });
    expect(await listPage({ sort: "name,asc", size: 2, page: 0 })).toEqual({
      ids: [ada, bob],
      totalElements: 3,
      totalPages: 2,
      number: 0,
      size: 2,
    });
    expect((await listPage({ sort: "createdAt,desc", size: 500 })).size).toBe(200);
    expect(await getErrorDetail(listPage({ size: 0 }))).toMatchObject({ code: "validation_failed" });
    expect(await getErrorDetail(acme.segments.members("none"))).toMatchObject({ code: "resource_not_found" });
  });

  it("stand for their filters when another segment refers to them, and have no members when they don't exist", async () => {
    const { acme, ada } = await openTagShop();
    await acme.segments.create({ name: "Guests", filter: vips });
    const isAda: SegmentFilter = {
      operator: "AND",
      conditions: [{ segment: "guests" }, { metadata: { path: ["name"], equals: "Ada" } }],
    };
    await acme.segments.create({ name: "Only Ada", filter: isAda });
    const findUserIds = async (filter: SegmentFilter) =>
      (await acme.segments.query({ filter })).content.map(({ id }) => id);
    expect(await findUserIds(filterBySegments("only-ada"))).toEqual([ada]);
    expect(await findUserIds({ operator: "NOT", ...{ conditions: [{ segment: "only-ada" }] } })).toHaveLength(
      2,
    );
    expect(await findUserIds(filterBySegments("nothing"))).toEqual([]);
    expect(await findUserIds({ operator: "NOT", conditions: [{ segment: "nothing" }] })).toHaveLength(3);
    await acme.segments.update("guests", { filter: { operator: "NOT", conditions: [{ slug: "vip" }] } });
    expect(await findUserIds(filterBySegments("only-ada"))).toEqual([]);
    await acme.tags.unassign(ada, "vip");
    expect(await findUserIds(filterBySegments("only-ada"))).toEqual([ada]);
  });

  it("are refused at the path of a reference that is unknown or makes a circle", async () => {
    const { acme } = await openTagShop();
    const listRefusedFields = async (call: Promise<unknown>) => {
      const error = await getErrorDetail(call);
      return error && "fields" in error ? error.fields : error;
    };
    const notThere = "must be the slug of a segment";
    expect(
      await listRefusedFields(acme.segments.create({ name: "A", filter: filterBySegments("a") })),
    ).toEqual({
      "filter.conditions.0.segment": notThere,
    });
    await acme.segments.create({ name: "A", filter: vips });
    await acme.segments.create({ name: "B", filter: filterBySegments("a") });
    await acme.segments.create({ name: "C", filter: { operator: "OR", filters: [filterBySegments("b")] } });
    const circle = "must not be a segment that refers to this one";
    expect(
      await listRefusedFields(acme.segments.update("a", { filter: filterBySegments("c", "none", "b", "a") })),
    ).toEqual({
      "filter.conditions.0.segment": circle,
      "filter.conditions.1.segment": notThere,
      "filter.conditions.2.segment": circle,
      "filter.conditions.3.segment": circle,
    });
    expect(
      await listRefusedFields(
        acme.segments.update("a", { filter: { operator: "NOT", filters: [filterBySegments("b")] } }),
      ),
    ).toEqual({ "filter.filters.0.conditions.0.segment": circle });
    expect((await acme.segments.get("c")).members).toBe(2);
  });

  it("can't be deleted while others refer to them, and the error has at most ten of these", async () => {
    const { acme } = await openTagShop();
    await acme.segments.create({ name: "Guests", filter: vips });
    for (let at = 0; at < 12; at += 1)
      await acme.segments.create({ name: `User ${at}`, filter: filterBySegments("guests") });
    const error = await getErrorDetail(acme.segments.delete("guests"));
    expect(error).toMatchObject({ code: "segment_in_use" });
    expect(error && "params" in error ? error.params : []).toHaveLength(10);
    for (let at = 0; at < 12; at += 1) await acme.segments.update(`user-${at}`, { filter: vips });
    await acme.segments.delete("guests");
  });

  it("have at most 32 levels and 10,000 operands, including the segments that they refer to", async () => {
    const { acme } = await openTagShop();
    const wide: SegmentFilter = {
      operator: "OR",
      conditions: Array.from({ length: 999 }, () => ({ slug: "vip" })),
    };
    await acme.segments.create({ name: "Wide", filter: wide });
    const ten = filterBySegments(...Array.from({ length: 10 }, () => "wide"));
    expect((await acme.segments.query({ filter: ten, size: 0 })).totalElements).toBe(2);
    const eleven = filterBySegments(...Array.from({ length: 11 }, () => "wide"));
    const tooWide = {
      code: "validation_failed",
      fields: {
        filter: "must have at most 10000 operands, including the operands of the segments it refers to",
      },
    };
    expect(await getErrorDetail(acme.segments.query({ filter: eleven }))).toEqual(tooWide);
    expect(await getErrorDetail(acme.segments.create({ name: "Wider", filter: eleven }))).toEqual(tooWide);

    const createDeepFilter = (levels: number, innermost: SegmentFilter): SegmentFilter =>
      levels === 1 ? innermost : { operator: "AND", filters: [createDeepFilter(levels - 1, innermost)] };
    await acme.segments.create({ name: "Deep", filter: createDeepFilter(16, vips) });
    await acme.segments.create({ name: "Deeper", filter: createDeepFilter(16, filterBySegments("deep")) });
    expect((await acme.segments.get("deeper")).members).toBe(2);
    const tooDeep = {
      code: "validation_failed",
      fields: { filter: "must be at most 32 levels deep, including the segments it refers to" },
    };
    expect(
      await getErrorDetail(acme.segments.create({ name: "Deepest", filter: filterBySegments("deeper") })),
    ).toEqual(tooDeep);
    expect(
      await getErrorDetail(acme.segments.update("deep", { filter: createDeepFilter(17, vips) })),
    ).toEqual(tooDeep);
    expect((await acme.segments.get("deep")).filter).toEqual(createDeepFilter(16, vips));
  });

  it("show their filter to callers who may read segments, and their count to those who may read its data, too", async () => {
    const { acme, loyalty } = await openTagShop();
    await acme.segments.create({ name: "Guests", filter: vips });
    const cards: SegmentFilter = { operator: "OR", conditions: [{ segment: "guests" }, { rewards: {} }] };
    await acme.segments.create({ name: "Cards", filter: cards });
    const withScopes = (...scopes: readonly Scope[]) => loyalty.organization("acme", { scopes });
    const readCounts = async (...scopes: readonly Scope[]) =>
      (await withScopes("segment:read", ...scopes).segments.list()).map(({ members }) => members);
    expect(await readCounts()).toEqual([null, null]);
    expect(await readCounts("user_tag:read")).toEqual([2, null]);
    expect(await readCounts("pass:read", "user_tag:read")).toEqual([2, 2]);
    expect((await withScopes("segment:read").segments.get("cards")).filter).toEqual({
      operator: "OR",
      conditions: [{ segment: "guests" }, { rewards: { min: 1 } }],
    });
    const accessDenied = (scope: string) => ({ code: "access_denied", scope });
    expect(await getErrorDetail(withScopes("segment:read").segments.members("cards"))).toEqual(
      accessDenied("user_tag:read"),
    );
    expect(
      await getErrorDetail(withScopes("segment:read", "user_tag:read").segments.members("cards")),
    ).toEqual(accessDenied("pass:read"));
    expect(
      await getErrorDetail(
        withScopes("segment:read", "pass:read").segments.query({ filter: filterBySegments("cards") }),
      ),
    ).toEqual(accessDenied("user_tag:read"));
  });

  it("are written by callers who may write segments and read the data of their leaves, including nested segments", async () => {
    const { acme, loyalty } = await openTagShop();
    await acme.segments.create({ name: "Guests", filter: vips });
    const segmentsWithScopes = (...scopes: readonly Scope[]) =>
      loyalty.organization("acme", { scopes: ["segment:write", ...scopes] }).segments;
    const denied = { code: "access_denied", scope: "user_tag:read" };
    expect(await getErrorDetail(segmentsWithScopes().create({ name: "New", filter: vips }))).toEqual(denied);
    expect(
      await getErrorDetail(segmentsWithScopes().create({ name: "New", filter: filterBySegments("guests") })),
    ).toEqual(denied);
    expect(await getErrorDetail(segmentsWithScopes().update("guests", { name: "New" }))).toEqual(denied);
    expect(
      await getErrorDetail(
        segmentsWithScopes("user_tag:read").create({ name: "N", filter: filterBySegments("none") }),
      ),
    ).toMatchObject({
      code: "validation_failed",
    });
    expect(
      await segmentsWithScopes("user_tag:read").create({ name: "New", filter: filterBySegments("guests") }),
    ).toMatchObject({
      members: 2,
    });
    await segmentsWithScopes().delete("new");
    expect((await acme.segments.list()).map(({ slug }) => slug)).toEqual(["guests"]);
  });

  it("are refused to a caller bound to a user", async () => {
    const { acme, loyalty, ada } = await openTagShop();
    await acme.segments.create({ name: "Guests", filter: vips });
    const own = loyalty.organization("acme", { user: ada }).segments;
    for (const call of [own.list(), own.get("guests"), own.members("guests"), own.delete("guests")])
      expect(await getErrorDetail(call)).toMatchObject({ code: "access_denied" });
  });

  it("are created once for an idempotency key", async () => {
    const { acme } = await openTagShop();
    const input = { name: "Guests", filter: vips, idempotencyKey: "one" };
    expect(await acme.segments.create(input)).toEqual(await acme.segments.create(input));
    expect(await acme.segments.list()).toHaveLength(1);
  });
});
