import assert from "node:assert/strict";
import { run } from "../../concurrency/step.js";
import { rowsByAge } from "../kit/age.js";
import { Organization } from "../kit/organization.js";
import { hashOf, someApp } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";

export const apps: Statements = {
  "findApp looks in all organizations": async (storage, acme) => {
    for (const organization of [
      acme,
      new Organization(storage, "globex"),
      new Organization(storage, "initech"),
    ]) {
      const app = await organization.app({
        name: `App of ${organization.id}`,
        secretHash: hashOf(organization.id),
        redirectUris: ["https://app.example/b", "https://app.example/a"],
        scopes: ["user:read", "pass:read"],
        updatedAt: 7,
      });
      await organization.app();
      assert.deepEqual(await run(storage.findApp(app.id)), { organizationId: organization.id, app });
    }
  },

  "an app that is not there is null": async (storage, acme) => {
    await acme.app();
    assert.equal(await run(storage.findApp(someApp().id)), null);
  },

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

  "apps are listed oldest first, by createdAt, then id": async (storage, acme) => {
    const apps = await rowsByAge((fields) => acme.app(fields));
    assert.deepEqual(await run(storage.listApps(acme.id)), apps);
  },

  "apps of an organization without apps are none": async (storage, acme) => {
    await acme.tag();
    assert.deepEqual(await run(storage.listApps(acme.id)), []);
  },

  "updateApp replaces the app, but not its createdAt": async (storage, acme) => {
    const [app, other] = [await acme.app(), await acme.app()];
    const changed = {
      id: app.id,
      name: "New",
      secretHash: hashOf("new"),
      redirectUris: ["https://new.example/"],
      scopes: ["pass:read", "user:read"],
      updatedAt: 9,
    };
    assert.equal(await acme.write((tx) => tx.updateApp(acme.id, { ...changed, createdAt: 8 })), true);
    const expected = { ...changed, createdAt: app.createdAt };
    assert.deepEqual(await run(storage.listApps(acme.id)), [expected, other]);
    assert.deepEqual(await run(storage.findApp(app.id)), { organizationId: acme.id, app: expected });
  },

  "updateApp is false when there is no such app": async (storage, acme) => {
    assert.equal(await acme.write((tx) => tx.updateApp(acme.id, someApp())), false);
    assert.deepEqual(await run(storage.listApps(acme.id)), []);
  },

  "deleteApp removes the app": async (storage, acme) => {
    const [app, other] = [await acme.app(), await acme.app()];
    assert.equal(await acme.write((tx) => tx.deleteApp(acme.id, app.id)), true);
    assert.equal(await run(storage.findApp(app.id)), null);
    assert.deepEqual(await run(storage.listApps(acme.id)), [other]);
  },

  "deleteApp is false when there is no such app": async (_storage, acme) => {
    const app = await acme.app();
    const remove = () => acme.write((tx) => tx.deleteApp(acme.id, app.id));
    assert.deepEqual([await remove(), await remove()], [true, false]);
  },
};
