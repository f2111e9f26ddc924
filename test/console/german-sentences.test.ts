import { expect, it, vi } from "vitest";
import { describePurchaseEvents } from "./purchase-events.js";

vi.mock(
  "../../adapters/apps/console/browser/words/en/events.js",
  () => import("../../adapters/apps/console/browser/words/de/events.js"),
);
vi.mock(
  "../../adapters/apps/console/browser/words/en/forms.js",
  () => import("../../adapters/apps/console/browser/words/de/forms.js"),
);
vi.mock(
  "../../adapters/apps/console/browser/words/en/points.js",
  () => import("../../adapters/apps/console/browser/words/de/points.js"),
);
vi.mock(
  "../../adapters/apps/console/browser/words/en/units.js",
  () => import("../../adapters/apps/console/browser/words/de/units.js"),
);

it("purchase and points events are sentences in German too", async () => {
  expect(await describePurchaseEvents()).toEqual([
    ["points.earned", "+12 Punkte für einen Einkauf"],
    ["purchase.recorded", "Einkauf für 12,50 €: +12 Punkte"],
    ["points.returned", "−3 Punkte für eine Rückgabe"],
    ["purchase.changed", "Ware zurückgegeben: −3 Punkte"],
    ["purchase.changed", "Einkauf geändert, jetzt 9,50 €"],
    ["points.added", "5 Punkte gutgeschrieben"],
    ["points.removed", "1 Punkt abgezogen"],
    ["points.spent", "3 Punkte eingelöst"],
    ["points.reversed", "Änderung rückgängig gemacht: +3 Punkte"],
    ["points.expired", "13 Punkte verfallen"],
    ["points.added", "1 Punkt gutgeschrieben"],
  ]);
});
