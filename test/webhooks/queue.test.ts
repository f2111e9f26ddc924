import type { EventType, WebhookEndpoint } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import type { StorageReader } from "loyalty-kit/storage";
import { describe, expect, it } from "vitest";
import { waitBriefly } from "../../adapters/testing/storage-suite/kit/meanwhile.js";
import { awaitInStep, runStep, type Step } from "../../src/base/concurrency/step.js";
import { serviceInternals } from "../../src/internals.js";
import { openAcme, someEmail } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { appendEvents } from "../kit/filled-outbox.js";
import {
  type Interceptor,
  interceptCalls,
  recordCalls,
  replaceTransactions,
} from "../kit/intercept-calls.js";
import { overtake } from "../kit/overtake.js";
import { createResult, openHooks, URL_OF_ENDPOINT } from "./hooks.js";

const MINUTE = 60_000;
const DAY = 86_400_000;

describe.each(everyAdapter)("the webhook queue on $name", ({ open }) => {
  describe("creates deliveries", () => {
    it("of events since the endpoint was created, with the body that the API shows for the event", async () => {
      const { acme, id, secret, fanOut, claim } = await openHooks({ storage: await open() });
      const metadata = JSON.parse('{"__proto__":{"a":1},"10":"é \\u2028","b":1}');
      await acme.users.create({ email: someEmail(), metadata });
      const [event] = (await acme.events.list()).content;
      await fanOut();
      const [job, ...others] = await claim();
      expect(others).toEqual([]);
      expect(job).toMatchObject({
        organizationId: "acme",
        endpointId: id,
        eventId: event?.id,
        attempt: 1,
        url: URL_OF_ENDPOINT,
        secrets: [secret],
      });
      expect(job?.body).toBe(JSON.stringify(event));
      expect(job?.body).toContain('"__proto__":{"a":1}');
    });

    it("of no event from before the endpoint was created", async () => {
      const { acme, loyalty, createEvents: happen } = await openHooks({ storage: await open() });
      await happen(2);
      const { webhookEndpoint } = await acme.webhooks.create({ url: URL_OF_ENDPOINT });
      const place = { organizationId: "acme", endpointId: webhookEndpoint.id };
      expect(await serviceInternals(loyalty).webhookQueue.claimNext(place, 0)).toMatchObject({
        hasMore: false,
      });
      expect((await serviceInternals(loyalty).webhookQueue.claimNext(place, 10)).jobs).toEqual([]);
    });

    it("of each event once, in order, regardless of their number", async () => {
      const storage = await open();
      const { loyalty, clock, place, fanOut, claim } = await openHooks({ storage });
      await appendEvents(storage, "acme", 600, () => clock.now);
      expect(await serviceInternals(loyalty).webhookQueue.claimNext(place, 0)).toMatchObject({
        hasMore: true,
      });
      await Promise.all([fanOut(), fanOut()]);
      const eventIds = [...(await claim(400)), ...(await claim())].map(({ eventId }) => eventId);
      expect(eventIds).toEqual(Array.from({ length: 600 }, (_, at) => `evt_${at}`));
    });

    it("of the types that the endpoint has", async () => {
      const { acme, id, fanOut, claim } = await openHooks({ storage: await open() });
      await acme.webhooks.update(id, { types: ["user_tag.created", "user_tag.deleted"] });
      await acme.users.create({ email: someEmail() });
      await acme.tags.create({ name: "VIP" });
      await acme.tags.delete("vip");
      await fanOut();
      const types = (await claim()).map(({ body }) => JSON.parse(body).type);
      expect(types).toEqual(["user_tag.created", "user_tag.deleted"]);
    });

    it("of events that come after a change of the types, even if earlier events are being read at that time", async () => {
      let change: (() => Promise<unknown>) | null = null;
      let changeCall: Promise<unknown> = Promise.resolve();
      const changeInTheMeantime = function* (method: string, proceed: () => Step<unknown>): Step<unknown> {
        const found = yield* proceed();
        if (method !== "findWebhookEndpoint" || change === null) return found;
        changeCall = change();
        change = null;
        yield* awaitInStep(waitBriefly(changeCall));
        return found;
      };
      const inner = await open();
      const storage = new Proxy(interceptCalls(inner, changeInTheMeantime), {
        get(target, key) {
          if (key !== "snapshot") return Reflect.get(target, key);
          return (organizationId: string, work: (reader: StorageReader) => Step<unknown>) =>
            inner.snapshot(organizationId, (reader) => work(interceptCalls(reader, changeInTheMeantime)));
        },
      });
      const { acme, id, fanOut, claim } = await openHooks({ storage });
      await acme.webhooks.update(id, { types: ["user_tag.deleted"] });
      await acme.users.create({ email: someEmail() });
      change = async () => {
        await acme.webhooks.update(id, { types: null });
        await acme.tags.create({ name: "VIP" });
      };
      await fanOut();
      expect(change).toBeNull();
      await changeCall;
      await fanOut();
      await acme.tags.create({ name: "Regular" });
      await fanOut();
      const names = (await claim()).map(({ body }) => JSON.parse(body).data.name);
      expect(names.slice(-2)).toEqual(["VIP", "Regular"]);
    });

    it("of events from before the endpoint was disabled, even if the queue gets to them after that", async () => {
      const { acme, id, loyalty, place, fanOut, claim } = await openHooks({ storage: await open() });
      await acme.users.create({ email: someEmail() });
      const [before] = (await acme.events.list()).content;
      await acme.webhooks.update(id, { isDisabled: true });
      await acme.users.create({ email: someEmail() });
      expect(await serviceInternals(loyalty).webhookQueue.endpointsWithDueWork(10)).toMatchObject([place]);
      expect(await claim()).toEqual([]);
      expect(await serviceInternals(loyalty).webhookQueue.endpointsWithDueWork(10)).toEqual([]);
      const { content } = await acme.webhooks.deliveries(id);
      expect(content).toMatchObject([{ eventId: before?.id, status: "pending" }]);
      await acme.webhooks.update(id, { isDisabled: false });
      await fanOut();
      expect((await claim()).map(({ eventId }) => eventId)).toEqual([before?.id]);
    });

    it("of events from before the endpoint was disabled and soon enabled again, and of those in between", async () => {
      const { acme, id, claim } = await openHooks({ storage: await open() });
      await acme.users.create({ email: someEmail() });
      await acme.webhooks.update(id, { isDisabled: true });
      await acme.users.create({ email: someEmail() });
      await acme.webhooks.update(id, { isDisabled: false });
      const events = (await acme.events.list()).content.map((event) => event.id);
      expect((await claim()).map(({ eventId }) => eventId)).toEqual(events);
    });

    it("of events from before the receiver responded that it is gone", async () => {
      const {
        acme,
        id,
        createEvents: happen,
        attemptDeliveries: attempt,
        claim,
      } = await openHooks({ storage: await open() });
      await happen();
      await acme.users.create({ email: someEmail() });
      await acme.webhooks.update(id, { url: "https://other.example" });
      const jobs = await attempt({ status: 410 });
      await acme.users.create({ email: someEmail() });
      expect((await acme.webhooks.get(id)).disabledReason).toBe("gone");
      expect(await claim()).toEqual([]);
      const { content } = await acme.webhooks.deliveries(id);
      expect(content).toHaveLength(2);
      expect(jobs).toHaveLength(2);
    });

    it("up to the limits of the endpoint and the organization, and continues when there is capacity", async () => {
      const limits = { pendingDeliveriesPerEndpoint: 3, pendingDeliveries: 5 };
      const storage = await open();
      const {
        acme,
        loyalty,
        place,
        clock,
        claim,
        attemptDeliveries: attempt,
      } = await openHooks({ storage, limits });
      const { webhookEndpoint } = await acme.webhooks.create({ url: URL_OF_ENDPOINT });
      const other = { ...place, endpointId: webhookEndpoint.id };
      await appendEvents(storage, "acme", 7, () => clock.now);
      const all = Array.from({ length: 7 }, (_, at) => `evt_${at}`);
      expect(await serviceInternals(loyalty).webhookQueue.claimNext(place, 0)).toMatchObject({
        hasMore: false,
      });
      expect(await serviceInternals(loyalty).webhookQueue.claimNext(other, 0)).toMatchObject({
        hasMore: false,
      });
      const readPending = async () =>
        Object.fromEntries(await runStep(storage.reader("acme").pendingDeliveries()));
      expect(await readPending()).toMatchObject({
        [place.endpointId]: { count: 3 },
        [other.endpointId]: { count: 2 },
      });
      expect(await serviceInternals(loyalty).webhookQueue.endpointsWithDueWork(10)).toHaveLength(2);
      const arrived: string[] = [];
      for (let round = 0; round < 4; round += 1) {
        arrived.push(...(await attempt()).map(({ eventId }) => eventId));
      }
      expect(arrived).toEqual(all);
      expect(await claim()).toEqual([]);
    });

    it("that refer to the event, which is retained while one of them is pending", async () => {
      const storage = await open();
      const {
        id,
        clock,
        createEvents: happen,
        claim,
        attemptDeliveries: attempt,
      } = await openHooks({ storage });
      const [event = ""] = await happen();
      const remove = () =>
        storage.transaction("acme", (tx) =>
          tx.removeEvents({ since: clock.now + 1, atMost: 0 }, { after: 0, limit: 100 }),
        );
      expect(await remove()).toMatchObject({ removed: 0 });
      expect(
        await runStep(storage.reader("acme").listDeliveries(id, { before: null, limit: 1 })),
      ).toMatchObject([{ customBody: null }]);
      const [job] = await claim();
      expect(JSON.parse(job?.body ?? "")).toMatchObject({ id: event });
      clock.move(MINUTE);
      await attempt();
      expect(await remove()).toMatchObject({ removed: 1 });
    });

    it("of no event that occurs while the endpoint is disabled", async () => {
      const {
        acme,
        id,
        loyalty,
        place,
        createEvents: happen,
        claim,
      } = await openHooks({ storage: await open() });
      const [before] = await happen();
      await acme.webhooks.update(id, { isDisabled: true });
      await happen(2);
      expect(await serviceInternals(loyalty).webhookQueue.endpointsWithDueWork(10)).toEqual([]);
      expect(await claim()).toEqual([]);
      await acme.webhooks.update(id, { isDisabled: false });
      const [after] = await happen();
      expect(await serviceInternals(loyalty).webhookQueue.endpointsWithDueWork(10)).toMatchObject([place]);
      expect((await claim()).map(({ eventId }) => eventId)).toEqual([before, after]);
    });
  });

  it("shows the next worker which endpoints failed or were slow the last time", async () => {
    const {
      loyalty,
      clock,
      createEvents: happen,
      attemptDeliveries: attempt,
    } = await openHooks({ storage: await open() });
    const isTroubled = async () => {
      await happen();
      return (await serviceInternals(loyalty).webhookQueue.endpointsWithDueWork(10)).map(
        (place) => place.isTroubled,
      );
    };
    expect(await isTroubled()).toEqual([false]);
    await attempt({ duration: 1_200 });
    expect(await isTroubled()).toEqual([true]);
    await attempt();
    expect(await isTroubled()).toEqual([false]);
    await attempt({ status: 500 });
    clock.move(1);
    expect(await isTroubled()).toEqual([true]);
  });

  it("reports that there is more to do if another worker, or a change of the endpoint, was faster", async () => {
    const storage = await open();
    const { acme, id, clock, place, fanOut, claim } = await openHooks({ storage });
    const { storage: slowStorage, beforeNext } = overtake(storage);
    const slow = serviceInternals(openAcme({ storage: slowStorage, clock: clock.read }).loyalty).webhookQueue;
    const changes = [
      fanOut,
      () => acme.webhooks.update(id, { types: ["user.created"] }),
      () => acme.webhooks.update(id, { isDisabled: true }),
    ];
    for (const change of changes) {
      clock.move(1);
      await acme.users.create({ email: someEmail() });
      beforeNext(change);
      expect(await slow.claimNext(place, 0)).toEqual({ jobs: [], hasMore: true });
    }
    await acme.webhooks.update(id, { isDisabled: false });
    await fanOut();
    const eventIds = (await acme.events.list()).content.map((event) => event.id);
    expect((await claim()).map(({ eventId }) => eventId)).toEqual(eventIds);
  });

  it("reserves a delivery for one worker until its result is recorded or its claim has ended", async () => {
    const {
      clock,
      createEvents: happen,
      claim,
      attemptDeliveries: attempt,
    } = await openHooks({ storage: await open() });
    const events = await happen(5);
    const [first, second] = [await claim(2), await claim(3)];
    expect([...first, ...second].map(({ eventId }) => eventId)).toEqual(events);
    expect(await claim()).toEqual([]);
    clock.move(MINUTE - 1);
    expect(await claim()).toEqual([]);
    clock.move(1);
    expect((await attempt()).map(({ eventId }) => eventId)).toEqual(events);
    clock.move(DAY);
    expect(await claim()).toEqual([]);
  });

  it("records nothing from a claim that has ended", async () => {
    const {
      acme,
      id,
      loyalty,
      clock,
      place,
      createEvents: happen,
      claim,
    } = await openHooks({ storage: await open() });
    await happen();
    const stale = await claim();
    clock.move(MINUTE);
    const [job] = await claim();
    const recordStatus = (jobs: typeof stale, status: number) =>
      serviceInternals(loyalty).webhookQueue.recordResults(
        place,
        jobs.map((each) => ({ job: each, result: createResult(clock.now, { status }) })),
      );
    await recordStatus(stale, 410);
    expect(await acme.webhooks.get(id)).toMatchObject({ isDisabled: false });
    expect((await acme.webhooks.deliveries(id)).content).toMatchObject([{ status: "pending", attempts: [] }]);
    await recordStatus(job === undefined ? [] : [job], 200);
    await recordStatus(stale, 500);
    expect((await acme.webhooks.deliveries(id)).content).toMatchObject([
      { status: "delivered", attempts: [{ number: 1, status: 200 }] },
    ]);
  });

  it("retries a failed delivery by the schedule, with ten attempts in total", async () => {
    const {
      acme,
      id,
      clock,
      createEvents: happen,
      attemptDeliveries: attempt,
      claim,
    } = await openHooks({ storage: await open() });
    const [eventId] = await happen();
    const answer = { status: 503, response: "later", error: null };
    for (const [at, wait] of [
      5_000,
      300_000,
      1_800_000,
      ...[2, 5, 10, 14, 20, 24].map(hoursToMs),
    ].entries()) {
      expect(await attempt(answer)).toMatchObject([{ eventId, attempt: at + 1 }]);
      clock.move(wait + 19);
      expect(await claim()).toEqual([]);
      clock.move(1);
    }
    const [last] = await attempt(answer);
    expect(last?.attempt).toBe(10);
    const [delivery] = (await acme.webhooks.deliveries(id)).content;
    expect(delivery).toMatchObject({ eventId, status: "failed", nextAttemptAt: null });
    expect(delivery?.attempts.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    clock.move(30 * DAY);
    expect(await claim()).toEqual([]);
    expect(await acme.webhooks.get(id)).toMatchObject({ isDisabled: false });
  });

  it("disables an endpoint that responds with 410, and notifies the host after the commit", async () => {
    const notices: unknown[] = [];
    const onDisabled = (endpoint: WebhookEndpoint, context: unknown) =>
      void notices.push([endpoint, context, acme.webhooks.get(id)]);
    const {
      acme,
      id,
      clock,
      loyalty,
      createEvents: happen,
      attemptDeliveries: attempt,
      claim,
    } = await openHooks({
      storage: await open(),
      webhooks: { onDisabled },
    });
    await happen(2);
    await attempt({ status: 410 });
    const endpoint = await acme.webhooks.get(id);
    expect(endpoint).toMatchObject({ isDisabled: true, disabledReason: "gone", disabledAt: clock.timestamp });
    expect(notices).toEqual([[endpoint, { organizationId: "acme" }, expect.any(Promise)]]);
    expect(await Promise.all(notices.flat())).toEqual([endpoint, { organizationId: "acme" }, endpoint]);
    clock.move(DAY);
    expect(await claim()).toEqual([]);
    expect(await serviceInternals(loyalty).webhookQueue.endpointsWithDueWork(10)).toEqual([]);
  });

  it("disables an endpoint that has failed for five days, unless it has succeeded since", async () => {
    const {
      acme,
      id,
      clock,
      createEvents: happen,
      attemptDeliveries: attempt,
    } = await openHooks({ storage: await open() });
    const passDay = async (status: number) => {
      await happen();
      await attempt({ status });
      clock.move(DAY);
      return (await acme.webhooks.get(id)).disabledReason;
    };
    for (const status of [500, 500, 500, 500, 200]) expect(await passDay(status)).toBeNull();
    // Earlier failed deliveries are retried as well, and fail like the new ones.
    for (let at = 0; at < 5; at += 1) expect(await passDay(404)).toBeNull();
    expect(await passDay(404)).toBe("failing");
    await acme.webhooks.update(id, { isDisabled: false });
    expect(await passDay(500)).toBeNull();
  });

  it("counts no failure against an endpoint that has a different URL now", async () => {
    const {
      acme,
      id,
      loyalty,
      clock,
      place,
      createEvents: happen,
      claim,
    } = await openHooks({ storage: await open() });
    await happen();
    const [job] = await claim();
    await acme.webhooks.update(id, { url: "https://example.com/another" });
    const results = job === undefined ? [] : [{ job, result: createResult(clock.now, { status: 410 }) }];
    await serviceInternals(loyalty).webhookQueue.recordResults(place, results);
    expect(await acme.webhooks.get(id)).toMatchObject({ isDisabled: false });
    expect((await acme.webhooks.deliveries(id)).content).toMatchObject([
      { status: "pending", attempts: [{ status: 410 }] },
    ]);
    clock.move(6_000);
    expect(await claim()).toMatchObject([{ url: "https://example.com/another", attempt: 2 }]);
  });

  it("restarts the failure period when an endpoint gets another URL", async () => {
    const {
      acme,
      id,
      clock,
      createEvents: happen,
      attemptDeliveries: attempt,
    } = await openHooks({ storage: await open() });
    const fail = async () => {
      await happen();
      await attempt({ status: 500 });
    };
    await fail();
    clock.move(4 * DAY);
    await acme.webhooks.update(id, { url: "https://example.com/another" });
    await fail();
    clock.move(4 * DAY);
    await fail();
    expect(await acme.webhooks.get(id)).toMatchObject({ isDisabled: false });
    clock.move(DAY);
    await fail();
    expect(await acme.webhooks.get(id)).toMatchObject({ disabledReason: "failing" });
  });

  it("knows which endpoints have due work", async () => {
    const {
      acme,
      loyalty,
      clock,
      place,
      fanOut,
      attemptDeliveries: attempt,
    } = await openHooks({ storage: await open() });
    const { webhookQueue } = serviceInternals(loyalty);
    expect(await webhookQueue.endpointsWithDueWork(10)).toEqual([]);
    await acme.users.create({ email: someEmail() });
    expect(await webhookQueue.endpointsWithDueWork(10)).toMatchObject([place]);
    await fanOut();
    expect(await webhookQueue.endpointsWithDueWork(10)).toMatchObject([place]);
    await attempt({ status: 500 });
    expect(await webhookQueue.endpointsWithDueWork(10)).toEqual([]);
    clock.move(6_000);
    expect(await webhookQueue.endpointsWithDueWork(10)).toMatchObject([place]);
    await attempt();
    expect(await webhookQueue.endpointsWithDueWork(10)).toEqual([]);
  });

  it("makes each delivery once, even if changes, owners and workers run at the same time", async () => {
    const { acme, id, loyalty, clock, place } = await openHooks({ storage: await open() });
    const { webhookQueue } = serviceInternals(loyalty);
    const since = toIso(clock.now);
    const until = toIso(clock.now + 1);
    const statuses: string[] = [];
    let isOver = false;
    const runWorker = async () => {
      while (!isOver) {
        await new Promise((resolve) => setImmediate(resolve));
        const { jobs } = await webhookQueue.claimNext(place, 5);
        const attempts = jobs.map((job) => ({ job, result: createResult(clock.now) }));
        // Repeated while others have the endpoint locked.
        while (!(await webhookQueue.recordResults(place, attempts)));
        statuses.push(...jobs.map(({ deliveryId }) => deliveryId));
      }
    };
    const workers = [runWorker(), runWorker()];
    const changeAsOwner = async (at: number) => {
      await acme.users.create({ email: someEmail() });
      await acme.webhooks.rotateSecret(id);
      await acme.webhooks.update(id, { description: `${at}` });
      await acme.webhooks.replay(id, { since, until });
    };
    await Promise.all(Array.from({ length: 3 }, (_, at) => changeAsOwner(at)));
    await expect.poll(isAllDelivered).toBe(true);
    isOver = true;
    await Promise.all(workers);
    const { content } = await acme.webhooks.deliveries(id, { limit: 200 });
    expect(statuses.toSorted()).toEqual(content.map((delivery) => delivery.id).toSorted());

    async function isAllDelivered() {
      const { content } = await acme.webhooks.deliveries(id, { limit: 200 });
      const events = new Set(content.map(({ eventId }) => eventId));
      return events.size === 3 && content.every(({ status }) => status === "delivered");
    }
  });

  it("continues after events that were removed because of their age", async () => {
    const storage = await open();
    const { acme, loyalty, clock, fanOut, claim } = await openHooks({ storage });
    await acme.users.create({ email: someEmail() });
    await storage.transaction("acme", (tx) =>
      tx.removeEvents({ since: clock.now + 1, atMost: 100 }, { after: 0, limit: 100 }),
    );
    await fanOut();
    clock.move(10_000);
    await fanOut();
    expect(await serviceInternals(loyalty).webhookQueue.endpointsWithDueWork(10)).toEqual([]);
    await acme.users.create({ email: someEmail() });
    const [event] = (await acme.events.list()).content;
    await fanOut();
    expect((await claim()).map(({ eventId }) => eventId)).toEqual([event?.id]);
  });

  it("retains a delivery that is no longer pending as long as an event", async () => {
    const {
      acme,
      id,
      clock,
      createEvents: happen,
      attemptDeliveries: attempt,
    } = await openHooks({
      storage: await open(),
      retention: { eventDays: 30 },
    });
    const listEventIds = async () =>
      (await acme.webhooks.deliveries(id)).content.map(({ eventId }) => eventId).reverse();
    const old = await happen(3);
    await attempt();
    clock.move(1);
    const young = await happen(1);
    clock.move(30 * DAY);
    const [first = ""] = await happen(1);
    expect(await listEventIds()).toEqual([old[2], ...young, first]);
    const [second = ""] = await happen(1);
    expect(await listEventIds()).toEqual([...young, first, second]);
  });
});

describe.each(everyAdapter)("deliveries on $name", ({ open }) => {
  it("are retained for the configured number of days, regardless of the retention of events", async () => {
    const {
      acme,
      id,
      clock,
      createEvents: happen,
      attemptDeliveries: attempt,
    } = await openHooks({
      storage: await open(),
      retention: { eventDays: 30, deliveryDays: 2 },
    });
    const listEventIds = async () =>
      (await acme.webhooks.deliveries(id)).content.map(({ eventId }) => eventId).reverse();
    const old = await happen(1);
    await attempt();
    clock.move(2 * DAY);
    const [next = ""] = await happen(1);
    expect(await listEventIds()).toEqual([...old, next]);
    clock.move(1);
    const [last = ""] = await happen(1);
    expect(await listEventIds()).toEqual([next, last]);
    expect((await acme.events.list()).content).toHaveLength(3);
  });
});

const toIso = (ms: number) => new Date(ms).toISOString();

const hoursToMs = (count: number) => count * 60 * MINUTE;

describe("the webhook queue", () => {
  it("spends no write on an event that the endpoint doesn't get, but stores its position within 10 seconds", async () => {
    const calls: string[] = [];
    const { acme, id, loyalty, clock, place } = await openHooks({
      storage: recordCalls(memoryStorage(), calls),
    });
    await acme.webhooks.update(id, { types: ["user_tag.created"] });
    const countWrites = async () => {
      calls.length = 0;
      await serviceInternals(loyalty).webhookQueue.claimNext(place, 0);
      return calls.filter((call) => call === "transaction").length;
    };
    for (let at = 0; at < 10; at += 1) {
      await acme.users.create({ email: someEmail() });
      expect(await countWrites()).toBe(0);
      clock.move(999);
    }
    expect(await countWrites()).toBe(0);
    clock.move(10);
    expect(await countWrites()).toBe(1);
    expect(await serviceInternals(loyalty).webhookQueue.endpointsWithDueWork(10)).toEqual([]);
    expect(await countWrites()).toBe(0);
  });

  it("makes no transaction if nothing is due and there are no new events", async () => {
    const calls: string[] = [];
    const {
      clock,
      loyalty,
      place,
      createEvents: happen,
      attemptDeliveries: attempt,
    } = await openHooks({
      storage: recordCalls(memoryStorage(), calls),
    });
    await happen();
    await attempt({ status: 500 });
    calls.length = 0;
    for (let second = 0; second < 4; second += 1) {
      clock.move(1_000);
      await serviceInternals(loyalty).webhookQueue.endpointsWithDueWork(10);
      expect(await serviceInternals(loyalty).webhookQueue.claimNext(place, 10)).toEqual({
        jobs: [],
        hasMore: false,
      });
    }
    expect(calls).not.toContain("transaction");
    clock.move(1_020);
    expect((await serviceInternals(loyalty).webhookQueue.claimNext(place, 10)).jobs).toHaveLength(1);
  });

  it("also checks organizations without new events once a minute", async () => {
    const storage = memoryStorage();
    const { acme, loyalty, clock, place } = await openHooks({ storage });
    await acme.users.create({ email: someEmail() });
    clock.move(10 * MINUTE);
    expect(await serviceInternals(loyalty).webhookQueue.endpointsWithDueWork(10)).toMatchObject([place]);
    expect(await serviceInternals(loyalty).webhookQueue.endpointsWithDueWork(10)).toEqual([]);
    clock.move(MINUTE - 1);
    expect(await serviceInternals(loyalty).webhookQueue.endpointsWithDueWork(10)).toEqual([]);
    clock.move(1);
    expect(await serviceInternals(loyalty).webhookQueue.endpointsWithDueWork(10)).toMatchObject([place]);
  });

  it("stores the position of an endpoint immediately if it is beyond the 10,000 that are remembered", async () => {
    let writes = 0;
    const inner = memoryStorage();
    const recordIds: Interceptor = (method, proceed) =>
      method === "findWebhookEndpoint" ? inner.reader("acme").findWebhookEndpoint(previousSecret) : proceed();
    let previousSecret = "";
    const storage = interceptCalls(inner, (method, proceed, [, work]) => {
      if (method === "transaction") writes += 1;
      return method === "snapshot" && typeof work === "function"
        ? awaitInStep(inner.snapshot("acme", (reader) => work(interceptCalls(reader, recordIds))))
        : proceed();
    });
    const { acme, id, loyalty, clock } = await openHooks({ storage });
    previousSecret = id;
    await acme.webhooks.update(id, { types: ["user_tag.created"] });
    await acme.users.create({ email: someEmail() });
    const fanOutRepeatedly = (number: number) =>
      serviceInternals(loyalty).webhookQueue.claimNext(
        { organizationId: "acme", endpointId: `whe_${number}` },
        0,
      );
    writes = 0;
    for (let number = 0; number < 10_000; number += 1) await fanOutRepeatedly(number);
    expect(writes).toBe(0);
    await fanOutRepeatedly(10_000);
    expect(writes).toBe(1);
    await fanOutRepeatedly(0);
    expect(writes).toBe(1);
    clock.move(10_000);
    await fanOutRepeatedly(10_000);
    expect(writes).toBe(1);
  });

  it("stores its position immediately once it has passed 500 events", async () => {
    const { acme, id, loyalty, fanOut } = await openHooks();
    await acme.webhooks.update(id, { types: ["user_tag.created"] });
    await acme.users.import(Array.from({ length: 500 }, (_, at) => ({ email: `${at}@example.com` })));
    await fanOut();
    expect(await serviceInternals(loyalty).webhookQueue.endpointsWithDueWork(10)).toEqual([]);
  });

  it("signals commits that created deliveries by a test or a replay, but no failed ones", async () => {
    const { acme, id, loyalty, createEvents: happen, claim } = await openHooks();
    const [eventId = ""] = await happen();
    const signals: Promise<unknown>[] = [];
    serviceInternals(loyalty).webhookQueue.onWork(() => signals.push(claim()));
    await claim();
    await acme.webhooks.test(id);
    await Promise.all(signals);
    await acme.webhooks.replay(id, { eventId });
    expect(await Promise.all(signals)).toMatchObject([[{ attempt: 1 }], [{ eventId }]]);
    await acme.webhooks.replay(id, { eventId: "evt_unknown" }).catch(() => {});
    await acme.webhooks.update(id, { isDisabled: true });
    await acme.webhooks.test(id).catch(() => {});
    expect(signals).toHaveLength(2);
  });

  it("signals commits that added events, and no others", async () => {
    const { acme, loyalty } = await openHooks();
    const signals: string[] = [];
    const stop = serviceInternals(loyalty).webhookQueue.onWork((organizationId) =>
      signals.push(organizationId),
    );
    await acme.users.create({ email: "ada@example.com" });
    expect(signals).toEqual(["acme"]);
    await loyalty.organization("globex").tags.create({ name: "VIP" });
    expect(signals).toEqual(["acme", "globex"]);
    await acme.users.create({ email: "ada@example.com" }).catch(() => {});
    await acme.webhooks.create({ url: URL_OF_ENDPOINT });
    expect(signals).toHaveLength(2);
    stop();
    await acme.tags.create({ name: "VIP" });
    expect(signals).toHaveLength(2);
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("from the listener");
      },
    ],
    ["rejects", () => Promise.reject(new Error("from the listener"))],
  ])(
    "disables an endpoint and reports an error when the listener for disabled endpoints %s",
    async (_how, onDisabled) => {
      const errors: unknown[] = [];
      const {
        acme,
        id,
        createEvents: happen,
        attemptDeliveries: attempt,
      } = await openHooks({
        webhooks: { onDisabled },
        onError: (error) => errors.push(error),
      });
      await happen();
      await attempt({ status: 410 });
      expect(await acme.webhooks.get(id)).toMatchObject({ disabledReason: "gone" });
      await expect.poll(() => errors).toEqual([new Error("from the listener")]);
    },
  );

  it("leaves everything as it was if the commit of results fails", async () => {
    let isFailing = false;
    const errors: unknown[] = [];
    const memory = memoryStorage();
    const storage = replaceTransactions(memory, (organizationId, work, options) =>
      memory.transaction(
        organizationId,
        function* (tx) {
          const result = yield* work(tx);
          if (isFailing) throw new Error("the storage is gone");
          return result;
        },
        options,
      ),
    );
    const {
      acme,
      id,
      loyalty,
      clock,
      place,
      createEvents: happen,
      claim,
    } = await openHooks({
      storage,
      webhooks: { onDisabled: () => errors.push("told") },
    });
    await happen();
    const jobs = await claim();
    isFailing = true;
    const results = jobs.map((job) => ({ job, result: createResult(clock.now, { status: 410 }) }));
    await expect(serviceInternals(loyalty).webhookQueue.recordResults(place, results)).rejects.toThrow(
      "the storage is gone",
    );
    expect((await acme.webhooks.deliveries(id)).content).toMatchObject([{ status: "pending", attempts: [] }]);
    expect(await acme.webhooks.get(id)).toMatchObject({ isDisabled: false });
    expect(errors).toEqual([]);
  });
});

describe("the outbox", () => {
  const types: EventType[] = ["template.deleted"];

  it("retains events that an enabled endpoint has not received yet, regardless of their number", async () => {
    const {
      acme,
      id,
      loyalty,
      fanOut,
      attemptDeliveries: attempt,
    } = await openHooks({ retention: { maxEvents: 10 } });
    const importSome = (from: number, count: number) =>
      acme.users.import(Array.from({ length: count }, (_, at) => ({ email: `${from + at}@example.com` })));
    const countEvents = async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return (await acme.events.list({ limit: 1_000 })).content.length;
    };
    await importSome(0, 999);
    await acme.tags.create({ name: "VIP" });
    expect(await countEvents()).toBe(1_000);
    await fanOut();
    await attempt();
    await importSome(1_000, 1_000);
    expect((await acme.events.list({ limit: 1 })).content).toMatchObject([
      { data: { email: "1000@example.com" } },
    ]);
    await acme.webhooks.update(id, { types, isDisabled: true });
    await fanOut();
    await importSome(2_000, 1_000);
    expect(await countEvents()).toBe(10);
    expect(await serviceInternals(loyalty).webhookQueue.endpointsWithDueWork(10)).toEqual([]);
  });
});
