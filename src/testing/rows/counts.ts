import assert from "node:assert/strict";
import type { Counted } from "../../storage/counts.js";
import { Organization } from "../kit/organization.js";
import { hashOf } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";

/** Adds one more of each kind. */
const add: Readonly<Record<Counted, (organization: Organization, at: number) => Promise<unknown>>> = {
  apiTokens: (organization, at) => organization.apiToken({ hash: hashOf(`${organization.id} ${at}`) }),
  apps: (organization) => organization.app(),
  tags: (organization) => organization.tag(),
  templates: (organization) => organization.template(),
  webhookEndpoints: (organization) => organization.webhookEndpoint(),
};

const kinds = Object.keys(add).filter((name): name is Counted => Object.hasOwn(add, name));

export const counts: Statements = Object.fromEntries(
  kinds.map((kind) => [
    `the ${kind} of an organization are counted, its own alone`,
    async (storage, acme) => {
      const globex = Organization.of(storage, "globex");
      assert.equal(await storage.countOf(acme.id, kind), 0);
      for (const at of [1, 2, 3]) await add[kind](acme, at);
      await add[kind](globex, 1);
      assert.equal(await storage.countOf(acme.id, kind), 3);
      assert.equal(await storage.countOf(globex.id, kind), 1);
      await acme.write(async (tx) => {
        await add[kind](acme.within(tx), 4);
        assert.equal(await tx.countOf(acme.id, kind), 4);
      });
      for (const other of kinds) {
        assert.equal(await storage.countOf(acme.id, other), other === kind ? 4 : 0);
      }
    },
  ]),
);
