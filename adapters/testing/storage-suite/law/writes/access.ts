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
  insertApiToken: (tx, world) => {
    const token = someApiToken({
      ...world.fieldsOf(apiTokenRecord),
      id: world.id(),
      hash: hashToken(world.name()),
    });
    return tx.insertApiToken(world.keep(world.apiTokens, token));
  },
  touchApiToken: (tx, world) => tx.touchApiToken(world.one(world.apiTokens).id, world.time()),
  deleteApiToken: (tx, world) => tx.deleteApiToken(world.one(world.apiTokens).id),
  insertPerson: (tx, world) => {
    const person = somePerson({ ...createPersonFields(world), id: world.id() });
    return tx.insertPerson(world.keep(world.people, person));
  },
  updatePerson: (tx, world) => tx.updatePerson({ ...world.one(world.people), ...createPersonFields(world) }),
  deletePerson: (tx, world) => tx.deletePerson(world.one(world.people).id),
  insertApp: (tx, world) => {
    const app = someApp({ ...createAppFields(world), id: world.id() });
    return tx.insertApp(world.keep(world.apps, app));
  },
  updateApp: (tx, world) => tx.updateApp({ ...world.one(world.apps), ...createAppFields(world) }),
  deleteApp: (tx, world) => tx.deleteApp(world.one(world.apps).id),
  *insertGrant(tx, world) {
    const token = yield* tx.findApiToken(world.one(world.apiTokens).id);
    const app = world.one(world.apps);
    const grant = someGrant(app, {
      ...world.fieldsOf(grantRecord),
      id: world.id(),
      appId: app.id,
      subject: world.one(subjects),
      tokenId: token === null ? null : world.orNull(token.id),
    });
    yield* tx.insertGrant(world.keep(world.grants, grant));
  },
  deleteGrant: (tx, world) => tx.deleteGrant(world.one(world.grants).id),
  *insertGrantToken(tx, world) {
    const grants = yield* tx.listGrants();
    if (grants.length === 0) return;
    const fields = { ...world.fieldsOf(grantTokenRecord), hash: hashToken(world.name()) };
    const token = someGrantToken(world.one(grants), fields);
    yield* tx.insertGrantToken(world.keep(world.grantTokens, token));
  },
  useGrantToken: (tx, world) =>
    tx.useGrantToken(world.one(world.grantTokens).id, { usedAt: world.time(), details: '{"used":1}' }),
  deleteGrantToken: (tx, world) => tx.deleteGrantToken(world.one(world.grantTokens).id),
  // Tokens with equal expiration times have no defined order, so the limit is high enough to remove all of them.
  removeGrantTokens: (tx, world) => tx.removeGrantTokens(world.time(), 100),
} satisfies Partial<Record<WriteName, Write>>;
