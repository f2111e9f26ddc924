import { LoyaltyService } from "loyalty-kit";
import type { StorageTransaction, TransactionOptions } from "loyalty-kit/storage";
import { expect, it, onTestFinished } from "vitest";
import type { Step } from "../../src/base/concurrency/step.js";
import { recordEvents } from "../events/recorded-events.js";
import { listStoredEvents } from "../events/stored-events.js";
import { newStorage } from "./open-storage.js";

it("events are emitted in commit order, even if the first change returns last", async () => {
  const storage = await newStorage();
  const transaction = storage.transaction.bind(storage);
  let commit = () => {};
  const committed = new Promise<void>((resolve) => {
    commit = resolve;
  });
  let answer = () => {};
  const late = new Promise<void>((resolve) => {
    answer = resolve;
  });
  storage.transaction = async <T>(
    organizationId: string,
    work: (tx: StorageTransaction) => Step<T>,
    options?: TransactionOptions,
  ) => {
    storage.transaction = transaction;
    const result = await transaction(organizationId, work, options);
    commit();
    await late;
    return result;
  };
  const loyalty = new LoyaltyService({ storage });
  onTestFinished(() => loyalty.close());
  const events = recordEvents(loyalty);
  const acme = loyalty.organization("acme");

  const first = acme.users.create({ email: "first@example.com" });
  await committed;
  await acme.users.create({ email: "second@example.com" });
  answer();
  await first;

  await expect.poll(() => events).toHaveLength(2);
  const inOrder = (await listStoredEvents(acme)).map(({ id }) => id);
  expect(events.map(({ id }) => id)).toEqual(inOrder);
});
