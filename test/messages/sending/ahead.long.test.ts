import { expect, it } from "vitest";
import { runStep } from "../../../src/base/concurrency/step.js";
import { serviceInternals } from "../../../src/internals.js";
import { open } from "../../sqlite/open-storage.js";
import { openSending, words } from "./sending-scene.js";

it("an organization has at most 10,000 mails ready to be sent, in addition to those to be retried later", async () => {
  const shop = await openSending({ storage: await open() });
  const { loyalty, acme, send, advance, clock, storage } = shop;
  const rows = Array.from({ length: 6_000 }, (_, at) => ({
    ...{ email: `customer-${at}@example.com`, emailConsent: "SUBSCRIBED" as const },
    ...{ consentAt: new Date(clock.read()).toISOString(), consentText: words },
  }));
  for (let at = 0; at < rows.length; at += 1_000) await acme.users.import(rows.slice(at, at + 1_000));
  for (const each of ["one", "two"]) await send({ name: each });
  const countPending = () => runStep(storage.reader(acme.id).countOf("pendingMessageDeliveries"));
  await advance();
  expect(await countPending()).toBe(10_000);
  const mails = serviceInternals(loyalty).backends.mail;
  const claimedJobs = await mails.claim("acme", "message", 600);
  const later = claimedJobs.map(({ lease, to, delivery: { id: deliveryId } }) => {
    const result = {
      kind: "refused",
      fault: "address",
      isPermanent: false,
      code: 451,
      answer: null,
    } as const;
    return { lease, outcome: { deliveryId, to, result, at: clock.read(), durationMs: 0 } };
  });
  for (const { lease, outcome } of later) await mails.recordResults("acme", "message", lease, [outcome]);
  clock.move(1_000);
  await advance();
  expect(await countPending()).toBe(10_500);
});
