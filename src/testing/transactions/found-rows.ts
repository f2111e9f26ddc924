import assert from "node:assert/strict";
import { run, type Step } from "../../concurrency/step.js";
import type { StorageTransaction } from "../../storage/storage-adapter.js";
import { writes } from "../kit/every-write.js";
import { lookTwice } from "../kit/meanwhile.js";
import type { TestOrganization } from "../kit/organization.js";
import { hashOf } from "../kit/records.js";
import { scene, setScene } from "../kit/scene.js";
import type { Statements } from "../kit/statements.js";

interface Interference {
  readonly look: (tx: StorageTransaction, organizationId: string) => Step<unknown>;
  /** What another transaction does in between. */
  readonly write: (acme: TestOrganization) => Promise<unknown>;
}

const { ada, vip, coffee, pass } = scene;
const other = (method: keyof typeof writes) => (acme: TestOrganization) =>
  acme.write((tx) => writes[method](tx, acme.id));

const interferences: Readonly<Record<string, Interference>> = {
  "a found user is not changed": {
    look: (tx, organizationId) => tx.findUser(organizationId, ada.id),
    write: other("updateUser"),
  },
  "a found user is not deleted": {
    look: (tx, organizationId) => tx.findUser(organizationId, ada.id),
    write: other("deleteUser"),
  },
  "a user found by its email is not changed": {
    look: (tx, organizationId) => tx.findUserByEmail(organizationId, "ada@example.com"),
    write: other("updateUser"),
  },
  "a user found by its external id is not changed": {
    look: (tx, organizationId) => tx.findUserByExternalId(organizationId, "customer-1"),
    write: other("updateUser"),
  },
  "an email that was not found is not taken": {
    look: (tx, organizationId) => tx.findUserByEmail(organizationId, "eve@example.com"),
    write: (acme) => acme.user({ email: "Eve@example.com" }),
  },
  "an external id that was not found is not taken": {
    look: (tx, organizationId) => tx.findUserByExternalId(organizationId, "customer-9"),
    write: (acme) => acme.user({ externalId: "customer-9" }),
  },
  "a found tag is not changed": {
    look: (tx, organizationId) => tx.findTag(organizationId, vip.slug),
    write: other("updateTag"),
  },
  "a found tag is not deleted": {
    look: (tx, organizationId) => tx.findTag(organizationId, vip.slug),
    write: other("deleteTag"),
  },
  "a slug that was not found is not taken": {
    look: (tx, organizationId) => tx.findTag(organizationId, "new"),
    write: other("insertTag"),
  },
  "a found template is not changed": {
    look: (tx, organizationId) => tx.findTemplate(organizationId, coffee.id),
    write: other("updateTemplate"),
  },
  "a found pass gets no installation": {
    look: (tx, organizationId) => tx.findPass(organizationId, pass.id),
    write: other("updateInstallation"),
  },
  "a found pass gets no stamps": {
    look: (tx, organizationId) => tx.findPass(organizationId, pass.id),
    write: other("recordStamps"),
  },
  "a pass found by its code is not deleted": {
    look: (tx, organizationId) => tx.findPassByCode(organizationId, pass.code),
    write: other("deletePass"),
  },
  "a pass of a found user's is not deleted with the user": {
    look: (tx, organizationId) => tx.findPass(organizationId, pass.id),
    write: other("deleteUser"),
  },
  "a found API token is not touched": {
    look: (tx, organizationId) => tx.findApiToken(organizationId, scene.tokenOf(organizationId).id),
    write: other("touchApiToken"),
  },
  "a found API token is not deleted": {
    look: (tx, organizationId) => tx.findApiToken(organizationId, scene.tokenOf(organizationId).id),
    write: other("deleteApiToken"),
  },
  "a found answer is not replaced": {
    look: (tx, organizationId) => tx.findAnswer(organizationId, scene.answer.keyHash),
    write: (acme) => acme.answer({ keyHash: scene.answer.keyHash }),
  },
  "a key without an answer gets none": {
    look: (tx, organizationId) => tx.findAnswer(organizationId, hashOf("new key")),
    write: other("putAnswer"),
  },
  "the place that nextUser gave is not given to another transaction": {
    look: (tx, organizationId) => tx.nextUser(organizationId),
    write: other("insertUser"),
  },
};

const everyInterference: Statements = Object.fromEntries(
  Object.entries(interferences).map(([sentence, { look, write }]) => [
    `until the transaction ends, ${sentence}`,
    async (storage, acme) => {
      await setScene(storage, acme.id);
      const [before, after] = await lookTwice<StorageTransaction, unknown>(
        (work) => storage.transaction(work),
        (tx) => look(tx, acme.id),
        () => write(acme),
      );
      assert.deepEqual(after, before);
      assert.notDeepEqual(await storage.transaction((tx) => look(tx, acme.id)), before);
    },
  ]),
);

export const foundRows: Statements = {
  ...everyInterference,

  "a slug that was not found can be taken, and then conflicts for the others": async (storage, acme) => {
    const take = () =>
      storage.transaction(function* (tx) {
        const found = yield* tx.findTag(acme.id, "vip");
        if (found === null) yield* acme.within(tx).tag({ slug: "vip" });
        return found;
      });
    const found = await Promise.all([take(), take(), take(), take()]);
    assert.equal(found.filter((tag) => tag === null).length, 1);
    assert.equal((await run(storage.listTags(acme.id))).length, 1);
  },
};
