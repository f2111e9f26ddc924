import assert from "node:assert/strict";
import { runStep } from "../../../../src/base/concurrency/step.js";
import { type ActorFilter, type SubjectColumn, subjectColumns } from "../../../../src/storage/actors.js";
import type { StoredStampEntry } from "../../../../src/storage/passes.js";
import type { StorageReader } from "../../../../src/storage/storage-adapter.js";
import { SuiteOrganization } from "../kit/organization.js";
import { someAuditEntry, someOutcome, someTagRemoval } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";

const tokenAuthor = { actor: '{"kind":"token","id":"akt_1","location":"Köln"}', subject: null };
const ada = { actor: '{"kind":"token","id":"akt_1","location":"Köln"}', subject: "ada" };
const bob = { actor: '{"kind":"app","id":"app_1","receipt":"50%_\\\\"}', subject: "bob" };
const host = { actor: null, subject: null };
const authors = [tokenAuthor, ada, host, bob, ada, host];

/** Filters, each with the indexes of `authors` that it matches. */
const filters: readonly (readonly [ActorFilter, readonly number[]])[] = [
  [{ parts: [], subject: null }, [0, 1, 2, 3, 4, 5]],
  [{ parts: ['"kind":"token"'], subject: null }, [0, 1, 4]],
  [{ parts: ['"kind":"library"'], subject: null }, [2, 5]],
  [{ parts: ['"kind":"token"', '"id":"akt_1"', '"location":"Köln"'], subject: "ada" }, [1, 4]],
  [{ parts: ['"location":"köln"'], subject: null }, []],
  [{ parts: ['"receipt":"50%_\\\\"'], subject: null }, [3]],
  [{ parts: ['"receipt":"50_%\\\\"'], subject: null }, []],
  [{ parts: [], subject: "bob" }, [3]],
  [{ parts: ['"kind":"token"'], subject: "bob" }, []],
  [{ parts: [], subject: "Ada" }, []],
];

const listAllEvents = (reader: StorageReader) => reader.listEvents(null, 0, 100);

export const actors: Statements = {
  "events are returned with their actor and subject, and can be filtered by both": async (storage, acme) => {
    const events = await acme.events(
      authors.map((by, at) => ({ ...by, type: at % 2 ? "user.updated" : "user.created" })),
    );
    assert.deepEqual(await runStep(listAllEvents(storage.reader(acme.id))), events);
    for (const [by, places] of filters) {
      const expected = events.filter((_, at) => places.includes(at));
      assert.deepEqual(await runStep(storage.reader(acme.id).listEvents(null, 0, 100, by)), expected);
      const updated = expected.filter(({ type }) => type === "user.updated");
      assert.deepEqual(
        await runStep(storage.reader(acme.id).listEvents(["user.updated"], 0, 100, by)),
        updated,
      );
      const later = expected.filter(({ position }) => position > 2).slice(0, 1);
      assert.deepEqual(await runStep(storage.reader(acme.id).listEvents(null, 2, 1, by)), later);
    }
  },

  "events can be filtered by texts that their data contains verbatim, also combined with a type or an actor":
    async (storage, acme) => {
      const data = [
        '{"id":"usr_1"}',
        '{"id":"usr_12"}',
        '{"note":"50%_ ä"}',
        '{"id":"USR_1"}',
        "{}",
        '{"id":"wp_1"}',
      ];
      const events = await acme.events(
        authors.map((by, at) => ({
          ...by,
          data: data[at] ?? "{}",
          type: at % 2 ? "user.updated" : "user.created",
        })),
      );
      const expectations: readonly (readonly [about: string[], places: number[]])[] = [
        [["usr_12"], [1]],
        [["usr_1"], [0, 1]],
        [
          ["wp_1", "usr_12", "none"],
          [1, 5],
        ],
        [["50%_"], [2]],
        [["5__"], []],
        [["ä", "'"], [2]],
        [["ä", "'", ...Array.from({ length: 100 }, (_, nth) => `usr_none-${nth}`)], [2]],
        [[], []],
      ];
      for (const [about, places] of expectations) {
        const expected = events.filter((_, at) => places.includes(at));
        const list = (...bounds: [after: number, limit: number]) =>
          storage.reader(acme.id).listEvents(null, ...bounds, null, about);
        assert.deepEqual(await runStep(list(0, 100)), expected);
        assert.deepEqual(
          await runStep(list(2, 1)),
          expected.filter(({ position }) => position > 2).slice(0, 1),
        );
        const updated = expected.filter(({ type }) => type === "user.updated");
        assert.deepEqual(
          await runStep(storage.reader(acme.id).listEvents(["user.updated"], 0, 100, null, about)),
          updated,
        );
        for (const by of [
          { parts: ['"kind":"token"'], subject: null },
          { parts: [], subject: "ada" },
        ]) {
          const byThem = await runStep(storage.reader(acme.id).listEvents(null, 0, 100, by));
          const both = expected.filter(({ position }) => byThem.some((event) => event.position === position));
          assert.deepEqual(await runStep(storage.reader(acme.id).listEvents(null, 0, 100, by, about)), both);
        }
      }
    },

  "stamp entries are returned with their actor and subject, and can be filtered and counted by both": async (
    storage,
    acme,
  ) => {
    const pass = await acme.pass(await acme.user(), await acme.template());
    const entries: StoredStampEntry[] = [];
    for (const by of authors) entries.unshift(await acme.stamp(pass.id, by));
    assert.deepEqual(await runStep(storage.reader(acme.id).listStampEntries(pass.id, 0, 100)), entries);
    for (const [by, places] of filters) {
      const expected = entries.filter((_, at) => places.includes(authors.length - 1 - at));
      assert.deepEqual(
        await runStep(storage.reader(acme.id).listStampEntries(pass.id, 0, 100, by)),
        expected,
      );
      assert.deepEqual(
        await runStep(storage.reader(acme.id).listStampEntries(pass.id, 1, 1, by)),
        expected.slice(1, 2),
      );
      assert.equal(await runStep(storage.reader(acme.id).countStampEntries(pass.id, by)), expected.length);
    }
    assert.equal(
      await runStep(storage.reader(acme.id).countStampEntries("wp_none", { parts: [], subject: null })),
      0,
    );
  },

  "the subjects of events, stamp entries, point entries, audit entries, grants and tag removals are listed once each, after a given subject and up to a limit":
    async (storage, acme) => {
      const list = (column: SubjectColumn, after = "", limit = 10) =>
        runStep(storage.reader(acme.id).listSubjects(column, after, limit));
      for (const place of subjectColumns) assert.deepEqual(await list(place), []);
      const createActor = (subject: string) => ({ actor: null, subject });
      await acme.events([
        createActor("ada"),
        host,
        createActor("ada"),
        createActor("Ümit"),
        createActor("Ada"),
        createActor("bob"),
      ]);
      const pass = await acme.pass(await acme.user(), await acme.template());
      for (const subject of ["ada", "bob", "ada"]) await acme.stamp(pass.id, createActor(subject));
      await acme.stamp(pass.id, host);
      for (const subject of ["finn", "bob", "finn"]) {
        await acme.points(pass.id, { entry: createActor(subject) });
      }
      await acme.write((tx) => tx.appendAudit(someAuditEntry(1, createActor("carol")), 100));
      for (const subject of ["dora", "bob", "dora"]) await acme.grant(await acme.app(), { subject });
      const tag = await acme.tag();
      await acme.write((tx) => tx.removeTag(someTagRemoval(tag, createActor("erin"))));
      const globex = new SuiteOrganization(storage, "globex");
      await globex.events([createActor("gil")]);
      await globex.grant(await globex.app(), { subject: "gil" });
      const expected = {
        events: ["Ada", "ada", "bob", "Ümit"],
        stampEntries: ["ada", "bob"],
        pointEntries: ["bob", "finn"],
        audit: ["carol"],
        grants: ["bob", "dora"],
        tagRemovals: ["erin"],
      };
      for (const place of subjectColumns) {
        const all = await list(place);
        assert.deepEqual([...all].sort(), [...expected[place]].sort());
        for (const [at, subject] of all.entries()) {
          assert.deepEqual(await list(place, subject, 2), all.slice(at + 1, at + 3));
        }
      }
    },

  "redacting a subject removes it from stamp and point entries, but keeps the entries": async (
    storage,
    acme,
  ) => {
    const pass = await acme.pass(await acme.user(), await acme.template());
    const [stamp, otherStamp] = [await acme.stamp(pass.id, ada), await acme.stamp(pass.id, bob)];
    const points = [await acme.points(pass.id, { entry: ada }), await acme.points(pass.id, { entry: bob })];
    await acme.write((tx) => tx.redactSubjects(["ada"]));
    const stamps = await runStep(storage.reader(acme.id).listStampEntries(pass.id, 0, 10));
    assert.deepEqual(stamps, [otherStamp, { ...stamp, subject: null }]);
    const [first, second] = points.flatMap(({ entries }) => entries);
    const entries = await runStep(storage.reader(acme.id).listPointEntries(pass.id, 0, 10));
    assert.deepEqual(entries, [second, { ...first, subject: null }]);
  },

  "redacting a subject deletes its grants and their tokens, and clears the responses, bodies and claims of deliveries of its events":
    async (storage, acme) => {
      const app = await acme.app();
      const [endedGrant, remainingGrant] = [
        await acme.grant(app, { subject: "ada" }),
        await acme.grant(app, { subject: "bob" }),
      ];
      const [token, other] = [await acme.grantToken(endedGrant), await acme.grantToken(remainingGrant)];
      const [first, second] = await acme.events([ada, bob]);
      assert.ok(first && second);
      const endpoint = await acme.webhookEndpoint();
      const adaDeliveries = await acme.deliveries(
        endpoint,
        [first, second, first].map(({ id: eventId }) => ({
          eventId,
          nextAttemptAt: 5,
          customBody: '{"by":"ada"}',
        })),
      );
      const [answeredDelivery, otherDelivery, pendingDelivery] = adaDeliveries;
      assert.ok(answeredDelivery && otherDelivery && pendingDelivery);
      await acme.claim(endpoint);
      const outcomes = [answeredDelivery, otherDelivery].map((row) => {
        const { attempt, ...outcome } = someOutcome(row);
        return { ...outcome, attempt: { ...attempt, response: "thanks, ada" } };
      });
      await acme.record(endpoint, outcomes);
      await acme.write((tx) => tx.redactSubjects(["ada"]));
      const attempts = await runStep(
        storage.reader(acme.id).attemptsOf([answeredDelivery.id, otherDelivery.id]),
      );
      assert.deepEqual(attempts.map(({ response }) => response).sort(), [null, "thanks, ada"].sort());
      for (const [{ id }, body] of [
        [answeredDelivery, null],
        [otherDelivery, '{"by":"ada"}'],
        [pendingDelivery, null],
      ] as const) {
        assert.equal((await runStep(storage.reader(acme.id).findDelivery(id)))?.customBody, body);
      }
      assert.deepEqual(await acme.record(endpoint, [someOutcome(pendingDelivery)]), []);
      assert.equal(await runStep(storage.all.findGrantTokenByHash(token.hash)), null);
      assert.equal(
        (await runStep(storage.all.findGrantTokenByHash(other.hash)))?.grant.id,
        remainingGrant.id,
      );
      assert.deepEqual(await runStep(storage.reader(acme.id).listGrants()), [remainingGrant]);
    },
};
