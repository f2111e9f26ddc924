import { LoyaltyService } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it, onTestFinished } from "vitest";
import { serviceInternals } from "../../src/internals.js";
import { getByEmail } from "../kit/acme.js";
import { ManualClock } from "../kit/manual-clock.js";

/** Opens an organization in a service whose mails are never sent. */
function open({ limits = {}, mails = true } = {}) {
  const clock = new ManualClock();
  const loyalty = new LoyaltyService({ storage: memoryStorage(), clock: clock.read, limits });
  onTestFinished(() => loyalty.close());
  if (mails) serviceInternals(loyalty).backends.mail.attachSender({ host: "shop.example" });
  const acme = loyalty.organization("acme");
  const getSubscription = async (email: string) =>
    acme.subscriptions.get((await getByEmail(acme.users, { email })).id);
  const listEvents = async () => {
    const { content } = await acme.events.list();
    return content.filter(({ type }) => type === "subscription.changed").map(({ data }) => data);
  };
  return { clock, loyalty, acme, subscription: getSubscription, events: listEvents };
}

const email = "ada@example.com";
const consent = {
  ...{ email, emailConsent: "SUBSCRIBED" as const },
  ...{ consentAt: "2025-03-01T09:30:00Z", consentText: "Yes, send me news", language: "de-at" },
};

describe("an import of consents", () => {
  it("stores status, time, text and language of new and existing customers, and emits each change", async () => {
    const { acme, subscription, events } = open();
    await acme.users.create({ email: "bob@example.com" });
    const bob = { email: "bob@example.com", emailConsent: "UNSUBSCRIBED" as const, consentAt: "2025-04-01" };
    const result = await acme.users.import([consent, bob]);
    expect(result).toEqual({ created: 1, updated: 1, unchanged: 0, failed: [] });
    expect(await subscription(email)).toMatchObject({
      email: {
        ...{ status: "SUBSCRIBED", at: "2025-03-01T09:30:00.000Z" },
        ...{ source: "import", text: "Yes, send me news" },
      },
      wallet: { status: "NONE" },
      ...{ language: "de-AT", emailConfirmedAt: null, suppressed: null },
    });
    expect(await subscription("bob@example.com")).toMatchObject({
      email: { status: "UNSUBSCRIBED", at: "2025-04-01T00:00:00.000Z", source: "import", text: null },
      language: null,
    });
    expect(await events()).toMatchObject([
      { channel: "email", status: "SUBSCRIBED", source: "import" },
      { channel: "email", status: "UNSUBSCRIBED", source: "import" },
    ]);
  });

  it("changes nothing if it is repeated, or if a row contains no consent", async () => {
    const { acme, subscription, events } = open();
    await acme.users.import([consent]);
    const before = await subscription(email);
    const { emailConsent: _, language: __, ...silent } = consent;
    expect(await acme.users.import([consent, { email }, silent])).toMatchObject({ updated: 0, unchanged: 3 });
    expect(await subscription(email)).toEqual(before);
    expect(await events()).toHaveLength(1);
  });

  it.each<[string, object, object]>([
    ["without a time", { consentAt: undefined }, { consentAt: "is required for a consent" }],
    ["with a time in the future", { consentAt: "2999-01-01" }, { consentAt: "must not be in the future" }],
    [
      "with an invalid time",
      { consentAt: "lately" },
      { consentAt: expect.stringContaining("must be a date") },
    ],
    [
      "with an invalid language",
      { language: "Deutsch!" },
      { language: expect.stringContaining("language tag") },
    ],
    ["with an unsupported status", { emailConsent: "PENDING" }, { emailConsent: expect.any(String) }],
  ])("fails only the row of a consent %s", async (_, wrong, errors) => {
    const { acme } = open();
    const rows = [
      { ...consent, ...wrong },
      { ...consent, email: "bob@example.com" },
    ];
    expect(await acme.users.import(rows)).toMatchObject({ created: 1, failed: [{ row: 1, errors }] });
    expect((await acme.contacts.list()).totalElements).toBe(1);
  });

  it("never resubscribes customers who ended messages themselves, and counts the skipped consents", async () => {
    const { clock, acme, subscription } = open();
    const { id } = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 5 });
    const pass = await acme.passes.create(id, { user: { email }, notify: true });
    const [delivery] = (await acme.passes.deliveries(pass.id)).content;
    await acme.messageDeliveries.bounce(delivery?.id ?? "", { kind: "complaint" });
    clock.move(1_000);
    const before = await subscription(email);
    expect(before.email).toMatchObject({ status: "UNSUBSCRIBED" });
    const later = { ...consent, consentAt: new Date(clock.read()).toISOString(), language: "fr" };
    expect(await acme.users.import([later])).toMatchObject({ updated: 1, consentsSkipped: 1 });
    expect(await subscription(email)).toEqual({ ...before, language: "fr" });
  });

  it("resubscribes customers whom the shop unsubscribed only with a later consent", async () => {
    const { clock, acme, subscription } = open();
    const { id } = await acme.users.create({ email });
    await acme.subscriptions.put(id, { email: { status: "UNSUBSCRIBED" } });
    expect(await acme.users.import([consent])).toMatchObject({ consentsSkipped: 1 });
    expect((await subscription(email)).email.status).toBe("UNSUBSCRIBED");
    clock.move(1_000);
    const later = { ...consent, consentAt: new Date(clock.read()).toISOString() };
    expect(await acme.users.import([later])).toEqual({ created: 0, updated: 1, unchanged: 0, failed: [] });
    expect((await subscription(email)).email).toMatchObject({ status: "SUBSCRIBED", source: "import" });
  });

  it("of one customer twice stores the last row's consent", async () => {
    const { acme, subscription, events } = open();
    await acme.users.import([consent, { email, emailConsent: "UNSUBSCRIBED" as const }]);
    expect((await subscription(email)).email.status).toBe("UNSUBSCRIBED");
    expect(await events()).toHaveLength(2);
  });

  it("reports the same in a dry run, which changes nothing", async () => {
    const { acme, subscription } = open();
    await acme.users.create({ email });
    expect(await acme.users.import([consent], { dryRun: true })).toMatchObject({ updated: 1 });
    expect((await subscription(email)).email.status).toBe("NONE");
  });
});

describe("an import of cards", () => {
  /** Opens a shop, with rows of customers who get a new card. The last one has no email. */
  async function openCards(options: Parameters<typeof open>[0] = {}) {
    const shop = open(options);
    const { acme } = shop;
    const { id: templateId } = await acme.templates.create({
      ...{ name: "Coffee", type: "STAMP_CARD", maxStamps: 5 },
    });
    await acme.settings.update({ requiresEmail: false });
    const keys = [{ email }, { email: "bob@example.com" }, { externalId: "7" }];
    const rows = keys.map((key) => ({ ...key, passes: [{ templateId, stamps: 2 }] }));
    const listDeliveries = async () => {
      const { content } = await acme.contacts.list();
      const passes = await Promise.all(content.map(({ id }) => acme.passes.ofUser(id)));
      const pages = await Promise.all(passes.flat().map(({ id }) => acme.passes.deliveries(id)));
      return pages.flatMap((page) => page.content);
    };
    return { ...shop, rows, listDeliveries };
  }

  const matchRefusal = (code: string) => ({ detail: { code } });

  it("sends no mail by default; with notify, one to each customer with an address and a new card", async () => {
    const { acme, rows, listDeliveries } = await openCards();
    await acme.passes.import(rows.slice(0, 1));
    expect(await listDeliveries()).toEqual([]);
    expect(await acme.passes.import(rows, { notify: true })).toMatchObject({ created: 2, unchanged: 1 });
    expect(await listDeliveries()).toMatchObject([{ kind: "pass", status: "PENDING" }]);
    await acme.passes.import(rows, { notify: true });
    expect(await listDeliveries()).toHaveLength(1);
  });

  it("sends no mail to a suppressed address", async () => {
    const { acme, rows, listDeliveries } = await openCards();
    await acme.users.create({ email });
    await acme.messageDeliveries.bounceAddress({ email, kind: "hard" });
    await acme.passes.import(rows.slice(0, 1), { notify: true });
    expect(await listDeliveries()).toEqual([]);
  });

  it("with notify is refused without mail, without the scope, and if too many mails are pending", async () => {
    const without = await openCards({ mails: false });
    const mailing = { notify: true };
    const rejection = expect(without.acme.passes.import(without.rows, mailing)).rejects;
    await rejection.toMatchObject(matchRefusal("mail_not_configured"));
    const { loyalty, acme, rows } = await openCards({ limits: { pendingMessageDeliveries: 1 } });
    const scopes = ["user:create", "user:update", "user_tag:write", "pass:create", "loyalty:manage"] as const;
    const limited = loyalty.organization("acme", { scopes });
    await expect(limited.passes.import(rows, mailing)).rejects.toMatchObject(matchRefusal("access_denied"));
    const tooMany = matchRefusal("too_many_pending_deliveries");
    await expect(acme.passes.import(rows, mailing)).rejects.toMatchObject(tooMany);
    expect((await acme.contacts.list()).totalElements).toBe(0);
    await acme.passes.import(rows);
    expect((await acme.contacts.list()).totalElements).toBe(3);
  });
});
