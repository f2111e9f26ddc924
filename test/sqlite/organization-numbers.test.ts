import { LoyaltyService } from "loyalty-kit";
import { checkStorage } from "loyalty-kit/storage";
import { describe, expect, it, vi } from "vitest";
import { openWithWriter, otherProgram } from "./open-storage.js";

const READS_NUMBER = /^\s*select number from loyalty_search_organizations/;

describe("the number of an organization", () => {
  it("is reloaded only if another program has committed", async () => {
    const { storage, writer } = await openWithWriter();
    const { tags } = new LoyaltyService({ storage }).organization("acme");
    await tags.create({ name: "first" });
    await tags.create({ name: "second" });
    const all = vi.spyOn(Object.getPrototypeOf(writer.prepare("select 1")), "all");
    const read = () => {
      const sources = all.mock.contexts.map((statement) => String(Reflect.get(statement ?? {}, "source")));
      all.mockClear();
      return sources.filter((source) => READS_NUMBER.test(source)).length;
    };
    await Promise.all(["third", "fourth"].map((name) => tags.create({ name })));
    expect(read()).toBe(0);
    otherProgram(writer.name).exec("update loyalty_organizations set next_tag_ordinal = 9");
    await Promise.all(["fifth", "sixth"].map((name) => tags.create({ name })));
    expect(read()).toBe(1);
    all.mockRestore();
  });

  it("is discarded with the transaction that assigned it", async () => {
    const { storage, writer } = await openWithWriter();
    const service = new LoyaltyService({ storage });
    writer.exec(
      "create trigger full before insert on loyalty_events begin select raise(abort, 'no room'); end",
    );
    await expect(service.organization("acme").tags.create({ name: "VIP" })).rejects.toThrow();
    writer.exec("drop trigger full");
    for (const id of ["globex", "acme"]) await service.organization(id).tags.create({ name: "VIP" });
    const places = otherProgram(writer.name).prepare(
      "select organization_id as id, place >> 40 as number from loyalty_events order by place",
    );
    expect(places.all()).toEqual([
      { id: "globex", number: 1 },
      { id: "acme", number: 2 },
    ]);
    expect(await checkStorage(storage)).toEqual([]);
  });
});
