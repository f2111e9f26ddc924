import type { StorageAdapter, StoredApiToken } from "../storage.js";
import {
  foldsOf,
  hashOf,
  someApiToken,
  someAssignment,
  someEvent,
  somePass,
  someStamp,
  someTag,
  someTemplate,
  someUser,
} from "./records.js";

const ada = someUser({
  ordinal: 0,
  email: "Ada@example.com",
  name: "Ada",
  phone: "1",
  externalId: "customer-1",
});
const bob = someUser({ ordinal: 1, name: "Bob" });
const vip = someTag({ slug: "vip" });
const regular = someTag({ slug: "regular" });
const coffee = someTemplate({ name: "Coffee" });
const unused = someTemplate({ name: "Unused" });
const pass = somePass(ada, coffee);
const { card, entry } = someStamp(pass);
const events = [someEvent({ type: "user.created" }), someEvent({ type: "pass.created" })];

/**
 * The rows of an organization with some of everything. Ada has the tag `vip`, a pass, and one stamp on it; Bob has
 * the tag `regular`; the outbox holds an event `user.created` and one `pass.created`. Several organizations can hold them at once, since only the token depends on its organization.
 */
export const scene = {
  ada,
  bob,
  vip,
  regular,
  coffee,
  unused,
  /** As it is stored: with the stamp. */
  pass: { ...pass, card },
  entry,
  tokenOf: (organizationId: string): StoredApiToken => ({ ...token, hash: hashOf(organizationId) }),
};

const token = someApiToken({ name: "Till" });
const assignments = [someAssignment(ada, vip), someAssignment(bob, regular)];

/** Adds the rows of the scene to an organization without rows. */
export function setScene(storage: StorageAdapter, organizationId: string): Promise<void> {
  return storage.transaction(async (tx) => {
    for (const user of [ada, bob]) {
      await tx.nextUser(organizationId);
      await tx.insertUser(organizationId, user, foldsOf(user));
    }
    for (const tag of [vip, regular]) await tx.insertTag(organizationId, tag);
    for (const assignment of assignments) await tx.assignTag(organizationId, assignment);
    for (const template of [coffee, unused]) await tx.insertTemplate(organizationId, template);
    await tx.insertPass(organizationId, pass);
    await tx.recordStamps(organizationId, card, entry);
    await tx.appendEvents(organizationId, events);
    await tx.insertApiToken(organizationId, scene.tokenOf(organizationId));
  });
}
