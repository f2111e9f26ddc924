import { describe, expect, test } from "vitest";
import { invalid, notFound, ok, wrongType } from "./answers.js";
import { onEachDatabase, onEveryMount } from "./every-mount.js";

onEachDatabase((http) => {
  const kinds = ["assign", "unassign"] as const;

  /** An organization with the tags "vip" and "gold", and so many users, each with an external id: c-0, c-1, … */
  const organization = async (users: number) => {
    const organization = await http.organization();
    const { acme, call } = organization;
    for (const name of ["VIP", "Gold"]) await acme.tags.create({ name });
    const ids: string[] = [];
    for (let at = 0; at < users; at += 1) {
      ids.push((await acme.users.create({ email: `${at}@example.com`, externalId: `c-${at}` })).id);
    }
    const change = (kind: (typeof kinds)[number], body: unknown, slug = "vip") =>
      call("POST", `/v1/user-tags/${slug}/users:${kind}`, body);
    const holders = async (slug = "vip") => {
      const all: string[] = [];
      for await (const { externalId } of acme.tags.users(slug)) all.push(externalId ?? "");
      return all;
    };
    return { ...organization, ids, change, holders };
  };
  const counts = (changed: number, unchanged: number) => ok({ changed, unchanged });
  const having = (slug: string) => ({ operator: "OR", conditions: [{ slug }] });
  const lacking = (slug: string) => ({ operator: "NOT", conditions: [{ slug }] });

  describe("a tag given to many users", () => {
    test("is given to those who lack it, by service ids and external ids alike", async () => {
      const { ids, change, holders } = await organization(4);
      const [first = "", second = ""] = ids;
      expect(await change("assign", { userIds: ["c-2", first] })).toEqual(counts(2, 0));
      expect(await change("assign", { userIds: [second, "c-0", "c-2"] })).toEqual(counts(1, 2));
      expect(await holders()).toEqual(["c-0", "c-1", "c-2"]);
    });

    test("is taken from those who have it", async () => {
      const { ids, change, holders } = await organization(4);
      const [first = ""] = ids;
      await change("assign", { userIds: ["c-0", "c-1", "c-2"] });
      expect(await change("unassign", { userIds: ["c-3", first, "c-2"] })).toEqual(counts(2, 1));
      expect(await holders()).toEqual(["c-1"]);
    });

    test("is refused with some of what is wrong, however much that is", async () => {
      const { change } = await organization(0);
      for (const wrong of [1, "a\0"]) {
        const { status, body } = await change("assign", { userIds: Array(10_000).fill(wrong) });
        expect(status).toBe(wrong === 1 ? 400 : 422);
        expect(JSON.stringify(body).length).toBeLessThan(10_000);
      }
    });

    test("counts a user who is named twice once, by whichever id", async () => {
      const { ids, change } = await organization(2);
      const [first = ""] = ids;
      const userIds = ["c-0", first, "c-0", "c-1", first];
      expect(await change("assign", { userIds })).toEqual(counts(2, 0));
      expect(await change("assign", { userIds })).toEqual(counts(0, 2));
      expect(await change("unassign", { userIds })).toEqual(counts(2, 0));
    });

    test("is given to all whom a filter finds, or taken from them", async () => {
      const { change, holders } = await organization(4);
      await change("assign", { userIds: ["c-1", "c-2"] }, "gold");
      expect(await change("assign", { filter: having("gold") })).toEqual(counts(2, 0));
      expect(await change("assign", { filter: lacking("unknown") })).toEqual(counts(2, 2));
      expect(await change("unassign", { filter: lacking("gold") })).toEqual(counts(2, 0));
      expect(await holders()).toEqual(["c-1", "c-2"]);
      expect(await holders("gold")).toEqual(["c-1", "c-2"]);
    });

    test("may be in the filter itself, which is asked before the change", async () => {
      const { change, holders } = await organization(3);
      await change("assign", { userIds: ["c-1"] });
      expect(await change("assign", { filter: having("vip") })).toEqual(counts(0, 1));
      expect(await change("unassign", { filter: lacking("vip") })).toEqual(counts(0, 2));
      expect(await change("assign", { filter: lacking("vip") })).toEqual(counts(2, 0));
      expect(await holders()).toEqual(["c-0", "c-1", "c-2"]);
      expect(await change("unassign", { filter: having("vip") })).toEqual(counts(3, 0));
      expect(await holders()).toEqual([]);
    });

    test("changes nobody when the filter finds nobody", async () => {
      const { acme, change } = await organization(2);
      const { next } = await acme.events.list();
      for (const kind of kinds) {
        expect(await change(kind, { filter: having("gold") })).toEqual(counts(0, 0));
        expect(await change(kind, { filter: having("unknown") })).toEqual(counts(0, 0));
      }
      expect(await acme.events.list({ after: next })).toEqual({ content: [], next });
    });

    test.each(kinds)("is not found, nor is one unknown user among known ones, to %s it", async (kind) => {
      const { acme, change, holders } = await organization(3);
      await change("assign", { userIds: ["c-1"] });
      const { next } = await acme.events.list();
      expect(await change(kind, { userIds: ["c-0"] }, "unknown")).toEqual(notFound);
      expect(await change(kind, { filter: having("vip") }, "unknown")).toEqual(notFound);
      for (const nobody of ["nobody", "", "C-2", "usr_0199a5d2-7c3e-7f10-9b1a-3d5c8e2f4a60", "🙂"]) {
        expect(await change(kind, { userIds: ["c-0", "c-1", nobody, "c-2"] }), nobody).toEqual(notFound);
      }
      expect(await holders()).toEqual(["c-1"]);
      expect(await acme.events.list({ after: next })).toEqual({ content: [], next });
    });
  });

  describe.each(kinds)("the body to %s a tag", (kind) => {
    test("has either userIds or a filter", async () => {
      const { change, holders } = await organization(1);
      for (const body of [{}, { userIds: ["c-0"], filter: having("gold") }, { ids: ["c-0"] }]) {
        expect(await change(kind, body)).toEqual(invalid("userIds"));
      }
      expect(await change(kind, { userIds: null })).toEqual(wrongType("userIds"));
      expect(await change(kind, { userIds: ["c-0"], filter: null })).toEqual(wrongType("filter"));
      expect(await holders()).toEqual([]);
    });

    test("has at least one user", async () => {
      const { change } = await organization(0);
      expect(await change(kind, { userIds: [] })).toEqual(invalid("userIds"));
    });

    test("is looked at before the tag", async () => {
      const { change } = await organization(0);
      expect(await change(kind, {}, "unknown")).toEqual(invalid("userIds"));
      expect(await change(kind, { userIds: ["c-0", 5, "\0"] }, "unknown")).toEqual(wrongType("userIds.1"));
      expect(await change(kind, { userIds: ["c-0", "\0"] }, "unknown")).toEqual(invalid("userIds.1"));
    });

    test("has at most 10,000 users, and of more none is looked at", async () => {
      const { change } = await organization(1);
      const most = Array.from({ length: 10_000 }, (_, at) => (at === 0 ? "c-0" : "c-00"));
      expect(await change(kind, { userIds: most })).toEqual(notFound);
      expect(await change(kind, { userIds: [...most, "c-0"] })).toEqual(invalid("userIds"));
      expect(await change(kind, { userIds: Array(100_000).fill(7) })).toEqual(invalid("userIds"));
      expect(await change(kind, { userIds: Array(50_000).fill("\0") })).toEqual(invalid("userIds"));
    });

    test("has a filter within the bounds of a tag query's", async () => {
      const { change } = await organization(1);
      const conditions = (length: number) => Array.from({ length }, (_, at) => ({ slug: `t-${at}` }));
      const nested = (levels: number): unknown =>
        levels === 1 ? having("gold") : { operator: "AND", filters: [nested(levels - 1)] };
      for (const filter of [nested(32), { operator: "AND", conditions: conditions(1_000) }]) {
        expect(await change(kind, { filter })).toEqual(counts(0, 0));
      }
      for (const filter of [
        nested(33),
        { operator: "AND", conditions: conditions(1_001) },
        { operator: "AND" },
      ]) {
        expect(await change(kind, { filter })).toEqual(invalid("filter"));
      }
      const misspelled = { operator: "and", conditions: [{ slug: "gold" }], filter: [] };
      expect(await change(kind, { filter: misspelled })).toEqual(invalid("filter.operator", "filter.filter"));
    });
  });
});

onEveryMount(
  (http) => {
    test("10,000 users at once get a tag and lose it again", async () => {
      const { acme, call } = await http.organization();
      await acme.tags.create({ name: "VIP" });
      const rows = Array.from({ length: 10_000 }, (_, at) => ({ email: `${at}@example.com` }));
      await acme.users.import(rows);
      const userIds: string[] = [];
      for await (const { id } of acme.users.list()) userIds.push(id);
      for (const kind of ["assign", "unassign"]) {
        const answer = await call("POST", `/v1/user-tags/vip/users:${kind}`, { userIds });
        expect(answer).toEqual(ok({ changed: 10_000, unchanged: 0 }));
      }
      expect(await acme.tags.verifyIndex()).toMatchObject({ wrong: [] });
    });
  },
  {
    only: ({ name }) => ["node:http", "Express after express.json()"].includes(name),
  },
);
