import { apiTokenRecord } from "../../../../../src/storage/api-tokens.js";
import { appRecord, grantRecord, grantTokenRecord, type StoredApp } from "../../../../../src/storage/apps.js";
import { personRecord, type StoredPerson } from "../../../../../src/storage/people.js";
import {
  hashToken,
  someApiToken,
  someApp,
  someGrant,
  someGrantToken,
  somePasskey,
  somePerson,
  somePersonSession,
} from "../../kit/records.js";
import type { World } from "../world.js";
import { subjects, type Write, type WriteName } from "./choosing.js";

function createAppFields(world: World): Partial<StoredApp> {
  const [secretHash, previousSecretHash] = ["a", "b"].map((secret) => world.orNull(hashToken(secret)));
  return {
    ...world.createFields(appRecord),
    secretHash: secretHash ?? null,
    previousSecretHash: previousSecretHash ?? null,
  };
}

const sessions = [somePersonSession(), somePersonSession({ device: "é😀" })];
const passkeys = [somePasskey(), somePasskey({ name: "é😀", counter: 7, lastUsedAt: 9 })];

/** Returns fields for a person, occasionally with another person's email. */
function createPersonFields(world: World): Partial<StoredPerson> {
  const emailFold = world.oneIn(3) ? world.pickOne(world.people).emailFold : world.name();
  return {
    ...world.createFields(personRecord),
    email: emailFold,
    emailFold,
    sessions: world.pickSome(sessions, 3),
    passkeys: world.pickSome(passkeys, 3),
  };
}

export const accessWrites = {
  insertApiToken: (tx, world) => {
    const token = someApiToken({
      ...world.createFields(apiTokenRecord),
      id: world.id(),
      hash: hashToken(world.name()),
    });
    return tx.insertApiToken(world.track(world.apiTokens, token));
  },
  touchApiToken: (tx, world) => tx.touchApiToken(world.pickOne(world.apiTokens).id, world.time()),
  deleteApiToken: (tx, world) => tx.deleteApiToken(world.pickOne(world.apiTokens).id),
  insertPerson: (tx, world) => {
    const person = somePerson({ ...createPersonFields(world), id: world.id() });
    return tx.insertPerson(world.track(world.people, person));
  },
  updatePerson: (tx, world) =>
    tx.updatePerson({ ...world.pickOne(world.people), ...createPersonFields(world) }),
  deletePerson: (tx, world) => tx.deletePerson(world.pickOne(world.people).id),
  insertApp: (tx, world) => {
    const app = someApp({ ...createAppFields(world), id: world.id() });
    return tx.insertApp(world.track(world.apps, app));
  },
  updateApp: (tx, world) => tx.updateApp({ ...world.pickOne(world.apps), ...createAppFields(world) }),
  deleteApp: (tx, world) => tx.deleteApp(world.pickOne(world.apps).id),
  *insertGrant(tx, world) {
    const token = yield* tx.findApiToken(world.pickOne(world.apiTokens).id);
    const app = world.pickOne(world.apps);
    const grant = someGrant(app, {
      ...world.createFields(grantRecord),
      id: world.id(),
      appId: app.id,
      subject: world.pickOne(subjects),
      tokenId: token === null ? null : world.orNull(token.id),
    });
    yield* tx.insertGrant(world.track(world.grants, grant));
  },
  deleteGrant: (tx, world) => tx.deleteGrant(world.pickOne(world.grants).id),
  *insertGrantToken(tx, world) {
    const grants = yield* tx.listGrants();
    if (grants.length === 0) return;
    const fields = { ...world.createFields(grantTokenRecord), hash: hashToken(world.name()) };
    const token = someGrantToken(world.pickOne(grants), fields);
    yield* tx.insertGrantToken(world.track(world.grantTokens, token));
  },
  useGrantToken: (tx, world) =>
    tx.useGrantToken(world.pickOne(world.grantTokens).id, { usedAt: world.time(), details: '{"used":1}' }),
  deleteGrantToken: (tx, world) => tx.deleteGrantToken(world.pickOne(world.grantTokens).id),
  // Tokens with equal expiration times have no defined order, so the limit is high enough to remove all of them.
  removeGrantTokens: (tx, world) => tx.removeGrantTokens(world.time(), 100),
} satisfies Partial<Record<WriteName, Write>>;
