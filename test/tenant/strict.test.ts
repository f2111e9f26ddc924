import {
  all,
  any,
  LoyaltyService,
  lastVisit,
  not,
  type Organization,
  type SegmentCondition,
  tag,
} from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import { organizationInternals } from "../../src/internals.js";
import { openAcme } from "../kit/acme.js";
import { getErrorDetail, getRefusedFields, untyped } from "../kit/refusal.js";

const mistyped = { kye: "receipt-991" };

/** Lists every call of every group, such as `stamps.add`. */
function listCalls(organization: Organization) {
  const groups = Object.getOwnPropertyDescriptors(Object.getPrototypeOf(organization));
  return Object.entries(groups)
    .filter(([name, { get }]) => get !== undefined && name !== "id")
    .flatMap(([name, { get }]) => {
      const group = get?.call(organization);
      return Object.getOwnPropertyNames(Object.getPrototypeOf(group))
        .filter((call) => call !== "constructor" && typeof group[call] === "function")
        .map((call) => ({ name: `${name}.${call}`, call: group[call].bind(group) }));
    });
}

/** Lists the calls that refuse an unknown key in one of their arguments. */
async function findStrictCalls(organization: Organization): Promise<string[]> {
  const strict: string[] = [];
  for (const { name, call } of listCalls(organization)) {
    for (const before of [[], ["a"], ["a", "b"], [["a"]], [["a"], { userId: "a" }]]) {
      const answer: unknown = call(...before, mistyped);
      if (!(answer instanceof Promise)) continue;
      const error: unknown = await answer.catch((error: unknown) => error);
      if (
        !(error instanceof Error) ||
        !/^kye is not a known field( \(did you mean key\?\))?$/.test(error.message)
      )
        continue;
      strict.push(name);
      break;
    }
  }
  return strict.sort();
}

describe("a service with default options", () => {
  it("accepts what it has returned: a resource's own fields are known, at every depth", async () => {
    const { acme } = openAcme();
    const ada = await acme.users.create({ email: "ada@example.com" });
    expect(await acme.users.update(ada.id, { ...ada, name: "Ada" })).toMatchObject({
      id: ada.id,
      name: "Ada",
    });
    const tag = await acme.tags.create({ name: "VIP" });
    expect(await acme.tags.update(tag.slug, { ...tag, description: "few" })).toMatchObject({ slug: "vip" });
    const template = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 10 });
    expect(await acme.templates.update(template.id, { ...untyped(template), name: "Tea" })).toMatchObject({
      name: "Tea",
    });
    expect(await acme.users.import([ada])).toMatchObject({ updated: 0, failed: [] });
    const { id, ...fields } = ada;
    expect(await getRefusedFields(acme.users.update(id, untyped({ ...fields, fone: "1" })))).toEqual([
      "fone",
    ]);
  });

  it("refuses unknown keys, in every call that takes an object", async () => {
    const { acme } = openAcme();
    expect(await findStrictCalls(acme)).toMatchInlineSnapshot(`
      [
        "apiTokens.create",
        "apiTokens.delete",
        "apiTokens.rotate",
        "apps.create",
        "apps.delete",
        "apps.rotateSecret",
        "audit.list",
        "audit.verify",
        "automations.create",
        "automations.delete",
        "automations.ofUser",
        "automations.runs",
        "automations.test",
        "automations.update",
        "contacts.list",
        "events.list",
        "grants.allow",
        "grants.delete",
        "messageDeliveries.bounce",
        "messageDeliveries.bounceAddress",
        "messageSettings.update",
        "messages.cancel",
        "messages.create",
        "messages.delete",
        "messages.deliveries",
        "messages.list",
        "messages.send",
        "messages.test",
        "messages.update",
        "passes.create",
        "passes.delete",
        "passes.deliveries",
        "passes.ensure",
        "passes.get",
        "passes.import",
        "passes.markInstalled",
        "passes.markUninstalled",
        "passes.notify",
        "passes.revokeWalletLinks",
        "people.add",
        "people.delete",
        "people.endSession",
        "people.endSessions",
        "people.invite",
        "people.inviteAgain",
        "people.list",
        "people.update",
        "points.add",
        "points.history",
        "points.remove",
        "points.reverse",
        "points.spend",
        "purchases.addReturn",
        "purchases.confirm",
        "purchases.list",
        "purchases.put",
        "segments.create",
        "segments.delete",
        "segments.members",
        "segments.query",
        "segments.statistics",
        "segments.update",
        "settings.update",
        "stamps.add",
        "stamps.history",
        "stamps.redeem",
        "stamps.remove",
        "stamps.reset",
        "stamps.reverse",
        "stamps.set",
        "statistics.get",
        "subscriptions.put",
        "tags.assign",
        "tags.assignUsers",
        "tags.create",
        "tags.delete",
        "tags.ensure",
        "tags.merge",
        "tags.query",
        "tags.unassign",
        "tags.unassignUsers",
        "tags.update",
        "templates.create",
        "templates.delete",
        "templates.ensure",
        "templates.update",
        "users.create",
        "users.delete",
        "users.erase",
        "users.find",
        "users.import",
        "users.update",
        "users.upsert",
        "webhooks.create",
        "webhooks.delete",
        "webhooks.deliveries",
        "webhooks.replay",
        "webhooks.rotateSecret",
        "webhooks.test",
        "webhooks.update",
      ]
    `);
    expect(await findStrictCalls(openAcme({ strict: false }).acme)).toEqual([]);
  });

  it("names each unknown key by its path, and changes nothing", async () => {
    const { acme } = openAcme();
    const user = { email: "ada@example.com", metadata: { any: { thing: 1 } } };
    const { id } = await acme.templates.create({ name: "Coffee", type: "LOYALTY_CARD" });
    const pass = untyped({ user: { ...user, fone: "1" }, preview: true });
    expect(await getErrorDetail(acme.passes.create(id, pass))).toEqual({
      code: "validation_failed",
      fields: { "user.fone": "is not a known field (did you mean phone?)", preview: "is not a known field" },
    });
    expect(await getRefusedFields(acme.passes.create(id, { user }, untyped({ preview: true })))).toEqual([
      "preview",
    ]);
    const design = untyped({ texts: [{ language: "en", titel: "Coffee" }], logos: undefined });
    expect(await getRefusedFields(acme.templates.update(id, { design }))).toEqual(["design.texts.0.titel"]);
    expect((await acme.contacts.list()).totalElements).toBe(0);
    await acme.passes.create(id, { user, idempotencyKey: "a" }, { isPreviewPass: true });
  });

  it("suggests the closest known key", async () => {
    const { acme } = openAcme();
    const template = untyped({ name: "Coffee", type: "STAMP_CARD", maxstamp: 5, rewrad: "Coffee", x: 1 });
    expect(await getErrorDetail(acme.templates.create(template))).toMatchObject({
      fields: {
        maxstamp: "is not a known field (did you mean maxStamps?)",
        rewrad: "is not a known field (did you mean reward?)",
        x: "is not a known field",
      },
    });
  });

  it("fails only the rows of an import that have an unknown key", async () => {
    const { acme } = openAcme();
    const rows = [{ email: "ada@example.com", fone: "1" }, { email: "bob@example.com" }];
    const row = { row: 1, errors: { fone: "is not a known field (did you mean phone?)" } };
    expect(await acme.users.import(rows)).toMatchObject({ created: 1, failed: [row] });
    const customers = [
      { email: "eve@example.com", createdAt: "2024-05-31", passes: [untyped({ cod: "1" })] },
    ];
    const { failed } = await acme.passes.import(customers);
    expect(failed).toEqual([
      { row: 1, errors: { "passes.0.cod": "is not a known field (did you mean code?)" } },
    ]);
  });

  it("imports what it has exported", async () => {
    const { acme } = openAcme();
    await acme.users.create({ email: "ada@example.com" });
    expect(await acme.users.import(acme.users.export())).toMatchObject({ failed: [] });
  });

  it("refuses unknown options, for itself and for an organization", async () => {
    const storage = memoryStorage();
    const options = { storage, shortlinkBase: "a", limits: { tag: 1 }, retention: { days: 1 } };
    expect(() => new LoyaltyService(untyped({ ...options, webhooks: { loopback: true } }))).toThrow(
      "shortlinkBase is not a known field (did you mean shortLinkBase?); webhooks.loopback is not a known field; limits.tag is not a known field (did you mean tags?); retention.days is not a known field",
    );
    const { loyalty } = openAcme({
      retention: { eventDays: 1 },
      limits: { tags: 1 },
      webhooks: {},
    });
    // With the misspelled option, a caller that is meant to have few scopes would have all.
    expect(() => loyalty.organization("acme", untyped({ scope: ["user:read"] }))).toThrow(
      "scope is not a known field (did you mean scopes?)",
    );
    expect(() => loyalty.organization("acme", untyped({ scope: [], strict: false }))).not.toThrow();
  });

  it("is strict also inside a call of another interface, and on behalf of an actor", async () => {
    const { acme } = openAcme();
    const tagged = { name: "VIP", hue: "#FF0000" };
    const others = [acme.actingFor({ subject: "anna" })];
    await organizationInternals(acme).call(null, async (organization) => others.push(organization));
    for (const organization of others)
      expect(await getRefusedFields(organization.tags.create(tagged))).toEqual(["hue"]);
    expect(await acme.tags.list()).toEqual([]);
  });

  it("isn't strict for one organization that is opened with other options", async () => {
    const lenient = openAcme().loyalty.organization("acme", { strict: false });
    const strict = openAcme({ strict: false }).loyalty.organization("acme", { strict: true });
    const tagged = { name: "VIP", hue: "#FF0000" };
    expect(await lenient.tags.create(tagged)).toMatchObject({ slug: "vip" });
    expect(await getRefusedFields(strict.tags.create(tagged))).toEqual(["hue"]);
  });
});

describe("the types of inputs", () => {
  it("refuse unknown keys where they are written", () => {
    const { acme } = openAcme();
    const listUnreached = () => [
      // @ts-expect-error
      acme.users.create({ email: "ada@example.com", fone: "1" }),
      // @ts-expect-error
      acme.users.delete("a", { idempotencyKye: "a" }),
      // @ts-expect-error
      acme.contacts.list({ serach: "ada" }),
      // @ts-expect-error
      acme.passes.create("a", { user: { email: "ada@example.com", fone: "1" } }),
      // @ts-expect-error
      acme.stamps.add("a", { cuont: 1 }),
      // @ts-expect-error
      acme.tags.query({ filter: { operator: "AND", condition: [] } }),
      // @ts-expect-error
      acme.users.import([{ email: "ada@example.com", fone: "1" }]),
    ];
    expect(listUnreached).toBeTypeOf("function");
  });

  it("refuse fields that exclude each other, and a stamp card without its number of stamps", () => {
    const { acme } = openAcme();
    const user = { email: "ada@example.com" };
    const listUnreached = () => [
      // @ts-expect-error
      acme.passes.create("a", { userId: "a", user }),
      // @ts-expect-error
      acme.passes.create("a", {}),
      // @ts-expect-error
      acme.passes.ensure("a", { userId: "a", user }),
      // @ts-expect-error
      acme.templates.create({ name: "Card", type: "STAMP_CARD" }),
      // @ts-expect-error
      acme.templates.create({ name: "Card", type: "STAMP_CARD", maxStamps: null }),
      // @ts-expect-error
      acme.templates.create({ name: "Card", type: "LOYALTY_CARD", maxStamps: 5 }),
      acme.passes.create("a", { userId: "a", notify: true }),
      acme.passes.create("a", { user, idempotencyKey: "a" }),
      acme.templates.create({ name: "Card", type: "STAMP_CARD", maxStamps: 5, reward: null }),
      acme.templates.create({ name: "Card", type: "LOYALTY_CARD" }),
    ];
    expect(listUnreached).toBeTypeOf("function");
  });

  it("refuse conditions with two tests, or with none", () => {
    const { acme } = openAcme();
    const query = (condition: SegmentCondition) =>
      acme.segments.query({ filter: { operator: "AND", conditions: [condition] } });
    const listUnreached = () => [
      // @ts-expect-error
      query({}),
      // @ts-expect-error
      query({ slug: "vip", language: "de" }),
      // @ts-expect-error
      query({ lastVisit: { withinDays: 1, beforeDays: 2 } }),
      // @ts-expect-error
      query({ lastVisit: {} }),
      // @ts-expect-error
      query({ joined: { withinDays: 1, from: "2026-01-01" } }),
      // @ts-expect-error
      query({ metadata: { path: ["city"], equals: "Vienna", exists: true } }),
      // @ts-expect-error
      query({ anniversary: { path: ["birthday"] } }),
      // @ts-expect-error
      query({ visits: { days: 30 } }),
      // @ts-expect-error
      all(),
      // @ts-expect-error
      not("vip"),
      // @ts-expect-error
      acme.tags.query({ filter: all(tag("vip"), lastVisit({ withinDays: 1 })) }),
      acme.tags.query({ filter: all(tag("vip"), not(tag("staff"))) }),
      acme.segments.query({ filter: all(tag("vip"), lastVisit({ withinDays: 1 }), not(tag("staff"))) }),
      acme.segments.create({ name: "VIP", filter: any(tag("vip"), lastVisit({ never: true })) }),
      query({ joined: { from: "2026-01-01", to: "2026-02-01" } }),
    ];
    expect(listUnreached).toBeTypeOf("function");
  });
});
