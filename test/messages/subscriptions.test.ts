import { describe, expect, it } from "vitest";
import { listTypesAndData, recordEvents } from "../events/recorded-events.js";
import { getByEmail, openAcme } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { getErrorDetail, notFound, untyped } from "../kit/refusal.js";
import { getToken, openMailing } from "./mailing.js";

const words = "Yes, send me news.";
const subscribe = { email: { status: "SUBSCRIBED", text: words } } as const;

describe.each(everyAdapter)("a subscription, on $name", ({ open }) => {
  it("is NONE at first, then has the latest status, with one event per channel", async () => {
    const { acme, loyalty, clock } = openAcme({ storage: await open() });
    const { id } = await acme.users.create({ email: "ada@example.com", externalId: "ada" });
    const none = { status: "NONE", at: null, source: null, text: null };
    expect(await acme.subscriptions.get("ada")).toEqual({
      object: "subscription",
      userId: id,
      email: none,
      wallet: none,
      suppressed: null,
      emailConfirmedAt: null,
      language: null,
    });
    const events = recordEvents(loyalty);
    const at = clock.timestamp;
    const storedSubscription = await acme.subscriptions.put("ada", { ...subscribe, language: "PT-br" });
    expect(storedSubscription).toMatchObject({
      email: { status: "SUBSCRIBED", at, source: "api", text: words },
      wallet: none,
      language: "pt-BR",
    });
    clock.move(1);
    expect(await acme.subscriptions.put(id, subscribe)).toEqual(storedSubscription);
    await acme.subscriptions.put(id, { wallet: { status: "UNSUBSCRIBED" }, language: null });
    expect(listTypesAndData(events)).toEqual([
      ["subscription.changed", { userId: id, channel: "email", status: "SUBSCRIBED", source: "api", at }],
      [
        "subscription.changed",
        { userId: id, channel: "wallet", status: "UNSUBSCRIBED", source: "api", at: clock.timestamp },
      ],
    ]);
    expect(await getErrorDetail(acme.subscriptions.get("nobody"))).toEqual(notFound);
    await acme.users.delete(id);
    expect(await getErrorDetail(acme.subscriptions.put(id, subscribe))).toEqual(notFound);
  });

  it("that the customer has ended accepts only a consent with a later time", async () => {
    const { acme, mail, withPass, claim, clock } = await openMailing({ storage: await open() });
    const { user, pass } = await withPass();
    await acme.subscriptions.put(user.id, { ...subscribe, wallet: { status: "SUBSCRIBED", text: words } });
    await acme.passes.notify(pass.id);
    const [job] = await claim();
    clock.move(10);
    expect(await mail.suppressAddress(getToken(job ?? { link: "" }))).toBe(true);
    const endedSubscription = await acme.subscriptions.get(user.id);
    expect(endedSubscription).toMatchObject({
      email: { status: "UNSUBSCRIBED", source: "link", at: clock.timestamp },
      wallet: { status: "SUBSCRIBED" },
      suppressed: { reason: "complained" },
    });
    const putSubscription = (at?: string) =>
      acme.subscriptions.put(user.id, { email: { ...subscribe.email, ...(at !== undefined && { at }) } });
    for (const at of [undefined, clock.timestamp, "2020-01-01T00:00:00.000Z"])
      expect(await getErrorDetail(putSubscription(at))).toMatchObject({ code: "customer_unsubscribed" });
    expect(await acme.subscriptions.put(user.id, { email: { status: "UNSUBSCRIBED" } })).toEqual(
      endedSubscription,
    );
    clock.move(10);
    expect(await putSubscription(clock.timestamp)).toMatchObject({
      email: { status: "SUBSCRIBED", source: "api" },
    });
  });
});

describe("a subscription", () => {
  it("requires the text of a consent, and a time that isn't in the future", async () => {
    const { acme } = openAcme();
    const { id } = await acme.users.create({ email: "ada@example.com" });
    const listRefusedFields = async (input: object) => {
      const error = await getErrorDetail(acme.subscriptions.put(id, untyped(input)));
      return Object.keys(Object(Reflect.get(Object(error), "fields")));
    };
    expect(await listRefusedFields({ email: { status: "SUBSCRIBED" } })).toEqual(["email.text"]);
    expect(await listRefusedFields({ wallet: { status: "PENDING", text: words } })).toEqual([
      "wallet.status",
    ]);
    expect(
      await listRefusedFields({ email: { ...subscribe.email, at: "2999-01-01T00:00:00.000Z" } }),
    ).toEqual(["email.at"]);
    const future = { status: "UNSUBSCRIBED", at: "2999-01-01T00:00:00.000Z" };
    expect(await listRefusedFields({ email: future, wallet: future })).toEqual(["email.at", "wallet.at"]);
    expect(await getErrorDetail(acme.subscriptions.put("nobody", untyped({ email: future })))).toMatchObject({
      code: "validation_failed",
    });
    for (const at of ["0000-01-01T00:00:00+05:00", "1969-12-31T23:59:59.999Z"])
      expect(await listRefusedFields({ email: { ...subscribe.email, at } })).toEqual(["email.at"]);
    expect(await listRefusedFields({ language: "x".repeat(36) })).toEqual(["language"]);
    expect(await acme.subscriptions.put(id, {})).toMatchObject({ email: { status: "NONE" } });
  });

  it("set by a user as the caller must be the user's own, and has the source `customer`", async () => {
    const { loyalty, acme } = openAcme();
    const { id } = await acme.users.create({ email: "ada@example.com" });
    const { id: other } = await acme.users.create({ email: "bob@example.com" });
    const asAda = loyalty.organization("acme", { user: id });
    expect(await asAda.subscriptions.put(id, subscribe)).toMatchObject({ email: { source: "customer" } });
    expect(await getErrorDetail(asAda.subscriptions.put(other, subscribe))).toEqual(notFound);
  });

  it("that others have ended has the source `customer` once the customer ends it too", async () => {
    const { loyalty, acme } = openAcme();
    const { id } = await acme.users.create({ email: "ada@example.com" });
    const end = { email: { status: "UNSUBSCRIBED" } } as const;
    await acme.subscriptions.put(id, end);
    const asAda = loyalty.organization("acme", { user: id });
    expect(await asAda.subscriptions.put(id, end)).toMatchObject({ email: { source: "customer" } });
    expect(await acme.subscriptions.put(id, end)).toMatchObject({ email: { source: "customer" } });
    expect(await getErrorDetail(acme.subscriptions.put(id, subscribe))).toMatchObject({
      code: "customer_unsubscribed",
    });
  });

  it("isn't resubscribed by an import after the customer ended it, and otherwise takes the newest consent", async () => {
    const { acme, loyalty, clock, mail, withPass, claim } = await openMailing();
    const { user, pass } = await withPass("ada@example.com");
    await acme.passes.notify(pass.id);
    const [job] = await claim();
    await mail.suppressAddress(getToken(job ?? { link: "" }));
    const consent = { emailConsent: "SUBSCRIBED", consentAt: "2025-05-31", consentText: words } as const;
    const rows = [
      { email: "ada@example.com", ...consent, language: "de" },
      { email: "bob@example.com", ...consent, language: "en-us" },
      { email: "eve@example.com", emailConsent: "UNSUBSCRIBED" },
    ] as const;
    const events = recordEvents(loyalty);
    const result = await acme.users.import(rows);
    expect(result).toEqual({ created: 2, updated: 1, unchanged: 0, failed: [], consentsSkipped: 1 });
    expect(events.filter(({ type }) => type === "subscription.changed")).toHaveLength(2);
    expect(await acme.subscriptions.get(user.id)).toMatchObject({
      email: { status: "UNSUBSCRIBED", source: "link" },
      language: "de",
    });
    const bob = await getByEmail(acme.users, { email: "bob@example.com" });
    const imported = { status: "SUBSCRIBED", source: "import", text: words };
    expect(await acme.subscriptions.get(bob.id)).toMatchObject({
      email: { ...imported, at: "2025-05-31T00:00:00.000Z" },
      language: "en-US",
    });
    clock.move(1);
    expect(await acme.users.import(rows)).toMatchObject({ created: 0, updated: 0, unchanged: 3 });
    await acme.subscriptions.put(bob.id, { email: { status: "UNSUBSCRIBED" } });
    await acme.users.import(rows);
    expect(await acme.subscriptions.get(bob.id)).toMatchObject({ email: { status: "UNSUBSCRIBED" } });
    const wrong = [
      { email: "a@example.com", emailConsent: "SUBSCRIBED" } as const,
      { email: "b@example.com", ...consent, consentAt: "2999-01-01" },
    ];
    const { failed } = await acme.users.import(wrong);
    expect(failed.map(({ errors }) => Object.keys(errors))).toEqual([["consentAt"], ["consentAt"]]);
    expect(await acme.passes.import([{ email: "cy@example.com", ...consent, passes: [] }])).toMatchObject({
      created: 1,
    });
    const cy = await getByEmail(acme.users, { email: "cy@example.com" });
    expect(await acme.subscriptions.get(cy.id)).toMatchObject({ email: imported });
  });
});

describe("message settings", () => {
  it("are stored as set, and the audit trail records each change", async () => {
    const { acme } = openAcme();
    const settings = {
      object: "message_settings",
      senderName: null,
      replyTo: null,
      footer: null,
      quietHours: null,
      cap: { perDays: 7, messages: 2 },
      walletByDefault: false,
    };
    expect(await acme.messageSettings.get()).toEqual(settings);
    const changes = {
      senderName: "Harbour Coffee",
      footer: "Harbour Street 1\r\nHarbour",
      quietHours: { from: "21:00", to: "08:30" },
      cap: null,
    };
    const after = { ...settings, ...changes, footer: "Harbour Street 1\nHarbour" };
    expect(await acme.messageSettings.update(changes)).toEqual(after);
    expect(await acme.messageSettings.update({})).toEqual(after);
    expect(await acme.messageSettings.update({ quietHours: null })).toEqual({ ...after, quietHours: null });
    const { content } = await acme.audit.list();
    const { object: _, ...details } = after;
    expect(content.map(({ action, details }) => [action, details])).toEqual([
      ["message_settings.updated", details],
      ["message_settings.updated", { ...details, quietHours: null }],
    ]);
  });

  it.each([
    ["senderName", "Coffee\r\nBcc: all@example.com"],
    ["senderName", "Coffee\u2028Bcc: all@example.com"],
    ["senderName", "x".repeat(79)],
    ["replyTo", "a@example.com\nBcc: b@example.com"],
    ["footer", "x".repeat(1_001)],
    ["footer", "bell\u0007"],
    ["quietHours.to", { from: "08:00", to: "08:00" }],
    ["quietHours.from", { from: "24:00", to: "08:00" }],
    ["cap.perDays", { perDays: 91, messages: 1 }],
    ["cap.messages", { perDays: 1, messages: 0 }],
  ])("reject a wrong %s", async (field, value) => {
    const { acme } = openAcme();
    const name = field.split(".")[0] ?? "";
    expect(await getErrorDetail(acme.messageSettings.update(untyped({ [name]: value })))).toMatchObject({
      code: "validation_failed",
      fields: { [field]: expect.any(String) },
    });
  });
});
