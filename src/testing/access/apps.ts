import assert from "node:assert/strict";
import { run } from "../../concurrency/step.js";
import type { StoredApp } from "../../storage/apps.js";
import { sentencesOf } from "../kit/kind.js";
import { hashOf, someApp } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";

export const apps: Statements = {
  ...sentencesOf<StoredApp>({
    one: "an app",
    add: (acme, fields) => acme.app(fields),
    unknown: someApp,
    samples: [
      {
        name: "App",
        secretHash: hashOf("secret"),
        previousSecretHash: hashOf("secret before"),
        previousSecretExpiresAt: 1_763_600_000_001,
        redirectUris: ["https://app.example/b", "https://app.example/a"],
        scopes: ["user:read", "pass:read"],
        madeBy: "akt_1",
        updatedAt: 7,
      },
      { name: "Public app", secretHash: null },
    ],
    finds: [
      async (storage, acme, { id }) => {
        const found = await run(storage.findApp(id));
        return found?.organizationId === acme.id ? found.app : null;
      },
    ],
    list: (storage, acme) => run(storage.listApps(acme.id)),
    changes: [
      {
        name: "New",
        secretHash: hashOf("new"),
        previousSecretHash: hashOf("secret"),
        previousSecretExpiresAt: 9,
        redirectUris: ["https://new.example/"],
        scopes: ["pass:read", "user:read"],
        updatedAt: 9,
      },
    ],
    stays: { createdAt: 8, madeBy: "akt_2" },
    update: (tx, id, app) => tx.updateApp(id, app),
    remove: (tx, id, app) => tx.deleteApp(id, app.id),
  }),

  "redirect URIs and scopes come back in their order": async (storage, acme) => {
    for (const list of [["b", "a", "c"], ["one"], [], ['with "quotes", commas', "and spaces "]]) {
      const lists = [
        { redirectUris: list, scopes: ["user:read"] },
        { redirectUris: ["https://app.example/"], scopes: list },
      ];
      for (const fields of lists) {
        const app = await acme.app(fields);
        assert.deepEqual((await run(storage.findApp(app.id)))?.app, app);
      }
    }
  },
};
