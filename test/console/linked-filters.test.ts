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

describe("a customer list filtered by a link", () => {
  it("selects the customers that the link was made for", async () => {
    const acme = await openShop();
    const query = parseQuery(new URLSearchParams({ filter }));
    expect(await acme.tags.assignUsers("vip", buildSelection(query))).toMatchObject({ changed: 1 });
  });

  it("selects no customers if its filter was cut off or is invalid, so a bulk change affects none", async () => {
    const acme = await openShop();
    const shortenedFilters = Array.from(filter, (_, at) => filter.slice(0, at)).slice(1);
    for (const text of [...shortenedFilters, "null", "1", "[]", "{}", "%7B", `${filter}}`]) {
      const selection = buildSelection({ ...noFilter, filter: text });
      expect([text, await acme.tags.assignUsers("vip", selection)]).toMatchObject([text, { changed: 0 }]);
    }
  });
});
