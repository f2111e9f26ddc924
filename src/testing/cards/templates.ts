import assert from "node:assert/strict";
import { run } from "../../concurrency/step.js";
import { rowsByAge } from "../kit/age.js";
import { someTemplate } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";

export const templates: Statements = {
  "a template is found by its id": async (storage, acme) => {
    const card = await acme.template({ name: "Coffee", maxStamps: 10 });
    const design = '{"logo": null,\n "texts": ["ä"]}';
    const plain = await acme.template({ name: "Member", type: "LOYALTY_CARD", maxStamps: null, design });
    assert.deepEqual(await run(storage.findTemplate(acme.id, card.id)), card);
    assert.deepEqual(await run(storage.findTemplate(acme.id, plain.id)), plain);
  },

  "a template that is not there is null": async (storage, acme) => {
    await acme.template();
    assert.equal(await run(storage.findTemplate(acme.id, someTemplate().id)), null);
  },

  "templates are listed oldest first, by createdAt, then id": async (storage, acme) => {
    const templates = await rowsByAge((fields) => acme.template(fields));
    assert.deepEqual(await run(storage.listTemplates(acme.id)), templates);
  },

  "updateTemplate replaces the template of this id": async (storage, acme) => {
    const [template, other] = [await acme.template(), await acme.template()];
    const changed = {
      ...template,
      name: "New",
      maxStamps: 5,
      design: "{}",
      updatedAt: template.updatedAt + 3,
    };
    assert.equal(await acme.write((tx) => tx.updateTemplate(acme.id, changed)), true);
    assert.deepEqual(await run(storage.listTemplates(acme.id)), [changed, other]);
  },

  "updateTemplate lets type and createdAt stay": async (storage, acme) => {
    const template = await acme.template();
    const changed = { ...template, type: "LOYALTY_CARD", createdAt: 1, name: "New" } as const;
    await acme.write((tx) => tx.updateTemplate(acme.id, changed));
    assert.deepEqual(await run(storage.findTemplate(acme.id, template.id)), { ...template, name: "New" });
  },

  "updateTemplate lets the passes made before as they are": async (storage, acme) => {
    const template = await acme.template({ maxStamps: 10 });
    const pass = await acme.pass(await acme.user(), template);
    await acme.write((tx) => tx.updateTemplate(acme.id, { ...template, maxStamps: 5 }));
    assert.deepEqual(await run(storage.findPass(acme.id, pass.id)), pass);
  },

  "updateTemplate is false when there is no such template": async (storage, acme) => {
    assert.equal(await acme.write((tx) => tx.updateTemplate(acme.id, someTemplate())), false);
    assert.deepEqual(await run(storage.listTemplates(acme.id)), []);
  },

  "deleteTemplate removes a template without passes": async (storage, acme) => {
    const [template, other] = [await acme.template(), await acme.template()];
    assert.equal(await acme.write((tx) => tx.deleteTemplate(acme.id, template.id)), true);
    assert.deepEqual(await run(storage.listTemplates(acme.id)), [other]);
  },

  "deleteTemplate is false when there is no such template": async (_storage, acme) => {
    assert.equal(await acme.write((tx) => tx.deleteTemplate(acme.id, someTemplate().id)), false);
  },

  "templateHasPasses tells whether a pass of the template is there": async (storage, acme) => {
    const [template, other] = [await acme.template(), await acme.template()];
    const [ada, bob] = [await acme.user(), await acme.user()];
    const has = () => storage.templateHasPasses(acme.id, template.id);
    assert.equal(await run(has()), false);
    const pass = await acme.pass(ada, template);
    await acme.pass(bob, template);
    assert.equal(await run(has()), true);
    await acme.write((tx) => tx.deletePass(acme.id, pass.id));
    assert.equal(await run(has()), true);
    await acme.write((tx) => tx.deleteUser(acme.id, bob.id));
    assert.equal(await run(has()), false);
    assert.equal(await run(storage.templateHasPasses(acme.id, other.id)), false);
    assert.equal(await run(storage.templateHasPasses(acme.id, someTemplate().id)), false);
  },

  "deleteTemplate removes no template that has passes": async (storage, acme) => {
    const template = await acme.template();
    const pass = await acme.pass(await acme.user(), template);
    const remove = acme.write((tx) => tx.deleteTemplate(acme.id, template.id));
    assert.equal(await remove.catch(() => false), false);
    assert.deepEqual(await run(storage.findTemplate(acme.id, template.id)), template);
    assert.deepEqual(await run(storage.findPass(acme.id, pass.id)), pass);
  },

  "a template whose passes are gone can be deleted": async (storage, acme) => {
    const template = await acme.template();
    const pass = await acme.pass(await acme.user(), template);
    await acme.write((tx) => tx.deletePass(acme.id, pass.id));
    assert.equal(await acme.write((tx) => tx.deleteTemplate(acme.id, template.id)), true);
    assert.equal(await run(storage.findTemplate(acme.id, template.id)), null);
  },
};
