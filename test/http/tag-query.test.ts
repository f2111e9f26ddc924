import fc from "fast-check";
import type { TagFilter } from "loyalty-kit";
import { describe, expect, test } from "vitest";
import { invalid, malformed, ok, wrongType } from "./answers.js";
import type { Answer } from "./client.js";
import { onEachDatabase, type TestOrganization } from "./every-mount.js";

const slugs = ["a", "b", "c", "d"];
const anybody = { operator: "NOT", conditions: [{ slug: "nobody" }] };

/** Users of whom each has another set of the tags a, b, c and d; in the order of their creation. */
async function tagged({ acme }: TestOrganization) {
  for (const name of slugs) await acme.tags.create({ name });
  const users = [];
  for (let set = 0; set < 2 ** slugs.length; set += 1) {
    const user = await acme.users.create({ email: `user${set}@example.com` });
    const tags = slugs.filter((_, at) => set & (1 << at));
    for (const slug of tags) await acme.tags.assign(user.id, slug);
    users.push({ user, tags });
  }
  return users;
}

/** What the interface says of a filter, for one user. */
function matches({ operator, conditions = [], filters = [] }: TagFilter, tags: readonly string[]): boolean {
  const operands = [
    ...conditions.map(({ slug }) => tags.includes(slug)),
    ...filters.map((filter) => matches(filter, tags)),
  ];
  if (operator === "AND") return operands.every(Boolean);
  return operands.some(Boolean) === (operator === "OR");
}

const operator = fc.constantFrom("AND", "OR", "NOT");
const conditions = fc.array(fc.record({ slug: fc.constantFrom(...slugs, "unknown") }), {
  minLength: 1,
  maxLength: 3,
});

/** Filters of at most so many levels, none without an operand. */
function filtersOf(levels: number): fc.Arbitrary<TagFilter> {
  const leaf = fc.record({ operator, conditions });
  if (levels === 1) return leaf;
  const filters = fc.array(filtersOf(levels - 1), { minLength: 1, maxLength: 3 });
  return fc.oneof(leaf, fc.record({ operator, filters }), fc.record({ operator, conditions, filters }));
}

/** A filter of so many levels, the innermost with one condition. */
function nested(levels: number): unknown {
  let filter: unknown = { operator: "OR", conditions: [{ slug: "a" }] };
  for (let level = 1; level < levels; level += 1) filter = { operator: "OR", filters: [filter] };
  return filter;
}

onEachDatabase((http) => {
  const organization = async () => {
    const organization = await http.organization();
    const query = (body: unknown): Promise<Answer> => organization.call("POST", "/v1/user-tags/query", body);
    return { ...organization, query };
  };

  describe("a tag query", () => {
    test("finds whom its filter describes, oldest user first", async () => {
      const { query, ...acme } = await organization();
      const users = await tagged(acme);
      await fc.assert(
        fc.asyncProperty(filtersOf(4), async (filter) => {
          const found = users.filter(({ tags }) => matches(filter, tags)).map(({ user }) => user);
          const { length } = found;
          expect(await query({ filter, size: 100 })).toEqual(
            ok({
              content: found,
              totalElements: length,
              totalPages: length === 0 ? 0 : 1,
              number: 0,
              size: 100,
              first: true,
              last: true,
              empty: length === 0,
            }),
          );
        }),
        { numRuns: 40 },
      );
    });

    test("gives the first page of 20 unless told otherwise", async () => {
      const { query, acme } = await organization();
      const users = [];
      for (let at = 0; at < 21; at += 1) users.push(await acme.users.create({ email: `u${at}@example.com` }));
      const totals = { totalElements: 21, totalPages: 2, size: 20, empty: false };
      expect(await query({ filter: anybody })).toEqual(
        ok({ content: users.slice(0, 20), ...totals, number: 0, first: true, last: false }),
      );
      expect(await query({ filter: anybody, page: 1 })).toEqual(
        ok({ content: users.slice(20), ...totals, number: 1, first: false, last: true }),
      );
    });

    test("gives pages of 1 to 100, which put together are everybody", async () => {
      const acme = await organization();
      const users = (await tagged(acme)).map(({ user }) => user);
      for (const size of [1, 3, 8, 16, 100]) {
        const pages = Math.ceil(users.length / size);
        for (let page = 0; page < pages; page += 1) {
          expect(await acme.query({ filter: anybody, page, size })).toEqual(
            ok({
              content: users.slice(page * size, (page + 1) * size),
              totalElements: users.length,
              totalPages: pages,
              number: page,
              size,
              first: page === 0,
              last: page === pages - 1,
              empty: false,
            }),
          );
        }
      }
    });

    test("gives an empty last page with true totals past the end", async () => {
      const { query, acme } = await organization();
      for (let at = 0; at < 3; at += 1) await acme.users.create({ email: `u${at}@example.com` });
      for (const page of [2, 3, 1_000_000, Number.MAX_SAFE_INTEGER]) {
        expect(await query({ filter: anybody, page, size: 2 })).toEqual(
          ok({
            content: [],
            totalElements: 3,
            totalPages: 2,
            number: page,
            size: 2,
            first: false,
            last: true,
            empty: true,
          }),
        );
      }
    });

    test("of nobody has no pages, and the first is the last", async () => {
      const { query } = await organization();
      expect(await query({ filter: anybody })).toEqual(
        ok({
          content: [],
          totalElements: 0,
          totalPages: 0,
          number: 0,
          size: 20,
          first: true,
          last: true,
          empty: true,
        }),
      );
    });

    test("takes an unknown slug as a tag that nobody has", async () => {
      const { query, acme } = await organization();
      await acme.users.create({ email: "ada@example.com" });
      for (const slug of ["unknown", "", "A", "%", "x".repeat(10_000)]) {
        const conditions = [{ slug }];
        expect(await query({ filter: { operator: "OR", conditions } })).toMatchObject(
          ok({ totalElements: 0 }),
        );
        expect(await query({ filter: { operator: "NOT", conditions } })).toMatchObject(
          ok({ totalElements: 1 }),
        );
      }
    });

    test.each([0, 101, -1, -1_000_000])("refuses the size %d", async (size) => {
      const { query } = await organization();
      expect(await query({ filter: anybody, size })).toEqual(invalid("size"));
    });

    test("refuses a negative page", async () => {
      const { query } = await organization();
      expect(await query({ filter: anybody, page: -1 })).toEqual(invalid("page"));
      expect(await query({ filter: anybody, page: -1, size: 0 })).toEqual(invalid("page", "size"));
    });
  });

  describe("a tag filter", () => {
    test("is required", async () => {
      const { query } = await organization();
      expect(await query({})).toEqual(invalid("filter"));
      expect(await query({ filter: {} })).toEqual(invalid("filter", "filter.operator"));
      expect(await query({ filter: null })).toEqual(wrongType("filter"));
      expect(await query([])).toEqual(malformed);
    });

    test.each(["and", "XOR", "", " AND", "AND\u0000"])("can't have the operator %j", async (operator) => {
      const { query } = await organization();
      const filter = { operator, conditions: [{ slug: "a" }] };
      expect(await query({ filter })).toEqual(invalid("filter.operator"));
      expect(await query({ filter: { operator: "AND", filters: [nested(1), filter] } })).toEqual(
        invalid("filter.filters.1.operator"),
      );
    });

    test("needs an operand", async () => {
      const { query } = await organization();
      for (const empty of [
        { operator: "AND" },
        { operator: "NOT", conditions: [] },
        { operator: "OR", conditions: [], filters: [] },
      ]) {
        expect(await query({ filter: empty })).toEqual(invalid("filter"));
        expect(await query({ filter: { operator: "AND", filters: [empty] } })).toEqual(
          invalid("filter.filters.0"),
        );
      }
    });

    test("refuses unknown keys, inside a condition too", async () => {
      const { query } = await organization();
      const known = { operator: "AND", conditions: [{ slug: "a" }] };
      expect(await query({ filter: { ...known, condition: [] } })).toEqual(invalid("filter.condition"));
      expect(await query({ filter: { operator: "AND", conditions: [{ slug: "a", not: true }] } })).toEqual(
        invalid("filter.conditions.0.not"),
      );
      expect(await query({ filter: { ...known, filters: [{ ...known, Filters: [] }] } })).toEqual(
        invalid("filter.filters.0.Filters"),
      );
      expect(await query({ filter: known, unknown: true })).toMatchObject({ status: 200 });
    });

    test.each(["__proto__", "constructor", "prototype", "toString"])(
      "refuses %s as any unknown key",
      async (key) => {
        const { send } = await organization();
        const headers = { "content-type": "application/json" };
        for (const filter of [
          `{"operator":"OR","conditions":[{"slug":"a"}],"${key}":{"operator":"NOT"}}`,
          `{"operator":"OR","conditions":[{"slug":"a","${key}":{}}]}`,
        ]) {
          const body = `{"filter":${filter}}`;
          expect(await send("POST", "/v1/user-tags/query", { headers, body })).toMatchObject({ status: 422 });
        }
      },
    );

    test("reports all its wrong fields at once", async () => {
      const { query } = await organization();
      const filter = {
        operator: "and",
        conditions: [{ slug: "a" }, {}],
        filters: [{ operator: "NOT" }, { operator: "OR", conditions: [{ slug: "\ud800" }] }],
      };
      expect(await query({ filter, size: 0 })).toEqual(
        invalid(
          "filter.operator",
          "filter.conditions.1.slug",
          "filter.filters.0",
          "filter.filters.1.conditions.0.slug",
          "size",
        ),
      );
    });

    test("has at most 32 levels", async () => {
      const { query, acme } = await organization();
      await acme.users.create({ email: "ada@example.com" });
      expect(await query({ filter: nested(32) })).toMatchObject(ok({ totalElements: 0 }));
      for (const levels of [33, 100, 1_000])
        expect(await query({ filter: nested(levels) })).toEqual(invalid("filter"));
    });

    test("has at most 1,000 operands, conditions and nested filters together", async () => {
      const { query, acme } = await organization();
      const { id } = await acme.users.create({ email: "ada@example.com" });
      await acme.tags.create({ name: "Last" });
      await acme.tags.assign(id, "last");
      const conditions = (count: number) => [
        ...Array.from({ length: count - 1 }, (_, at) => ({ slug: `tag-${at}` })),
        { slug: "last" },
      ];
      const flat = (count: number) => ({ operator: "OR", conditions: conditions(count) });
      expect(await query({ filter: flat(1_000) })).toMatchObject(ok({ totalElements: 1 }));
      expect(await query({ filter: flat(1_001) })).toEqual(invalid("filter"));
      const mixed = (count: number) => ({
        operator: "OR",
        conditions: conditions(count - 501),
        filters: [{ operator: "OR", conditions: conditions(500) }],
      });
      expect(await query({ filter: mixed(1_000) })).toMatchObject(ok({ totalElements: 1 }));
      expect(await query({ filter: mixed(1_001) })).toEqual(invalid("filter"));
    });

    test("100,000 levels deep is refused, and the API goes on", async () => {
      const { send, call } = await organization();
      const open = '{"operator":"OR","filters":['.repeat(30_000);
      const headers = { "content-type": "application/json" };
      for (const body of [
        `{"filter":${open}${"]}".repeat(30_000)}}`,
        `{"filter":${"[".repeat(100_000)}${"]".repeat(100_000)}}`,
        `{"filter":{"operator":"OR","filters":${"[".repeat(100_000)}${"]".repeat(100_000)}}}`,
        `{"filter":{"operator":"OR","conditions":${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}}}`,
      ]) {
        const { status } = await send("POST", "/v1/user-tags/query", { headers, body });
        expect([400, 422]).toContain(status);
      }
      expect(await call("GET", "/v1/user-tags")).toEqual(ok([]));
    });
  });
});
