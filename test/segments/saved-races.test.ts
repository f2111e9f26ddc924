import { LoyaltyService, type SegmentFilter } from "loyalty-kit";
import { describe, expect, it, onTestFinished } from "vitest";
import { everyAdapter } from "../kit/every-adapter.js";

const vips: SegmentFilter = { operator: "AND", conditions: [{ slug: "vip" }] };
const filterBySegment = (segment: string): SegmentFilter => ({ operator: "AND", conditions: [{ segment }] });

describe.each(everyAdapter)("concurrent calls of two services, on $name", ({ open }) => {
  async function openTwoServices() {
    const storage = await open();
    onTestFinished(() => storage.close());
    const [one, other] = [new LoyaltyService({ storage }), new LoyaltyService({ storage })];
    return [one.organization("acme").segments, other.organization("acme").segments] as const;
  }

  const listCodes = (results: readonly PromiseSettledResult<unknown>[]) =>
    results.map((each) => (each.status === "fulfilled" ? "done" : each.reason.code)).sort();

  it("create one segment with a slug", async () => {
    const [one, other] = await openTwoServices();
    const creations = await Promise.allSettled(
      [one, other].map((each) => each.create({ name: "A", filter: vips })),
    );
    expect(listCodes(creations)).toEqual(["done", "segment_already_exists"]);
  });

  it("can't create a circle", async () => {
    const [one, other] = await openTwoServices();
    await one.create({ name: "A", filter: vips });
    await one.create({ name: "B", filter: vips });
    const updatedSegment = await Promise.allSettled([
      one.update("a", { filter: filterBySegment("b") }),
      other.update("b", { filter: filterBySegment("a") }),
    ]);
    expect(listCodes(updatedSegment)).toEqual(["done", "validation_failed"]);
  });

  it("can't delete a segment that another one refers to", async () => {
    const [one, other] = await openTwoServices();
    await one.create({ name: "A", filter: vips });
    const results = await Promise.allSettled([
      one.delete("a"),
      other.create({ name: "B", filter: filterBySegment("a") }),
    ]);
    const remainingSlugs = (await one.list()).map(({ slug }) => slug);
    expect(remainingSlugs).toEqual(remainingSlugs.includes("b") ? ["a", "b"] : []);
    expect(listCodes(results)).toEqual([
      "done",
      remainingSlugs.includes("b") ? "segment_in_use" : "validation_failed",
    ]);
  });
});
