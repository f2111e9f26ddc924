import assert from "node:assert/strict";
import { run } from "../../concurrency/step.js";
import { rowsByAge } from "../kit/age.js";
import { TestOrganization } from "../kit/organization.js";
import { hashOf, someGrant, someGrantToken } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";

const finding: Statements = {
  "findGrantTokenByHash looks in all organizations": async (storage, acme) => {
    for (const organization of [
      acme,
      new TestOrganization(storage, "globex"),
      new TestOrganization(storage, "initech"),
    ]) {
      const app = await organization.app();
      const grant = await organization.grant(app, { subject: organization.id });
      const token = await organization.grantToken(grant, { hash: hashOf(organization.id) });
      await organization.grantToken(await organization.grant(app));
      assert.deepEqual(await run(storage.findGrantTokenByHash(token.hash)), {
        organizationId: organization.id,
        token,
        grant,
      });
    }
  },

  "a token is found with the organization of its grant, not that of the app": async (storage, acme) => {
    const globex = new TestOrganization(storage, "globex");
    const grant = await globex.grant(await acme.app());
    const token = await globex.grantToken(grant);
    const found = { organizationId: globex.id, token, grant };
    assert.deepEqual(await run(storage.findGrantTokenByHash(token.hash)), found);
  },

  "a token that is not there is null": async (storage, acme) => {
    await acme.grantToken(await acme.grant(await acme.app()));
    assert.equal(await run(storage.findGrantTokenByHash(hashOf("unknown"))), null);
  },

  "a grant's codes and tokens come back with all that belongs to them": async (storage, acme) => {
    const grant = await acme.grant(await acme.app(), {
      scopes: ["pass:read", "user:read"],
      createdAt: 3,
      tokenId: "akt_7",
      expiresAt: 9,
    });
    for (const fields of [
      { kind: "code", details: '{ "challenge": "x" }', expiresAt: 1_763_600_000_001 },
      { kind: "access", scopes: ["user:read", "pass:read"] },
      { kind: "refresh", scopes: [], createdAt: 5, usedAt: 7 },
    ] as const) {
      const token = await acme.grantToken(grant, fields);
      assert.deepEqual(await run(storage.findGrantTokenByHash(token.hash)), {
        organizationId: acme.id,
        token,
        grant,
      });
    }
  },

  "a token of a grant that is not there is refused": async (storage, acme) => {
    const app = await acme.app();
    const gone = await acme.grant(app);
    await acme.write((tx) => tx.deleteGrant(acme.id, gone.id));
    for (const grant of [someGrant(app), gone]) {
      const token = someGrantToken(grant);
      await assert.rejects(acme.write((tx) => tx.insertGrantToken(acme.id, token)));
      assert.equal(await run(storage.findGrantTokenByHash(token.hash)), null);
    }
  },
};

const listing: Statements = {
  "grants are listed oldest first, by createdAt, then id": async (storage, acme) => {
    const [app, other] = [await acme.app(), await acme.app()];
    const grants = await rowsByAge((fields, at) =>
      acme.grant(at % 2 === 0 ? app : other, {
        ...fields,
        subject: `user ${at}`,
        scopes: ["user:read", "pass:read"],
        ...(at % 3 === 0 && { tokenId: `akt_${at}`, expiresAt: 1_763_600_000_001 + at }),
      }),
    );
    assert.deepEqual(await run(storage.listGrants(acme.id)), grants);
  },

  "a grant is listed in the organization that it is for, not in that of the app": async (storage, acme) => {
    const globex = new TestOrganization(storage, "globex");
    const grant = await globex.grant(await acme.app());
    assert.deepEqual(await run(storage.listGrants(acme.id)), []);
    assert.deepEqual(await run(storage.listGrants(globex.id)), [grant]);
  },

  "the list of grants is without those that were removed, and those of removed apps": async (
    storage,
    acme,
  ) => {
    const globex = new TestOrganization(storage, "globex");
    const [app, removed] = [await globex.app(), await globex.app()];
    const [grant, ended] = [await acme.grant(app), await acme.grant(app)];
    await acme.grant(removed);
    await acme.write(function* (tx) {
      yield* tx.deleteGrant(acme.id, ended.id);
      yield* tx.deleteApp(globex.id, removed.id);
      assert.deepEqual(yield* tx.listGrants(acme.id), [grant]);
    });
    assert.deepEqual(await run(storage.listGrants(acme.id)), [grant]);
  },
};

const using: Statements = {
  "useGrantToken notes when a token was used, with details, the first time only": async (storage, acme) => {
    const grant = await acme.grant(await acme.app());
    const [token, other] = [await acme.grantToken(grant), await acme.grantToken(grant)];
    const use = (usedAt: number) =>
      acme.write((tx) => tx.useGrantToken(acme.id, token.id, { usedAt, details: `{ "at": ${usedAt} }` }));
    assert.deepEqual([await use(5), await use(8), await use(5)], [true, false, false]);
    const found = await run(storage.findGrantTokenByHash(token.hash));
    assert.deepEqual(found, {
      organizationId: acme.id,
      token: { ...token, usedAt: 5, details: '{ "at": 5 }' },
      grant,
    });
    assert.deepEqual((await run(storage.findGrantTokenByHash(other.hash)))?.token, other);
  },

  "useGrantToken is false when there is no such token": async (_storage, acme) => {
    const token = await acme.grantToken(await acme.grant(await acme.app()));
    await acme.write((tx) => tx.deleteGrantToken(acme.id, token.id));
    assert.equal(
      await acme.write((tx) => tx.useGrantToken(acme.id, token.id, { usedAt: 5, details: "{}" })),
      false,
    );
  },

  "a token whose use was rolled back is unused": async (storage, acme) => {
    const token = await acme.grantToken(await acme.grant(await acme.app()));
    const failure = new Error("rolled back");
    const rolledBack = acme.write(function* (tx) {
      assert.equal(yield* tx.useGrantToken(acme.id, token.id, { usedAt: 5, details: "{}" }), true);
      assert.equal(yield* tx.useGrantToken(acme.id, token.id, { usedAt: 5, details: "{}" }), false);
      throw failure;
    });
    await assert.rejects(rolledBack, failure);
    assert.deepEqual((await run(storage.findGrantTokenByHash(token.hash)))?.token, token);
    assert.equal(
      await acme.write((tx) => tx.useGrantToken(acme.id, token.id, { usedAt: 6, details: "{}" })),
      true,
    );
  },

  "of transactions that use a token at once, one does": async (storage, acme) => {
    const grant = await acme.grant(await acme.app());
    const token = await acme.grantToken(grant);
    const exchanges = Array.from({ length: 20 }, (_, at) =>
      acme.write(function* (tx) {
        // All have seen it unused before any of them uses it.
        yield* tx.findGrantTokenByHash(token.hash);
        const isFirst = yield* tx.useGrantToken(acme.id, token.id, { usedAt: 100 + at, details: "{}" });
        return isFirst ? yield* acme.within(tx).grantToken(grant, { usedAt: 100 + at }) : null;
      }),
    );
    const [next, ...others] = (await Promise.all(exchanges)).filter((made) => made !== null);
    assert.ok(next);
    assert.deepEqual(others, []);
    assert.equal((await run(storage.findGrantTokenByHash(token.hash)))?.token.usedAt, next.usedAt);
    assert.deepEqual((await run(storage.findGrantTokenByHash(next.hash)))?.token, next);
  },
};

export const grants: Statements = { ...finding, ...listing, ...using };
