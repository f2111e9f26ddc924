import assert from "node:assert/strict";
import { run, type Step } from "../../concurrency/step.js";
import type { Counted } from "../../storage/counts.js";
import { TestOrganization } from "../kit/organization.js";
import { hashOf, someApp } from "../kit/records.js";
import type { Rows } from "../kit/rows.js";
import type { Statements } from "../kit/statements.js";

/** Adds one more of each kind. */
const add: Readonly<Record<Counted, (rows: Rows, at: number) => Step<unknown>>> = {
  apiTokens: (rows, at) => rows.apiToken({ hash: hashOf(`${rows.id} ${at}`) }),
  apps: (rows) => rows.app(),
  grants: (rows) => rows.grant(someApp()),
  tags: (rows) => rows.tag(),
  templates: (rows) => rows.template(),
  webhookEndpoints: (rows) => rows.webhookEndpoint(),
};

const kinds = Object.keys(add).filter((name): name is Counted => Object.hasOwn(add, name));

const ofEachKind: Statements = Object.fromEntries(
  kinds.map((kind) => [
    `the ${kind} of an organization are counted, its own alone`,
    async (storage, acme) => {
      const globex = new TestOrganization(storage, "globex");
      assert.equal(await run(storage.countOf(acme.id, kind)), 0);
      for (const at of [1, 2, 3]) await acme.write((tx) => add[kind](acme.within(tx), at));
      await globex.write((tx) => add[kind](globex.within(tx), 1));
      assert.equal(await run(storage.countOf(acme.id, kind)), 3);
      assert.equal(await run(storage.countOf(globex.id, kind)), 1);
      await acme.write(function* (tx) {
        yield* add[kind](acme.within(tx), 4);
        assert.equal(yield* tx.countOf(acme.id, kind), 4);
      });
      for (const other of kinds) {
        assert.equal(await run(storage.countOf(acme.id, other)), other === kind ? 4 : 0);
      }
    },
  ]),
);

export const counts: Statements = {
  ...ofEachKind,

  "the grants of a subject are counted, of no other organization and of no other spelling": async (
    storage,
    acme,
  ) => {
    const app = await acme.app();
    for (const subject of ["ada", "bob", "ada", "Ada"]) await acme.grant(app, { subject });
    await new TestOrganization(storage, "globex").grant(app, { subject: "ada" });
    assert.equal(await run(storage.countGrantsBy(acme.id, "ada")), 2);
    assert.equal(await run(storage.countGrantsBy(acme.id, "carol")), 0);
    await acme.write(function* (tx) {
      yield* acme.within(tx).grant(app, { subject: "ada" });
      assert.equal(yield* tx.countGrantsBy(acme.id, "ada"), 3);
    });
  },
};
