import assert from "node:assert/strict";
import { runStep } from "../../../../src/base/concurrency/step.js";
import type { StoredGrant, StoredGrantToken } from "../../../../src/storage/apps.js";
import type { StorageReader } from "../../../../src/storage/storage-adapter.js";
import type { SuiteOrganization } from "../kit/organization.js";
import { someGrant, someGrantToken } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";

const removeExpired = (acme: SuiteOrganization, before: number, limit: number) =>
  acme.write((tx) => tx.removeGrantTokens(before, limit));

/** Returns the tokens that are still stored. */
function* findRemaining(reader: StorageReader, tokens: readonly StoredGrantToken[]) {
  const remainingTokens = [];
  for (const { hash } of tokens) remainingTokens.push((yield* reader.all.findGrantTokenByHash(hash))?.token);
  return remainingTokens.filter((token) => token !== undefined);
}

/** Stores tokens for the grant with these expiration times, in this order. */
async function storeTokensExpiringAt(acme: SuiteOrganization, grant: StoredGrant, times: readonly number[]) {
  const tokens = [];
  for (const expiresAt of times) tokens.push(await acme.grantToken(grant, { expiresAt }));
  return tokens;
}

/** Returns whether the grant is stored, by trying to insert a token, which only a stored grant accepts. */
async function isStored(acme: SuiteOrganization, grant: StoredGrant): Promise<boolean> {
  const [outcome] = await Promise.allSettled([acme.grantToken(grant)]);
  return outcome.status === "fulfilled";
}

export const grants: Statements = {
  "a token of a grant that doesn't exist is refused": async (storage, acme) => {
    const app = await acme.app();
    const deletedGrant = await acme.grant(app);
    await acme.write((tx) => tx.deleteGrant(deletedGrant.id));
    for (const grant of [someGrant(app), deletedGrant]) {
      const token = someGrantToken(grant);
      await assert.rejects(acme.write((tx) => tx.insertGrantToken(token)));
      assert.equal(await runStep(storage.all.findGrantTokenByHash(token.hash)), null);
    }
  },

  "when several transactions use a token concurrently, only one succeeds": async (storage, acme) => {
    const grant = await acme.grant(await acme.app());
    const token = await acme.grantToken(grant);
    const exchanges = Array.from({ length: 20 }, (_, at) =>
      acme.write(function* (tx) {
        // Every transaction sees the token as unused before any of them uses it.
        yield* tx.all.findGrantTokenByHash(token.hash);
        const isFirst = yield* tx.useGrantToken(token.id, { usedAt: 100 + at, details: "{}" });
        return isFirst ? yield* acme.withTransaction(tx).grantToken(grant, { usedAt: 100 + at }) : null;
      }),
    );
    const [next, ...others] = (await Promise.all(exchanges)).filter((result) => result !== null);
    assert.ok(next);
    assert.deepEqual(others, []);
    assert.equal((await runStep(storage.all.findGrantTokenByHash(token.hash)))?.token.usedAt, next.usedAt);
    assert.deepEqual((await runStep(storage.all.findGrantTokenByHash(next.hash)))?.token, next);
  },

  "the tokens of a deleted app are removed once they have expired": async (_storage, acme) => {
    const grant = await acme.grant(await acme.app());
    await storeTokensExpiringAt(acme, grant, [7, 9]);
    await acme.write((tx) => tx.deleteApp(grant.appId));
    assert.equal(await removeExpired(acme, 10, 100), 2);
    assert.equal(await isStored(acme, grant), false);
  },

  "removeGrantTokens removes tokens up to a limit, earliest expiry first": async (storage, acme) => {
    const app = await acme.app();
    const grants = [await acme.grant(app), await acme.grant(app)];
    const tokens: StoredGrantToken[] = [];
    for (const [at, expiresAt] of [5, 2, 4, 1, 3, 9].entries()) {
      const grant = grants[at % 2];
      assert.ok(grant);
      tokens.push(...(await storeTokensExpiringAt(acme, grant, [expiresAt])));
    }
    const listTimes = async () =>
      (await runStep(findRemaining(storage.reader(acme.id), tokens))).map(({ expiresAt }) => expiresAt);
    assert.equal(await removeExpired(acme, 9, 2), 2);
    assert.deepEqual(await listTimes(), [5, 4, 3, 9]);
    assert.equal(await removeExpired(acme, 9, 1), 1);
    assert.deepEqual(await listTimes(), [5, 4, 9]);
    assert.equal(await removeExpired(acme, 9, 3), 2);
    assert.deepEqual(await listTimes(), [9]);
  },

  "removeGrantTokens also removes grants that have no tokens left": async (_storage, acme) => {
    const app = await acme.app();
    const [expiredGrant, liveGrant] = [await acme.grant(app), await acme.grant(app)];
    await storeTokensExpiringAt(acme, expiredGrant, [1, 2]);
    await storeTokensExpiringAt(acme, liveGrant, [1, 2, 9]);
    assert.equal(await removeExpired(acme, 3, 100), 4);
    assert.deepEqual([await isStored(acme, expiredGrant), await isStored(acme, liveGrant)], [false, true]);
  },

  "a grant remains until its last token is removed": async (_storage, acme) => {
    const grant = await acme.grant(await acme.app());
    const [, last] = await storeTokensExpiringAt(acme, grant, [1, 2]);
    assert.ok(last);
    await acme.write(function* (tx) {
      assert.equal(yield* tx.removeGrantTokens(3, 1), 1);
      assert.equal(yield* tx.useGrantToken(last.id, { usedAt: 5, details: "{}" }), true);
      assert.equal(yield* tx.removeGrantTokens(3, 1), 1);
    });
    assert.equal(await isStored(acme, grant), false);
  },

  "a grant that has never had a token remains": async (_storage, acme) => {
    const app = await acme.app();
    const grant = await acme.grant(app);
    await storeTokensExpiringAt(acme, await acme.grant(app), [1]);
    assert.equal(await removeExpired(acme, 3, 100), 1);
    assert.equal(await isStored(acme, grant), true);
  },
};
