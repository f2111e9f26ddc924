import { type EventType, LoyaltyService } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { onTestFinished } from "vitest";
import { describeEvent } from "../../adapters/apps/console/browser/components/event-words.js";

/** Buys, returns and changes points, and describes the resulting events, oldest first. */
export async function describePurchaseEvents(): Promise<(readonly [EventType, string])[]> {
  let now = Date.parse("2026-07-07T15:00:00Z");
  const loyalty = new LoyaltyService({ storage: memoryStorage(), clock: () => now });
  onTestFinished(() => loyalty.close());
  const acme = loyalty.organization("acme");
  const { id: templateId } = await acme.templates.create({
    name: "Club",
    type: "LOYALTY_CARD",
    earning: { currency: "EUR", rules: [{ give: 1, per: { amount: 100 } }] },
    points: { expiry: { days: 1 } },
  });
  const { id, userId } = await acme.passes.create(templateId, { user: { email: "ada@example.com" } });
  await acme.purchases.put("till", "1", { userId, currency: "EUR", lines: [{ amount: 1_250 }] });
  await acme.purchases.addReturn("till", "1", { returnId: "r", lines: [{ id: "0", amount: 300 }] });
  await acme.purchases.put("till", "1", {
    userId,
    currency: "EUR",
    lines: [{ amount: 1_250 }],
    note: "Paid by card",
  });
  await acme.points.add(id, { points: 5 });
  await acme.points.remove(id, { points: 1 });
  const { entryId } = await acme.points.spend(id, { points: 3 });
  await acme.points.reverse(id, { entryId });
  now += 3 * 86_400_000;
  await acme.points.add(id, { points: 1 });
  const { content } = await acme.events.list({ limit: 1_000 });
  return content
    .filter(({ type }) => /^(purchase|points)\./.test(type))
    .map((event) => [event.type, describeEvent(event, new Map()).replaceAll("\u00a0", " ")] as const);
}
