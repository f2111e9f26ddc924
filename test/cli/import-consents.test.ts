import { join } from "node:path";
import { LoyaltyService, type Organization } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { describe, expect, it } from "vitest";
import { getByEmail } from "../kit/acme.js";
import { openCustomers } from "./customers.js";

/** Opens the customers of a shop, with access to its organization in the library. */
function openShop() {
  const acme = openCustomers();
  const withOrganization = async <T>(work: (acme: Organization) => Promise<T>) => {
    const loyalty = new LoyaltyService({ storage: await sqliteStorage(join(acme.folder, "loyalty.db")) });
    return work(loyalty.organization("acme")).finally(() => loyalty.close());
  };
  const getSubscription = (email: string) =>
    withOrganization(async ({ users, subscriptions }) =>
      subscriptions.get((await getByEmail(users, { email })).id),
    );
  return { ...acme, withOrganization, getSubscription };
}

const file = `E-Mail,Email consent,consent_at,consentText,Language
ada@example.com,Subscribed,2025-03-01,"Yes, send me news",de-at
bob@example.com,false,2025-06-30T10:00Z,,
eve@example.com,true,,Yes,
joe@example.com,maybe,2025-03-01,Yes,
kim@example.com,,,,
`;

describe.concurrent("importing consents", () => {
  it("stores what each customer agreed to, and reports each row that fails", async () => {
    const acme = openShop();
    expect(await acme.import(file, "--map", "E-Mail=email")).toEqual({
      code: 1,
      stdout: "5 rows: 3 created, 0 updated, 0 unchanged, 2 failed\n",
      stderr: `record 3: consent_at is required for a consent
record 4: Email consent must be subscribed or unsubscribed, not "maybe"
loyalty-kit: some rows failed
`,
    });
    expect(await acme.getSubscription("ada@example.com")).toMatchObject({
      email: { status: "SUBSCRIBED", source: "import", text: "Yes, send me news" },
      language: "de-AT",
    });
    expect(await acme.getSubscription("bob@example.com")).toMatchObject({
      email: { status: "UNSUBSCRIBED", at: "2025-06-30T10:00:00.000Z", source: "import" },
    });
    expect(await acme.getSubscription("kim@example.com")).toMatchObject({ email: { status: "NONE" } });
  });

  it("rejects dates that may be day first or month first, unless --dates says which", async () => {
    const acme = openShop();
    const dates =
      "email,emailConsent,consentAt\nada@example.com,subscribed,01/02/2025\nbob@example.com,subscribed,5\n";
    const { code, stderr } = await acme.import(dates);
    expect(code).toBe(1);
    expect(stderr).toContain(
      'record 1: consentAt is "01/02/2025", which could be day first or month first; use --dates\n',
    );
    expect(stderr).toContain("record 2: consentAt must be a date such as 2024-05-31");
    await acme.import(dates, "--dates", "day-first");
    const at = "2025-02-01T00:00:00.000Z";
    expect(await acme.getSubscription("ada@example.com")).toMatchObject({
      email: { status: "SUBSCRIBED", at },
    });
    expect((await acme.import(dates, "--dates", "both")).code).toBe(2);
  });

  it("skips and counts the consents of customers who later unsubscribed", async () => {
    const acme = openShop();
    await acme.import("email\nada@example.com\n");
    await acme.withOrganization(async ({ users, subscriptions }) => {
      const { id } = await getByEmail(users, { email: "ada@example.com" });
      await subscriptions.put(id, { email: { status: "UNSUBSCRIBED" } });
    });
    const secondFile = "email,emailConsent,consentAt\nada@example.com,subscribed,2025-03-01\n";
    expect(await acme.import(secondFile)).toEqual({
      code: 0,
      stdout: "1 rows: 0 created, 0 updated, 1 unchanged, 0 failed\n",
      stderr: "consents skipped because the customers later unsubscribed: 1\n",
    });
  });

  it("mails only new cards with --notify, and none without it", async () => {
    const acme = openShop();
    await acme.import("email\nada@example.com\n");
    const { id } = await acme.withOrganization(({ templates }) =>
      templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 5 }),
    );
    const listMails = (email: string) =>
      acme.withOrganization(async ({ users, passes }) => {
        const [pass] = await passes.ofUser((await getByEmail(users, { email })).id);
        return (await passes.deliveries(pass?.id ?? "")).content;
      });
    await acme.import("email,stamps\nada@example.com,2\n", "--template", id);
    expect(await listMails("ada@example.com")).toEqual([]);
    const cardsFile = "email,stamps\nada@example.com,2\nbob@example.com,3\n";
    expect((await acme.import(cardsFile, "--template", id, "--notify")).code).toBe(0);
    expect(await listMails("ada@example.com")).toEqual([]);
    expect(await listMails("bob@example.com")).toMatchObject([{ kind: "pass", status: "PENDING" }]);
  });
});
