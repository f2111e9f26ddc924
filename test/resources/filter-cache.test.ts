import { expect, it } from "vitest";
import { readFilter } from "../../src/segments/filter-schema.js";

const createFilter = (slug: string) => JSON.stringify({ operator: "AND", conditions: [{ slug }] });

it("filters are parsed once, can't be changed, and are dropped from the cache when others need the space", () => {
  const text = createFilter("vip");
  const filter = readFilter(text);
  expect(readFilter(text)).toBe(filter);
  expect(Object.isFrozen(filter) && Object.isFrozen(filter.conditions?.[0])).toBe(true);
  // Eight of these fill the cache.
  const createLargeFilter = (at: number) => createFilter(`${at}`.padEnd(1_000_000, "x"));
  for (let at = 0; at < 4; at += 1) readFilter(createLargeFilter(at));
  expect(readFilter(text)).toBe(filter);
  for (let at = 0; at < 8; at += 1) readFilter(createLargeFilter(at));
  expect(readFilter(text)).not.toBe(filter);
  expect(readFilter(text)).toEqual(filter);
});
