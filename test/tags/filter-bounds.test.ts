import type { TagFilter } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { openAcme, someEmail } from "../kit/acme.js";
import { getErrorDetail, getRefusedFields, untyped, wrongType } from "../kit/refusal.js";

const vip: TagFilter = { operator: "AND", conditions: [{ slug: "vip" }] };

/** Creates a filter with this number of levels, including the root. */
function createDeepFilter(levels: number): TagFilter {
  let filter = vip;
  for (let level = 1; level < levels; level += 1) filter = { operator: "OR", filters: [filter] };
  return filter;
}

/** Creates a filter with this number of operands: conditions and nested filters, not counting the root. */
function createWideFilter(operands: number): TagFilter {
  const conditions = Array.from({ length: operands - 2 }, (_, at) => ({ slug: `tag-${at}` }));
  return { operator: "OR", conditions, filters: [vip] };
}

const listRefusedFields = (query: unknown) => getRefusedFields(openAcme().acme.tags.query(untyped(query)));

describe("a tag filter", () => {
  it("may be at most 32 levels deep", async () => {
    const { acme } = openAcme();
    expect((await acme.tags.query({ filter: createDeepFilter(32) })).totalElements).toBe(0);
    for (const levels of [33, 100, 100_000])
      expect(await listRefusedFields({ filter: createDeepFilter(levels) })).toEqual(["filter"]);
  });

  it("may have at most 1,000 operands", async () => {
    const { acme } = openAcme();
    expect((await acme.tags.query({ filter: createWideFilter(1_000) })).totalElements).toBe(0);
    expect(await listRefusedFields({ filter: createWideFilter(1_001) })).toEqual(["filter"]);
    expect(await listRefusedFields({ filter: { operator: "NOT", filters: Array(1_001).fill(vip) } })).toEqual(
      ["filter"],
    );
  });

  it("beyond its limits is refused together with other invalid fields, but wrong types are reported first", async () => {
    const filter = createDeepFilter(33);
    expect(await listRefusedFields({ filter, page: -1, size: 0 })).toEqual(["filter", "page", "size"]);
    const { tags } = openAcme().acme;
    expect(await getErrorDetail(tags.query(untyped({ filter, page: "x" })))).toEqual(wrongType("page"));
  });

  it("reports at most 100 of its unknown keys", async () => {
    const unknown = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`key-${at}`, at]));
    expect(await listRefusedFields({ filter: { ...vip, ...unknown } })).toHaveLength(100);
  });

  it("that contains itself is refused", async () => {
    const filter = { operator: "AND", filters: [vip] };
    filter.filters.push(untyped(filter));
    expect(await listRefusedFields({ filter })).toEqual(["filter"]);
  });

  it("needs an operand at every level", async () => {
    for (const empty of [{}, { conditions: [] }, { filters: [] }, { conditions: [], filters: [] }]) {
      for (const operator of ["AND", "OR", "NOT"]) {
        expect(await listRefusedFields({ filter: { operator, ...empty } })).toEqual(["filter"]);
        const filters = [vip, { operator, ...empty }];
        expect(await listRefusedFields({ filter: { operator: "OR", filters } })).toEqual([
          "filter.filters.1",
        ]);
      }
    }
  });

  it("must have its operator in upper case", async () => {
    for (const operator of ["and", "And", "XOR", "", " AND"]) {
      expect(await listRefusedFields({ filter: { ...vip, operator } })).toEqual(["filter.operator"]);
      const nested = { operator: "OR", filters: [vip, { ...vip, operator }] };
      expect(await listRefusedFields({ filter: nested })).toEqual(["filter.filters.1.operator"]);
    }
    expect(await listRefusedFields({ filter: { conditions: vip.conditions } })).toEqual(["filter.operator"]);
  });

  it("is refused with an unknown key, also in a condition", async () => {
    for (const key of ["condition", "Conditions", "slug", "not", "__proto__", "constructor"]) {
      const extra = JSON.parse(`{${JSON.stringify(key)}:[]}`);
      const filter = Object.defineProperties({ ...vip }, Object.getOwnPropertyDescriptors(extra));
      expect(await listRefusedFields({ filter })).toEqual([`filter.${key}`]);
    }
    for (const key of ["name", "Slug", "__proto__", "conditions"]) {
      const condition = JSON.parse(`{"slug":"vip",${JSON.stringify(key)}:"vip"}`);
      const filter = { operator: "AND", conditions: [condition] };
      expect(await listRefusedFields({ filter })).toEqual([`filter.conditions.0.${key}`]);
    }
  });

  it("must have slugs that the storage can hold", async () => {
    for (const slug of ["a\0", "\uD800"]) {
      const filter = { operator: "NOT", conditions: [{ slug: "vip" }, { slug }] };
      expect(await listRefusedFields({ filter })).toEqual(["filter.conditions.1.slug"]);
    }
    expect(await listRefusedFields({ filter: { operator: "AND", conditions: [{}] } })).toEqual([
      "filter.conditions.0.slug",
    ]);
  });

  it("with a value of the wrong type is refused as such", async () => {
    const { acme } = openAcme();
    for (const [query, field] of [
      [{ filter: null }, "filter"],
      [{ filter: [] }, "filter"],
      [{ filter: "AND" }, "filter"],
      [{ filter: { ...vip, operator: 1 } }, "filter.operator"],
      [{ filter: { ...vip, conditions: {} } }, "filter.conditions"],
      [{ filter: { ...vip, conditions: null } }, "filter.conditions"],
      [{ filter: { ...vip, filters: "x" } }, "filter.filters"],
      [{ filter: { ...vip, conditions: ["vip"] } }, "filter.conditions.0"],
      [{ filter: { ...vip, conditions: [{ slug: 1 }] } }, "filter.conditions.0.slug"],
      [{ filter: vip, page: "0" }, "page"],
      [{ filter: vip, size: 1.5 }, "size"],
    ] as const) {
      expect(await getErrorDetail(acme.tags.query(untyped(query)))).toEqual(wrongType(field));
    }
    for (const query of [null, 1, "AND", []]) {
      expect(await getErrorDetail(acme.tags.query(untyped(query)))).toEqual({
        code: "malformed_request",
        params: null,
      });
    }
    expect(await listRefusedFields({})).toEqual(["filter"]);
  });
});

describe("a page of a tag query", () => {
  it("is the first one, of 20 users, by default", async () => {
    const { acme } = openAcme();
    for (let at = 0; at < 21; at += 1) await acme.users.create({ email: someEmail() });
    const filter: TagFilter = { operator: "NOT", conditions: [{ slug: "unknown" }] };
    const first = await acme.tags.query({ filter });
    expect(first.content).toHaveLength(20);
    const totals = { totalElements: 21, totalPages: 2, size: 20 };
    expect(first).toMatchObject({ ...totals, number: 0, first: true, last: false, empty: false });
    const second = await acme.tags.query({ filter, page: 1 });
    expect(second).toMatchObject({ ...totals, number: 1, first: false, last: true, empty: false });
    for (const page of [2, 1_000, Number.MAX_SAFE_INTEGER]) {
      expect(await acme.tags.query({ filter, page })).toEqual({
        content: [],
        ...totals,
        number: page,
        first: false,
        last: true,
        empty: true,
      });
    }
  });

  it("without results is both the first and the last", async () => {
    const { acme } = openAcme();
    expect(await acme.tags.query({ filter: vip, size: 100 })).toEqual({
      content: [],
      totalElements: 0,
      totalPages: 0,
      number: 0,
      size: 100,
      first: true,
      last: true,
      empty: true,
    });
  });

  it("must have a size from 1 to 100 and a number from 0", async () => {
    for (const size of [0, -1, 101]) expect(await listRefusedFields({ filter: vip, size })).toEqual(["size"]);
    expect(await listRefusedFields({ filter: vip, page: -1, size: 0 })).toEqual(["page", "size"]);
  });
});
