import type { EventType, LoyaltyOptions } from "loyalty-kit";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openAcme, someEmail } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { inOneTransaction } from "../properties/organizations.js";
import { recordEvents } from "./recorded-events.js";
import { listStoredEvents } from "./stored-events.js";

const MEMBERS = 12;

/** Blocks longer than a task may run before it yields to the event loop. */
function blockEventLoop(milliseconds = 15): void {
  for (const start = performance.now(); performance.now() - start < milliseconds; );
}

/** Counts the iterations of the event loop until the test ends. */
function countIterations(): () => number {
  let iterations = 0;
  let isOver = false;
  const countIteration = () => {
    iterations += 1;
    if (!isOver) setImmediate(countIteration);
  };
  setImmediate(countIteration);
  onTestFinished(() => {
    isOver = true;
  });
  return () => iterations;
}

/** Opens a service whose organization "acme" has a tag `vip` with members. */
async function createMembers(options: LoyaltyOptions, members = MEMBERS) {
  const { storage } = options;
  await inOneTransaction(storage, async (loyalty) => {
    const { users, tags } = loyalty.organization("acme");
    await tags.create({ name: "VIP" });
    for (let at = 0; at < members; at += 1) {
      const { id } = await users.create({ email: someEmail() });
      await tags.assign(id, "vip");
    }
  });
  return openAcme(options);
}

/** The event types emitted when the tag is deleted. */
const expectedTypes = (members: number): EventType[] => [
  ...Array.from({ length: members }, () => "user_tag.unassigned" as const),
  "user_tag.deleted",
];

const tagEvents = expectedTypes(MEMBERS);

describe.each(everyAdapter)("when emitting the events of one change takes long on $name", ({ open }) => {
  it("the event loop runs in between", async () => {
    const { loyalty, acme } = await createMembers({ storage: await open() });
    const countSoFar = countIterations();
    const iterationsSeen: number[] = [];
    recordEvents(loyalty, () => {
      iterationsSeen.push(countSoFar());
      blockEventLoop();
    });
    await acme.tags.delete("vip");
    await loyalty.close();
    expect(iterationsSeen).toHaveLength(tagEvents.length);
    expect(new Set(iterationsSeen).size).toBeGreaterThan(MEMBERS / 2);
  });

  it("events of later changes come after them, and those changes don't wait for that", async () => {
    // Emitting takes three seconds, or until both changes are done, because a busy server takes its time to commit.
    // Deleting a tag removes it from 100 users at a time, and other changes run between two slices.
    const members = 99;
    const { loyalty, acme } = await createMembers({ storage: await open() }, members);
    const order: string[] = [];
    const later: Promise<unknown>[] = [];
    let responseCount = 0;
    recordEvents(loyalty, ({ type, organizationId }) => {
      order.push(`${type} ${organizationId}`);
      if (order.length === 1) {
        for (const id of ["acme", "globex"]) {
          const creation = loyalty.organization(id).tags.create({ name: "New" });
          later.push(
            creation.then(() => {
              order.push(`answered ${id}`);
              responseCount += 1;
            }),
          );
        }
      }
      if (responseCount < 2) blockEventLoop(30);
    });
    await acme.tags.delete("vip");
    await Promise.all(later);
    await loyalty.close();
    expect(order.filter((each) => !each.startsWith("answered"))).toEqual([
      ...expectedTypes(members).map((type) => `${type} acme`),
      "user_tag.created acme",
      "user_tag.created globex",
    ]);
    for (const id of ["acme", "globex"]) {
      expect(order.indexOf(`answered ${id}`)).toBeLessThan(order.indexOf(`user_tag.created ${id}`));
    }
  });

  it("the change resolves once its own events are emitted, however many come after them", async () => {
    const { loyalty, acme } = await createMembers({ storage: await open() });
    const order: string[] = [];
    const later: Promise<unknown>[] = [];
    recordEvents(loyalty, ({ type }) => {
      order.push(type);
      if (later.length < 30) later.push(acme.users.create({ email: someEmail() }));
      blockEventLoop();
    });
    await acme.tags.delete("vip").then(() => order.push("answered"));
    await Promise.all(later);
    await loyalty.close();
    expect(order.slice(0, tagEvents.length)).toEqual(tagEvents);
    expect(order).toHaveLength(tagEvents.length + 31);
    expect(order.indexOf("answered")).toBeLessThan(order.lastIndexOf("user.created"));
  });

  it("they are emitted in the order of the outbox", async () => {
    const { loyalty, acme } = await createMembers({ storage: await open() });
    const before = await listStoredEvents(acme);
    const later: Promise<unknown>[] = [];
    const recordedEvents = recordEvents(loyalty, () => {
      blockEventLoop();
      if (later.length < 3) later.push(acme.users.create({ email: someEmail() }));
    });
    await Promise.all([acme.tags.delete("vip"), acme.tags.create({ name: "New" })]);
    await vi.waitFor(() => expect(later).toHaveLength(3), 10_000);
    await Promise.all(later);
    const storedEvents = (await listStoredEvents(acme)).slice(before.length);
    await loyalty.close();
    expect(recordedEvents.map(({ id }) => id)).toEqual(storedEvents.map(({ id }) => id));
    expect(recordedEvents).toHaveLength(tagEvents.length + 4);
  });

  it("closing waits until all are emitted, including those of later changes", async () => {
    const { loyalty, acme } = await createMembers({ storage: await open() });
    const received: string[] = [];
    let closePromise: Promise<unknown> = Promise.resolve();
    recordEvents(loyalty, ({ type }) => {
      received.push(type);
      if (received.length === 1) {
        closePromise = acme.tags
          .create({ name: "New" })
          .then(() => loyalty.close())
          .then(() => received.push("closed"));
      }
      blockEventLoop();
    });
    await acme.tags.delete("vip");
    await closePromise;
    expect(received).toEqual([...tagEvents, "user_tag.created", "closed"]);
  });

  it("closing waits until the events of a change in progress are emitted", async () => {
    const { loyalty, acme } = await createMembers({ storage: await open() });
    const received: string[] = [];
    recordEvents(loyalty, ({ type }) => {
      received.push(type);
      blockEventLoop();
    });
    const deletion = acme.tags.delete("vip");
    await loyalty.close();
    expect(received).toEqual(tagEvents);
    await deletion;
  });

  it("a listener that fails at each event suppresses none", async () => {
    const errors: unknown[] = [];
    const onError = (error: unknown) => errors.push(error);
    const { loyalty, acme } = await createMembers({ storage: await open(), onError });
    const recordedEvents = recordEvents(loyalty, ({ type }) => {
      blockEventLoop();
      throw type;
    });
    await acme.tags.delete("vip");
    await loyalty.close();
    expect(recordedEvents.map(({ type }) => type)).toEqual(tagEvents);
    expect(errors).toEqual(tagEvents);
  });
});
