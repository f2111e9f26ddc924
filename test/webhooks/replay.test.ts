import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import { serviceInternals } from "../../src/internals.js";
import { someEmail } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { appendEvents } from "../kit/filled-outbox.js";
import { hostActor } from "../kit/host-actor.js";
import { getErrorDetail, getRefusedFields, notFound, untyped, wrongType } from "../kit/refusal.js";
import { createResult, openHooks } from "./hooks.js";

const disabled = { code: "webhook_endpoint_disabled", params: null };
const always = { since: "2000-01-01T00:00:00Z", until: "2999-01-01T00:00:00Z" };

const toIso = (ms: number) => new Date(ms).toISOString();

describe.each(everyAdapter)("a replay on $name", ({ open }) => {
  it("of a delivery sends the same event with the same body, as long as the outbox contains it", async () => {
    const storage = await open();
    const {
      acme,
      id,
      clock,
      createEvents: happen,
      attemptDeliveries: attempt,
      claim,
    } = await openHooks({ storage });
    const [eventId] = await happen();
    const [first] = await attempt();
    const deliveryId = first?.deliveryId ?? "";
    expect(await acme.webhooks.replay(id, { deliveryId })).toEqual({ deliveries: 1 });
    const [second] = await claim();
    expect(second).toMatchObject({ eventId, body: first?.body, attempt: 1 });
    expect(second?.deliveryId).not.toBe(deliveryId);
    clock.move(60_000);
    await attempt();
    await storage.transaction("acme", (tx) =>
      tx.removeEvents({ since: clock.now + 1, atMost: 1 }, { after: 0, limit: 100 }),
    );
    expect(await getErrorDetail(acme.webhooks.replay(id, { deliveryId }))).toEqual(notFound);
    expect(await getErrorDetail(acme.webhooks.replay(id, { eventId: eventId ?? "" }))).toEqual(notFound);
  });

  it("of a test's delivery sends it again, although its event was in no outbox", async () => {
    const { acme, id, attemptDeliveries: attempt, claim } = await openHooks({ storage: await open() });
    const { id: deliveryId, eventId } = await acme.webhooks.test(id);
    const [first] = await attempt();
    expect(await acme.webhooks.replay(id, { deliveryId })).toEqual({ deliveries: 1 });
    expect(await claim()).toMatchObject([{ eventId, body: first?.body }]);
    expect(await getErrorDetail(acme.webhooks.replay(id, { eventId }))).toEqual(notFound);
  });

  it("is refused, like a test, if there is no capacity for more pending deliveries", async () => {
    const storage = await open();
    const limits = { pendingDeliveriesPerEndpoint: 5, pendingDeliveries: 7 };
    const {
      acme,
      id,
      createEvents: happen,
      attemptDeliveries: attempt,
    } = await openHooks({ storage, limits });
    const full = { code: "too_many_pending_deliveries", params: null };
    const [eventId = ""] = await happen(3);
    expect(await getErrorDetail(acme.webhooks.replay(id, always))).toEqual(full);
    await acme.webhooks.test(id);
    await acme.webhooks.replay(id, { eventId });
    expect(await getErrorDetail(acme.webhooks.replay(id, { eventId }))).toEqual(full);
    expect(await getErrorDetail(acme.webhooks.test(id))).toEqual(full);
    expect((await acme.webhooks.deliveries(id)).content).toHaveLength(5);
    const other = (await acme.webhooks.create({ url: "https://example.com" })).webhookEndpoint;
    expect(await getErrorDetail(acme.webhooks.replay(other.id, always))).toEqual(full);
    await attempt();
    expect(await acme.webhooks.replay(other.id, always)).toEqual({ deliveries: 3 });
  });

  it("of an event sends it, regardless of the endpoint's types and of its time", async () => {
    const { acme, id, fanOut, claim } = await openHooks({ storage: await open() });
    await acme.webhooks.update(id, { types: ["user_tag.created"] });
    await acme.users.create({ email: someEmail() });
    await fanOut();
    const [event] = (await acme.events.list()).content;
    expect(await acme.webhooks.replay(id, { eventId: event?.id ?? "" })).toEqual({ deliveries: 1 });
    expect((await claim()).map(({ body }) => body)).toEqual([JSON.stringify(event)]);
  });

  it("of a period sends the events from its start to before its end, in order, of the endpoint's types", async () => {
    const { acme, id, clock, attemptDeliveries: attempt, claim } = await openHooks({ storage: await open() });
    const start = clock.now;
    for (let at = 0; at < 6; at += 1) {
      await acme.users.create({ email: someEmail() });
      await acme.tags.create({ name: `Tag ${at}` });
      clock.move(1_000);
    }
    await attempt();
    await acme.webhooks.update(id, { types: ["user_tag.created"] });
    const time = { since: toIso(start + 1_000), until: toIso(start + 4_000) };
    expect(await acme.webhooks.replay(id, time)).toEqual({ deliveries: 3 });
    const names = (await claim()).map(({ body }) => JSON.parse(body).data.name);
    expect(names).toEqual(["Tag 1", "Tag 2", "Tag 3"]);
    const none = { since: toIso(start - 5_000), until: toIso(start) };
    expect(await acme.webhooks.replay(id, none)).toEqual({ deliveries: 0 });
  });

  it("of events that an endpoint missed while it was disabled sends them all", async () => {
    const { acme, id, clock, createEvents: happen, claim } = await openHooks({ storage: await open() });
    await acme.webhooks.update(id, { isDisabled: true });
    const since = toIso(clock.now);
    const missed = await happen(3);
    expect(await getErrorDetail(acme.webhooks.replay(id, always))).toEqual(disabled);
    expect(await getErrorDetail(acme.webhooks.replay(id, { eventId: missed[0] ?? "" }))).toEqual(disabled);
    expect(await getErrorDetail(acme.webhooks.test(id))).toEqual(disabled);
    await acme.webhooks.update(id, { isDisabled: false });
    const until = toIso(clock.now + 1);
    expect(await acme.webhooks.replay(id, { since, until })).toEqual({ deliveries: 3 });
    expect((await claim()).map(({ eventId }) => eventId)).toEqual(missed);
  });

  it("finds nothing of another endpoint or another organization", async () => {
    const {
      acme,
      loyalty,
      id,
      createEvents: happen,
      attemptDeliveries: attempt,
    } = await openHooks({ storage: await open() });
    const [eventId = ""] = await happen();
    const [job] = await attempt();
    const deliveryId = job?.deliveryId ?? "";
    const url = "https://example.com";
    const own = (await acme.webhooks.create({ url })).webhookEndpoint;
    expect(await getErrorDetail(acme.webhooks.replay(own.id, { deliveryId }))).toEqual(notFound);
    const globex = loyalty.organization("globex").webhooks;
    const foreign = (await globex.create({ url })).webhookEndpoint;
    for (const replay of [{ deliveryId }, { eventId }]) {
      expect(await getErrorDetail(globex.replay(foreign.id, replay))).toEqual(notFound);
    }
    expect(await globex.replay(foreign.id, always)).toEqual({ deliveries: 0 });
    for (const replay of [{ deliveryId: "none" }, { eventId: "none" }, { deliveryId: eventId }]) {
      expect(await getErrorDetail(acme.webhooks.replay(id, replay))).toEqual(notFound);
    }
    expect((await acme.webhooks.deliveries(id)).content).toHaveLength(1);
  });
});

describe("a replay", () => {
  it("sends at most 10,000 events, and none if there are more", async () => {
    const storage = memoryStorage();
    const { acme, id, clock } = await openHooks({ storage });
    const start = clock.now;
    await appendEvents(storage, "acme", 10_001, (at) => start + at * 10);
    clock.move(1_000_000);
    const replay = (until: number) => acme.webhooks.replay(id, { since: toIso(start), until: toIso(until) });
    expect(await getRefusedFields(replay(start + 100_010))).toEqual(["until"]);
    expect((await acme.webhooks.deliveries(id)).content).toEqual([]);
    expect(await replay(start + 100_000)).toEqual({ deliveries: 10_000 });
  });

  it("of many events is split into transactions, between which others can write", async () => {
    const storage = memoryStorage();
    const { acme, id, clock } = await openHooks({ storage });
    await appendEvents(storage, "acme", 2_000, () => clock.now);
    const transaction = storage.transaction.bind(storage);
    let transactions = 0;
    storage.transaction = (organizationId, work, options) => {
      transactions += 1;
      return transaction(organizationId, work, options);
    };
    expect(await acme.webhooks.replay(id, always)).toEqual({ deliveries: 2_000 });
    expect(transactions).toBe(4);
  });

  it("of a period finds events whose clocks differed by at most a minute", async () => {
    const { acme, id, clock, attemptDeliveries: attempt, claim } = await openHooks();
    const start = clock.now;
    const eventIds = new Map<number, string>();
    for (const at of [0, 59_000, 10_000, 20_000, 30_000, 90_000, 60_000]) {
      clock.now = start + at;
      await acme.tags.create({ name: `At ${at}` });
      eventIds.set(at, (await acme.events.list()).content.at(-1)?.id ?? "");
    }
    clock.now = start + 100_000;
    await attempt();
    await acme.webhooks.replay(id, { since: toIso(start + 30_000), until: toIso(start + 70_000) });
    const found = (await claim()).map(({ eventId }) => eventId);
    expect(found).toEqual([59_000, 30_000, 60_000].map((at) => eventIds.get(at)));
  });

  it.each([
    ["deliveryId", {}],
    ["deliveryId", { deliveryId: "a", eventId: "b" }],
    ["deliveryId", { eventId: "a", ...always }],
    ["deliveryId", { deliveryId: "a", since: always.since }],
    ["until", { since: always.since }],
    ["since", { until: always.until }],
    ["since", { since: "yesterday", until: always.until }],
    ["until", { since: always.since, until: "2001-02-30T00:00:00Z" }],
    ["until", { since: always.until, until: always.since }],
    ["until", { since: always.since, until: always.since }],
    ["eventId", { eventId: "\0" }],
  ])("is rejected at %s for the input %j", async (field, replay) => {
    const { acme, id } = await openHooks();
    expect(await getRefusedFields(acme.webhooks.replay(id, replay))).toEqual([field]);
  });

  it("is rejected for wrong types, including null", async () => {
    const { acme, id } = await openHooks();
    const wrong = untyped({ deliveryId: null, eventId: 5, since: 6, until: true });
    expect(await getErrorDetail(acme.webhooks.replay(id, wrong))).toEqual(
      wrongType("deliveryId", "eventId", "since", "until"),
    );
  });
});

describe.each(everyAdapter)("a test on $name", ({ open }) => {
  it("sends the endpoint to itself, in an event that exists nowhere else", async () => {
    const { acme, id, clock, claim } = await openHooks({ storage: await open() });
    await acme.webhooks.create({ url: "https://example.com" });
    await acme.webhooks.update(id, { types: ["user_tag.created"] });
    const before = (await acme.events.list()).content;
    const delivery = await acme.webhooks.test(id);
    expect(delivery).toEqual({
      id: expect.stringMatching(/^whd_[0-9a-f-]{36}$/),
      object: "webhook_delivery",
      webhookEndpointId: id,
      eventId: expect.stringMatching(/^evt_[0-9a-f-]{36}$/),
      eventType: "webhook.test",
      status: "pending",
      attempts: [],
      nextAttemptAt: clock.timestamp,
      createdAt: clock.timestamp,
      updatedAt: clock.timestamp,
    });
    expect((await acme.webhooks.deliveries(id)).content).toEqual([delivery]);
    const [job] = await claim();
    expect(JSON.parse(job?.body ?? "")).toEqual({
      id: delivery.eventId,
      type: "webhook.test",
      timestamp: clock.timestamp,
      actor: hostActor,
      data: await acme.webhooks.get(id),
    });
    expect((await acme.events.list()).content).toEqual(before);
  });
});

describe.each(everyAdapter)("the list of deliveries on $name", ({ open }) => {
  it("shows each attempt, newest delivery first", async () => {
    const {
      acme,
      id,
      clock,
      createEvents: happen,
      attemptDeliveries: attempt,
    } = await openHooks({ storage: await open() });
    const [first] = await happen();
    const start = clock.now;
    await attempt({ status: 500, duration: 30, response: "é 😀" });
    const [second] = await happen();
    clock.now = start + 6_000;
    await attempt({ status: null, response: null, error: "no answer", duration: 15_000 });
    const createAttempts = (
      rows: readonly (readonly [number, number, number, unknown, unknown, unknown])[],
    ) =>
      rows.map(([number, at, duration, status, response, error]) => {
        return { number, startedAt: toIso(start + at), duration, status, answer: response, error };
      });
    expect((await acme.webhooks.deliveries(id)).content).toMatchObject([
      {
        eventId: second,
        eventType: "user.created",
        status: "pending",
        nextAttemptAt: toIso(start + 26_000),
        attempts: createAttempts([[1, 6_000, 15_000, null, null, "no answer"]]),
      },
      {
        eventId: first,
        nextAttemptAt: toIso(start + 21_000 + 300_000),
        attempts: createAttempts([
          [1, 0, 30, 500, "é 😀", null],
          [2, 6_000, 15_000, null, null, "no answer"],
        ]),
      },
    ]);
  });

  it("can be read in pages of any size, each delivery once", async () => {
    const { acme, id, clock, createEvents: happen } = await openHooks({ storage: await open() });
    const events: string[] = [];
    for (const count of [3, 1, 4]) {
      events.push(...(await happen(count)));
      clock.move(1);
    }
    for (const limit of [1, 3, 8, 200]) {
      const found: string[] = [];
      let after: string | undefined;
      do {
        const page = await acme.webhooks.deliveries(id, { limit, ...(after !== undefined && { after }) });
        expect(page.content.length).toBeLessThanOrEqual(limit);
        found.push(...page.content.map(({ eventId }) => eventId));
        after = page.next ?? undefined;
      } while (after !== undefined);
      expect(found).toEqual(events.toReversed());
    }
  });
});

describe("the list of deliveries", () => {
  it("has 50 entries per page by default", async () => {
    const { acme, id, createEvents: happen } = await openHooks();
    await happen(51);
    const { content, next } = await acme.webhooks.deliveries(id);
    expect(content).toHaveLength(50);
    expect((await acme.webhooks.deliveries(id, { after: next ?? "" })).content).toHaveLength(1);
  });

  it("shows the end of a claim as the time of the next attempt", async () => {
    const { acme, id, clock, loyalty, place, createEvents: happen, claim } = await openHooks();
    await happen();
    const [job] = await claim();
    expect((await acme.webhooks.deliveries(id)).content).toMatchObject([
      { nextAttemptAt: toIso(clock.now + 60_000) },
    ]);
    const results = job === undefined ? [] : [{ job, result: createResult(clock.now) }];
    await serviceInternals(loyalty).webhookQueue.recordResults(place, results);
    expect((await acme.webhooks.deliveries(id)).content).toMatchObject([{ nextAttemptAt: null }]);
  });

  it.each(["", "x", "1", "1.", ".whd_1", "-1.whd_1", "1.whd 1", `${"1".repeat(16)}.whd_1`, "1.\0"])(
    "can't begin after %j",
    async (after) => {
      const { acme, id } = await openHooks();
      expect(await getRefusedFields(acme.webhooks.deliveries(id, { after }))).toEqual(["after"]);
    },
  );

  it.each([0, 201, -1])("can't have the limit %j", async (limit) => {
    const { acme, id } = await openHooks();
    expect(await getRefusedFields(acme.webhooks.deliveries(id, { limit }))).toEqual(["limit"]);
  });
});
