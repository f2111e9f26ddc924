import { memoryStorage } from "loyalty-kit/memory";
import { expect, it } from "vitest";
import type { Step } from "../../../src/base/concurrency/step.js";
import type { StorageTransaction } from "../../../src/storage/storage-adapter.js";
import { interceptCalls, replaceTransactions } from "../../kit/intercept-calls.js";
import { openSending, words } from "./sending-scene.js";

const PEOPLE = 1_200;
/** Number of mails that a service sends at the same time by default. */
const AT_ONCE = 10;

it("a message of any size processes at most 250 of its audience at a time, and only the mails in flight", async () => {
  const sizes = new Map<string, number>();
  const recordSize = (method: string, value: unknown) => {
    if (Array.isArray(value)) sizes.set(method, Math.max(sizes.get(method) ?? 0, value.length));
  };
  const storage = memoryStorage();
  const transaction = storage.transaction.bind(storage);
  const noting = replaceTransactions(storage, (organizationId, work, options) =>
    transaction(organizationId, (tx) => work(interceptCalls<StorageTransaction>(tx, recordSizes)), options),
  );
  function* recordSizes(
    method: string,
    proceed: () => Step<unknown>,
    args: readonly unknown[],
  ): Step<unknown> {
    for (const each of args) recordSize(method, each);
    const answer = yield* proceed();
    recordSize(method, answer);
    return answer;
  }
  const { acme, clock, send, get, mail, way } = await openSending({ storage: noting });
  const rows = Array.from({ length: PEOPLE }, (_, at) => ({
    ...{ email: `customer-${at}@example.com`, emailConsent: "SUBSCRIBED" as const },
    ...{ consentAt: new Date(clock.read()).toISOString(), consentText: words },
  }));
  for (let at = 0; at < PEOPLE; at += 400) await acme.users.import(rows.slice(at, at + 400));
  sizes.clear();
  let [underWay, most] = [0, 0];
  way.send = async () => {
    underWay += 1;
    most = Math.max(most, underWay);
    await Promise.resolve();
    underWay -= 1;
  };
  const { id } = await send();
  await mail.runOnce();
  expect(await get(id)).toMatchObject({ status: "SENT", sums: { accepted: PEOPLE } });
  expect(Math.max(...sizes.values())).toBe(250);
  expect(sizes.get("claimJobs")).toBeLessThanOrEqual(AT_ONCE);
  expect(most).toBeLessThanOrEqual(AT_ONCE);
});
