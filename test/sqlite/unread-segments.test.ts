import { LoyaltyService } from "loyalty-kit";
import { expect, it, vi } from "vitest";
import { openWithWriter } from "./open-storage.js";

const OF_SEGMENTS = /"?loyalty_(saved_segments|segment_(slices|followers|days)|silent_changes)"?/;

it("a change neither reads nor writes segment data, even if it makes a user enter a segment that emits events", async () => {
  const { storage, writer } = await openWithWriter();
  const service = new LoyaltyService({ storage });
  const { segments, tags, users } = service.organization("acme");
  await tags.create({ name: "VIP" });
  const { id } = await users.create({ email: "ada@example.com" });
  const filter = { operator: "AND", conditions: [{ slug: "vip" }] } as const;
  await segments.create({ name: "VIPs", filter, emitsEvents: true });
  const prototype = Object.getPrototypeOf(writer.prepare("select 1"));
  const spies = [vi.spyOn(prototype, "all"), vi.spyOn(prototype, "run")];
  await tags.assign(id, "vip");
  const sources = spies.flatMap(({ mock }) =>
    mock.contexts.map((each) => String(Reflect.get(each ?? {}, "source"))),
  );
  for (const spy of spies) spy.mockRestore();
  expect(sources.length).toBeGreaterThan(0);
  expect(sources.filter((source) => OF_SEGMENTS.test(source))).toEqual([]);
  expect(await service.refreshSegments()).toMatchObject({ entered: 1 });
});
