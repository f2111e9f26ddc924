import type { SegmentFilter, SegmentQuery } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import { canonicalizeFilter, listLeafScopes, parseSegmentQuery } from "../../src/segments/filter-schema.js";
import { openAcme } from "../kit/acme.js";
import { getErrorDetail, getRefusedFields, untyped } from "../kit/refusal.js";

const runQuery = async (...conditions: readonly unknown[]) =>
  openAcme({ storage: memoryStorage() }).acme.segments.query(
    untyped({ filter: { operator: "AND", conditions } }),
  );

const leaf = "filter.conditions.0";

/** Conditions of the right types, with the path at which each is refused. */
const invalidConditions: readonly (readonly [condition: unknown, path: string])[] = [
  [{}, ""],
  [{ slug: "a", segment: "b" }, ""],
  [{ foo: 1 }, ".foo"],
  [{ stamps: { templateId: "t", foo: 1 } }, ".stamps.foo"],
  [{ stamps: {} }, ".stamps.templateId"],
  [{ stamps: { templateId: "t", min: 2, max: 1 } }, ".stamps.min"],
  [{ stamps: { templateId: "t", min: 1_000_001 } }, ".stamps.min"],
  [{ rewards: { max: 0 } }, ".rewards.min"],
  [{ completions: { min: -1 } }, ".completions.min"],
  [{ lastVisit: {} }, ".lastVisit"],
  [{ lastVisit: { withinDays: 1, beforeDays: 1 } }, ".lastVisit"],
  [{ lastVisit: { never: false } }, ".lastVisit.never"],
  [{ lastVisit: { withinDays: 36_501 } }, ".lastVisit.withinDays"],
  [{ visits: { days: 30 } }, ".visits.min"],
  [{ visits: { days: 731, min: 1 } }, ".visits.days"],
  [{ visits: { days: 30, max: 11 } }, ".visits.max"],
  [{ visits: { min: 1 } }, ".visits.days"],
  [{ joined: {} }, ".joined"],
  [{ joined: { withinDays: 1, from: "2026-01-01" } }, ".joined"],
  [{ joined: { from: "2026-02-30" } }, ".joined.from"],
  [{ joined: { from: "2026-01-02", to: "2026-01-02" } }, ".joined.to"],
  [{ joined: { from: "2026-01-02T00:00:00Z", to: "2026-01-01T00:00:00Z" } }, ".joined.to"],
  [{ metadata: { path: ["a"] } }, ".metadata"],
  [{ metadata: { path: ["a"], equals: 1, exists: true } }, ".metadata"],
  [{ metadata: { path: [], exists: true } }, ".metadata.path"],
  [{ metadata: { path: ["a", ""], exists: true } }, ".metadata.path.1"],
  [{ metadata: { path: ["a".repeat(201)], exists: true } }, ".metadata.path.0"],
  [{ metadata: { path: Array(9).fill("a"), exists: true } }, ".metadata.path"],
  [{ metadata: { path: ["a"], min: 2, max: 1 } }, ".metadata.min"],
  [{ metadata: { path: ["a"], equals: "\0" } }, ".metadata.equals"],
  [{ anniversary: { path: ["a"] } }, ".anniversary"],
  [{ anniversary: { path: ["a"], month: 13 } }, ".anniversary.month"],
  [{ anniversary: { path: ["a"], month: "next" } }, ".anniversary.month"],
  [{ anniversary: { path: ["a"], withinDays: 366 } }, ".anniversary.withinDays"],
  [{ field: { name: "email", exists: true } }, ".field.name"],
  [{ field: { name: "phone" } }, ".field.exists"],
  [{ wallet: { platform: "other", installed: true } }, ".wallet.platform"],
  [{ wallet: {} }, ".wallet.installed"],
  [{ subscription: { channel: "sms", status: "NONE" } }, ".subscription.channel"],
  [{ subscription: { channel: "email" } }, ".subscription.status"],
  [{ language: "d" }, ".language"],
];

/** Conditions with a value of a wrong JSON type, with its path. */
const ofWrongType: readonly (readonly [condition: unknown, path: string])[] = [
  [{ slug: 1 }, ".slug"],
  [{ stamps: [] }, ".stamps"],
  [{ stamps: { templateId: "t", min: "1" } }, ".stamps.min"],
  [{ rewards: { min: 1.5 } }, ".rewards.min"],
  [{ lastVisit: { never: "true" } }, ".lastVisit.never"],
  [{ joined: { from: 1 } }, ".joined.from"],
  [{ metadata: { path: "a", exists: true } }, ".metadata.path"],
  [{ metadata: { path: ["a"], equals: null } }, ".metadata.equals"],
  [{ metadata: { path: ["a"], equals: {} } }, ".metadata.equals"],
  [{ metadata: { path: ["a"], min: "1" } }, ".metadata.min"],
  [{ anniversary: { path: ["a"], month: true } }, ".anniversary.month"],
  [{ field: { name: "phone", exists: 1 } }, ".field.exists"],
  [{ language: 1 }, ".language"],
];

describe("a condition of a segment", () => {
  it.each(invalidConditions)("%j is refused at its path", async (condition, path) => {
    expect(await getRefusedFields(runQuery(condition))).toEqual([leaf + path]);
  });

  it.each(ofWrongType)("%j is refused for a value of a wrong type", async (condition, path) => {
    expect(await getErrorDetail(runQuery(condition))).toEqual({
      code: "wrong_param_type",
      params: [leaf + path],
    });
  });

  it("on a segment that is not saved has no members", async () => {
    expect(await runQuery({ segment: "none" })).toMatchObject({ totalElements: 0 });
  });
});

describe("a segment query", () => {
  it("has at most 32 levels and 1,000 operands, like a tag filter", async () => {
    let deep: SegmentFilter = { operator: "AND", conditions: [{ slug: "a" }] };
    for (let level = 1; level < 33; level += 1) deep = { operator: "AND", filters: [deep] };
    const { acme } = openAcme();
    expect(await getRefusedFields(acme.segments.query({ filter: deep }))).toEqual(["filter"]);
    const wide = Array.from({ length: 1_001 }, () => ({ slug: "a" }));
    expect(
      await getRefusedFields(acme.segments.query({ filter: { operator: "OR", conditions: wide } })),
    ).toEqual(["filter"]);
    expect(await getRefusedFields(acme.segments.query({ filter: { operator: "OR" } }))).toEqual(["filter"]);
  });

  it("returns only the total with a size of 0", async () => {
    const { acme } = openAcme();
    await acme.users.create({ email: "ada@example.com" });
    const filter: SegmentFilter = { operator: "AND", conditions: [{ joined: { withinDays: 0 } }] };
    expect(await acme.segments.query({ filter, size: 0, page: 3 })).toEqual({
      content: [],
      totalElements: 1,
      totalPages: 0,
      number: 3,
      size: 0,
    });
    expect(await getRefusedFields(acme.segments.query({ filter, size: 101 }))).toEqual(["size"]);
  });

  it("returns customers oldest first, or in any order of contacts, page by page", async () => {
    const { acme } = openAcme();
    for (const name of ["Bea", "Carl", "Ada"])
      await acme.users.create({ email: `${name}@example.com`, name });
    await acme.users.create({ email: "nameless@example.com" });
    const filter: SegmentFilter = { operator: "AND", conditions: [{ joined: { withinDays: 0 } }] };
    const listNames = async (query: Omit<SegmentQuery, "filter">) =>
      (await acme.segments.query({ filter, ...query })).content.map(({ name }) => name);
    expect(await listNames({})).toEqual(["Bea", "Carl", "Ada", null]);
    expect(await listNames({ sort: "createdAt,desc" })).toEqual([null, "Ada", "Carl", "Bea"]);
    expect(await listNames({ sort: "name,asc" })).toEqual(["Ada", "Bea", "Carl", null]);
    expect(await listNames({ sort: "name,asc", page: 1, size: 2 })).toEqual(["Carl", null]);
    expect(await acme.segments.query({ filter, sort: "name,asc", size: 0 })).toMatchObject({
      content: [],
      totalElements: 4,
      totalPages: 0,
    });
  });

  it("needs segment:read, and the scopes of its leaves in their order: conditions before filters", async () => {
    const filter: SegmentFilter = {
      operator: "AND",
      filters: [{ operator: "OR", conditions: [{ slug: "a" }] }],
      conditions: [{ wallet: { installed: true } }, { joined: { withinDays: 1 } }, { rewards: {} }],
    };
    expect(listLeafScopes(filter)).toEqual(["pass:read", "user:read", "user_tag:read"]);
    const { loyalty } = openAcme();
    const scopes = ["segment:read", "pass:read", "user:read", "user_tag:read"] as const;
    for (const [scopeCount, lacking] of scopes.entries()) {
      const caller = loyalty.organization("acme", { scopes: scopes.slice(0, scopeCount) });
      expect(await getErrorDetail(caller.segments.query({ filter }))).toMatchObject({
        code: "access_denied",
        scope: lacking,
      });
    }
    const caller = loyalty.organization("acme", { scopes });
    expect(await caller.segments.query({ filter })).toMatchObject({ totalElements: 0 });
    // An invalid filter is refused before its scopes are checked.
    const none = loyalty.organization("acme", { scopes: ["segment:read"] });
    expect(
      await getRefusedFields(
        none.segments.query({ filter: { operator: "AND", conditions: [{ rewards: { max: 0 } }] } }),
      ),
    ).toEqual(["filter.conditions.0.rewards.min"]);
  });

  it("has one canonical form, regardless of how its filter is written", () => {
    const canonicalize = (filter: unknown) => canonicalizeFilter(parseSegmentQuery({ filter }).filter);
    const one = canonicalize({
      conditions: [
        { rewards: { max: 5 } },
        { metadata: { equals: "e\u0301", path: ["a"] } },
        { language: "de-at" },
      ],
      operator: "AND",
      filters: [],
    });
    const other = canonicalize({
      operator: "AND",
      conditions: [
        { rewards: { min: 1, max: 5 } },
        { metadata: { path: ["a"], equals: "\u00e9" } },
        { language: "de-AT" },
      ],
    });
    expect(JSON.stringify(one)).toBe(JSON.stringify(other));
  });
});
