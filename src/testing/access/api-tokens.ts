import assert from "node:assert/strict";
import { run } from "../../concurrency/step.js";
import { rowsByAge } from "../kit/age.js";
import { Organization } from "../kit/organization.js";
import { hashOf, someApiToken } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";

export const apiTokens: Statements = {
  "an API token is found by its id": async (storage, acme) => {
    const token = await acme.apiToken({
      name: "Till 7",
      prefix: "lk_live_a1",
      scopes: ["user:read", "user_tag:write", "pass:read"],
      lastUsedAt: 7,
      expiresAt: 1_763_600_000_001,
    });
    await acme.apiToken();
    assert.deepEqual(await run(storage.findApiToken(acme.id, token.id)), token);
  },

  "scopes come back in their order": async (storage, acme) => {
    for (const scopes of [["b", "a", "c"], ["one"], [], ['with "quotes", commas', "and spaces "]]) {
      const token = await acme.apiToken({ scopes });
      assert.deepEqual((await run(storage.findApiToken(acme.id, token.id)))?.scopes, scopes);
    }
  },

  "an API token that is not there is null": async (storage, acme) => {
    await acme.apiToken();
    assert.equal(await run(storage.findApiToken(acme.id, someApiToken().id)), null);
    assert.equal(await run(storage.findApiTokenByHash(hashOf("unknown"))), null);
  },

  "findApiTokenByHash looks in all organizations": async (storage, acme) => {
    const organizations = [acme, new Organization(storage, "globex"), new Organization(storage, "initech")];
    for (const organization of organizations) {
      const token = await organization.apiToken({ hash: hashOf(organization.id) });
      await organization.apiToken();
      assert.deepEqual(await run(storage.findApiTokenByHash(token.hash)), {
        organizationId: organization.id,
        token,
      });
    }
  },

  "API tokens are listed oldest first, by createdAt, then id": async (storage, acme) => {
    const tokens = await rowsByAge((fields) => acme.apiToken(fields));
    assert.deepEqual(await run(storage.listApiTokens(acme.id)), tokens);
  },

  "touchApiToken sets lastUsedAt": async (storage, acme) => {
    const [token, other] = [await acme.apiToken({ expiresAt: 99 }), await acme.apiToken()];
    for (const lastUsedAt of [5, 8]) {
      assert.equal(await acme.write((tx) => tx.touchApiToken(acme.id, token.id, lastUsedAt)), true);
      assert.deepEqual(await run(storage.listApiTokens(acme.id)), [{ ...token, lastUsedAt }, other]);
      assert.deepEqual((await run(storage.findApiTokenByHash(token.hash)))?.token, { ...token, lastUsedAt });
    }
  },

  "touchApiToken is false when there is no such token": async (_storage, acme) => {
    assert.equal(await acme.write((tx) => tx.touchApiToken(acme.id, someApiToken().id, 5)), false);
  },

  "deleteApiToken removes the token": async (storage, acme) => {
    const [token, other] = [await acme.apiToken(), await acme.apiToken()];
    assert.equal(await acme.write((tx) => tx.deleteApiToken(acme.id, token.id)), true);
    assert.equal(await run(storage.findApiToken(acme.id, token.id)), null);
    assert.equal(await run(storage.findApiTokenByHash(token.hash)), null);
    assert.deepEqual(await run(storage.listApiTokens(acme.id)), [other]);
  },

  "deleteApiToken is false when there is no such token": async (_storage, acme) => {
    const token = await acme.apiToken();
    const remove = () => acme.write((tx) => tx.deleteApiToken(acme.id, token.id));
    assert.deepEqual([await remove(), await remove()], [true, false]);
  },
};
