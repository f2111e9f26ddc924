import fc from "fast-check";
import { expect, it, onTestFinished, vi } from "vitest";
import { createContainsAny } from "../../src/base/values/text.js";
import { runs } from "../properties/runs.js";

it("finds whether a text contains one of many parts", () => {
  const arbitraryText = (maxLength: number) =>
    fc.string({ unit: fc.constantFrom("a", "b", "ä", "💥", "_"), maxLength });
  fc.assert(
    fc.property(arbitraryText(40), fc.array(arbitraryText(8), { maxLength: 30 }), (whole, parts) => {
      expect(createContainsAny(parts)(whole)).toBe(parts.some((part) => whole.includes(part)));
    }),
    runs(300),
  );
});

it("checks an event as often for a thousand ids as for one", () => {
  const contains = createContainsAny(Array.from({ length: 1_000 }, (_, nth) => `wp_${11_000 + nth}`));
  const looks = vi.spyOn(Set.prototype, "has");
  onTestFinished(() => looks.mockRestore());
  const isIn = contains('{"id":"wp_12000","userId":"usr_1000","former":"wp_13000"}');
  const count = looks.mock.calls.length;
  expect([isIn, count]).toEqual([false, 2]);
});
