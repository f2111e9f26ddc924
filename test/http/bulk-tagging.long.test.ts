import { describe, expect, test } from "vitest";
import { invalid, notFound, ok, wrongType } from "./answers.js";
import { testOnEachDatabase, testOnEveryMount } from "./every-mount.js";

testOnEachDatabase((http) => {
  const kinds = ["assign", "unassign"] as const;

  /** Creates an organization with the tags "vip" and "gold" and this many users with external ids: c-0, c-1, … */
  const openOrganization = async (users: number) => {
    const organization = await http.createOrganization();
    const { acme, call } = organization;
    for (const name of ["VIP", "Gold"]) await acme.tags.create({ name });
    const ids: string[] = [];
    for (let at = 0; at < users; at += 1) {
      ids.push((await acme.users.create({ email: `${at}@example.com`, externalId: `c-${at}` })).id);
    }
    const changeTags = (kind: (typeof kinds)[number], body: unknown, slug = "vip") =>
      call("POST", `/v1/user-tags/${slug}/users:${kind}`, body);
    const listHolders = async (slug = "vip") => {
      const all: string[] = [];
      for await (const { externalId } of acme.tags.users(slug)) all.push(externalId ?? "");
      return all;
    };
    return { ...organization, ids, changeTags, listHolders };
  };
  const expectedCounts = (changed: number, unchanged: number) => ok({ changed, unchanged });
  const filterWith = (slug: string) => ({ operator: "OR", conditions: [{ slug }] });
  const filterWithout = (slug: string) => ({ operator: "NOT", conditions: [{ slug }] });

  describe("bulk tagging", () => {
    test("assigns a tag to the users without it, by service ids and external ids alike", async () => {
      const { ids, changeTags, listHolders } = await openOrganization(4);
      const [first = "", second = ""] = ids;
      expect(await changeTags("assign", { userIds: ["c-2", first] })).toEqual(expectedCounts(2, 0));
      expect(await changeTags("assign", { userIds: [second, "c-0", "c-2"] })).toEqual(expectedCounts(1, 2));
      expect(await listHolders()).toEqual(["c-0", "c-1", "c-2"]);
    });

    test("unassigns a tag from the users who have it", async () => {
      const { ids, changeTags, listHolders } = await openOrganization(4);
      const [first = ""] = ids;
      await changeTags("assign", { userIds: ["c-0", "c-1", "c-2"] });
      expect(await changeTags("unassign", { userIds: ["c-3", first, "c-2"] })).toEqual(expectedCounts(2, 1));
      expect(await listHolders()).toEqual(["c-1"]);
    });

    test("lists only some of 10,000 wrong ids in its error", async () => {
      const { changeTags } = await openOrganization(0);
      for (const wrong of [1, "a\0"]) {
        const { status, body } = await changeTags("assign", { userIds: Array(10_000).fill(wrong) });
        expect(status).toBe(wrong === 1 ? 400 : 422);
        expect(JSON.stringify(body).length).toBeLessThan(10_000);
      }
    });

    test("counts a user who is named twice only once, even by different ids", async () => {
      const { ids, changeTags } = await openOrganization(2);
      const [first = ""] = ids;
      const userIds = ["c-0", first, "c-0", "c-1", first];
      expect(await changeTags("assign", { userIds })).toEqual(expectedCounts(2, 0));
      expect(await changeTags("assign", { userIds })).toEqual(expectedCounts(0, 2));
      expect(await changeTags("unassign", { userIds })).toEqual(expectedCounts(2, 0));
    });

    test("assigns a tag to all users that match a filter, or unassigns it from them", async () => {
      const { changeTags, listHolders } = await openOrganization(4);
      await changeTags("assign", { userIds: ["c-1", "c-2"] }, "gold");
      expect(await changeTags("assign", { filter: filterWith("gold") })).toEqual(expectedCounts(2, 0));
      expect(await changeTags("assign", { filter: filterWithout("unknown") })).toEqual(expectedCounts(2, 2));
      expect(await changeTags("unassign", { filter: filterWithout("gold") })).toEqual(expectedCounts(2, 0));
      expect(await listHolders()).toEqual(["c-1", "c-2"]);
      expect(await listHolders("gold")).toEqual(["c-1", "c-2"]);
    });

    test("may filter by the tag that it changes, and evaluates the filter before the change", async () => {
      const { changeTags, listHolders } = await openOrganization(3);
      await changeTags("assign", { userIds: ["c-1"] });
      expect(await changeTags("assign", { filter: filterWith("vip") })).toEqual(expectedCounts(0, 1));
      expect(await changeTags("unassign", { filter: filterWithout("vip") })).toEqual(expectedCounts(0, 2));
      expect(await changeTags("assign", { filter: filterWithout("vip") })).toEqual(expectedCounts(2, 0));
      expect(await listHolders()).toEqual(["c-0", "c-1", "c-2"]);
      expect(await changeTags("unassign", { filter: filterWith("vip") })).toEqual(expectedCounts(3, 0));
      expect(await listHolders()).toEqual([]);
    });

    test("changes nothing if the filter matches no user", async () => {
      const { acme, changeTags } = await openOrganization(2);
      const { next } = await acme.events.list();
      for (const kind of kinds) {
        expect(await changeTags(kind, { filter: filterWith("gold") })).toEqual(expectedCounts(0, 0));
        expect(await changeTags(kind, { filter: filterWith("unknown") })).toEqual(expectedCounts(0, 0));
      }
      expect(await acme.events.list({ after: next })).toEqual({ content: [], next });
    });

    test.each(kinds)(
      "returns 404 to %s with an unknown tag or one unknown user, and changes nothing",
      async (kind) => {
        const { acme, changeTags, listHolders } = await openOrganization(3);
        await changeTags("assign", { userIds: ["c-1"] });
        const { next } = await acme.events.list();
        expect(await changeTags(kind, { userIds: ["c-0"] }, "unknown")).toEqual(notFound);
        expect(await changeTags(kind, { filter: filterWith("vip") }, "unknown")).toEqual(notFound);
        for (const emptyBody of ["nobody", "", "C-2", "usr_0199a5d2-7c3e-7f10-9b1a-3d5c8e2f4a60", "🙂"]) {
          expect(await changeTags(kind, { userIds: ["c-0", "c-1", emptyBody, "c-2"] }), emptyBody).toEqual(
            notFound,
          );
        }
        expect(await listHolders()).toEqual(["c-1"]);
        expect(await acme.events.list({ after: next })).toEqual({ content: [], next });
      },
    );
  });

  describe.each(kinds)("the body to %s a tag", (kind) => {
    test("has either userIds or a filter", async () => {
      const { changeTags, listHolders } = await openOrganization(1);
      for (const body of [{}, { userIds: ["c-0"], filter: filterWith("gold") }, { ids: ["c-0"] }]) {
        expect(await changeTags(kind, body)).toEqual(invalid("userIds"));
      }
      expect(await changeTags(kind, { userIds: null })).toEqual(wrongType("userIds"));
      expect(await changeTags(kind, { userIds: ["c-0"], filter: null })).toEqual(wrongType("filter"));
      expect(await listHolders()).toEqual([]);
    });

    test("has at least one user", async () => {
      const { changeTags } = await openOrganization(0);
      expect(await changeTags(kind, { userIds: [] })).toEqual(invalid("userIds"));
    });

    test("is validated before the tag is looked up", async () => {
      const { changeTags } = await openOrganization(0);
      expect(await changeTags(kind, {}, "unknown")).toEqual(invalid("userIds"));
      expect(await changeTags(kind, { userIds: ["c-0", 5, "\0"] }, "unknown")).toEqual(
        wrongType("userIds.1"),
      );
      expect(await changeTags(kind, { userIds: ["c-0", "\0"] }, "unknown")).toEqual(invalid("userIds.1"));
    });

    test("has at most 10,000 users, and the ids of a longer list are not validated", async () => {
      const { changeTags } = await openOrganization(1);
      const maxIds = Array.from({ length: 10_000 }, (_, at) => (at === 0 ? "c-0" : "c-00"));
      expect(await changeTags(kind, { userIds: maxIds })).toEqual(notFound);
      expect(await changeTags(kind, { userIds: [...maxIds, "c-0"] })).toEqual(invalid("userIds"));
      expect(await changeTags(kind, { userIds: Array(100_000).fill(7) })).toEqual(invalid("userIds"));
      expect(await changeTags(kind, { userIds: Array(50_000).fill("\0") })).toEqual(invalid("userIds"));
    });

    test("has a filter within the limits of a tag query", async () => {
      const { changeTags } = await openOrganization(1);
      const buildConditions = (length: number) => Array.from({ length }, (_, at) => ({ slug: `t-${at}` }));
      const nestFilter = (levels: number): unknown =>
        levels === 1 ? filterWith("gold") : { operator: "AND", filters: [nestFilter(levels - 1)] };
      for (const filter of [nestFilter(32), { operator: "AND", conditions: buildConditions(1_000) }]) {
        expect(await changeTags(kind, { filter })).toEqual(expectedCounts(0, 0));
      }
      for (const filter of [
        nestFilter(33),
        { operator: "AND", conditions: buildConditions(1_001) },
        { operator: "AND" },
      ]) {
        expect(await changeTags(kind, { filter })).toEqual(invalid("filter"));
      }
      const misspelledFilter = { operator: "and", conditions: [{ slug: "gold" }], filter: [] };
      expect(await changeTags(kind, { filter: misspelledFilter })).toEqual(
        invalid("filter.operator", "filter.filter"),
      );
    });
  });
});

testOnEveryMount(
  (http) => {
    test("10,000 users get a tag in one request and lose it in another", async () => {
      const { acme, call } = await http.createOrganization();
      await acme.tags.create({ name: "VIP" });
      const rows = Array.from({ length: 10_000 }, (_, at) => ({ email: `${at}@example.com` }));
      await acme.users.import(rows);
      const userIds: string[] = [];
      for await (const { id } of acme.users.list()) userIds.push(id);
      for (const kind of ["assign", "unassign"]) {
        const response = await call("POST", `/v1/user-tags/vip/users:${kind}`, { userIds });
        expect(response).toEqual(ok({ changed: 10_000, unchanged: 0 }));
      }
      expect(await acme.tags.verifyIndex()).toMatchObject({ wrong: [] });
    });
  },
  {
    only: ({ name }) => ["node:http", "Express after express.json()"].includes(name),
  },
);
