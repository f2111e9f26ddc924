import fc from "fast-check";
import type { TagFilter } from "loyalty-kit";
import { describe, expect, test } from "vitest";
import { invalid, malformed, ok, wrongType } from "./answers.js";
import type { TestResponse } from "./client.js";
import { type TestOrganization, testOnEachDatabase } from "./every-mount.js";

const slugs = ["a", "b", "c", "d"];
const everyoneFilter = { operator: "NOT", conditions: [{ slug: "nobody" }] };

/** Creates users, each with a different subset of the tags a, b, c and d. */
async function createTaggedUsers({ acme }: TestOrganization) {
  for (const name of slugs) await acme.tags.create({ name });
  const users = [];
  for (let setNumber = 0; setNumber < 2 ** slugs.length; setNumber += 1) {
    const user = await acme.users.create({ email: `user${setNumber}@example.com` });
    const tags = slugs.filter((_, at) => setNumber & (1 << at));
    for (const slug of tags) await acme.tags.assign(user.id, slug);
    users.push({ user, tags });
  }
  return users;
}

/** Returns whether a user matches a filter, as the API defines it. */
function isMatch({ operator, conditions = [], filters = [] }: TagFilter, tags: readonly string[]): boolean {
  const operands = [
    ...conditions.map(({ slug }) => tags.includes(slug)),
    ...filters.map((filter) => isMatch(filter, tags)),
  ];
  if (operator === "AND") return operands.every(Boolean);
  return operands.some(Boolean) === (operator === "OR");
}

const operator = fc.constantFrom("AND", "OR", "NOT");
const conditions = fc.array(fc.record({ slug: fc.constantFrom(...slugs, "unknown") }), {
  minLength: 1,
  maxLength: 3,
});

/** Returns filters of at most this many levels, each with an operand. */
function arbitraryFilter(levels: number): fc.Arbitrary<TagFilter> {
  const leaf = fc.record({ operator, conditions });
  if (levels === 1) return leaf;
  const filters = fc.array(arbitraryFilter(levels - 1), { minLength: 1, maxLength: 3 });
  return fc.oneof(leaf, fc.record({ operator, filters }), fc.record({ operator, conditions, filters }));
}

/** Builds a filter of this many levels, the innermost with one condition. */
function nestFilter(levels: number): unknown {
  let filter: unknown = { operator: "OR", conditions: [{ slug: "a" }] };
  for (let level = 1; level < levels; level += 1) filter = { operator: "OR", filters: [filter] };
  return filter;
}

testOnEachDatabase((http) => {
  const openOrganization = async () => {
    const organization = await http.createOrganization();
    const queryTags = (body: unknown): Promise<TestResponse> =>
      organization.call("POST", "/v1/user-tags/query", body);
    return { ...organization, queryTags };
  };

  describe("a tag query", () => {
    test("finds the users that match its filter, oldest first", async () => {
      const { queryTags, ...acme } = await openOrganization();
      const users = await createTaggedUsers(acme);
      await fc.assert(
        fc.asyncProperty(arbitraryFilter(4), async (filter) => {
          const found = users.filter(({ tags }) => isMatch(filter, tags)).map(({ user }) => user);
          const { length } = found;
          expect(await queryTags({ filter, size: 100 })).toEqual(
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

    test("returns the first page of 20 by default", async () => {
      const { queryTags, acme } = await openOrganization();
      const users = [];
      for (let at = 0; at < 21; at += 1) users.push(await acme.users.create({ email: `u${at}@example.com` }));
      const totals = { totalElements: 21, totalPages: 2, size: 20, empty: false };
      expect(await queryTags({ filter: everyoneFilter })).toEqual(
        ok({ content: users.slice(0, 20), ...totals, number: 0, first: true, last: false }),
      );
      expect(await queryTags({ filter: everyoneFilter, page: 1 })).toEqual(
        ok({ content: users.slice(20), ...totals, number: 1, first: false, last: true }),
      );
    });

    test("returns pages of 1 to 100, which together contain all users", async () => {
      const acme = await openOrganization();
      const users = (await createTaggedUsers(acme)).map(({ user }) => user);
      for (const size of [1, 3, 8, 16, 100]) {
        const pages = Math.ceil(users.length / size);
        for (let page = 0; page < pages; page += 1) {
          expect(await acme.queryTags({ filter: everyoneFilter, page, size })).toEqual(
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

    test("returns an empty last page with correct totals past the end", async () => {
      const { queryTags, acme } = await openOrganization();
      for (let at = 0; at < 3; at += 1) await acme.users.create({ email: `u${at}@example.com` });
      for (const page of [2, 3, 1_000_000, Number.MAX_SAFE_INTEGER]) {
        expect(await queryTags({ filter: everyoneFilter, page, size: 2 })).toEqual(
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

    test("without a match has no pages, and the first is the last", async () => {
      const { queryTags } = await openOrganization();
      expect(await queryTags({ filter: everyoneFilter })).toEqual(
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

    test("treats an unknown slug as a tag that no user has", async () => {
      const { queryTags, acme } = await openOrganization();
      await acme.users.create({ email: "ada@example.com" });
      for (const slug of ["unknown", "", "A", "%", "x".repeat(10_000)]) {
        const conditions = [{ slug }];
        expect(await queryTags({ filter: { operator: "OR", conditions } })).toMatchObject(
          ok({ totalElements: 0 }),
        );
        expect(await queryTags({ filter: { operator: "NOT", conditions } })).toMatchObject(
          ok({ totalElements: 1 }),
        );
      }
    });

    test.each([0, 101, -1, -1_000_000])("refuses the size %d", async (size) => {
      const { queryTags } = await openOrganization();
      expect(await queryTags({ filter: everyoneFilter, size })).toEqual(invalid("size"));
    });

    test("refuses a negative page", async () => {
      const { queryTags } = await openOrganization();
      expect(await queryTags({ filter: everyoneFilter, page: -1 })).toEqual(invalid("page"));
      expect(await queryTags({ filter: everyoneFilter, page: -1, size: 0 })).toEqual(invalid("page", "size"));
    });
  });

  describe("a tag filter", () => {
    test("is required", async () => {
      const { queryTags } = await openOrganization();
      expect(await queryTags({})).toEqual(invalid("filter"));
      expect(await queryTags({ filter: {} })).toEqual(invalid("filter", "filter.operator"));
      expect(await queryTags({ filter: null })).toEqual(wrongType("filter"));
      expect(await queryTags([])).toEqual(malformed);
    });

    test.each(["and", "XOR", "", " AND", "AND\u0000"])("can't have the operator %j", async (operator) => {
      const { queryTags } = await openOrganization();
      const filter = { operator, conditions: [{ slug: "a" }] };
      expect(await queryTags({ filter })).toEqual(invalid("filter.operator"));
      expect(await queryTags({ filter: { operator: "AND", filters: [nestFilter(1), filter] } })).toEqual(
        invalid("filter.filters.1.operator"),
      );
    });

    test("requires an operand", async () => {
      const { queryTags } = await openOrganization();
      for (const empty of [
        { operator: "AND" },
        { operator: "NOT", conditions: [] },
        { operator: "OR", conditions: [], filters: [] },
      ]) {
        expect(await queryTags({ filter: empty })).toEqual(invalid("filter"));
        expect(await queryTags({ filter: { operator: "AND", filters: [empty] } })).toEqual(
          invalid("filter.filters.0"),
        );
      }
    });

    test("refuses unknown keys, even inside a condition", async () => {
      const { queryTags } = await openOrganization();
      const knownFilter = { operator: "AND", conditions: [{ slug: "a" }] };
      expect(await queryTags({ filter: { ...knownFilter, condition: [] } })).toEqual(
        invalid("filter.condition"),
      );
      expect(
        await queryTags({ filter: { operator: "AND", conditions: [{ slug: "a", not: true }] } }),
      ).toEqual(invalid("filter.conditions.0.not"));
      expect(
        await queryTags({ filter: { ...knownFilter, filters: [{ ...knownFilter, Filters: [] }] } }),
      ).toEqual(invalid("filter.filters.0.Filters"));
      expect(await queryTags({ filter: knownFilter, unknown: true })).toMatchObject({ status: 200 });
    });

    test.each(["__proto__", "constructor", "prototype", "toString"])(
      "refuses %s like any unknown key",
      async (key) => {
        const { send } = await openOrganization();
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

    test("is refused for all its wrong fields in one response", async () => {
      const { queryTags } = await openOrganization();
      const filter = {
        operator: "and",
        conditions: [{ slug: "a" }, {}],
        filters: [{ operator: "NOT" }, { operator: "OR", conditions: [{ slug: "\ud800" }] }],
      };
      expect(await queryTags({ filter, size: 0 })).toEqual(
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
      const { queryTags, acme } = await openOrganization();
      await acme.users.create({ email: "ada@example.com" });
      expect(await queryTags({ filter: nestFilter(32) })).toMatchObject(ok({ totalElements: 0 }));
      for (const levels of [33, 100, 1_000])
        expect(await queryTags({ filter: nestFilter(levels) })).toEqual(invalid("filter"));
    });

    test("has at most 1,000 operands, conditions and nested filters together", async () => {
      const { queryTags, acme } = await openOrganization();
      const { id } = await acme.users.create({ email: "ada@example.com" });
      await acme.tags.create({ name: "Last" });
      await acme.tags.assign(id, "last");
      const buildConditions = (count: number) => [
        ...Array.from({ length: count - 1 }, (_, at) => ({ slug: `tag-${at}` })),
        { slug: "last" },
      ];
      const buildFlatFilter = (count: number) => ({ operator: "OR", conditions: buildConditions(count) });
      expect(await queryTags({ filter: buildFlatFilter(1_000) })).toMatchObject(ok({ totalElements: 1 }));
      expect(await queryTags({ filter: buildFlatFilter(1_001) })).toEqual(invalid("filter"));
      const buildMixedFilter = (count: number) => ({
        operator: "OR",
        conditions: buildConditions(count - 501),
        filters: [{ operator: "OR", conditions: buildConditions(500) }],
      });
      expect(await queryTags({ filter: buildMixedFilter(1_000) })).toMatchObject(ok({ totalElements: 1 }));
      expect(await queryTags({ filter: buildMixedFilter(1_001) })).toEqual(invalid("filter"));
    });

    test("100,000 levels deep is refused, and the API continues to work", async () => {
      const { send, call } = await openOrganization();
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
