import { describe, expect, test } from "vitest";
import { hostActor } from "../kit/host-actor.js";
import { invalid, notFound, ok, wrongType } from "./answers.js";
import { readText } from "./client.js";
import { createWorld } from "./endpoints.js";
import { testOnEachDatabase } from "./every-mount.js";

testOnEachDatabase((http) => {
  /** Creates an organization with events of many kinds. */
  const openWithEvents = async () => {
    const organization = await createWorld(http);
    const { acme, world: resources, call } = organization;
    await acme.passes.markInstalled(resources.walletPassId);
    await acme.users.delete(resources.userId);
    await acme.tags.delete(resources.slug);
    const { content } = await acme.events.list({ limit: 1_000 });
    const listEvents = (query = "") => call("GET", `/v1/events${query}`);
    return { ...organization, all: content, listEvents };
  };

  describe("the list of events", () => {
    test("contains what happened, in order, with the same data as the API", async () => {
      const { acme, call } = await http.createOrganization();
      const tag = await acme.tags.create({ name: "VIP" });
      const user = await acme.users.create({ email: "ada@example.com", metadata: { a: [{ b: 1 }] } });
      await call("POST", "/v1/user-tags/vip/users:assign", { userIds: [user.id] });
      await call("DELETE", "/v1/user-tags/vip");
      await call("DELETE", `/v1/users/${user.id}`);
      const byToken = { ...hostActor, kind: "token", id: expect.stringMatching(/^akt_/) };
      const expectedEvent = (type: string, data: unknown, actor: unknown = byToken) => ({
        id: expect.stringMatching(/^evt_[0-9a-f-]{36}$/),
        type,
        timestamp: new Date(http.clock.now()).toISOString(),
        actor,
        data,
      });
      const content = [
        expectedEvent("user_tag.created", tag, hostActor),
        expectedEvent("user.created", user, hostActor),
        expectedEvent("user_tag.assigned", { userId: user.id, userTag: tag }),
        expectedEvent("user_tag.unassigned", { userId: user.id, userTag: tag }),
        expectedEvent("user_tag.deleted", tag),
        expectedEvent("user.deleted", { id: user.id, object: "user" }),
      ];
      expect(await call("GET", "/v1/events")).toEqual(ok({ content, next: expect.any(String) }));
    });

    test("is empty at first, and its `next` then leads to the first event", async () => {
      const { call, acme } = await http.createOrganization();
      const empty = await call("GET", "/v1/events");
      expect(empty).toEqual(ok({ content: [], next: "0" }));
      await acme.tags.create({ name: "VIP" });
      expect(await call("GET", "/v1/events?after=0")).toMatchObject(
        ok({ content: [{ type: "user_tag.created" }] }),
      );
    });

    test("is read page by page from the previous page's `next`, and misses nothing", async () => {
      const { acme, all, listEvents } = await openWithEvents();
      expect(all.length).toBeGreaterThan(8);
      for (const limit of [1, 2, all.length - 1, all.length, 1_000]) {
        const readEvents: unknown[] = [];
        let after = "0";
        while (readEvents.length < all.length) {
          const response = await listEvents(`?limit=${limit}&after=${after}`);
          expect(response).toEqual(
            ok({
              content: all.slice(readEvents.length, readEvents.length + limit),
              next: expect.any(String),
            }),
          );
          readEvents.push(...all.slice(readEvents.length, readEvents.length + limit));
          after = readText(response, "next");
        }
        expect(await listEvents(`?limit=${limit}&after=${after}`)).toEqual(ok({ content: [], next: after }));
      }
      const { next } = await acme.events.list({ limit: 1_000 });
      const { slug } = await acme.tags.create({ name: "Later" });
      expect(await listEvents(`?after=${next}`)).toMatchObject(ok({ content: [{ data: { slug } }] }));
    });

    test("may start with the newest events, and continues from there", async () => {
      const { acme, all, listEvents } = await openWithEvents();
      const newest = await listEvents("?newest=true&limit=3");
      expect(newest).toEqual(ok({ content: all.slice(-3), next: expect.any(String) }));
      expect(await listEvents("?newest=true&limit=1000")).toMatchObject(ok({ content: all }));
      expect(await listEvents("?newest=false&limit=2")).toMatchObject(ok({ content: all.slice(0, 2) }));
      // Filters only the newest events, and reads no others.
      const deletedEvents = all.slice(-3).filter(({ type }) => type === "user.deleted");
      const expectedPage = ok({ content: deletedEvents, next: readText(newest, "next") });
      expect(await listEvents("?newest=true&limit=3&types=user.deleted")).toEqual(expectedPage);
      const { slug } = await acme.tags.create({ name: "Later" });
      const later = await listEvents(`?after=${readText(newest, "next")}`);
      expect(later).toMatchObject(ok({ content: [{ data: { slug } }] }));
      expect(await listEvents("?newest=true&after=0")).toEqual(invalid("newest"));
      expect(await listEvents("?newest=1")).toEqual(wrongType("newest"));
    });

    test("contains only the id of an erased user, in the documented form", async () => {
      const { acme, world: resources, call } = await createWorld(http);
      await acme.passes.markInstalled(resources.walletPassId);
      await acme.users.erase(resources.userId);
      const user = { id: resources.userId, object: "user" };
      expect(await call("GET", "/v1/events")).toMatchObject(
        ok({
          content: expect.arrayContaining([expect.objectContaining({ type: "user.created", data: user })]),
        }),
      );
    });

    test("contains events that can also be read by id, and unknown ids are not found", async () => {
      const { acme, all, call } = await openWithEvents();
      for (const event of all) expect(await call("GET", `/v1/events/${event.id}`)).toEqual(ok(event));
      const events = all.map(({ id }) => acme.events.get(id));
      expect(await Promise.all(events)).toEqual(all);
      for (const id of ["evt_none", "evt_01993b5a-7b00-7000-8000-000000000000"])
        expect(await call("GET", `/v1/events/${id}`)).toEqual(notFound);
    });

    test("has 100 events by default", async () => {
      const { acme, call } = await http.createOrganization();
      await acme.users.import(Array.from({ length: 101 }, (_, at) => ({ email: `${at}@example.com` })));
      const { content, next } = await acme.events.list({ limit: 100 });
      expect(content).toHaveLength(100);
      expect(await call("GET", "/v1/events")).toEqual(ok({ content, next }));
    });

    test("may be limited to some types, separated by commas", async () => {
      const { all, listEvents } = await openWithEvents();
      for (const types of [
        ["user.created"],
        ["stamp.added", "pass.created"],
        ["user_tag.deleted", "user.created", "user.created"],
        ["template.deleted"],
      ]) {
        const content = all.filter(({ type }) => types.some((each) => each === type));
        const expected = ok({ content, next: expect.any(String) });
        expect(await listEvents(`?types=${types.join(",")}`)).toEqual(expected);
        expect(await listEvents(`?types=${encodeURIComponent(types.join(","))}`)).toEqual(expected);
      }
      expect(
        await listEvents(
          `?types=stamp.added&limit=1&after=${readText(await listEvents("?limit=3"), "next")}`,
        ),
      ).toEqual(ok({ content: [all.find(({ type }) => type === "stamp.added")], next: expect.any(String) }));
    });

    test.each([
      "",
      ",",
      "user.created,",
      "user.created, user.deleted",
      "user",
      "*",
      "USER.CREATED",
      "toString",
    ])("can't be limited to the types %j", async (types) => {
      const { call } = await http.createOrganization();
      expect(await call("GET", `/v1/events?types=${encodeURIComponent(types)}`)).toEqual(invalid("types"));
    });

    test.each(["", "x", "-1", "1.5", "%2B1", "%201", "1".repeat(16)])(
      "can't continue after %j",
      async (after) => {
        const { call } = await http.createOrganization();
        expect(await call("GET", `/v1/events?after=${after}`)).toEqual(invalid("after"));
      },
    );

    test.each(["0", "-1", "1001"])("can't have the limit %s", async (limit) => {
      const { call } = await http.createOrganization();
      expect(await call("GET", `/v1/events?limit=${limit}`)).toEqual(invalid("limit"));
    });

    test("is refused for all its wrong parameters in one response", async () => {
      const { call } = await http.createOrganization();
      expect(await call("GET", "/v1/events?after=x&types=y&limit=0")).toEqual(
        invalid("after", "types", "limit"),
      );
      expect(await call("GET", "/v1/events?after=x&limit=x")).toEqual(wrongType("limit"));
      expect(await call("GET", "/v1/events?limit=&types=user.created&types=user.deleted")).toEqual(
        wrongType("limit", "types"),
      );
      expect(await call("GET", "/v1/events?after=0&after=0")).toEqual(wrongType("after"));
    });
  });
});
