import assert from "node:assert/strict";
import { runStep } from "../../../../src/base/concurrency/step.js";
import { StorageConflict } from "../../../../src/storage/storage-adapter.js";
import { SuiteOrganization } from "../kit/organization.js";
import { somePasskey } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";

const email = { email: "Ada@example.com", emailFold: "ada@example.com" };

export const people: Statements = {
  "people are listed oldest first, ties by id": async (storage, acme) => {
    const late = await acme.person({ createdAt: 9 });
    const [b, a] = [
      await acme.person({ id: "per_b", createdAt: 5 }),
      await acme.person({ id: "per_a", createdAt: 5 }),
    ];
    assert.deepEqual(await runStep(storage.reader(acme.id).listPeople()), [a, b, late]);
  },

  "an email belongs to at most one person per organization, but people in different organizations can share it":
    async (storage, acme) => {
      const globex = new SuiteOrganization(storage, "globex");
      const [acmePerson, globexPerson] = [await acme.person(email), await globex.person(email)];
      await assert.rejects(
        acme.person({ email: "ADA@example.com", emailFold: "ada@example.com" }),
        (error) => error instanceof StorageConflict && error.key === "email",
      );
      assert.deepEqual(await runStep(storage.all.peopleByEmail("ada@example.com", 10)), [
        { organizationId: "acme", person: acmePerson },
        { organizationId: "globex", person: globexPerson },
      ]);
      assert.equal((await runStep(storage.all.peopleByEmail("ada@example.com", 1))).length, 1);
      assert.deepEqual(await runStep(storage.all.peopleByEmail("Ada@example.com", 10)), []);
    },

  "people with the same email are sorted by whether they have verified it, then newest sign-in first, then oldest first":
    async (storage) => {
      const facts = {
        proven: { emailProvenAt: 1, lastSignedInAt: 5 },
        provenLately: { emailProvenAt: 7, lastSignedInAt: 7 },
        provenBefore: { emailProvenAt: 9, lastSignedInAt: null },
        signedIn: { lastSignedInAt: 100, createdAt: 50 },
        signedInBefore: { lastSignedInAt: 99, createdAt: 3 },
        older: { createdAt: 10 },
        a: { createdAt: 11 },
        b: { createdAt: 11 },
      };
      for (const [name, fields] of Object.entries(facts))
        await new SuiteOrganization(storage, name).person({ ...email, ...fields });
      const listedPeople = await runStep(storage.all.peopleByEmail(email.emailFold, 10));
      const ordered = [
        "provenLately",
        "proven",
        "provenBefore",
        "signedIn",
        "signedInBefore",
        "older",
        "a",
        "b",
      ];
      assert.deepEqual(
        listedPeople.map(({ organizationId }) => organizationId),
        ordered,
      );
      const somePeople = await runStep(storage.all.peopleByEmail(email.emailFold, 3));
      assert.deepEqual(somePeople, listedPeople.slice(0, 3));
    },

  "peopleById searches all organizations": async (storage, acme) => {
    const globex = new SuiteOrganization(storage, "globex");
    const fields = { id: "per_ada", passkeys: [somePasskey({ counter: 7 }), somePasskey()] };
    const [globexPerson, acmePerson] = [await globex.person(fields), await acme.person(fields)];
    await acme.person();
    assert.deepEqual(await runStep(storage.all.peopleById("per_ada", 10)), [
      { organizationId: "acme", person: acmePerson },
      { organizationId: "globex", person: globexPerson },
    ]);
    assert.equal((await runStep(storage.all.peopleById("per_ada", 1))).length, 1);
    assert.deepEqual(await runStep(storage.all.peopleById("per_Ada", 10)), []);
    await acme.write((tx) => tx.deletePerson("per_ada"));
    assert.deepEqual(await runStep(storage.all.peopleById("per_ada", 10)), [
      { organizationId: "globex", person: globexPerson },
    ]);
  },

  "an email is free again once its person is deleted": async (storage, acme) => {
    const { id } = await acme.person(email);
    assert.equal(await acme.write((tx) => tx.deletePerson(id)), true);
    assert.equal(await acme.write((tx) => tx.deletePerson(id)), false);
    const next = await acme.person(email);
    assert.deepEqual(await runStep(storage.reader(acme.id).findPerson(next.id)), next);
    assert.equal(await runStep(storage.reader(acme.id).findPerson(id)), null);
  },

  "a store has people as long as one of its organizations has a person": async (storage, acme) => {
    const globex = new SuiteOrganization(storage, "globex");
    await acme.user();
    assert.equal(await runStep(storage.all.hasPeople()), false);
    const globexPerson = await globex.person(email);
    const acmePerson = await acme.person(email);
    await acme.write((tx) => tx.deletePerson(acmePerson.id));
    assert.equal(await runStep(storage.all.hasPeople()), true);
    await globex.write((tx) => tx.deletePerson(globexPerson.id));
    assert.equal(await runStep(storage.all.hasPeople()), false);
  },

  "updatePerson doesn't change the email or the creation time": async (storage, acme) => {
    const previous = await acme.person(email);
    const update = {
      ...previous,
      email: "bob@example.com",
      emailFold: "bob@example.com",
      createdAt: 99,
      role: "owner",
    };
    assert.equal(await acme.write((tx) => tx.updatePerson({ ...update, role: "owner" })), true);
    assert.deepEqual(await runStep(storage.reader(acme.id).findPerson(previous.id)), {
      ...previous,
      role: "owner",
    });
    assert.deepEqual(await runStep(storage.all.peopleByEmail("bob@example.com", 10)), []);
    assert.equal(await acme.write((tx) => tx.updatePerson({ ...previous, id: "per_nobody" })), false);
  },
};
