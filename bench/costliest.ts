import { randomBytes } from "node:crypto";
import type { Organization, SegmentCondition, SegmentFilter, TagFilter } from "loyalty-kit";
import type { Routes } from "../src/kernel/routes.js";
import { passId, TEMPLATE, userId } from "./customers.js";
import type { ReadiedWork, Work } from "./timing.js";

/** As deep and as many as a filter may have. */
const [LEVELS, CONDITIONS] = [30, 32];
const SEGMENTS = 20;
const MOST_METADATA = 200;
/** Ten messages an hour may be tested. */
const TEST_MS = 360_000;
const LONG = "x".repeat(200);
/** A letter that Unicode can write in two ways takes longer to read than others. */
const LETTER = "e\u0301";

type Calls = {
  readonly [Group in keyof Routes]: Readonly<Record<keyof Routes[Group], Work | ReadiedWork>>;
};

let made = 0;
const fresh = () => {
  made += 1;
  return `fresh-${made}`;
};

/** A filter that was never asked before. */
function deep(levels = LEVELS): SegmentFilter {
  const conditions = Array.from({ length: CONDITIONS }, (_, nth) => condition(levels * CONDITIONS + nth));
  if (levels === 1) return { operator: "AND", conditions };
  const operator = levels % 2 === 0 ? "OR" : "NOT";
  return { operator, conditions, filters: [deep(levels - 1)] };
}

function condition(nth: number): SegmentCondition {
  if (nth % 3 === 0) return { visits: { templateId: TEMPLATE, days: nth % 730, min: 1 + (nth % 10) } };
  if (nth % 3 === 1) return { anniversary: { path: [fresh()], withinDays: 365 } };
  return { metadata: { path: ["city", fresh()], equals: LONG } };
}

function deepTags(levels = LEVELS): TagFilter {
  const conditions = Array.from({ length: CONDITIONS }, (_, nth) => ({ slug: `group-${nth}` }));
  if (levels === 1) return { operator: "AND", conditions };
  return { operator: "NOT", conditions, filters: [deepTags(levels - 1)] };
}

/** A call on something that is made for it. */
function on<Made>(make: () => Promise<Made>, work: (made: Made) => unknown): ReadiedWork {
  const ready: Made[] = [];
  return {
    ready: async () => ready.push(await make()),
    work: async () => {
      for (const each of ready.splice(0)) await work(each);
    },
  };
}

/** A call that makes something, which is removed before the next one. */
function making<Made>(make: () => Promise<Made>, remove: (made: Made) => unknown): ReadiedWork {
  const before: Made[] = [];
  return {
    ready: async () => {
      for (const each of before.splice(0)) await remove(each);
    },
    work: async () => before.push(await make()),
  };
}

async function all(list: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of list);
}

/**
 * The most costly call that is allowed, of every operation. Gives the organization what it may have.
 * @param clock of the service, for these calls to put forward.
 */
export async function costliestCalls(acme: Organization, clock: { now: number }): Promise<Calls> {
  const { tags, contacts, templates, passes, stamps, events, webhooks, segments, messages } = acme;
  const { apiTokens, people, apps, grants, automations, messageDeliveries, subscriptions } = acme;
  const everybody = { filter: { operator: "NOT", conditions: [{ slug: "nobody" }] } } satisfies {
    filter: SegmentFilter;
  };
  const metadata = () =>
    Object.fromEntries(Array.from({ length: MOST_METADATA }, (_, nth) => [`${fresh()} ${nth}`, "value"]));
  const email = () => `${fresh()}@example.com`;
  const user = () => acme.users.create({ email: email(), metadata: metadata() });
  const [ada, adasPass] = [userId(0), passId(0)];

  const tag = () => tags.create({ name: fresh() });
  const tagOfAll = async () => {
    const { slug } = await tag();
    await tags.assignUsers(slug, everybody);
    return slug;
  };
  const texts = ["en", "de", "fr", "es", "it", "pt", "nl", "pl"].map((language) => ({
    ...{ language, subject: LONG.slice(0, 100), text: LETTER.repeat(20_000), wallet: "A cake for {name}" },
  }));
  const design = {
    texts: ["en", "de", "fr", "es"].map((language) => ({
      ...{ language, terms: LETTER.repeat(5_000) },
      back: Array.from({ length: 20 }, () => ({ label: fresh(), value: LETTER.repeat(2_000) })),
    })),
  };
  const template = () => templates.create({ name: fresh(), type: "STAMP_CARD", maxStamps: 30, design });
  const pass = async () => passes.create(TEMPLATE, { userId: (await user()).id, notify: false });
  const stamped = async () => {
    const { id } = await pass();
    const { entryId } = await stamps.add(id, { count: 15 });
    return { id, entryId };
  };
  const endpoint = async () => (await webhooks.create({ url: "https://hooks.example/all" })).webhookEndpoint;
  const segment = () => segments.create({ name: fresh(), filter: deep() });
  const draft = () =>
    messages.create({ name: "News", audience: { filter: deep() }, channels: ["email"], texts });
  const sending = async () => {
    const { id } = await draft();
    await messages.send(id);
    return id;
  };
  const automation = () =>
    automations.create({
      ...{ name: "Welcome", isEnabled: false, on: { event: "user.created" }, if: deep() },
      do: [{ message: { channels: ["email"], texts } }],
    });
  const token = () => apiTokens.create({ name: fresh(), scopes: ["user:read"] });
  const person = () => people.add({ email: email(), role: "till" });
  const redirectUris = ["https://till.example/callback"];
  const app = () => apps.create({ name: fresh(), redirectUris, scopes: ["user:read"] });
  const delivery = async () => passes.notify((await pass()).id);
  const grant = async () => {
    const { app: of } = await app();
    const codeChallenge = randomBytes(32).toString("base64url");
    const redirectUri = redirectUris[0] ?? null;
    await grants.allow({ appId: of.id, subject: fresh(), scopes: ["user:read"], redirectUri, codeChallenge });
    return (await grants.list()).find(({ appId }) => appId === of.id)?.id ?? "";
  };

  const since = clock.now;
  await tags.assignUsers((await tag()).slug, { filter: { operator: "AND", conditions: [{ slug: "some" }] } });
  clock.now += 1_000;
  const [day, end] = [since, clock.now].map((ms) => new Date(ms).toISOString());

  const saved: string[] = [];
  while (saved.length < SEGMENTS) saved.push((await segment()).slug);
  const [regulars = ""] = saved;
  const hooks = (await endpoint()).id;
  const news = (await draft()).id;
  const welcome = (await automation()).id;
  const { apiToken } = await token();
  const { person: staff } = await person();
  const { app: till } = await app();
  const mailed = await delivery();
  const eventId = (await events.list({ limit: 1 })).content[0]?.id ?? "";
  const query = { templateId: TEMPLATE, minStamps: 1, search: "e", sort: "name,asc", size: 100 } as const;

  return {
    tags: {
      create: making(tag, ({ slug }) => tags.delete(slug)),
      ensure: making(
        () => tags.ensure(fresh()),
        ({ slug }) => tags.delete(slug),
      ),
      list: () => tags.list(),
      query: () => tags.query({ filter: deepTags(), size: 100 }),
      get: () => tags.get("most"),
      update: () => tags.update("most", { name: "most", description: fresh() }),
      delete: on(tagOfAll, (slug) => tags.delete(slug)),
      merge: on(tagOfAll, (slug) => tags.merge(slug, { into: "rare" })),
      users: () => all(tags.users("most")),
      assignUsers: on(tag, ({ slug }) => tags.assignUsers(slug, { filter: deep() })),
      unassignUsers: on(tagOfAll, (slug) => tags.unassignUsers(slug, { filter: deep() })),
      ofUser: () => tags.ofUser(ada),
      assign: on(tag, ({ slug }) => tags.assign(ada, slug)),
      unassign: on(
        async () => tags.assign(ada, (await tag()).slug),
        ({ userTag }) => tags.unassign(ada, userTag.slug),
      ),
    },
    users: {
      create: user,
      list: () => all(acme.users.list()),
      upsert: () => acme.users.upsert({ email: email(), metadata: metadata() }),
      find: on(user, (found) => acme.users.find({ email: found.email ?? "" })),
      get: () => acme.users.get(ada),
      update: on(user, ({ id }) => acme.users.update(id, { email: email(), metadata: metadata() })),
      delete: on(stamped, async ({ id }) => acme.users.delete((await passes.get(id)).userId)),
      erase: on(stamped, async ({ id }) => acme.users.erase((await passes.get(id)).userId)),
      dossier: () => acme.users.dossier(ada),
    },
    contacts: { list: () => contacts.list({ ...query, includeSummary: true }) },
    templates: {
      create: making(template, ({ id }) => templates.delete(id)),
      ensure: making(
        () => templates.ensure(fresh(), { name: "Coffee", type: "LOYALTY_CARD", design }),
        ({ id }) => templates.delete(id),
      ),
      list: () => templates.list(),
      get: () => templates.get(TEMPLATE),
      update: () => templates.update(TEMPLATE, { name: fresh(), design }),
      delete: on(template, ({ id }) => templates.delete(id)),
    },
    passes: {
      ofUser: () => passes.ofUser(ada),
      create: on(user, ({ id }) => passes.create(TEMPLATE, { userId: id })),
      ensure: on(user, ({ id }) => passes.ensure(TEMPLATE, { userId: id })),
      getOfTemplate: () => passes.get(adasPass, { templateId: TEMPLATE }),
      deleteOfTemplate: on(pass, ({ id }) => passes.delete(id, { templateId: TEMPLATE })),
      getByCode: () => passes.lookup("https://pass.invalid/code-0"),
      get: () => passes.get(adasPass),
      delete: on(pass, ({ id }) => passes.delete(id)),
      walletLinks: () => passes.walletLinks(adasPass),
      revokeWalletLinks: on(pass, ({ id }) => passes.revokeWalletLinks(id)),
      setInstallation: on(pass, ({ id }) => passes.markInstalled(id)),
      notify: on(pass, ({ id }) => passes.notify(id)),
      deliveries: () => passes.deliveries(mailed.passId ?? "", { size: 100 }),
    },
    stamps: {
      state: () => stamps.state(adasPass),
      history: () => stamps.history(adasPass, { size: 100 }),
      add: on(pass, ({ id }) => stamps.add(id, { count: 100, note: LONG })),
      remove: on(stamped, ({ id }) => stamps.remove(id, { count: 1 })),
      set: on(stamped, ({ id }) => stamps.set(id, { stamps: 1 })),
      reset: on(stamped, ({ id }) => stamps.reset(id)),
      redeem: on(stamped, ({ id }) => stamps.redeem(id)),
      reverse: on(stamped, ({ id, entryId }) => stamps.reverse(id, { entryId })),
    },
    events: {
      list: () => events.list({ types: ["template.deleted"], userId: ada, limit: 1_000 }),
      get: () => events.get(eventId),
    },
    webhooks: {
      create: making(endpoint, ({ id }) => webhooks.delete(id)),
      list: () => webhooks.list(),
      get: () => webhooks.get(hooks),
      update: () => webhooks.update(hooks, { description: fresh() }),
      delete: on(endpoint, ({ id }) => webhooks.delete(id)),
      rotateSecret: on(endpoint, ({ id }) => webhooks.rotateSecret(id)),
      deliveries: () => webhooks.deliveries(hooks, { limit: 100 }),
      replay: on(endpoint, ({ id }) => webhooks.replay(id, { since: day, until: end })),
      test: on(endpoint, ({ id }) => webhooks.test(id)),
    },
    segments: {
      create: making(segment, ({ slug }) => segments.delete(slug)),
      list: () => segments.list(),
      query: () => segments.query({ filter: deep(), size: 100 }),
      get: () => segments.get(regulars),
      update: () => segments.update(regulars, { filter: deep() }),
      delete: on(segment, ({ slug }) => segments.delete(slug)),
      members: () => segments.members(regulars, { size: 100 }),
      explain: () => segments.explain(regulars, ada),
      statistics: () => segments.statistics(regulars, { days: 1_100 }),
    },
    statistics: { get: () => acme.statistics.get({ days: 1_100 }) },
    apiTokens: {
      create: making(token, (created) => apiTokens.delete(created.apiToken.id)),
      list: () => apiTokens.list(),
      listCreated: () => apiTokens.listCreated(apiToken.id),
      rotate: on(token, (created) => apiTokens.rotate(created.apiToken.id)),
      delete: on(token, (created) => apiTokens.delete(created.apiToken.id)),
    },
    people: {
      invite: making(
        () => people.invite({ email: email(), role: "till" }),
        ({ id }) => people.delete(id),
      ),
      list: () => people.list({ size: 100 }),
      get: () => people.get(staff.id),
      update: () => people.update(staff.id, { name: fresh() }),
      delete: on(person, (added) => people.delete(added.person.id)),
      inviteAgain: making(
        async () => people.inviteAgain((await person()).person.id),
        ({ id }) => people.delete(id),
      ),
      sessions: () => people.sessions(staff.id),
      endSessions: () => people.endSessions(staff.id),
      // Nobody has signed in: it is found out that there is no such session.
      endSession: () => people.endSession(staff.id, "ses_none").catch(() => {}),
    },
    apps: {
      create: making(app, (created) => apps.delete(created.app.id)),
      list: () => apps.list(),
      get: () => apps.get(till.id),
      rotateSecret: () => apps.rotateSecret(till.id, { immediately: true }),
      delete: on(app, (created) => apps.delete(created.app.id)),
    },
    grants: { list: () => grants.list(), delete: on(grant, (id) => grants.delete(id)) },
    subscriptions: {
      get: () => subscriptions.get(ada),
      put: () => subscriptions.put(ada, { email: { status: "SUBSCRIBED", text: fresh() } }),
    },
    messages: {
      create: making(draft, ({ id }) => messages.delete(id)),
      list: () => messages.list({ size: 100 }),
      get: () => messages.get(news),
      update: () => messages.update(news, { audience: { filter: deep() }, texts }),
      delete: on(draft, ({ id }) => messages.delete(id)),
      preview: on(draft, ({ id }) => messages.preview(id)),
      test: on(
        async () => {
          clock.now += TEST_MS;
        },
        () => messages.test(news, { userId: ada }),
      ),
      send: making(sending, (id) => messages.cancel(id)),
      cancel: on(sending, (id) => messages.cancel(id)),
      deliveries: () => messages.deliveries(news, { size: 100 }),
    },
    messageSettings: {
      get: () => acme.messageSettings.get(),
      update: () => acme.messageSettings.update({ footer: fresh() }),
    },
    messageDeliveries: {
      get: () => messageDeliveries.get(mailed.id),
      bounce: on(delivery, ({ id }) => messageDeliveries.bounce(id, { kind: "hard" })),
      bounceAddress: on(user, (bounced) =>
        messageDeliveries.bounceAddress({ email: bounced.email ?? "", kind: "hard" }),
      ),
    },
    automations: {
      create: making(automation, ({ id }) => automations.delete(id)),
      list: () => automations.list(),
      get: () => automations.get(welcome),
      update: () => automations.update(welcome, { if: deep() }),
      delete: on(automation, ({ id }) => automations.delete(id)),
      runs: () => automations.runs(welcome, { size: 100 }),
      test: on(automation, ({ id }) => automations.test(id, { userId: ada })),
      ofUser: () => automations.ofUser(ada, { size: 100 }),
    },
    settings: {
      get: () => acme.settings.get(),
      update: () => acme.settings.update({ timeZone: made % 2 === 0 ? "Asia/Tokyo" : "UTC", name: fresh() }),
    },
    exports: { everything: () => all(acme.exports.everything()) },
    audit: { list: () => acme.audit.list({ limit: 1_000 }), verify: () => acme.audit.verify() },
  };
}

/** As many values as a body of a megabyte has. */
const VALUES = 300_000;

/** Calls that are refused, but only once many of their values are looked at. */
export function refusedCalls({
  users,
  templates,
  tags,
  segments,
}: Organization): Readonly<Record<string, Work>> {
  const many = <Item>(item: Item) => Array.from({ length: VALUES }, () => item);
  const deeper: never[][][] = [[[]]];
  const field = { label: "", value: "" };
  const refused = (call: () => Promise<unknown>) => () =>
    call().then(
      () => {
        throw new Error("a call that has to be refused was not");
      },
      () => {},
    );
  const keys = Object.fromEntries(many(0).map((_, nth) => [`key ${nth}`, 0]));
  return {
    "metadata of many keys": refused(() => users.create({ email: "a@example.com", metadata: keys })),
    "metadata of many lists": refused(() =>
      users.create({ email: "a@example.com", metadata: { list: many(deeper) } }),
    ),
    "a list in a list of a design": refused(() =>
      templates.create({
        ...{ name: "Coffee", type: "LOYALTY_CARD" },
        design: { texts: [{ language: "en", back: many(field) }] },
      }),
    ),
    "too many users": refused(() => tags.assignUsers("most", { userIds: many("") })),
    "too many conditions": refused(() =>
      segments.query({ filter: { operator: "AND", conditions: many({ slug: "most" }) } }),
    ),
  };
}
