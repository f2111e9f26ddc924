import assert from "node:assert/strict";
import { run } from "../../concurrency/step.js";
import type { StoredApiToken } from "../../storage/api-tokens.js";
import { sentencesOf } from "../kit/kind.js";
import { someApiToken } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";

export const apiTokens: Statements = {
  ...sentencesOf<StoredApiToken>({
    one: "an API token",
    add: (acme, fields) => acme.apiToken(fields),
    unknown: someApiToken,
    samples: [
      {
        name: "Till 7",
        prefix: "lk_live_a1",
        scopes: ["user:read", "user_tag:write", "pass:read"],
        lastUsedAt: 7,
        expiresAt: 1_763_600_000_001,
        allowedAddresses: ["192.0.2.7", "2001:db8::/32"],
        madeBy: "akt_1",
      },
    ],
    finds: [
      (storage, acme, { id }) => run(storage.findApiToken(acme.id, id)),
      async (storage, acme, { hash }) => {
        const found = await run(storage.findApiTokenByHash(hash));
        return found?.organizationId === acme.id ? found.token : null;
      },
    ],
    list: (storage, acme) => run(storage.listApiTokens(acme.id)),
    changes: [{ lastUsedAt: 5 }, { lastUsedAt: 8 }],
    stays: { name: "changed", expiresAt: 99, createdAt: 1 },
    update: (tx, id, token) => tx.touchApiToken(id, token.id, token.lastUsedAt ?? 0),
    remove: (tx, id, token) => tx.deleteApiToken(id, token.id),
  }),

  "scopes come back in their order": async (storage, acme) => {
    for (const scopes of [["b", "a", "c"], ["one"], [], ['with "quotes", commas', "and spaces "]]) {
      const token = await acme.apiToken({ scopes });
      assert.deepEqual((await run(storage.findApiToken(acme.id, token.id)))?.scopes, scopes);
    }
  },
};
