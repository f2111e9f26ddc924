import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openAcme, someEmail } from "../kit/acme.js";
import { adaptersInProcess } from "../kit/adapters.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { untyped } from "../kit/refusal.js";
import { recordEvents } from "./recorded-events.js";

/** Records the errors of onError, and returns the service options for it. */
function recordErrors() {
  const errors: unknown[] = [];
  return { errors, onError: (error: unknown) => errors.push(error) };
}

const waitIteration = () => new Promise((resolve) => setImmediate(resolve));

describe("a listener", () => {
  it("receives one event type, several, or all, until it is removed", async () => {
    const { loyalty, acme } = openAcme();
    const received: string[] = [];
    const ends = [
      loyalty.on("user.updated", ({ data }) => received.push(`one: ${data.email}`)),
      loyalty.on(["user.created", "user.updated"], (event) => received.push(`some: ${event.type}`)),
      loyalty.on("*", (event) => received.push(`all: ${event.type === "user.created" && event.data.email}`)),
    ];
    const { id } = await acme.users.create({ email: "ada@example.com" });
    await acme.users.update(id, { name: "Ada" });
    expect(received).toEqual([
      ...["some: user.created", "all: ada@example.com"],
      ...["one: ada@example.com", "some: user.updated", "all: false"],
    ]);
    for (const end of ends) end();
    await acme.users.update(id, { name: "Ada Lovelace" });
    expect(received).toHaveLength(5);
  });

  it("receives only the next event with once(), or none if it is removed before", async () => {
    const { loyalty, acme } = openAcme();
    const received: string[] = [];
    loyalty.once(["user.created", "user.updated"], ({ type }) => received.push(type));
    loyalty.once("user.created", ({ type }) => received.push(`never ${type}`))();
    const { id } = await acme.users.create({ email: "ada@example.com" });
    await acme.users.update(id, { name: "Ada" });
    expect(received).toEqual(["user.created"]);
  });

  it("has received a tag removal's events when refreshSegments resolves, even if it is slow", async () => {
    const { loyalty, acme } = openAcme();
    await acme.tags.create({ name: "VIP" });
    await acme.users.import(Array.from({ length: 350 }, () => ({ email: someEmail(), tags: ["vip"] })));
    const events = recordEvents(loyalty, () => {
      const start = performance.now();
      while (performance.now() < start + 2);
    });
    await acme.tags.delete("vip");
    await loyalty.refreshSegments();
    expect(events.at(-1)?.type).toBe("user_tag.deleted");
  });

  it("is refused for an unknown event type", () => {
    const { loyalty } = openAcme();
    for (const type of ["user.creatd", "toString", ["user.created", "typo"]]) {
      for (const listen of ["on", "once"] as const) {
        expect(() => loyalty[listen](untyped(type), () => {})).toThrow(
          /type must be an event type, such as user\.created/,
        );
      }
    }
  });
});

describe("a listener that fails", () => {
  const failures: Record<string, (error: Error) => unknown> = {
    "by throwing": (error) => {
      throw error;
    },
    "by rejecting": (error) => Promise.reject(error),
    "by rejecting later": async (error) => {
      await waitIteration();
      throw error;
    },
  };

  it.each(Object.entries(failures))(
    "%s affects neither the write nor other listeners",
    async (_how, fail) => {
      const { errors, onError } = recordErrors();
      const { loyalty, acme } = openAcme({ onError });
      const failure = new Error("the listener is broken");
      const received: string[] = [];
      loyalty.on("user.created", ({ data }) => received.push(`before ${data.email}`));
      loyalty.on("user.created", () => fail(failure));
      loyalty.on("user.created", ({ data }) => received.push(`after ${data.email}`));
      const user = await acme.users.create({ email: "ada@example.com" });
      await waitIteration();
      await waitIteration();
      expect(received).toEqual(["before ada@example.com", "after ada@example.com"]);
      expect(errors).toEqual([failure]);
      expect(await acme.users.get(user.id)).toEqual(user);
    },
  );

  it("is called again for each event, and all events of one change are emitted", async () => {
    const { errors, onError } = recordErrors();
    const { loyalty, acme } = openAcme({ onError });
    const card = await acme.templates.create({ name: "Card", type: "STAMP_CARD", maxStamps: 1 });
    const recordedEvents = recordEvents(loyalty, ({ type }) => {
      throw type;
    });
    const { id } = await acme.passes.create(card.id, { user: { email: someEmail() } });
    await acme.stamps.add(id, { count: 2 });
    const types = recordedEvents.map(({ type }) => type);
    expect(types).toEqual([
      "user.created",
      "pass.created",
      "stamp.added",
      "stamp_card.completed",
      "stamp_card.completed",
    ]);
    expect(errors).toEqual(types);
  });

  it("affects nothing when onError fails too", async () => {
    const consoleError = vi.spyOn(console, "error").mockReturnValue();
    onTestFinished(() => consoleError.mockRestore());
    const loggerError = new Error("the logger is down");
    const { loyalty, acme } = openAcme({
      onError: () => {
        throw loggerError;
      },
    });
    const received: (string | null)[] = [];
    for (const fail of Object.values(failures)) loyalty.on("user.created", () => fail(new Error("broken")));
    loyalty.on("user.created", ({ data }) => received.push(data.email));
    await acme.users.create({ email: "ada@example.com" });
    await waitIteration();
    await waitIteration();
    expect(received).toEqual(["ada@example.com"]);
    expect(consoleError.mock.calls).toEqual([[loggerError], [loggerError], [loggerError]]);
  });

  it("may throw any value", async () => {
    const { errors, onError } = recordErrors();
    const { loyalty, acme } = openAcme({ onError });
    loyalty.on("user.created", () => {
      throw undefined;
    });
    loyalty.on("user.created", () => Promise.reject(null));
    await acme.users.create({ email: someEmail() });
    await waitIteration();
    expect(errors).toEqual([undefined, null]);
  });
});

describe("the registration of a listener", () => {
  it("ends when its own function is called, without ending another one of the same listener", async () => {
    const { loyalty, acme } = openAcme();
    const received: (string | null)[] = [];
    const recordEmail = ({ data }: { data: { email: string | null } }) => received.push(data.email);
    const end = loyalty.on("user.created", recordEmail);
    const removeListener = loyalty.on("user.created", recordEmail);
    await acme.users.create({ email: "a@example.com" });
    end();
    end();
    await acme.users.create({ email: "b@example.com" });
    removeListener();
    await acme.users.create({ email: "c@example.com" });
    expect(received).toEqual(["a@example.com", "a@example.com", "b@example.com"]);
  });

  it("may end during an event, without another listener missing that event", async () => {
    const { loyalty, acme } = openAcme();
    const received: string[] = [];
    const end = loyalty.on("user.created", () => {
      received.push("first");
      end();
    });
    loyalty.on("user.created", () => received.push("second"));
    await acme.users.create({ email: someEmail() });
    await acme.users.create({ email: someEmail() });
    expect(received).toEqual(["first", "second", "second"]);
  });

  it("covers one event type in all organizations, and passes the organization's id", async () => {
    const { loyalty } = openAcme();
    const received: string[] = [];
    loyalty.on("user_tag.created", ({ type, data }, { organizationId }) => {
      received.push(`${type} ${data.slug} ${organizationId}`);
    });
    for (const id of ["acme", "globex"]) {
      await loyalty.organization(id).users.create({ email: "ada@example.com" });
      await loyalty.organization(id).tags.create({ name: "VIP" });
    }
    expect(received).toEqual(["user_tag.created vip acme", "user_tag.created vip globex"]);
  });
});

/** Elsewhere organizations never wait for each other, so their events are emitted in parallel. */
describe.each(adaptersInProcess)("listeners on $name, where one transaction runs at a time", ({ open }) => {
  it("receive concurrent changes in commit order, across all organizations", async () => {
    const { loyalty } = openAcme({ storage: await open() });
    const recordedEvents = recordEvents(loyalty);
    await Promise.all(
      Array.from({ length: 30 }, (_, at) =>
        loyalty.organization(`organization ${at % 3}`).users.create({ email: someEmail() }),
      ),
    );
    // Events of a change that ends while others are emitted come after its response.
    await expect.poll(() => recordedEvents).toHaveLength(30);
    const ids = recordedEvents.map(({ data }) => ("id" in data ? data.id : ""));
    expect(ids).toEqual(ids.toSorted());
    expect(recordedEvents.map(({ id }) => id)).toEqual(recordedEvents.map(({ id }) => id).sort());
  });
});

describe.each(everyAdapter)("listeners on $name", ({ open }) => {
  it("receive concurrent changes in commit order within each organization", async () => {
    const { loyalty } = openAcme({ storage: await open() });
    const ids = new Map<string, string[]>();
    loyalty.on("user.created", ({ id, data }, { organizationId }) => {
      ids.set(`users of ${organizationId}`, [...(ids.get(`users of ${organizationId}`) ?? []), data.id]);
      ids.set(`events of ${organizationId}`, [...(ids.get(`events of ${organizationId}`) ?? []), id]);
    });
    await Promise.all(
      Array.from({ length: 30 }, (_, at) =>
        loyalty.organization(`organization ${at % 3}`).users.create({ email: someEmail() }),
      ),
    );
    await expect.poll(() => [...ids.values()].flat()).toHaveLength(60);
    expect(ids.size).toBe(6);
    for (const [name, each] of ids) {
      expect(each, name).toHaveLength(10);
      // Ids are created inside the transactions, which run one after the other, so they increase.
      expect(each, name).toEqual(each.toSorted());
    }
  });

  it("may call the library, and the events of their changes come after the ones they received", async () => {
    const { loyalty, acme } = openAcme({ storage: await open() });
    const recordedEvents = recordEvents(loyalty);
    await acme.tags.create({ name: "New" });
    loyalty.on("user.created", ({ data }, { organizationId }) =>
      loyalty.organization(organizationId).tags.assign(data.id, "new"),
    );
    const assignedSlug = new Promise<string>((resolve) => {
      loyalty.on("user_tag.assigned", async ({ data }) => {
        await acme.users.update(data.userId, { name: "Tagged" });
        resolve(data.userId);
      });
    });
    const card = await acme.templates.create({ name: "Card", type: "LOYALTY_CARD" });
    const { userId } = await acme.passes.create(card.id, { user: { email: someEmail() } });
    expect(await assignedSlug).toBe(userId);
    expect((await acme.users.get(userId)).name).toBe("Tagged");
    expect(recordedEvents.map(({ type }) => type)).toEqual([
      "user_tag.created",
      "template.created",
      "user.created",
      "pass.created",
      "user_tag.assigned",
      "user.updated",
    ]);
  });
});
