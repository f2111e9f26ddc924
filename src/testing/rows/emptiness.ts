import assert from "node:assert/strict";
import type { Organization } from "../kit/organization.js";
import { hashOf, someApp } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";

/** For each kind of row that needs no other: adds one and answers how to remove it. */
const rows: Readonly<Record<string, (acme: Organization) => Promise<() => Promise<boolean>>>> = {
  user: async (acme) => {
    const { id } = await acme.user();
    return () => acme.write((tx) => tx.deleteUser(acme.id, id));
  },
  tag: async (acme) => {
    const { id } = await acme.tag();
    return () => acme.write((tx) => tx.deleteTag(acme.id, id));
  },
  template: async (acme) => {
    const { id } = await acme.template();
    return () => acme.write((tx) => tx.deleteTemplate(acme.id, id));
  },
  event: async (acme) => {
    await acme.events([{}]);
    return async () =>
      (await acme.write((tx) => tx.removeEvents(acme.id, { since: 0, atMost: 0 }, { after: 0, limit: 1 })))
        .removed === 1;
  },
  "API token": async (acme) => {
    const { id } = await acme.apiToken();
    return () => acme.write((tx) => tx.deleteApiToken(acme.id, id));
  },
  answer: async (acme) => {
    const { createdAt } = await acme.answer();
    return async () => (await acme.write((tx) => tx.removeAnswers(acme.id, createdAt + 1, 1))) === 1;
  },
  app: async (acme) => {
    const { id } = await acme.app();
    return () => acme.write((tx) => tx.deleteApp(acme.id, id));
  },
  grant: async (acme) => {
    const { id } = await acme.grant(someApp());
    return () => acme.write((tx) => tx.deleteGrant(acme.id, id));
  },
  "webhook endpoint": async (acme) => {
    const { id } = await acme.webhookEndpoint();
    return () => acme.write((tx) => tx.deleteWebhookEndpoint(acme.id, id));
  },
  "wallet card": async (acme) => {
    const { passId } = await acme.walletCard();
    return () => acme.write((tx) => tx.deleteWalletCard(acme.id, passId));
  },
  picture: async (acme) => {
    const { hash } = await acme.picture();
    return () => acme.write((tx) => tx.deletePicture(acme.id, hash));
  },
};

const everyKind: Statements = Object.fromEntries(
  Object.entries(rows).map(([kind, add]) => [
    `a store where an organization has ever stored a ${kind} is not empty`,
    async (storage, acme) => {
      const remove = await add(acme);
      assert.equal(await storage.isEmpty(), false);
      assert.equal(await remove(), true);
      assert.equal(await storage.isEmpty(), false);
    },
  ]),
);

export const emptiness: Statements = {
  "a new store is empty, and reading leaves it so": async (storage, acme) => {
    assert.equal(await storage.isEmpty(), true);
    await storage.listUsers(acme.id, -1, 10);
    await storage.readSegments(acme.id, ["vip"]);
    await storage.listEvents(acme.id, null, 0, 10);
    await storage.newestEventPosition(acme.id);
    await storage.findAnswer(acme.id, hashOf("key"));
    await storage.listApps(acme.id);
    await storage.listGrants(acme.id);
    await storage.listWebhookEndpoints(acme.id);
    await storage.endpointsToServe(10, 10, 0);
    await storage.findWalletQueue(acme.id);
    await storage.walletQueuesToServe(10, 10);
    await storage.listPictures(acme.id);
    await acme.write((tx) => tx.findTag(acme.id, "vip"));
    assert.equal(await storage.isEmpty(), true);
  },

  ...everyKind,

  "a store is empty when all that was stored was rolled back": async (storage, acme) => {
    const rolledBack = acme.write(async (tx) => {
      for (const add of Object.values(rows)) await add(acme.within(tx));
      assert.equal(await tx.isEmpty(), false);
      throw new Error("rolled back");
    });
    await assert.rejects(rolledBack, { message: "rolled back" });
    assert.equal(await storage.isEmpty(), true);
  },
};
