import type { EventType } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { serviceInternals } from "../../src/internals.js";
import { openAcme } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { getErrorDetail, getRefusedFields, notFound, untyped, wrongType } from "../kit/refusal.js";
import { openHooks, URL_OF_ENDPOINT } from "./hooks.js";

const DAY = 86_400_000;

describe.each(everyAdapter)("a webhook endpoint on $name", ({ open }) => {
  it("is shown with its secret once, and without it afterward", async () => {
    const { acme, clock } = openAcme({ storage: await open() });
    const input = { url: "HTTPS://Example.com", types: ["user.created"] as EventType[], description: "News" };
    const { secret, webhookEndpoint } = await acme.webhooks.create(input);
    expect(webhookEndpoint).toEqual({
      id: expect.stringMatching(/^whe_[0-9a-f-]{36}$/),
      object: "webhook_endpoint",
      url: "https://example.com/",
      description: "News",
      types: ["user.created"],
      isDisabled: false,
      disabledReason: null,
      disabledAt: null,
      createdAt: clock.timestamp,
      updatedAt: clock.timestamp,
    });
    expect(await acme.webhooks.get(webhookEndpoint.id)).toEqual(webhookEndpoint);
    expect(await acme.webhooks.list()).toEqual([webhookEndpoint]);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]+=*$/);
    const bytes = Buffer.from(secret.slice("whsec_".length), "base64").byteLength;
    expect(bytes).toBeGreaterThanOrEqual(24);
    expect(bytes).toBeLessThanOrEqual(64);
  });

  it("belongs to one organization, and isn't visible to another", async () => {
    const { loyalty, acme, id } = await openHooks({ storage: await open() });
    const { webhooks } = loyalty.organization("globex");
    expect(await webhooks.list()).toEqual([]);
    for (const call of [
      () => webhooks.get(id),
      () => webhooks.update(id, { isDisabled: true }),
      () => webhooks.delete(id),
      () => webhooks.rotateSecret(id),
      () => webhooks.deliveries(id),
      () => webhooks.replay(id, { since: "2000-01-01T00:00:00Z", until: "2999-01-01T00:00:00Z" }),
      () => webhooks.test(id),
    ]) {
      expect(await getErrorDetail(call())).toEqual(notFound);
    }
    expect(await acme.webhooks.get(id)).toMatchObject({ isDisabled: false });
  });

  it("changes only in the given fields", async () => {
    const { acme, clock, id } = await openHooks({ storage: await open() });
    const before = await acme.webhooks.get(id);
    clock.move(5);
    const types: EventType[] = ["stamp.added", "user.created"];
    for (const [change, expected] of [
      [{ url: "https://example.com/a" }, { url: "https://example.com/a" }],
      [{ types }, { types }],
      [{ description: "d" }, { description: "d" }],
    ] as const) {
      const now = await acme.webhooks.get(id);
      const after = await acme.webhooks.update(id, { ...change });
      expect(after).toEqual({ ...now, ...expected, updatedAt: after.updatedAt });
      expect(after.updatedAt > now.updatedAt).toBe(true);
      expect(await acme.webhooks.get(id)).toEqual(after);
    }
    const cleared = await acme.webhooks.update(id, { types: null, description: null, url: before.url });
    expect(cleared).toEqual({ ...before, updatedAt: cleared.updatedAt });
  });

  it("keeps its updatedAt when nothing changes", async () => {
    const { acme, clock, id } = await openHooks({ storage: await open() });
    const before = await acme.webhooks.update(id, { types: ["user.created"] });
    clock.move(5);
    for (const change of [
      {},
      { url: URL_OF_ENDPOINT },
      { types: ["user.created", "user.created"] as EventType[] },
      { description: null },
      { isDisabled: false },
    ]) {
      expect(await acme.webhooks.update(id, change)).toEqual(before);
    }
    const disabled = await acme.webhooks.update(id, { isDisabled: true });
    clock.move(5);
    expect(await acme.webhooks.update(id, { isDisabled: true })).toEqual(disabled);
  });

  it("can be disabled and enabled by its owner", async () => {
    const { acme, clock, id } = await openHooks({ storage: await open() });
    expect(await acme.webhooks.update(id, { isDisabled: true })).toMatchObject({
      isDisabled: true,
      disabledReason: "requested",
      disabledAt: clock.timestamp,
    });
    expect(await acme.webhooks.update(id, { isDisabled: false })).toMatchObject({
      isDisabled: false,
      disabledReason: null,
      disabledAt: null,
    });
  });

  it("also signs with the previous secret for 24 hours after a rotation", async () => {
    const {
      acme,
      clock,
      id,
      secret: first,
      createEvents: happen,
      claim,
    } = await openHooks({ storage: await open() });
    const { secret: second, webhookEndpoint } = await acme.webhooks.rotateSecret(id);
    expect(webhookEndpoint).toEqual(await acme.webhooks.get(id));
    const listSecrets = async () => {
      await happen();
      const [job] = await claim();
      return job?.secrets;
    };
    expect(await listSecrets()).toEqual([second, first]);
    clock.move(DAY - 1);
    expect(await listSecrets()).toEqual([second, first]);
    clock.move(1);
    expect(await listSecrets()).toEqual([second]);
    const { secret: third } = await acme.webhooks.rotateSecret(id);
    const { secret: fourth } = await acme.webhooks.rotateSecret(id);
    expect(await listSecrets()).toEqual([fourth, third]);
  });

  it("is removed with its deliveries when it is deleted", async () => {
    const {
      acme,
      loyalty,
      place,
      id,
      createEvents: happen,
      claim,
    } = await openHooks({ storage: await open() });
    await happen(3);
    const [job] = await claim(1);
    await acme.webhooks.delete(id);
    expect(await getErrorDetail(acme.webhooks.get(id))).toEqual(notFound);
    expect(await getErrorDetail(acme.webhooks.deliveries(id))).toEqual(notFound);
    expect(await getErrorDetail(acme.webhooks.delete(id))).toEqual(notFound);
    expect(await acme.webhooks.list()).toEqual([]);
    const { webhookQueue } = serviceInternals(loyalty);
    expect(await webhookQueue.endpointsWithDueWork(10)).toEqual([]);
    expect(await webhookQueue.claimNext(place, 0)).toMatchObject({ hasMore: false });
    expect(await claim()).toEqual([]);
    expect(job).toBeDefined();
  });

  it("is created once per idempotency key, with the same secret", async () => {
    const { acme } = openAcme({ storage: await open() });
    const input = { url: URL_OF_ENDPOINT, idempotencyKey: "key" };
    const first = await acme.webhooks.create(input);
    expect(await acme.webhooks.create(input)).toEqual(first);
    expect(await acme.webhooks.list()).toHaveLength(1);
    const { id } = first.webhookEndpoint;
    const rotated = await acme.webhooks.rotateSecret(id, { idempotencyKey: "another" });
    expect(await acme.webhooks.rotateSecret(id, { idempotencyKey: "another" })).toEqual(rotated);
    const tested = await acme.webhooks.test(id, { idempotencyKey: "third" });
    expect(await acme.webhooks.test(id, { idempotencyKey: "third" })).toEqual(tested);
    expect((await acme.webhooks.deliveries(id)).content).toHaveLength(1);
  });
});

describe("a webhook endpoint", () => {
  it("is limited to a hundred per organization", async () => {
    const { acme } = openAcme();
    const add = () => acme.webhooks.create({ url: URL_OF_ENDPOINT });
    const ids: string[] = [];
    for (let at = 0; at < 100; at += 1) ids.push((await add()).webhookEndpoint.id);
    expect(await getErrorDetail(add())).toEqual({ code: "too_many_webhook_endpoints", params: null });
    expect((await acme.webhooks.list()).map(({ id }) => id)).toEqual(ids);
    await acme.webhooks.delete(ids[50] ?? "");
    expect(await add()).toBeDefined();
  });
});

describe("the input for a webhook endpoint", () => {
  it.each([
    ["url", "http://example.com"],
    ["url", "https://10.0.0.1"],
    ["url", "https://localhost"],
    ["types", []],
    ["types.0", ["user"]],
    ["types.0", ["webhook.test"]],
    ["types", Array.from({ length: 101 }, () => "user.created")],
    ["description", "x".repeat(501)],
    ["description", "\0"],
  ])("is rejected at %s with the value %j", async (field, value) => {
    const { acme, id } = await openHooks();
    const change = { [field.split(".")[0] ?? ""]: value };
    const whole = { url: URL_OF_ENDPOINT, ...change };
    expect(await getRefusedFields(acme.webhooks.create(untyped(whole)))).toEqual([field]);
    expect(await getRefusedFields(acme.webhooks.update(id, untyped(change)))).toEqual([field]);
  });

  it("is rejected for all wrong fields together", async () => {
    const { acme, id } = await openHooks();
    const wrong = untyped({ url: "x", types: ["y"], description: "\ud800" });
    expect(await getRefusedFields(acme.webhooks.create(wrong))).toEqual(["description", "types.0", "url"]);
    expect(await getRefusedFields(acme.webhooks.update(id, wrong))).toEqual([
      "description",
      "types.0",
      "url",
    ]);
    expect(await getRefusedFields(acme.webhooks.create(untyped({})))).toEqual(["url"]);
    const untypedFields = untyped({ url: null, types: "user.created", description: 5, isDisabled: "true" });
    expect(await getErrorDetail(acme.webhooks.update(id, untypedFields))).toEqual(
      wrongType("url", "types", "description", "isDisabled"),
    );
  });

  it("accepts null for absent fields", async () => {
    const { acme } = await openHooks();
    const input = { url: URL_OF_ENDPOINT, types: null, description: null };
    expect((await acme.webhooks.create(input)).webhookEndpoint).toMatchObject({
      types: null,
      description: null,
    });
  });

  it("may name this machine if that is allowed", async () => {
    const { acme, loyalty } = openAcme({ webhooks: { allowLoopback: true } });
    const { webhookEndpoint } = await acme.webhooks.create({ url: "http://localhost:3000" });
    expect(webhookEndpoint.url).toBe("http://localhost:3000/");
    const { id } = webhookEndpoint;
    expect(await acme.webhooks.update(id, { url: "http://127.1" })).toMatchObject({
      url: "http://127.0.0.1/",
    });
    expect(await getRefusedFields(acme.webhooks.update(id, { url: "http://example.com" }))).toEqual(["url"]);
    expect(serviceInternals(loyalty).webhookQueue.allowsLoopback).toBe(true);
    expect(serviceInternals(openAcme().loyalty).webhookQueue.allowsLoopback).toBe(false);
  });
});

describe("a service without an outbox", () => {
  it("has no queue for webhooks", () => {
    const { loyalty } = openAcme({ outbox: false });
    expect(() => serviceInternals(loyalty).webhookQueue).toThrow(TypeError);
  });
});
