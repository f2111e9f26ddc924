import { LoyaltyService } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it, onTestFinished } from "vitest";
import { buildSelection, noFilter } from "../../adapters/apps/console/browser/customers/list-filter.js";
import { parseQuery } from "../../adapters/apps/console/browser/customers/list-query.js";

const filter = JSON.stringify({ operator: "AND", conditions: [{ field: { name: "phone", exists: true } }] });

async function openShop() {
  const loyalty = new LoyaltyService({ storage: memoryStorage() });
  onTestFinished(() => loyalty.close());
  const acme = loyalty.organization("acme");
  await acme.users.create({ email: "ada@example.com", phone: "+49 30 123456" });
  await acme.users.create({ email: "bob@example.com" });
  await acme.tags.create({ name: "VIP" });
  return acme;
}

describe("a list of customers that a link has narrowed", () => {
  it("is the one that the link was made of", async () => {
    const acme = await openShop();
    const query = parseQuery(new URLSearchParams({ filter }));
    expect(await acme.tags.assignUsers("vip", buildSelection(query))).toMatchObject({ changed: 1 });
  });

  it("is nobody's where its filter was cut off or isn't one, and so is a change of all of it", async () => {
    const acme = await openShop();
    const shortenedFilters = Array.from(filter, (_, at) => filter.slice(0, at)).slice(1);
    for (const text of [...shortenedFilters, "null", "1", "[]", "{}", "%7B", `${filter}}`]) {
      const selection = buildSelection({ ...noFilter, filter: text });
      expect([text, await acme.tags.assignUsers("vip", selection)]).toMatchObject([text, { changed: 0 }]);
    }
  });
});
