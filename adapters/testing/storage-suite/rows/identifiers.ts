import assert from "node:assert/strict";
import { runStep } from "../../../../src/base/concurrency/step.js";
import { SuiteOrganization } from "../kit/organization.js";
import type { Statements } from "../kit/statements.js";

/** Strings that are easily confused with one another, or mistaken for something other than a key. */
const lookAlikes = [
  ...[
    "acme",
    "ACME",
    "Acme",
    "acme ",
    " acme",
    "acme\n",
    "acm\u00e9",
    "acme\u0301",
    "ac%",
    "acm_",
    "acme\u200b",
  ],
  ...[
    "\uff41\uff43\uff4d\uff45",
    "ß",
    "ss",
    "ﬁ",
    "fi",
    "İ",
    "i",
    "ı",
    "1",
    "01",
    "1.0",
    "__proto__",
    "constructor",
  ],
  ...["a:b", "a", "a/b", "a,b", "'", "null", "true", "\u{1f600}", "\u{1f601}", "\uff5e"],
];

export const identifiers: Statements = {
  "organization ids compare exactly": async (storage) => {
    const organizations = lookAlikes.map((id) => new SuiteOrganization(storage, id));
    for (const organization of organizations) await organization.tag({ slug: "vip", name: organization.id });
    for (const { id } of organizations) {
      assert.equal((await runStep(storage.reader(id).findTag("vip")))?.name, id);
      assert.equal((await runStep(storage.reader(id).listTags())).length, 1);
    }
  },

  "ids compare exactly": async (storage, acme) => {
    const users = await acme.users(lookAlikes.map((id) => ({ id })));
    const template = await acme.template();
    for (const user of users) await acme.pass(user, template);
    for (const user of users) {
      assert.deepEqual(await runStep(storage.reader(acme.id).findUser(user.id)), user);
      const passes = await runStep(storage.reader(acme.id).passesOfUsers([user]));
      assert.deepEqual(
        passes.map(({ userId }) => userId),
        [user.id],
      );
    }
    assert.equal(await runStep(storage.reader(acme.id).findUser("aCME")), null);
  },

  "slugs compare exactly": async (storage, acme) => {
    for (const slug of lookAlikes) await acme.tag({ slug, name: slug });
    for (const slug of lookAlikes)
      assert.equal((await runStep(storage.reader(acme.id).findTag(slug)))?.name, slug);
    const { tags } = await runStep(storage.reader(acme.id).readTagSets(lookAlikes));
    assert.deepEqual([...tags.keys()].sort(), lookAlikes.toSorted());
  },
};
