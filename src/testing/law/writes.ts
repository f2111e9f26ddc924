import type { Step } from "../../concurrency/step.js";
import { type DayCounts, noCounts } from "../../storage/day-counts.js";
import type { StoredPass } from "../../storage/passes.js";
import type { StorageReader, StorageTransaction } from "../../storage/storage-adapter.js";
import type { StoredUser } from "../../storage/users.js";
import { type StoredWalletCard, walletJobs } from "../../storage/wallets.js";
import type { StoredWebhookEndpoint } from "../../storage/webhooks.js";
import {
  foldsOf,
  hashOf,
  someAnswer,
  someApiToken,
  someApp,
  someAssignment,
  someAuditEntry,
  someDelivery,
  someEvent,
  someGrant,
  someGrantToken,
  someMark,
  someOutcome,
  somePass,
  somePicture,
  someStamp,
  someTag,
  someTemplate,
  someUser,
  someWalletCard,
  someWalletDelivery,
  someWalletDevice,
  someWebhookEndpoint,
} from "../kit/records.js";
import type { World } from "./world.js";

/** Writes once to an organization, with arguments that are chosen among the rows of the world and new ones. */
type Write = (tx: StorageTransaction, organizationId: string, world: World) => Step<unknown>;

export type WriteName = Exclude<keyof StorageTransaction, keyof StorageReader>;

const subjects = ["ada", "bob", "Ada", "grace"];
const actors = [
  { actor: null, subject: null },
  { actor: '{"kind":"token","id":"akt_1"}', subject: "ada" },
  { actor: '{"kind":"app","id":"app_1"}', subject: "bob" },
];
const scopes = [[], ["user:read"], ["pass:read", "user:read"]];

/** A row of the other organization that this one does not have, or a new one. */
function* newOrShared<Row>(
  world: World,
  rows: readonly Row[],
  isThere: (row: Row) => Step<boolean>,
  make: () => Row,
): Step<Row> {
  const shared = world.one(rows);
  return world.rarely(2) && !(yield* isThere(shared)) ? shared : make();
}

/** A row that is in the organization; `null` when the choice fell on none. */
function* chosen<Row, Found>(
  world: World,
  rows: readonly Row[],
  find: (row: Row) => Step<Found | null>,
): Step<Found | null> {
  for (let tries = 0; tries < 3; tries += 1) {
    const found = yield* find(world.one(rows));
    if (found !== null) return found;
  }
  return null;
}

const aUser = (tx: StorageTransaction, id: string, world: World) =>
  chosen(world, world.users, (user) => tx.findUser(id, user.id));
const aTag = (tx: StorageTransaction, id: string, world: World) =>
  chosen(world, world.tags, ({ slug }) => tx.findTag(id, slug));
const aTemplate = (tx: StorageTransaction, id: string, world: World) =>
  chosen(world, world.templates, (template) => tx.findTemplate(id, template.id));
const aCard = (tx: StorageTransaction, id: string, world: World) =>
  chosen(world, world.cards, ({ passId }) => tx.findWalletCard(id, passId));
const anEndpoint = (tx: StorageTransaction, id: string, world: World) =>
  chosen(world, world.endpoints, (endpoint) => tx.lockWebhookEndpoint(id, endpoint.id, true));

function textsOfUser(world: World): Pick<StoredUser, "email" | "name" | "phone" | "externalId" | "metadata"> {
  return {
    email: world.rarely(5) ? world.one(world.users).email.toUpperCase() : `${world.name()}@example.com`,
    name: world.orNull(world.text()),
    phone: world.orNull(world.text()),
    externalId: world.rarely(5) ? world.one(world.users).externalId : world.orNull(world.name()),
    metadata: world.one(["{}", '{"b":1, "a":"é"}']),
  };
}

/** A user for the next place: one that the other organization has got since this one's newest, or a new one. */
function nextUser(world: World, ordinal: number, newest: number): StoredUser {
  const shared = world.users.find(({ createdAt }) => createdAt > newest);
  if (shared !== undefined && world.rarely(2)) return { ...shared, ordinal };
  return world.keep(world.users, someUser({ ...textsOfUser(world), ordinal }));
}

function aPass(world: World, user: StoredUser, made: StoredPass): StoredPass {
  const pass = { ...made, userId: user.id };
  return world.rarely(4) ? { ...pass, code: world.one(world.passes).code } : pass;
}

/** Fields of an endpoint that may change. */
function fieldsOfEndpoint(world: World): Partial<StoredWebhookEndpoint> {
  const disabledReason = world.rarely(2) ? null : world.one(["requested", "gone", "failing"] as const);
  return {
    url: `https://${world.below(9)}.example/`,
    description: world.orNull(world.text()),
    types: world.one([null, [], ["user.created"], ["b", "a"]]),
    previousSecret: world.orNull("whsec_b2xk"),
    previousSecretExpiresAt: world.orNull(world.time()),
    disabledReason,
    disabledAt: disabledReason === null ? null : world.time(),
    failingSince: world.orNull(world.time()),
    slowSince: world.orNull(world.time()),
    position: world.below(6),
    lastPosition: disabledReason === null ? null : world.orNull(world.below(6)),
    updatedAt: world.time(),
  };
}

function fieldsOfCard(world: World): Partial<StoredWalletCard> {
  return {
    linkToken: world.name(),
    revision: world.below(5),
    changedAt: world.below(5) * 1_000,
    atGoogleSince: world.orNull(world.time()),
    revokedAt: world.orNull(world.time()),
    toldUntil: world.orNull(world.time()),
    installationDueAt: world.orNull(world.time()),
    letGoAt: world.orNull(world.time()),
  };
}

function someCounts(world: World): Partial<DayCounts> {
  const names = Object.keys(noCounts);
  return Object.fromEntries(world.some(names, 4).map((name) => [name, world.below(9) - 3]));
}

/** The queue of the organization, locked; one is made where there is none. */
function* lockedQueue(tx: StorageTransaction, id: string): Step<void> {
  if ((yield* tx.lockWalletQueue(id, true)) === null) {
    yield* tx.insertWalletQueue(id, { position: 0, revision: 0, sweeps: [] });
  }
}

const writes: { readonly [Name in WriteName]: Write } = {
  nextUser: (tx, id) => tx.nextUser(id),
  *insertUser(tx, id, world) {
    const { ordinal, newest } = yield* tx.nextUser(id);
    const user = nextUser(world, ordinal, newest?.createdAt ?? 0);
    yield* tx.insertUser(id, user, foldsOf(user));
  },
  *insertUsers(tx, id, world) {
    const { ordinal } = yield* tx.nextUser(id);
    const users = [0, 1, 2].slice(0, world.below(4)).map((at) => {
      const user = world.keep(world.users, someUser({ ...textsOfUser(world), ordinal: ordinal + at }));
      return { user, folds: foldsOf(user) };
    });
    yield* tx.insertUsers(id, users);
  },
  *updateUser(tx, id, world) {
    const user = { ...world.one(world.users), ...textsOfUser(world), ordinal: 77, updatedAt: world.time() };
    yield* tx.updateUser(id, user, foldsOf(user));
    world.keep(world.users, user);
  },
  deleteUser: (tx, id, world) => tx.deleteUser(id, world.one(world.users).id),

  *insertTag(tx, id, world) {
    const there = yield* tx.listTags(id);
    const isThere = function* (row: { id: string }) {
      return there.some((tag) => tag.id === row.id);
    };
    const tag = yield* newOrShared(world, world.tags, isThere, () =>
      someTag({
        slug: world.rarely(3) ? world.one(world.tags).slug : world.name(),
        name: world.text(),
        createdAt: world.time(),
      }),
    );
    world.keep(world.tags, yield* tx.insertTag(id, tag));
  },
  updateTag: (tx, id, world) =>
    tx.updateTag(id, {
      ...world.one(world.tags),
      slug: "stays",
      createdAt: 1,
      name: world.text(),
      description: world.orNull(world.text()),
      color: "#A1B2C3",
      updatedAt: world.time(),
    }),
  deleteTag: (tx, id, world) => tx.deleteTag(id, world.one(world.tags).ordinal),
  *assignTag(tx, id, world) {
    const [user, tag] = [yield* aUser(tx, id, world), yield* aTag(tx, id, world)];
    if (user === null || tag === null) return;
    yield* tx.assignTag(id, someAssignment(user, tag, { createdAt: world.time() }));
  },
  *assignTags(tx, id, world) {
    const given = [];
    for (let count = world.below(4); count > 0; count -= 1) {
      const [user, tag] = [yield* aUser(tx, id, world), yield* aTag(tx, id, world)];
      if (user !== null && tag !== null) given.push(someAssignment(user, tag, { createdAt: world.time() }));
    }
    yield* tx.assignTags(id, given);
  },
  unassignTag: (tx, id, world) => tx.unassignTag(id, world.below(5), 1 + world.below(4)),
  unassignUsers: (tx, id, world) =>
    tx.unassignUsers(id, 1 + world.below(4), world.some([0, 1, 2, 3, 4, 5, 99], 6)),
  rebuildSegments: (tx, id) => tx.rebuildSegments(id),

  *insertTemplate(tx, id, world) {
    const isThere = function* (row: { id: string }) {
      return (yield* tx.findTemplate(id, row.id)) !== null;
    };
    const isCard = world.rarely(2);
    const template = yield* newOrShared(world, world.templates, isThere, () =>
      someTemplate({
        name: world.text(),
        type: isCard ? "STAMP_CARD" : "LOYALTY_CARD",
        maxStamps: isCard ? 1 + world.below(9) : null,
        design: world.orNull('{"logo": null}'),
        createdAt: world.time(),
      }),
    );
    yield* tx.insertTemplate(id, world.keep(world.templates, template));
  },
  updateTemplate: (tx, id, world) =>
    tx.updateTemplate(id, {
      ...world.one(world.templates),
      type: "LOYALTY_CARD",
      createdAt: 1,
      name: world.text(),
      maxStamps: world.orNull(7),
      design: world.orNull("{}"),
      updatedAt: world.time(),
    }),
  *deleteTemplate(tx, id, world) {
    const template = world.one(world.templates);
    if (!(yield* tx.templateHasPasses(id, template.id))) yield* tx.deleteTemplate(id, template.id);
  },

  *insertPass(tx, id, world) {
    const [user, template] = [yield* aUser(tx, id, world), yield* aTemplate(tx, id, world)];
    if (user === null || template === null) return;
    const isThere = function* (row: { id: string }) {
      return (yield* tx.findPass(id, row.id)) !== null;
    };
    const made = yield* newOrShared(world, world.passes, isThere, () =>
      somePass(user, template, {
        isPreviewPass: world.rarely(3),
        installationStatus: world.orNull("INSTALLED"),
        createdAt: world.time(),
      }),
    );
    const { card } = somePass(user, template);
    const pass = { ...aPass(world, user, made), templateId: template.id, card };
    yield* tx.insertPass(id, pass);
    world.keep(world.passes, pass);
  },
  *insertPasses(tx, id, world) {
    const passes = [];
    for (let count = world.below(3); count > 0; count -= 1) {
      const [user, template] = [yield* aUser(tx, id, world), yield* aTemplate(tx, id, world)];
      if (user === null || template === null) continue;
      const pass = aPass(world, user, somePass(user, template));
      const { card, entry } = someStamp(pass, world.one(actors));
      const isStamped = pass.card !== null && world.rarely(2);
      passes.push(isStamped ? { pass: { ...pass, card }, entries: [entry] } : { pass, entries: [] });
    }
    yield* tx.insertPasses(id, passes);
    for (const { pass, entries } of passes) {
      world.keep(world.passes, pass);
      for (const entry of entries) world.keep(world.entries, entry);
    }
  },
  updateInstallation: (tx, id, world) =>
    tx.updateInstallation(
      id,
      world.one(world.passes).id,
      world.one(["INSTALLED", "UNINSTALLED"] as const),
      world.time(),
    ),
  deletePass: (tx, id, world) => tx.deletePass(id, world.one(world.passes).id),
  *recordStamps(tx, id, world) {
    const pass = yield* chosen(world, world.passes, (row) => tx.findPass(id, row.id));
    if (pass === null) return;
    const reversed = yield* tx.findStampEntry(id, pass.id, world.one(world.entries).id);
    const isReversal = reversed !== null && !reversed.isReversed;
    const { card, entry } = someStamp(pass, {
      ...world.one(actors),
      type: isReversal ? "reversed" : world.one(["added", "removed", "set", "reset", "redeemed"] as const),
      reverses: isReversal ? reversed.id : null,
      delta: world.below(7) - 3,
      completions: world.below(3),
      note: world.orNull(world.text()),
      createdAt: world.time(),
    });
    yield* tx.recordStamps(id, card, world.keep(world.entries, entry));
  },

  *appendEvents(tx, id, world) {
    const events = Array.from({ length: 1 + world.below(3) }, () => {
      const type = world.one(["user.created", "pass.created"]);
      return someEvent({
        ...world.one(actors),
        type,
        data: world.one(["{}", '{"id":"usr_1"}', '{"id":"wp_1"}']),
      });
    });
    for (const event of events) world.keep(world.events, event);
    yield* tx.appendEvents(id, events);
  },
  removeEvents: (tx, id, world) =>
    tx.removeEvents(
      id,
      { since: world.one([0, 0, world.one(world.events).createdAt]), atMost: world.one([0, 1, 2, 100]) },
      { after: world.below(3), limit: world.one([1, 2, 100]) },
    ),
  replaceEventData: (tx, id, world) =>
    tx.replaceEventData(
      id,
      [world.one(world.events), world.events[0] ?? world.one(world.events)]
        .slice(0, 1 + world.below(2))
        .map((event) => ({ id: event.id, data: '{"less":true}', actor: world.one(actors).actor })),
    ),
  forgetSubjects: (tx, id, world) => tx.forgetSubjects(id, world.some(subjects, 2)),
  countOnDay: (tx, id, world) => tx.countOnDay(id, 3 + world.below(4), someCounts(world)),
  lockAudit: (tx, id) => tx.lockAudit(id),
  *appendAudit(tx, id, world) {
    const sequence = ((yield* tx.lockAudit(id))?.sequence ?? 0) + 1;
    const by = world.one(actors);
    const seal = by.subject === null ? {} : { salt: "salt", subjectSeal: "seal" };
    const entry = someAuditEntry(sequence, { ...by, ...seal, target: world.orNull("usr_1") });
    yield* tx.appendAudit(id, entry, world.one([1, 3, 100]));
  },

  insertApiToken: (tx, id, world) => {
    const token = someApiToken({
      name: world.text(),
      scopes: world.one(scopes),
      createdAt: world.time(),
      expiresAt: world.orNull(world.time()),
      allowedAddresses: world.orNull(["192.0.2.7", "2001:db8::/32"]),
      madeBy: world.orNull("akt_1"),
    });
    return tx.insertApiToken(id, world.keep(world.apiTokens, token));
  },
  touchApiToken: (tx, id, world) => tx.touchApiToken(id, world.one(world.apiTokens).id, world.time()),
  deleteApiToken: (tx, id, world) => tx.deleteApiToken(id, world.one(world.apiTokens).id),

  putAnswer: (tx, id, world) => {
    const known = world.one(world.answers);
    const answer = someAnswer({
      ...(world.rarely(2) && { keyHash: known.keyHash }),
      sealed: "x".repeat(world.below(20)),
      userId: world.orNull(world.one(world.users).id),
      // Of answers made at one time any is removed first.
      createdAt: world.below(2 ** 30),
    });
    return tx.putAnswer(id, world.keep(world.answers, answer));
  },
  forgetAnswers: (tx, id, world) => tx.forgetAnswers(id, world.one(world.users).id),
  removeAnswers: (tx, id, world) =>
    tx.removeAnswers(id, world.one(world.answers).createdAt + world.below(2), world.one([1, 2, 100])),
  removeAnswersBeyond: (tx, id, world) => tx.removeAnswersBeyond(id, world.below(60), world.one([1, 2, 100])),

  putMark: (tx, id, world) => {
    const { name } = world.one(world.marks);
    // Of marks that end at one time any is removed first.
    const mark = someMark({ ...(world.rarely(2) && { name }), until: world.below(2 ** 30) });
    return tx.putMark(id, world.keep(world.marks, mark));
  },
  removeMarks: (tx, id, world) =>
    tx.removeMarks(id, world.one(world.marks).until + world.below(2), world.one([1, 2, 100])),
  removeMarksBeyond: (tx, id, world) => tx.removeMarksBeyond(id, world.below(4), 100),

  insertApp: (tx, id, world) => {
    const app = someApp({
      name: world.text(),
      scopes: world.one(scopes),
      madeBy: world.orNull("akt_1"),
      createdAt: world.time(),
    });
    return tx.insertApp(id, world.keep(world.apps, app));
  },
  updateApp: (tx, id, world) =>
    tx.updateApp(id, {
      ...world.one(world.apps),
      createdAt: 1,
      madeBy: "stays",
      name: world.text(),
      secretHash: world.orNull(hashOf("new")),
      previousSecretHash: world.orNull(hashOf("secret")),
      previousSecretExpiresAt: world.orNull(world.time()),
      redirectUris: world.one([["https://b.example/", "https://a.example/"], []]),
      scopes: world.one(scopes),
      updatedAt: world.time(),
    }),
  deleteApp: (tx, id, world) => tx.deleteApp(id, world.one(world.apps).id),
  *insertGrant(tx, id, world) {
    const token = yield* tx.findApiToken(id, world.one(world.apiTokens).id);
    const grant = someGrant(world.one(world.apps), {
      subject: world.one(subjects),
      scopes: world.one(scopes),
      createdAt: world.time(),
      tokenId: token === null ? null : world.orNull(token.id),
      expiresAt: world.orNull(world.time()),
    });
    yield* tx.insertGrant(id, world.keep(world.grants, grant));
  },
  deleteGrant: (tx, id, world) => tx.deleteGrant(id, world.one(world.grants).id),
  *insertGrantToken(tx, id, world) {
    const grants = yield* tx.listGrants(id);
    if (grants.length === 0) return;
    const token = someGrantToken(world.one(grants), {
      kind: world.one(["code", "access", "refresh"] as const),
      scopes: world.one(scopes),
      expiresAt: world.time(),
    });
    yield* tx.insertGrantToken(id, world.keep(world.grantTokens, token));
  },
  useGrantToken: (tx, id, world) =>
    tx.useGrantToken(id, world.one(world.grantTokens).id, { usedAt: world.time(), details: '{"used":1}' }),
  deleteGrantToken: (tx, id, world) => tx.deleteGrantToken(id, world.one(world.grantTokens).id),
  // Tokens that expired at one time go in no order, so they all go.
  removeGrantTokens: (tx, id, world) => tx.removeGrantTokens(id, world.time(), 100),

  *insertWebhookEndpoint(tx, id, world) {
    const isThere = function* (row: { id: string }) {
      return (yield* tx.findWebhookEndpoint(id, row.id)) !== null;
    };
    const endpoint = yield* newOrShared(world, world.endpoints, isThere, () =>
      someWebhookEndpoint({ ...fieldsOfEndpoint(world), createdAt: world.time() }),
    );
    yield* tx.insertWebhookEndpoint(id, world.keep(world.endpoints, endpoint));
  },
  lockWebhookEndpoint: (tx, id, world) =>
    tx.lockWebhookEndpoint(id, world.one(world.endpoints).id, world.rarely(2)),
  *updateWebhookEndpoint(tx, id, world) {
    const { id: endpointId } = world.one(world.endpoints);
    yield* tx.lockWebhookEndpoint(id, endpointId, true);
    yield* tx.updateWebhookEndpoint(id, {
      ...someWebhookEndpoint(fieldsOfEndpoint(world)),
      id: endpointId,
      createdAt: 1,
    });
  },
  *deleteWebhookEndpoint(tx, id, world) {
    const { id: endpointId } = world.one(world.endpoints);
    yield* tx.lockWebhookEndpoint(id, endpointId, true);
    yield* tx.deleteWebhookEndpoint(id, endpointId);
  },
  *insertDeliveries(tx, id, world) {
    const endpoint = yield* anEndpoint(tx, id, world);
    if (endpoint === null) return;
    const deliveries = Array.from({ length: 1 + world.below(3) }, () =>
      someDelivery(endpoint, {
        eventId: world.one(world.events).id,
        ownBody: world.orNull('{"by":"ada"}'),
        // Of deliveries made at one time any is removed first.
        createdAt: world.below(2 ** 30),
        nextAttemptAt: world.time(),
      }),
    );
    for (const delivery of deliveries) world.keep(world.deliveries, delivery);
    yield* tx.insertDeliveries(id, endpoint.id, deliveries);
  },
  *claimDeliveries(tx, id, world) {
    const endpoint = yield* anEndpoint(tx, id, world);
    if (endpoint === null) return;
    const now = world.time();
    const lease = world.keep(world.leases, world.name());
    yield* tx.claimDeliveries(id, endpoint.id, {
      lease,
      now,
      until: now + 1 + world.time(),
      limit: world.one([1, 2, 100]),
    });
  },
  *recordAttempts(tx, id, world) {
    const endpoint = yield* anEndpoint(tx, id, world);
    if (endpoint === null) return;
    const outcomes = [];
    const found = yield* tx.listDeliveries(id, endpoint.id, { before: null, limit: 4 });
    for (const delivery of found) {
      const status = world.one(["pending", "delivered", "failed"] as const);
      const nextAttemptAt = status === "pending" ? world.time() : null;
      outcomes.push(someOutcome(delivery, { status, nextAttemptAt }));
    }
    yield* tx.recordAttempts(id, endpoint.id, world.one(world.leases), outcomes, world.time());
  },
  *removeDeliveries(tx, id, world) {
    const endpoint = yield* anEndpoint(tx, id, world);
    const before = world.one(world.deliveries).createdAt + world.below(2);
    if (endpoint !== null) yield* tx.removeDeliveries(id, endpoint.id, before, world.one([1, 2, 100]));
  },

  *insertWalletQueue(tx, id, world) {
    yield* tx.insertWalletQueue(`${id} ${world.name()}`, { position: 0, revision: 0, sweeps: [] });
  },
  lockWalletQueue: (tx, id, world) => tx.lockWalletQueue(id, world.rarely(2)),
  *updateWalletQueue(tx, id, world) {
    yield* tx.lockWalletQueue(id, true);
    const sweep = { templateId: world.orNull(world.one(world.templates).id), after: world.text() };
    yield* tx.updateWalletQueue(id, {
      position: world.below(6),
      revision: world.below(5),
      sweeps: world.rarely(2) ? [] : [sweep],
    });
  },
  *insertWalletCard(tx, id, world) {
    yield* lockedQueue(tx, id);
    const templateId = world.one(world.templates).id;
    const card = someWalletCard({ ...fieldsOfCard(world), templateId });
    yield* tx.insertWalletCard(id, world.keep(world.cards, card));
  },
  *updateWalletCards(tx, id, world) {
    yield* lockedQueue(tx, id);
    const cards = new Map(world.some(world.cards, 3).map((card) => [card.passId, card]));
    const changed = [...cards.values()].map((card) => ({ ...card, ...fieldsOfCard(world) }));
    yield* tx.updateWalletCards(
      id,
      changed.map((card) => ({ ...card, templateId: "stays", createdAt: 1 })),
    );
  },
  *deleteWalletCard(tx, id, world) {
    yield* lockedQueue(tx, id);
    yield* tx.deleteWalletCard(id, world.one(world.cards).passId);
  },
  *putWalletDevice(tx, id, world) {
    yield* lockedQueue(tx, id);
    const card = yield* aCard(tx, id, world);
    if (card === null) return;
    const device = someWalletDevice(card, {
      platform: world.one(["apple", "google"] as const),
      deviceId: world.one(["one", "two", world.one(world.devices).deviceId]),
      pushToken: world.orNull(world.one(["push", "pull"])),
      state: world.one(["registered", "registered", "gone", "token_dead"] as const),
      toldRevision: world.below(4),
    });
    yield* tx.putWalletDevice(id, world.keep(world.devices, device));
  },
  *deleteWalletDevice(tx, id, world) {
    yield* lockedQueue(tx, id);
    yield* tx.deleteWalletDevice(id, world.one(world.devices));
  },
  *putJobs(tx, id, world) {
    yield* lockedQueue(tx, id);
    const card = yield* aCard(tx, id, world);
    if (card === null) return;
    const fields = { revision: world.below(5), nextAttemptAt: world.time() };
    const platforms = world.one([["apple"], ["google"], ["apple", "google"], []] as const);
    yield* tx.putJobs(
      id,
      walletJobs,
      platforms.map((platform) => someWalletDelivery(card, { ...fields, platform })),
    );
  },
  *claimJobs(tx, id, world) {
    yield* lockedQueue(tx, id);
    const now = world.time();
    const lease = world.keep(world.leases, world.name());
    const claim = { lease, now, until: now + 1 + world.time(), limit: world.one([1, 100]) };
    yield* tx.claimJobs(id, walletJobs, world.one(["apple", "google"] as const), claim);
  },
  *settleJobs(tx, id, world) {
    yield* lockedQueue(tx, id);
    const passIds = new Set(world.some(world.cards, 4).map(({ passId }) => passId));
    const results = [...passIds].map((subject) => ({
      subject,
      revision: world.below(5),
      nextAttemptAt: world.orNull(world.time()),
    }));
    const platform = world.one(["apple", "google"] as const);
    return yield* tx.settleJobs(id, walletJobs, platform, world.one(world.leases), results, world.time());
  },
  *noteTold(tx, id, world) {
    yield* lockedQueue(tx, id);
    const outcomes = world.some(world.cards, 4).map(({ passId }) => ({
      passId,
      revision: world.below(5),
      deviceIds: world.some(world.devices, 2).map(({ deviceId }) => deviceId),
      nextAttemptAt: null,
    }));
    yield* tx.noteTold(id, world.one(["apple", "google"] as const), outcomes);
  },
  putPicture: (tx, id, world) => {
    const picture = world.rarely(2) ? world.one(world.pictures) : somePicture({ createdAt: world.time() });
    return tx.putPicture(id, world.keep(world.pictures, picture));
  },
  deletePicture: (tx, id, world) => tx.deletePicture(id, world.one(world.pictures).hash),
};

export const writeNames = Object.keys(writes) as readonly WriteName[];

/** Calls a write of the port, and what has to be called with it. */
export function write(
  name: WriteName,
  tx: StorageTransaction,
  organizationId: string,
  world: World,
): Step<unknown> {
  return writes[name](tx, organizationId, world);
}
