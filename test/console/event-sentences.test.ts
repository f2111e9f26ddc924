import { expect, it } from "vitest";
import { describePurchaseEvents } from "./purchase-events.js";

it("purchase and points events are worded as sentences that say what changed", async () => {
  expect(await describePurchaseEvents()).toEqual([
    ["points.earned", "+12 points for a purchase"],
    ["purchase.recorded", "Bought for €12.50: +12 points"],
    ["points.returned", "−3 points for returned goods"],
    ["purchase.changed", "Returned goods: −3 points"],
    ["purchase.changed", "Purchase changed, now €9.50"],
    ["points.added", "5 points added"],
    ["points.removed", "1 point removed"],
    ["points.spent", "3 points spent"],
    ["points.reversed", "Change undone: +3 points"],
    ["points.expired", "13 points expired"],
    ["points.added", "1 point added"],
  ]);
});
