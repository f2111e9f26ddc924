import { LoyaltyService } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import type { SnapshotOptions, StorageReader } from "loyalty-kit/storage";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Step } from "../../src/base/concurrency/step.js";
import { openAcme, someEmail } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { appendEvents } from "../kit/filled-outbox.js";
import { interceptCalls, interceptSnapshots } from "../kit/intercept-calls.js";
import { getErrorDetail } from "../kit/refusal.js";
import { open } from "../sqlite/open-storage.js";

const search = { search: "a", sort: "name,asc" } as const;

const costly: ReadonlySet<string> = new Set([
  "listContacts",
  "listEvents",
  "listTags",
  "listGrants",
  "messageDeliveriesOf",
]);

/** Returns whether a read looks for an event by its id among the oldest events. */
function isFarFromEnd(method: string, [, range]: readonly unknown[]): boolean {
  return method === "findEventIn" && JSON.stringify(range).startsWith('{"after":0,');
}

/** Returns whether a read belongs to a replay, which reads 500 events at a time. */
function isOfReplay(method: string, [, , limit]: readonly unknown[]): boolean {
  return method === "listEventHeads" && limit === 500;
}

/** Opens a service on a storage whose costly reads run until the test ends them. */
function openScene() {
  const inner = memoryStorage();
  const starts: string[] = [];
  const ends: (() => void)[] = [];
  const storage = interceptSnapshots(inner, function* (method, proceed, args, organizationId) {
    if (costly.has(method) || isFarFromEnd(method, args) || isOfReplay(method, args)) {
      starts.push(String(organizationId));
      yield new Promise<void>((end) => ends.push(end));
    }
    return yield* proceed();
  });
  const end = async () => {
    ends.shift()?.();
    await waitForIteration();
  };
  return { ...openAcme({ storage }), inner, begun: starts, end, ends };
}

/** Waits for some iterations of the event loop, because costly reads do. */
const waitForIteration = async () => {
  for (let at = 0; at < 5; at += 1) await new Promise((resolve) => setImmediate(resolve));
};

describe("costly reads", () => {
  it("leave slots for other organizations, which take turns", async () => {
    const { acme, loyalty, begun, end, ends } = openScene();
    const [beta, gamma] = [loyalty.organization("beta"), loyalty.organization("gamma")];
    const reads = Array.from({ length: 20 }, () => acme.contacts.list(search));
    await waitForIteration();
    expect(begun).toEqual(["acme", "acme"]);
    reads.push(beta.contacts.list(search), gamma.contacts.list(search));
    await waitForIteration();
    expect(begun).toEqual(["acme", "acme", "beta", "gamma"]);
    for (await waitForIteration(); ends.length > 0; ) await end();
    await Promise.all(reads);
  });

  it("include the deliveries of messages, which are counted", async () => {
    const { acme, begun, end, ends } = openScene();
    const { id } = await acme.messages.create({
      ...{ name: "News", audience: { all: true }, channels: ["email"] },
      texts: [{ language: "en", subject: "News", text: "News" }],
    });
    const lists = Array.from({ length: 5 }, () => acme.messages.deliveries(id));
    await waitForIteration();
    expect(begun).toEqual(["acme", "acme"]);
    for (await waitForIteration(); ends.length > 0; ) await end();
    expect((await Promise.all(lists)).map(({ totalElements }) => totalElements)).toEqual([0, 0, 0, 0, 0]);
  });

  it("include the complete lists of tags and of grants", async () => {
    const { acme, begun, end, ends } = openScene();
    const lists = Array.from({ length: 10 }, (_, at) =>
      at % 2 === 0 ? acme.tags.list() : acme.grants.list(),
    );
    await waitForIteration();
    expect(begun).toEqual(["acme", "acme"]);
    for (await waitForIteration(); ends.length > 0; ) await end();
    await Promise.all(lists);
  });

  it("include pages of events that are long, or filtered by type or user", async () => {
    const { acme, begun, end, ends } = openScene();
    const { id: userId } = await acme.users.create({ email: someEmail() });
    const pages = Array.from({ length: 10 }, (_, at) =>
      acme.events.list([{ limit: 1_000 }, { types: ["user.created"] }, { userId }][at % 3]),
    );
    await waitForIteration();
    expect(begun).toEqual(["acme", "acme"]);
    expect((await acme.events.list({ limit: 100 })).content).toHaveLength(1);
    for (await waitForIteration(); ends.length > 0; ) await end();
    await Promise.all(pages);
  });

  it("include the events of a replay by time", async () => {
    const { acme, begun, end, ends } = openScene();
    await acme.users.create({ email: someEmail() });
    const { id } = (await acme.webhooks.create({ url: "https://example.com" })).webhookEndpoint;
    const all = { since: "2000-01-01T00:00:00Z", until: "2100-01-01T00:00:00Z" };
    const searches = [acme.contacts.list(search), acme.contacts.list(search)];
    await waitForIteration();
    const replay = acme.webhooks.replay(id, all);
    await waitForIteration();
    expect(begun).toHaveLength(2);
    await end();
    await waitForIteration();
    expect(begun).toHaveLength(3);
    for (await waitForIteration(); ends.length > 0; ) await end();
    expect(await replay).toEqual({ deliveries: 1 });
    await Promise.all(searches);
  });

  it("include a search of the outbox for an event whose id doesn't contain its time", async () => {
    const { acme, inner, begun, end } = openScene();
    await appendEvents(inner, "acme", 6_000, () => Date.now());
    const { id } = (await acme.webhooks.create({ url: "https://example.com" })).webhookEndpoint;
    const replays = Array.from({ length: 5 }, () => acme.webhooks.replay(id, { eventId: "evt_0" }));
    await waitForIteration();
    expect(begun).toEqual(["acme", "acme"]);
    let isDone = false;
    const completion = Promise.all(replays).finally(() => {
      isDone = true;
    });
    while (!isDone) await end();
    expect(await completion).toEqual(Array.from({ length: 5 }, () => ({ deliveries: 1 })));
  });

  it("never delay a cheap read", async () => {
    const { acme, end, ends } = openScene();
    const user = await acme.users.create({ email: someEmail() });
    const reads = Array.from({ length: 100 }, () => acme.contacts.list(search));
    await waitForIteration();
    expect(await acme.users.get(user.id)).toEqual(user);
    expect(await acme.tags.ofUser(user.id)).toEqual([]);
    for (await waitForIteration(); ends.length > 0; ) await end();
    await Promise.all(reads);
  });

  it("are refused when too many of one organization wait", async () => {
    const { acme, loyalty, end, ends } = openScene();
    const reads = Array.from({ length: 102 }, () => acme.contacts.list(search));
    expect(await getErrorDetail(acme.contacts.list(search))).toEqual({
      code: "storage_unavailable",
      params: null,
    });
    reads.push(loyalty.organization("beta").contacts.list(search));
    for (await waitForIteration(); ends.length > 0; ) await end();
    await Promise.all(reads);
  });

  it("don't start when their caller has stopped waiting", async () => {
    const { acme, loyalty, begun, end, ends } = openScene();
    const reads = [acme.contacts.list(search), acme.contacts.list(search)];
    const controller = new AbortController();
    const caller = loyalty.organization("acme", { signal: controller.signal });
    await waitForIteration();
    const calls = Array.from({ length: 9 }, () => caller.contacts.list(search));
    const results = Promise.allSettled(calls);
    controller.abort(new Error("the caller is gone"));
    for (const { status } of await results) expect(status).toBe("rejected");
    for (await waitForIteration(); ends.length > 0; ) await end();
    await Promise.all(reads);
    expect(begun).toHaveLength(2);
  });
});

describe("costly reads that block the process", () => {
  it("delay a small call by at most one of their steps", async () => {
    const inner = await open();
    let isStopped = false;
    let steps = 0;
    const storage = new Proxy(inner, {
      get(target, key) {
        const member: unknown = Reflect.get(target, key);
        if (key !== "snapshot") return typeof member === "function" ? member.bind(target) : member;
        return (
          organizationId: string,
          work: (reader: StorageReader) => Step<unknown>,
          options?: SnapshotOptions,
        ) => inner.snapshot(organizationId, (reader) => work(recordSteps(reader)), options);
      },
    });
    const recordSteps = (reader: StorageReader) =>
      interceptCalls(reader, function* (method, proceed) {
        while (method === "listContacts" && !isStopped) {
          yield* reader.findTag("vip");
          // Each statement takes 11 ms.
          vi.advanceTimersByTime(11);
          steps += 1;
        }
        return yield* proceed();
      });
    const loyalty = new LoyaltyService({ storage });
    const acme = loyalty.organization("acme");
    const user = await acme.users.create({ email: someEmail() });
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const searches = Array.from({ length: 64 }, (_, at) =>
      loyalty.organization(`other-${at % 16}`).contacts.list(search),
    );
    const between: number[] = [];
    while (between.length < 50) {
      await new Promise((resolve) => setImmediate(resolve));
      const before = steps;
      expect(await acme.tags.ofUser(user.id)).toEqual([]);
      between.push(steps - before);
    }
    isStopped = true;
    await Promise.all(searches);
    expect(steps).toBeGreaterThan(20);
    expect(Math.max(...between)).toBeLessThanOrEqual(1);
  });
});

describe.each(everyAdapter)("a caller who stops waiting, on $name", ({ open }) => {
  it("ends its searches, lists and exports", async () => {
    const { acme, loyalty } = openAcme({ storage: await open() });
    for (let at = 0; at < 3; at += 1) await acme.users.create({ email: someEmail() });
    const controller = new AbortController();
    const caller = loyalty.organization("acme", { signal: controller.signal });
    const reason = new Error("the caller is gone");
    expect((await caller.contacts.list(search)).totalElements).toBe(3);
    const users = caller.users.list()[Symbol.asyncIterator]();
    await users.next();
    controller.abort(reason);
    await expect(caller.contacts.list(search)).rejects.toBe(reason);
    await expect(caller.users.export().next()).rejects.toBe(reason);
    await expect(caller.tags.verifyIndex()).rejects.toBe(reason);
    const user = await caller.users.create({ email: someEmail() });
    expect(await acme.users.get(user.id)).toEqual(user);
  });
});
