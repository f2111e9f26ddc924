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
    ...world.fieldsOf(appRecord),
    secretHash: secretHash ?? null,
    previousSecretHash: previousSecretHash ?? null,
  };
}

const sessions = [somePersonSession(), somePersonSession({ device: "é😀" })];
const passkeys = [somePasskey(), somePasskey({ name: "é😀", counter: 7, lastUsedAt: 9 })];

/** Returns fields for a person, occasionally with another person's email. */
function createPersonFields(world: World): Partial<StoredPerson> {
  const emailFold = world.rarely(3) ? world.one(world.people).emailFold : world.name();
  return {
    ...world.fieldsOf(personRecord),
    email: emailFold,
    emailFold,
    sessions: world.some(sessions, 3),
    passkeys: world.some(passkeys, 3),
  };
}

export const accessWrites = {
  insertApiToken: (tx, id, world) => {
    const token = someApiToken({
      ...world.fieldsOf(apiTokenRecord),
      id: world.id(),
      hash: hashToken(world.name()),
    });
    return tx.insertApiToken(id, world.keep(world.apiTokens, token));
  },
  touchApiToken: (tx, id, world) => tx.touchApiToken(id, world.one(world.apiTokens).id, world.time()),
  deleteApiToken: (tx, id, world) => tx.deleteApiToken(id, world.one(world.apiTokens).id),
  insertPerson: (tx, id, world) => {
    const person = somePerson({ ...createPersonFields(world), id: world.id() });
    return tx.insertPerson(id, world.keep(world.people, person));
  },
  updatePerson: (tx, id, world) =>
    tx.updatePerson(id, { ...world.one(world.people), ...createPersonFields(world) }),
  deletePerson: (tx, id, world) => tx.deletePerson(id, world.one(world.people).id),
  insertApp: (tx, id, world) => {
    const app = someApp({ ...createAppFields(world), id: world.id() });
    return tx.insertApp(id, world.keep(world.apps, app));
  },
  updateApp: (tx, id, world) => tx.updateApp(id, { ...world.one(world.apps), ...createAppFields(world) }),
  deleteApp: (tx, id, world) => tx.deleteApp(id, world.one(world.apps).id),
  *insertGrant(tx, id, world) {
    const token = yield* tx.findApiToken(id, world.one(world.apiTokens).id);
    const app = world.one(world.apps);
    const grant = someGrant(app, {
      ...world.fieldsOf(grantRecord),
      id: world.id(),
      appId: app.id,
      subject: world.one(subjects),
      tokenId: token === null ? null : world.orNull(token.id),
    });
    yield* tx.insertGrant(id, world.keep(world.grants, grant));
  },
  deleteGrant: (tx, id, world) => tx.deleteGrant(id, world.one(world.grants).id),
  *insertGrantToken(tx, id, world) {
    const grants = yield* tx.listGrants(id);
    if (grants.length === 0) return;
    const fields = { ...world.fieldsOf(grantTokenRecord), hash: hashToken(world.name()) };
    const token = someGrantToken(world.one(grants), fields);
    yield* tx.insertGrantToken(id, world.keep(world.grantTokens, token));
  },
  useGrantToken: (tx, id, world) =>
    tx.useGrantToken(id, world.one(world.grantTokens).id, { usedAt: world.time(), details: '{"used":1}' }),
  deleteGrantToken: (tx, id, world) => tx.deleteGrantToken(id, world.one(world.grantTokens).id),
  // Tokens with equal expiration times have no defined order, so the limit is high enough to remove all of them.
  removeGrantTokens: (tx, id, world) => tx.removeGrantTokens(id, world.time(), 100),
} satisfies Partial<Record<WriteName, Write>>;
