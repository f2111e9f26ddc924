import assert from "node:assert/strict";
import { run } from "../../concurrency/step.js";
import type { StoredTemplate } from "../../storage/templates.js";
import { sentencesOf } from "../kit/kind.js";
import { someTemplate } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";

export const templates: Statements = {
  ...sentencesOf<StoredTemplate>({
    one: "a template",
    add: (acme, fields) => acme.template(fields),
    unknown: someTemplate,
    samples: [
      { name: "Coffee", maxStamps: 10 },
      { name: "Member", type: "LOYALTY_CARD", maxStamps: null, design: '{"logo": null,\n "texts": ["ä"]}' },
    ],
    finds: [(storage, acme, { id }) => run(storage.findTemplate(acme.id, id))],
    list: (storage, acme) => run(storage.listTemplates(acme.id)),
    changes: [{ name: "New", maxStamps: 5, design: "{}", updatedAt: 9 }],
    stays: { type: "LOYALTY_CARD", createdAt: 1 },
    update: (tx, id, template) => tx.updateTemplate(id, template),
    remove: (tx, id, template) => tx.deleteTemplate(id, template.id),
  }),

  "organizationOfTemplate finds the one organization that has the template": async (storage, acme) => {
    const template = await acme.template();
    assert.equal(await run(storage.organizationOfTemplate(template.id)), acme.id);
    assert.equal(await run(storage.organizationOfTemplate(someTemplate().id)), null);
    await storage.transaction((tx) => tx.insertTemplate("globex", template));
    assert.equal(await run(storage.organizationOfTemplate(template.id)), null);
  },

  "updateTemplate lets the passes made before as they are": async (storage, acme) => {
    const template = await acme.template({ maxStamps: 10 });
    const pass = await acme.pass(await acme.user(), template);
    await acme.write((tx) => tx.updateTemplate(acme.id, { ...template, maxStamps: 5 }));
    assert.deepEqual(await run(storage.findPass(acme.id, pass.id)), pass);
  },

  "templateHasPasses tells whether a pass of the template is there": async (storage, acme) => {
    const [template, other] = [await acme.template(), await acme.template()];
    const [ada, bob] = [await acme.user(), await acme.user()];
    const has = () => run(storage.templateHasPasses(acme.id, template.id));
    assert.equal(await has(), false);
    const pass = await acme.pass(ada, template);
    await acme.pass(bob, template);
    assert.equal(await has(), true);
    await acme.write((tx) => tx.deletePass(acme.id, pass.id));
    assert.equal(await has(), true);
    await acme.write((tx) => tx.deleteUser(acme.id, bob.id));
    assert.equal(await has(), false);
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
