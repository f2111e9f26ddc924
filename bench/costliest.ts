import { randomBytes } from "node:crypto";
import type { Organization, SegmentCondition, SegmentFilter, TagFilter } from "loyalty-kit";
import type { Routes } from "../src/kernel/routes.js";
import { type Settings, shorten } from "./bench.js";
import { passId, TEMPLATE, userId } from "./customers.js";
import type { ReadiedWork, Work } from "./timing.js";

/** As deep and as many as a filter may have. */
const [LEVELS, CONDITIONS] = [30, 32];
const SEGMENTS = 20;
const MOST_METADATA = 200;
/** Ten messages an hour may be tested. */
const TEST_MS = 360_000;
/** As many lots as the points of a card may lie in when this bench reads it. */
const MANY_LOTS = 1_000;
const DAY_MS = 86_400_000;
const LONG = "x".repeat(200);
/** A letter that Unicode can write in two ways takes longer to read than others. */
const LETTER = "e\u0301";

type Calls = {
  readonly [Group in keyof Routes]: Readonly<Record<keyof Routes[Group], Work | ReadiedWork>>;
};

let nameCount = 0;
const nextName = () => {
  nameCount += 1;
  return `fresh-${nameCount}`;
};

/** Builds a filter that was never queried before. */
function buildDeepFilter(levels = LEVELS): SegmentFilter {
  const conditions = Array.from({ length: CONDITIONS }, (_, nth) =>
    buildCondition(levels * CONDITIONS + nth),
  );
  if (levels === 1) return { operator: "AND", conditions };
  const operator = levels % 2 === 0 ? "OR" : "NOT";
  return { operator, conditions, filters: [buildDeepFilter(levels - 1)] };
}

function buildCondition(nth: number): SegmentCondition {
  if (nth % 3 === 0) return { visits: { templateId: TEMPLATE, days: nth % 730, min: 1 + (nth % 10) } };
  if (nth % 3 === 1) return { anniversary: { path: [nextName()], withinDays: 365 } };
  return { metadata: { path: ["city", nextName()], equals: LONG } };
}

function buildDeepTagFilter(levels = LEVELS): TagFilter {
  const conditions = Array.from({ length: CONDITIONS }, (_, nth) => ({ slug: `group-${nth}` }));
  if (levels === 1) return { operator: "AND", conditions };
  return { operator: "NOT", conditions, filters: [buildDeepTagFilter(levels - 1)] };
}

/** A call on a resource that is created for it. */
function callOnNew<Made>(make: () => Promise<Made>, work: (made: Made) => unknown): ReadiedWork {
  const ready: Made[] = [];
  return {
    ready: async () => ready.push(await make()),
    work: async () => {
      for (const each of ready.splice(0)) await work(each);
    },
  };
}

/** A call that creates a resource, which is removed before the next one. */
function callAndRemove<Made>(make: () => Promise<Made>, remove: (made: Made) => unknown): ReadiedWork {
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
 * Creates the most expensive call that is allowed, for every operation. Fills the organization up to its limits.
 * @param clock the clock of the service, which these calls move.
 */
export async function createCostliestCalls(
  acme: Organization,
  clock: { now: number },
  settings: Settings,
): Promise<Calls> {
  const { tags, contacts, templates, passes, stamps, events, webhooks, segments, messages } = acme;
  const { apiTokens, people, apps, grants, automations, messageDeliveries, subscriptions } = acme;
  const everyoneFilter = { filter: { operator: "NOT", conditions: [{ slug: "nobody" }] } } satisfies {
    filter: SegmentFilter;
  };
  const createMetadata = () =>
    Object.fromEntries(Array.from({ length: MOST_METADATA }, (_, nth) => [`${nextName()} ${nth}`, "value"]));
  const createEmail = () => `${nextName()}@example.com`;
  const createUser = () => acme.users.create({ email: createEmail(), metadata: createMetadata() });
  const [ada, adasPass] = [userId(0), passId(0)];

  const createTag = () => tags.create({ name: nextName() });
  const createTagOfAll = async () => {
    const { slug } = await createTag();
    await tags.assignUsers(slug, everyoneFilter);
    return slug;
  };
  const texts = ["en", "de", "fr", "es", "it", "pt", "nl", "pl"].map((language) => ({
    ...{ language, subject: LONG.slice(0, 100), text: LETTER.repeat(20_000), wallet: "A cake for {name}" },
  }));
  const design = {
    texts: ["en", "de", "fr", "es"].map((language) => ({
      ...{ language, terms: LETTER.repeat(5_000) },
      back: Array.from({ length: 20 }, () => ({ label: nextName(), value: LETTER.repeat(2_000) })),
    })),
  };
  const createTemplate = () =>
    templates.create({ name: nextName(), type: "STAMP_CARD", maxStamps: 30, design });
  const createPass = async () => passes.create(TEMPLATE, { userId: (await createUser()).id, notify: false });
  const createStampedPass = async () => {
    const { id } = await createPass();
    const { entryId } = await stamps.add(id, { count: 15 });
    return { id, entryId };
  };
  const lineTexts = (count: number) =>
    Array.from({ length: count }, (_, nth) => `${LONG.slice(0, 90)} ${nth}`);
  const onlyLines = { categories: lineTexts(100), notSkus: lineTexts(100) };
  const pointsTemplate = await templates.create({
    name: nextName(),
    type: "LOYALTY_CARD",
    points: { expiry: { months: 12, to: "day" }, graceDays: 90 },
    earning: {
      currency: "EUR",
      rules: Array.from({ length: 20 }, () => ({ give: 3, per: { amount: 7 }, only: onlyLines })),
      bonuses: Array.from({ length: 20 }, (_, nth) => ({ percent: 101 + nth, only: onlyLines })),
      counts: { tax: false },
      limits: { perDay: 1_000_000 },
    },
  });
  const createPointPass = async () => {
    const { id: owner } = await createUser();
    const { id } = await passes.create(pointsTemplate.id, { userId: owner, notify: false });
    const { entryId } = await acme.points.add(id, { points: 1_000 });
    return { id, owner, entryId };
  };
  const createLines = (owner: string) => ({
    ...{ userId: owner, currency: "EUR", paidWithPoints: 1, note: LONG },
    lines: lineTexts(500).map((name, nth) => ({
      ...{ name, sku: name, category: `${LONG.slice(0, 90)} ${nth % 100}`, quantity: 3 },
      ...{ amount: 1_000 + nth, tax: 100 },
    })),
  });
  const createPurchase = async () => {
    const { owner } = await createPointPass();
    return acme.purchases.put("till", nextName(), createLines(owner));
  };
  const createEndpoint = async () =>
    (await webhooks.create({ url: "https://hooks.example/all" })).webhookEndpoint;
  const createSegment = () => segments.create({ name: nextName(), filter: buildDeepFilter() });
  const createDraft = () =>
    messages.create({ name: "News", audience: { filter: buildDeepFilter() }, channels: ["email"], texts });
  const createSentMessage = async () => {
    const { id } = await createDraft();
    await messages.send(id);
    return id;
  };
  const createAutomation = () =>
    automations.create({
      ...{ name: "Welcome", isEnabled: false, on: { event: "user.created" }, if: buildDeepFilter() },
      do: [{ message: { channels: ["email"], texts } }],
    });
  const createToken = () => apiTokens.create({ name: nextName(), scopes: ["user:read"] });
  const createPerson = () => people.add({ email: createEmail(), role: "till" });
  const redirectUris = ["https://till.example/callback"];
  const createApp = () => apps.create({ name: nextName(), redirectUris, scopes: ["user:read"] });
  const createDelivery = async () => passes.notify((await createPass()).id);
  const createGrant = async () => {
    const { app: of } = await createApp();
    const codeChallenge = randomBytes(32).toString("base64url");
    const redirectUri = redirectUris[0] ?? null;
    await grants.allow({
      appId: of.id,
      subject: nextName(),
      scopes: ["user:read"],
      redirectUri,
      codeChallenge,
    });
    return (await grants.list()).find(({ appId }) => appId === of.id)?.id ?? "";
  };

  const startedAt = clock.now;
  await tags.assignUsers((await createTag()).slug, {
    filter: { operator: "AND", conditions: [{ slug: "some" }] },
  });
  clock.now += 1_000;
  const [day, end] = [startedAt, clock.now].map((ms) => new Date(ms).toISOString());

  const savedIds: string[] = [];
  while (savedIds.length < shorten(SEGMENTS, settings)) savedIds.push((await createSegment()).slug);
  const [regulars = ""] = savedIds;
  const hooks = (await createEndpoint()).id;
  const news = (await createDraft()).id;
  const welcome = (await createAutomation()).id;
  const { apiToken } = await createToken();
  const { person: staff } = await createPerson();
  const { app: till } = await createApp();
  const mailedDelivery = await createDelivery();
  const largePurchase = await createPurchase();
  const manyLots = await createPointPass();
  const lots = shorten(MANY_LOTS, settings);
  for (let days = 1; days <= lots; days += 1) {
    const expiresAt = new Date(clock.now + days * DAY_MS).toISOString();
    await acme.points.add(manyLots.id, { points: 1, expiresAt });
  }
  const eventId = (await events.list({ limit: 1 })).content[0]?.id ?? "";
  const query = { templateId: TEMPLATE, minStamps: 1, search: "e", sort: "name,asc", size: 100 } as const;

  return {
    tags: {
      create: callAndRemove(createTag, ({ slug }) => tags.delete(slug)),
      ensure: callAndRemove(
        () => tags.ensure(nextName()),
        ({ slug }) => tags.delete(slug),
      ),
      list: () => tags.list(),
      query: () => tags.query({ filter: buildDeepTagFilter(), size: 100 }),
      get: () => tags.get("most"),
      update: () => tags.update("most", { name: "most", description: nextName() }),
      delete: callOnNew(createTagOfAll, (slug) => tags.delete(slug)),
      merge: callOnNew(createTagOfAll, (slug) => tags.merge(slug, { into: "rare" })),
      users: () => all(tags.users("most")),
      assignUsers: callOnNew(createTag, ({ slug }) => tags.assignUsers(slug, { filter: buildDeepFilter() })),
      unassignUsers: callOnNew(createTagOfAll, (slug) =>
        tags.unassignUsers(slug, { filter: buildDeepFilter() }),
      ),
      ofUser: () => tags.ofUser(ada),
      assign: callOnNew(createTag, ({ slug }) => tags.assign(ada, slug)),
      unassign: callOnNew(
        async () => tags.assign(ada, (await createTag()).slug),
        ({ userTag }) => tags.unassign(ada, userTag.slug),
      ),
    },
    users: {
      create: createUser,
      list: () => all(acme.users.list()),
      upsert: () => acme.users.upsert({ email: createEmail(), metadata: createMetadata() }),
      find: callOnNew(createUser, (found) => acme.users.find({ email: found.email ?? "" })),
      get: () => acme.users.get(ada),
      update: callOnNew(createUser, ({ id }) =>
        acme.users.update(id, { email: createEmail(), metadata: createMetadata() }),
      ),
      delete: callOnNew(createStampedPass, async ({ id }) =>
        acme.users.delete((await passes.get(id)).userId),
      ),
      erase: callOnNew(createStampedPass, async ({ id }) => acme.users.erase((await passes.get(id)).userId)),
      dossier: () => acme.users.dossier(ada),
    },
    contacts: { list: () => contacts.list({ ...query, includeSummary: true }) },
    templates: {
      create: callAndRemove(createTemplate, ({ id }) => templates.delete(id)),
      ensure: callAndRemove(
        () => templates.ensure(nextName(), { name: "Coffee", type: "LOYALTY_CARD", design }),
        ({ id }) => templates.delete(id),
      ),
      list: () => templates.list(),
      get: () => templates.get(TEMPLATE),
      update: () => templates.update(TEMPLATE, { name: nextName(), design }),
      delete: callOnNew(createTemplate, ({ id }) => templates.delete(id)),
    },
    passes: {
      ofUser: () => passes.ofUser(ada),
      create: callOnNew(createUser, ({ id }) => passes.create(TEMPLATE, { userId: id })),
      ensure: callOnNew(createUser, ({ id }) => passes.ensure(TEMPLATE, { userId: id })),
      getOfTemplate: () => passes.get(adasPass, { templateId: TEMPLATE }),
      deleteOfTemplate: callOnNew(createPass, ({ id }) => passes.delete(id, { templateId: TEMPLATE })),
      getByCode: () => passes.lookup("https://pass.invalid/code-0"),
      get: () => passes.get(adasPass),
      delete: callOnNew(createPass, ({ id }) => passes.delete(id)),
      walletLinks: () => passes.walletLinks(adasPass),
      revokeWalletLinks: callOnNew(createPass, ({ id }) => passes.revokeWalletLinks(id)),
      setInstallation: callOnNew(createPass, ({ id }) => passes.markInstalled(id)),
      notify: callOnNew(createPass, ({ id }) => passes.notify(id)),
      deliveries: () => passes.deliveries(mailedDelivery.passId ?? "", { size: 100 }),
    },
    stamps: {
      state: () => stamps.state(adasPass),
      history: () => stamps.history(adasPass, { size: 100 }),
      add: callOnNew(createPass, ({ id }) => stamps.add(id, { count: 100, note: LONG })),
      remove: callOnNew(createStampedPass, ({ id }) => stamps.remove(id, { count: 1 })),
      set: callOnNew(createStampedPass, ({ id }) => stamps.set(id, { stamps: 1 })),
      reset: callOnNew(createStampedPass, ({ id }) => stamps.reset(id)),
      redeem: callOnNew(createStampedPass, ({ id }) => stamps.redeem(id)),
      reverse: callOnNew(createStampedPass, ({ id, entryId }) => stamps.reverse(id, { entryId })),
    },
    points: {
      state: () => acme.points.state(manyLots.id),
      history: () => acme.points.history(manyLots.id, { size: 100 }),
      add: () => acme.points.add(manyLots.id, { points: 1, note: LONG }),
      remove: callOnNew(createPointPass, ({ id }) => acme.points.remove(id, { points: 1_000 })),
      spend: callOnNew(createPointPass, ({ id }) => acme.points.spend(id, { points: 1_000 })),
      reverse: callOnNew(createPointPass, ({ id, entryId }) => acme.points.reverse(id, { entryId })),
    },
    purchases: {
      put: callOnNew(createPointPass, ({ owner }) =>
        acme.purchases.put("till", nextName(), createLines(owner)),
      ),
      list: () => acme.purchases.list({ size: 100 }),
      get: () => acme.purchases.get(largePurchase.source, largePurchase.receipt),
      addReturn: callOnNew(createPurchase, ({ source, receipt, lines }) =>
        acme.purchases.addReturn(source, receipt, {
          returnId: "1",
          lines: lines.map(({ id }) => ({ id, amount: 1 })),
        }),
      ),
      confirm: callOnNew(createPurchase, ({ source, receipt }) => acme.purchases.confirm(source, receipt)),
    },
    events: {
      list: () => events.list({ types: ["template.deleted"], userId: ada, limit: 1_000 }),
      get: () => events.get(eventId),
    },
    webhooks: {
      create: callAndRemove(createEndpoint, ({ id }) => webhooks.delete(id)),
      list: () => webhooks.list(),
      get: () => webhooks.get(hooks),
      update: () => webhooks.update(hooks, { description: nextName() }),
      delete: callOnNew(createEndpoint, ({ id }) => webhooks.delete(id)),
      rotateSecret: callOnNew(createEndpoint, ({ id }) => webhooks.rotateSecret(id)),
      deliveries: () => webhooks.deliveries(hooks, { limit: 100 }),
      replay: callOnNew(createEndpoint, ({ id }) => webhooks.replay(id, { since: day, until: end })),
      test: callOnNew(createEndpoint, ({ id }) => webhooks.test(id)),
    },
    segments: {
      create: callAndRemove(createSegment, ({ slug }) => segments.delete(slug)),
      list: () => segments.list(),
      query: () => segments.query({ filter: buildDeepFilter(), size: 100 }),
      get: () => segments.get(regulars),
      update: () => segments.update(regulars, { filter: buildDeepFilter() }),
      delete: callOnNew(createSegment, ({ slug }) => segments.delete(slug)),
      members: () => segments.members(regulars, { size: 100 }),
      explain: () => segments.explain(regulars, ada),
      statistics: () => segments.statistics(regulars, { days: 1_100 }),
    },
    statistics: {
      get: () => acme.statistics.get({ days: 1_100 }),
      points: () => acme.statistics.points(),
    },
    apiTokens: {
      create: callAndRemove(createToken, (created) => apiTokens.delete(created.apiToken.id)),
      list: () => apiTokens.list(),
      listCreated: () => apiTokens.listCreated(apiToken.id),
      rotate: callOnNew(createToken, (created) => apiTokens.rotate(created.apiToken.id)),
      delete: callOnNew(createToken, (created) => apiTokens.delete(created.apiToken.id)),
    },
    people: {
      invite: callAndRemove(
        () => people.invite({ email: createEmail(), role: "till" }),
        ({ id }) => people.delete(id),
      ),
      list: () => people.list({ size: 100 }),
      get: () => people.get(staff.id),
      update: () => people.update(staff.id, { name: nextName() }),
      delete: callOnNew(createPerson, (added) => people.delete(added.person.id)),
      inviteAgain: callAndRemove(
        async () => people.inviteAgain((await createPerson()).person.id),
        ({ id }) => people.delete(id),
      ),
      sessions: () => people.sessions(staff.id),
      endSessions: () => people.endSessions(staff.id),
      // No session is signed in: the call finds that out.
      endSession: () => people.endSession(staff.id, "ses_none").catch(() => {}),
    },
    apps: {
      create: callAndRemove(createApp, (created) => apps.delete(created.app.id)),
      list: () => apps.list(),
      get: () => apps.get(till.id),
      rotateSecret: () => apps.rotateSecret(till.id, { immediately: true }),
      delete: callOnNew(createApp, (created) => apps.delete(created.app.id)),
    },
    grants: { list: () => grants.list(), delete: callOnNew(createGrant, (id) => grants.delete(id)) },
    subscriptions: {
      get: () => subscriptions.get(ada),
      put: () => subscriptions.put(ada, { email: { status: "SUBSCRIBED", text: nextName() } }),
    },
    messages: {
      create: callAndRemove(createDraft, ({ id }) => messages.delete(id)),
      list: () => messages.list({ size: 100 }),
      get: () => messages.get(news),
      update: () => messages.update(news, { audience: { filter: buildDeepFilter() }, texts }),
      delete: callOnNew(createDraft, ({ id }) => messages.delete(id)),
      preview: callOnNew(createDraft, ({ id }) => messages.preview(id)),
      test: callOnNew(
        async () => {
          clock.now += TEST_MS;
        },
        () => messages.test(news, { userId: ada }),
      ),
      send: callAndRemove(createSentMessage, (id) => messages.cancel(id)),
      cancel: callOnNew(createSentMessage, (id) => messages.cancel(id)),
      deliveries: () => messages.deliveries(news, { size: 100 }),
    },
    messageSettings: {
      get: () => acme.messageSettings.get(),
      update: () => acme.messageSettings.update({ footer: nextName() }),
    },
    messageDeliveries: {
      get: () => messageDeliveries.get(mailedDelivery.id),
      bounce: callOnNew(createDelivery, ({ id }) => messageDeliveries.bounce(id, { kind: "hard" })),
      bounceAddress: callOnNew(createUser, (delivery) =>
        messageDeliveries.bounceAddress({ email: delivery.email ?? "", kind: "hard" }),
      ),
    },
    automations: {
      create: callAndRemove(createAutomation, ({ id }) => automations.delete(id)),
      list: () => automations.list(),
      get: () => automations.get(welcome),
      update: () => automations.update(welcome, { if: buildDeepFilter() }),
      delete: callOnNew(createAutomation, ({ id }) => automations.delete(id)),
      runs: () => automations.runs(welcome, { size: 100 }),
      test: callOnNew(createAutomation, ({ id }) => automations.test(id, { userId: ada })),
      ofUser: () => automations.ofUser(ada, { size: 100 }),
    },
    settings: {
      get: () => acme.settings.get(),
      update: () =>
        acme.settings.update({ timeZone: nameCount % 2 === 0 ? "Asia/Tokyo" : "UTC", name: nextName() }),
    },
    exports: { everything: () => all(acme.exports.everything()) },
    audit: { list: () => acme.audit.list({ limit: 1_000 }), verify: () => acme.audit.verify() },
  };
}

/** As many values as a body of a megabyte has. */
const VALUES = 300_000;

/** Calls that are rejected, but only after many of their values were checked. */
export function createRejectedCalls({
  users,
  templates,
  tags,
  segments,
}: Organization): Readonly<Record<string, Work>> {
  const repeat = <Item>(item: Item) => Array.from({ length: VALUES }, () => item);
  const deeper: never[][][] = [[[]]];
  const field = { label: "", value: "" };
  const expectRejection = (call: () => Promise<unknown>) => () =>
    call().then(
      () => {
        throw new Error("a call that has to be refused was not");
      },
      () => {},
    );
  const keys = Object.fromEntries(repeat(0).map((_, nth) => [`key ${nth}`, 0]));
  return {
    "metadata of many keys": expectRejection(() => users.create({ email: "a@example.com", metadata: keys })),
    "metadata of many lists": expectRejection(() =>
      users.create({ email: "a@example.com", metadata: { list: repeat(deeper) } }),
    ),
    "a list in a list of a design": expectRejection(() =>
      templates.create({
        ...{ name: "Coffee", type: "LOYALTY_CARD" },
        design: { texts: [{ language: "en", back: repeat(field) }] },
      }),
    ),
    "too many users": expectRejection(() => tags.assignUsers("most", { userIds: repeat("") })),
    "too many conditions": expectRejection(() =>
      segments.query({ filter: { operator: "AND", conditions: repeat({ slug: "most" }) } }),
    ),
  };
}
