import { LoyaltyService, type Organization, type StorageAdapter } from "loyalty-kit";
import { describe, expect, it, onTestFinished } from "vitest";
import { awaitInStep, runStep } from "../../src/base/concurrency/step.js";
import { organizationInternals } from "../../src/internals.js";
import { openAcme, someEmail } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { type Interceptor, interceptCalls, replaceTransactions } from "../kit/intercept-calls.js";
import { getErrorDetail, getRefusedFields, notFound, untyped, wrongType } from "../kit/refusal.js";
import { writes } from "./writes.js";

const HOUR = 3_600_000;
const key = { idempotencyKey: "till-7/receipt-991" };
const reused = { code: "idempotency_key_reused", params: null };
const inUse = { code: "idempotency_key_in_use", params: null };

describe.each(everyAdapter)("an idempotency key on $name", ({ open }) => {
  it.each(Object.entries(writes))("gives %s one effect", async (_, prepare) => {
    const { acme } = openAcme({ storage: await open() });
    const write = await prepare(acme);
    const first = await write(key);
    const after = await readEverything(acme);
    expect(await write(key)).toEqual(first);
    expect(await readEverything(acme)).toEqual(after);
  });

  it("gives concurrent calls one effect: each gets its result or is told to retry", async () => {
    const { acme } = openAcme({ storage: await open() });
    const { id } = await acme.users.create({ email: someEmail() });
    await acme.tags.create({ name: "VIP" });
    const calls = Array.from({ length: 20 }, () => acme.tags.assign(id, "vip", key));
    const answers = await Promise.allSettled(calls);
    const [assignment] = answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
    for (const answer of answers) {
      if (answer.status === "fulfilled") expect(answer.value).toEqual(assignment);
      else expect(answer.reason).toMatchObject({ detail: inUse });
    }
    expect(assignment).toBeDefined();
    expect(await acme.tags.assign(id, "vip", key)).toEqual(assignment);
  });

  it("is refused for another call, whatever differs", async () => {
    const { acme } = openAcme({ storage: await open() });
    await acme.tags.create({ name: "VIP", ...key });
    expect(await getErrorDetail(acme.tags.create({ name: "Other", ...key }))).toEqual(reused);
    expect(await getErrorDetail(acme.users.create({ email: someEmail(), ...key }))).toEqual(reused);
    expect(await getErrorDetail(acme.tags.update("vip", { name: "VIP", ...key }))).toEqual(reused);
    expect(await acme.tags.list()).toHaveLength(1);
  });

  it("stores not-found errors and conflicts", async () => {
    const { acme } = openAcme({ storage: await open() });
    const ada = await acme.users.create({ email: "ada@example.com" });
    const conflict = await getErrorDetail(acme.users.create({ email: ada.email, ...key }));
    expect(conflict).toMatchObject({ code: "user_already_exists" });
    await acme.users.delete(ada.id);
    expect(await getErrorDetail(acme.users.create({ email: ada.email, ...key }))).toEqual(conflict);

    const other = { idempotencyKey: "other" };
    expect(await getErrorDetail(acme.tags.delete("vip", other))).toEqual(notFound);
    await acme.tags.create({ name: "VIP" });
    expect(await getErrorDetail(acme.tags.delete("vip", other))).toEqual(notFound);
    expect(await acme.tags.list()).toHaveLength(1);
  });

  it("doesn't store errors of invalid input, a missing scope or failing storage", async () => {
    const storage = await open();
    let isDown = true;
    const { loyalty, acme } = openAcme({
      storage: interceptWrites(storage, function* (method, proceed) {
        if (isDown && method === "insertTag") throw new Error("disk full");
        return yield* proceed();
      }),
    });
    expect(await getRefusedFields(acme.tags.create({ name: "", ...key }))).toEqual(["name"]);
    const reader = loyalty.organization("acme", { scopes: ["user_tag:read"] });
    expect(await getErrorDetail(reader.tags.create({ name: "VIP", ...key }))).toMatchObject({
      code: "access_denied",
    });
    await expect(acme.tags.create({ name: "VIP", ...key })).rejects.toThrow("disk full");
    isDown = false;
    expect(await acme.tags.create({ name: "VIP", ...key })).toMatchObject({ slug: "vip" });
  });

  it("can be used again after 24 hours", async () => {
    const { acme, clock } = openAcme({ storage: await open() });
    const { idempotencyKey } = key;
    const first = await acme.templates.create({ name: "Coffee", type: "LOYALTY_CARD", idempotencyKey });
    clock.move(24 * HOUR - 1);
    expect(await acme.templates.create({ name: "Coffee", type: "LOYALTY_CARD", idempotencyKey })).toEqual(
      first,
    );
    clock.move(1);
    const second = await acme.templates.create({ name: "Tea", type: "LOYALTY_CARD", idempotencyKey });
    expect(second.id).not.toBe(first.id);
    expect(await acme.templates.list()).toEqual([first, second]);
  });

  it("can be used again after as many hours as the service retains idempotency records", async () => {
    const { acme, clock } = openAcme({ storage: await open(), retention: { idempotencyHours: 48 } });
    const { idempotencyKey } = key;
    const create = () => acme.templates.create({ name: "Coffee", type: "LOYALTY_CARD", idempotencyKey });
    const first = await create();
    clock.move(48 * HOUR - 1);
    expect(await create()).toEqual(first);
    clock.move(1);
    expect((await create()).id).not.toBe(first.id);
  });

  it("is independent of the same key in another organization", async () => {
    const { loyalty, acme } = openAcme({ storage: await open() });
    const globex = loyalty.organization("globex");
    const calls = [acme, globex].map((organization) => organization.tags.create({ name: "VIP", ...key }));
    const [ours, theirs] = await Promise.all(calls);
    expect(ours?.id).not.toBe(theirs?.id);
    expect(await getErrorDetail(globex.tags.create({ name: "Other", ...key }))).toEqual(reused);
  });

  it("is a text of 1 to 255 characters", async () => {
    const { acme } = openAcme({ storage: await open() });
    for (const idempotencyKey of ["", " ", "x".repeat(256), "a\0b", "\ud800"]) {
      expect(await getRefusedFields(acme.tags.create({ name: "VIP", idempotencyKey }))).toEqual([
        "idempotencyKey",
      ]);
    }
    const wrong = acme.tags.create(untyped({ name: "VIP", idempotencyKey: 7 }));
    expect(await getErrorDetail(wrong)).toEqual(wrongType("idempotencyKey"));
    const idempotencyKey = "é".repeat(255);
    expect(await acme.tags.create({ name: "VIP", idempotencyKey })).toEqual(
      await acme.tags.create({ name: "VIP", idempotencyKey }),
    );
  });

  it("is stored with its result in the transaction of the effect", async () => {
    const storage = await open();
    const { acme } = openAcme({
      storage: interceptWrites(storage, function* (method, proceed) {
        if (method === "putIdempotencyRecord") throw new Error("killed");
        return yield* proceed();
      }),
    });
    await expect(acme.tags.create({ name: "VIP", ...key })).rejects.toThrow("killed");
    expect(await acme.tags.list()).toEqual([]);
    expect(await runStep(storage.reader("acme").newestEventPosition())).toBe(0);
  });

  it("is stored without revealing a token in the storage", async () => {
    const storage = await open();
    const snapshots: unknown[] = [];
    const { acme } = openAcme({
      storage: interceptWrites(storage, function* (method, proceed, args) {
        if (method === "putIdempotencyRecord") snapshots.push(args);
        return yield* proceed();
      }),
    });
    const { token } = await acme.apiTokens.create({ name: "Till", scopes: ["user:read"], ...key });
    expect(snapshots).toHaveLength(1);
    const text = JSON.stringify(snapshots);
    expect(text).not.toContain(key.idempotencyKey);
    const secret = token.slice(10, 34);
    for (const encoded of [
      secret,
      Buffer.from(secret).toString("base64"),
      Buffer.from(secret).toString("hex"),
    ]) {
      expect(text).not.toContain(encoded);
    }
  });

  it("allows only one change in its call", async () => {
    const { acme } = openAcme({ storage: await open() });
    const twice = organizationInternals(acme).call(
      { value: "key", field: "key", request: ["twice"] },
      async ({ tags }) => {
        await tags.create({ name: "One" });
        return tags.create({ name: "Two" });
      },
    );
    await expect(twice).rejects.toThrow(TypeError);
    expect(await acme.tags.list()).toHaveLength(1);
  });

  it("is removed after it has expired, when new ones are stored", async () => {
    const storage = await open();
    const { acme, clock } = openAcme({ storage });
    const create = (at: number) => acme.tags.create({ name: `Tag ${at}`, idempotencyKey: `key ${at}` });
    for (let at = 0; at < 6; at += 1) await create(at);
    clock.move(25 * HOUR);
    for (let at = 6; at < 9; at += 1) await create(at);
    expect(
      await storage.transaction("acme", (tx) => tx.removeExpiredIdempotencyRecords(clock.read(), 100)),
    ).toBe(0);
    expect(
      await storage.transaction("acme", (tx) => tx.removeExpiredIdempotencyRecords(clock.read() + 1, 100)),
    ).toBe(3);
  });

  it("is removed early if the organization exceeds limits.idempotencyBytes, the oldest first", async () => {
    const { acme, loyalty } = openAcme({ storage: await open(), limits: { idempotencyBytes: 20_000 } });
    const globex = loyalty.organization("globex");
    const create = (organization: Organization, at: number) => {
      const idempotencyKey = `key ${at}`;
      const description = "x".repeat(500);
      return organization.tags.create({ name: `Tag ${at}`, description, idempotencyKey });
    };
    const elsewhere = await create(globex, 0);
    for (let at = 0; at < 40; at += 1) await create(acme, at);
    expect(await create(acme, 39)).toMatchObject({ name: "Tag 39" });
    expect(await create(acme, 30)).toMatchObject({ name: "Tag 30" });
    expect(await getErrorDetail(create(acme, 0))).toMatchObject({ code: "user_tag_already_exists" });
    expect(await create(globex, 0)).toEqual(elsewhere);
  });

  it("gives concurrent calls of two services one effect", async () => {
    const storage = await open();
    const options = { clock: () => 1_800_000_000_000, storage: withoutClose(storage) };
    const services = [new LoyaltyService(options), new LoyaltyService(options)];
    onTestFinished(() => storage.close());
    const calls = Array.from({ length: 10 }, (_, at) => at).flatMap((at) =>
      services.map((service) =>
        service.organization("acme").tags.create({ name: `Tag ${at}`, idempotencyKey: `key ${at}` }),
      ),
    );
    const tags = await Promise.all(calls);
    expect(new Set(tags.map(({ id }) => id)).size).toBe(10);
    expect(await runStep(storage.reader("acme").newestEventPosition())).toBe(10);
  });
});

/** Reads everything that is visible of an organization. */
async function readEverything(acme: Organization) {
  const users = [];
  for await (const user of acme.users.list()) users.push(user);
  const passes = await Promise.all(users.map(({ id }) => acme.passes.ofUser(id)));
  return {
    users,
    passes,
    tags: await acme.tags.list(),
    templates: await acme.templates.list(),
    tokens: await acme.apiTokens.list(),
    events: await acme.events.list({ limit: 1_000 }),
  };
}

/** Wraps a storage so that `intercept` receives the calls of its transactions. */
function interceptWrites(storage: StorageAdapter, intercept: Interceptor): StorageAdapter {
  return replaceTransactions(storage, (organizationId, work, options) =>
    storage.transaction(organizationId, (tx) => work(interceptCalls(tx, intercept)), options),
  );
}

/** Wraps a storage so that several services can share it: `close` does nothing. */
function withoutClose(storage: StorageAdapter): StorageAdapter {
  return interceptCalls(storage, (method, proceed) =>
    method === "close" ? awaitInStep(undefined) : proceed(),
  );
}
