import assert from "node:assert/strict";
import { run } from "../../concurrency/step.js";
import type { StoredGrant, StoredGrantToken } from "../../storage/apps.js";
import type { StorageReader } from "../../storage/storage-adapter.js";
import { TestOrganization } from "../kit/organization.js";
import type { Statements } from "../kit/statements.js";

const removeExpired = (acme: TestOrganization, before: number, limit: number) =>
  acme.write((tx) => tx.removeGrantTokens(acme.id, before, limit));

/** Those of the tokens that are still found. */
function* left(reader: StorageReader, tokens: readonly StoredGrantToken[]) {
  const found = [];
  for (const { hash } of tokens) found.push((yield* reader.findGrantTokenByHash(hash))?.token);
  return found.filter((token) => token !== undefined);
}

/** Tokens of the grant that expire at these times, in this order. */
async function expiringAt(acme: TestOrganization, grant: StoredGrant, times: readonly number[]) {
  const tokens = [];
  for (const expiresAt of times) tokens.push(await acme.grantToken(grant, { expiresAt }));
  return tokens;
}

/** A grant that is there takes a token. */
async function isThere(acme: TestOrganization, grant: StoredGrant): Promise<boolean> {
  const [outcome] = await Promise.allSettled([acme.grantToken(grant)]);
  return outcome.status === "fulfilled";
}

const onRequest: Statements = {
  "the tokens of an app that was removed are not found, in any organization": async (storage, acme) => {
    const [app, other] = [await acme.app(), await acme.app()];
    const globex = new TestOrganization(storage, "globex");
    const tokens: StoredGrantToken[] = [];
    for (const organization of [acme, globex]) {
      tokens.push(...(await expiringAt(organization, await organization.grant(app), [7, 9])));
    }
    const others = await expiringAt(globex, await globex.grant(other), [7, 9]);
    await acme.write(function* (tx) {
      yield* tx.deleteApp(acme.id, app.id);
      assert.deepEqual(yield* left(tx, [...tokens, ...others]), others);
    });
    assert.deepEqual(await run(left(storage, [...tokens, ...others])), others);
  },

  "the tokens of an app that was removed are removed when they have expired": async (_storage, acme) => {
    const grant = await acme.grant(await acme.app());
    await expiringAt(acme, grant, [7, 9]);
    await acme.write((tx) => tx.deleteApp(acme.id, grant.appId));
    assert.equal(await removeExpired(acme, 10, 100), 2);
    assert.equal(await isThere(acme, grant), false);
  },

  "deleteGrant removes the grant with its tokens, and no others": async (storage, acme) => {
    const app = await acme.app();
    const [grant, other] = [await acme.grant(app), await acme.grant(app)];
    const tokens = await expiringAt(acme, grant, [7, 9]);
    const others = await expiringAt(acme, other, [7, 9]);
    assert.equal(await acme.write((tx) => tx.deleteGrant(acme.id, grant.id)), true);
    assert.deepEqual(await run(left(storage, [...tokens, ...others])), others);
    await acme.write((tx) => tx.insertGrant(acme.id, grant));
    assert.deepEqual(await run(left(storage, tokens)), []);
  },

  "deleteApiToken removes the grants that end with the token, with their tokens, and no others": async (
    storage,
    acme,
  ) => {
    const app = await acme.app();
    const [token, other] = [await acme.apiToken(), await acme.apiToken()];
    const ending = [
      await acme.grant(app, { tokenId: token.id }),
      await acme.grant(app, { tokenId: token.id }),
    ];
    const staying = [await acme.grant(app), await acme.grant(app, { tokenId: other.id })];
    const globex = new TestOrganization(storage, "globex");
    const elsewhere = await globex.grant(app, { tokenId: token.id });
    const tokens: StoredGrantToken[] = [];
    for (const grant of ending) tokens.push(...(await expiringAt(acme, grant, [7, 9])));
    const others = await expiringAt(globex, elsewhere, [7, 9]);
    for (const grant of staying) others.push(...(await expiringAt(acme, grant, [7, 9])));
    assert.equal(await acme.write((tx) => tx.deleteApiToken(acme.id, token.id)), true);
    assert.deepEqual(await run(left(storage, [...tokens, ...others])), others);
    assert.deepEqual(await run(storage.listGrants(acme.id)), staying);
    assert.deepEqual(await run(storage.listGrants(globex.id)), [elsewhere]);
  },

  "deleteGrant is false when there is no such grant": async (_storage, acme) => {
    const grant = await acme.grant(await acme.app());
    const remove = () => acme.write((tx) => tx.deleteGrant(acme.id, grant.id));
    assert.deepEqual([await remove(), await remove()], [true, false]);
  },

  "deleteGrantToken removes the token, and nothing else of its grant": async (storage, acme) => {
    const grant = await acme.grant(await acme.app());
    const [token, other] = [await acme.grantToken(grant), await acme.grantToken(grant)];
    for (const [gone, stays] of [
      [token, [other]],
      [other, []],
    ] as const) {
      assert.equal(await acme.write((tx) => tx.deleteGrantToken(acme.id, gone.id)), true);
      assert.deepEqual(await run(left(storage, [token, other])), stays);
    }
    assert.equal(await isThere(acme, grant), true);
  },

  "deleteGrantToken is false when there is no such token": async (_storage, acme) => {
    const token = await acme.grantToken(await acme.grant(await acme.app()));
    const remove = () => acme.write((tx) => tx.deleteGrantToken(acme.id, token.id));
    assert.deepEqual([await remove(), await remove()], [true, false]);
  },
};

const ofExpired: Statements = {
  "removeGrantTokens removes those that expired before a time, of any grant and kind": async (
    storage,
    acme,
  ) => {
    const app = await acme.app();
    const tokens: StoredGrantToken[] = [];
    for (const kind of ["code", "access", "refresh"] as const) {
      const grant = await acme.grant(app);
      for (const expiresAt of [2, 3]) {
        for (const usedAt of [null, 1]) {
          tokens.push(await acme.grantToken(grant, { kind, expiresAt, usedAt }));
        }
      }
    }
    const expected = tokens.filter(({ expiresAt }) => expiresAt === 3);
    for (const removed of [6, 0]) {
      assert.equal(await removeExpired(acme, 3, 100), removed);
      assert.deepEqual(await run(left(storage, tokens)), expected);
    }
  },

  "removeGrantTokens removes so many at most, those that expired first": async (storage, acme) => {
    const app = await acme.app();
    const grants = [await acme.grant(app), await acme.grant(app)];
    const tokens: StoredGrantToken[] = [];
    for (const [at, expiresAt] of [5, 2, 4, 1, 3, 9].entries()) {
      const grant = grants[at % 2];
      assert.ok(grant);
      tokens.push(...(await expiringAt(acme, grant, [expiresAt])));
    }
    const timesLeft = async () => (await run(left(storage, tokens))).map(({ expiresAt }) => expiresAt);
    assert.equal(await removeExpired(acme, 9, 2), 2);
    assert.deepEqual(await timesLeft(), [5, 4, 3, 9]);
    assert.equal(await removeExpired(acme, 9, 1), 1);
    assert.deepEqual(await timesLeft(), [5, 4, 9]);
    assert.equal(await removeExpired(acme, 9, 3), 2);
    assert.deepEqual(await timesLeft(), [9]);
  },

  "removeGrantTokens where there is none is 0": async (_storage, acme) => {
    assert.equal(await removeExpired(acme, Number.MAX_SAFE_INTEGER, 10), 0);
  },

  "removeGrantTokens removes the grants that have no tokens left then": async (_storage, acme) => {
    const app = await acme.app();
    const [emptied, kept] = [await acme.grant(app), await acme.grant(app)];
    await expiringAt(acme, emptied, [1, 2]);
    await expiringAt(acme, kept, [1, 2, 9]);
    assert.equal(await removeExpired(acme, 3, 100), 4);
    assert.deepEqual([await isThere(acme, emptied), await isThere(acme, kept)], [false, true]);
  },

  "a grant stays until the last of its tokens is removed": async (_storage, acme) => {
    const grant = await acme.grant(await acme.app());
    const [, last] = await expiringAt(acme, grant, [1, 2]);
    assert.ok(last);
    await acme.write(function* (tx) {
      assert.equal(yield* tx.removeGrantTokens(acme.id, 3, 1), 1);
      assert.equal(yield* tx.useGrantToken(acme.id, last.id, { usedAt: 5, details: "{}" }), true);
      assert.equal(yield* tx.removeGrantTokens(acme.id, 3, 1), 1);
    });
    assert.equal(await isThere(acme, grant), false);
  },

  "a grant that has not had a token yet stays": async (_storage, acme) => {
    const app = await acme.app();
    const grant = await acme.grant(app);
    await expiringAt(acme, await acme.grant(app), [1]);
    assert.equal(await removeExpired(acme, 3, 100), 1);
    assert.equal(await isThere(acme, grant), true);
  },

  "grants and tokens whose removal was rolled back are as they were": async (storage, acme) => {
    const app = await acme.app();
    const [emptied, deleted] = [await acme.grant(app), await acme.grant(app)];
    const tokens = [
      ...(await expiringAt(acme, emptied, [2, 1])),
      ...(await expiringAt(acme, deleted, [9, 4])),
    ];
    const failure = new Error("rolled back");
    const rolledBack = acme.write(function* (tx) {
      assert.equal(yield* tx.removeGrantTokens(acme.id, 3, 100), 2);
      yield* acme.within(tx).grantToken(deleted, { expiresAt: 1 });
      assert.equal(yield* tx.deleteGrant(acme.id, deleted.id), true);
      assert.deepEqual(yield* left(tx, tokens), []);
      throw failure;
    });
    await assert.rejects(rolledBack, failure);
    assert.deepEqual(await run(left(storage, tokens)), tokens);
    assert.deepEqual([await isThere(acme, emptied), await isThere(acme, deleted)], [true, true]);
    assert.equal(await removeExpired(acme, 5, 2), 2);
    assert.deepEqual(await run(left(storage, tokens)), tokens.slice(2));
  },
};

export const grantRemoval: Statements = { ...onRequest, ...ofExpired };
