import assert from "node:assert/strict";
import { runStep } from "../../../../src/base/concurrency/step.js";
import { SuiteOrganization } from "../kit/organization.js";
import type { Statements } from "../kit/statements.js";

/** Maximum number of keys per call. */
const MAX_KEYS = 1_000;

export const subscriptions: Statements = {
  "a subscription is found by its user, but only in its own organization": async (storage, acme) => {
    const globex = new SuiteOrganization(storage, "globex");
    const ada = await acme.user();
    await globex.user({ id: ada.id });
    const subscription = await acme.subscription(ada, {
      emailStatus: "SUBSCRIBED",
      emailAt: 5,
      emailSource: "join",
      emailText: "Write to me",
      suppressedReason: "bounced",
      suppressedAt: 7,
      emailConfirmedAt: 6,
      language: "de-AT",
    });
    assert.deepEqual(await runStep(storage.reader(acme.id).findSubscription(ada.id)), subscription);
    assert.equal(await runStep(storage.reader(globex.id).findSubscription(ada.id)), null);
    assert.deepEqual(await runStep(storage.reader(globex.id).subscriptionsOf([ada.id])), []);
  },

  "putSubscription replaces the user's whole subscription, and no other": async (storage, acme) => {
    const [ada, bob] = [await acme.user(), await acme.user()];
    const bobSubscription = await acme.subscription(bob, { language: "en" });
    await acme.subscription(ada, { emailStatus: "PENDING", emailAt: 1, language: "de" });
    const after = await acme.subscription(ada, { walletStatus: "UNSUBSCRIBED", walletAt: 2 });
    assert.deepEqual(await runStep(storage.reader(acme.id).findSubscription(ada.id)), after);
    assert.deepEqual(await runStep(storage.reader(acme.id).findSubscription(bob.id)), bobSubscription);
  },

  "deleting a user removes that user's subscription, and no other": async (storage, acme) => {
    const [ada, bob, eve] = [await acme.user(), await acme.user(), await acme.user()];
    await acme.subscription(ada);
    const bobSubscription = await acme.subscription(bob);
    for (const { id } of [ada, eve]) assert.equal(await acme.write((tx) => tx.deleteUser(id)), true);
    const ids = [ada.id, bob.id, eve.id];
    assert.deepEqual(await runStep(storage.reader(acme.id).subscriptionsOf(ids)), [bobSubscription]);
  },

  "subscriptionsOf accepts 1,000 keys, and returns each user's subscription once, sorted by user id": async (
    storage,
    acme,
  ) => {
    const users = await acme.users([{ id: "b" }, { id: "a" }, { id: "\u{1f600}" }, { id: "\uff5e" }]);
    const expectedSubscriptions = [];
    for (const user of users)
      expectedSubscriptions.push(await acme.subscription(user, { language: user.id }));
    const unknownIds = Array.from({ length: MAX_KEYS - 5 }, (_, at) => `none-${at}`);
    const ids = [...users.map(({ id }) => id), "a", ...unknownIds];
    const subscriptions = await runStep(storage.reader(acme.id).subscriptionsOf(ids));
    assert.deepEqual(subscriptions, [
      expectedSubscriptions[1],
      expectedSubscriptions[0],
      expectedSubscriptions[3],
      expectedSubscriptions[2],
    ]);
    assert.deepEqual(await runStep(storage.reader(acme.id).subscriptionsOf(unknownIds)), []);
    assert.deepEqual(await runStep(storage.reader(acme.id).subscriptionsOf([])), []);
  },
};
