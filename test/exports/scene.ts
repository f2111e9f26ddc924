import { LoyaltyService, type StorageAdapter } from "loyalty-kit";
import { serviceInternals } from "../../src/internals.js";
import { walletJobs } from "../../src/storage/wallets.js";
import { createPng } from "../cards/some-picture.js";

const AT = Date.UTC(2026, 10, 23, 9);

/** Fills an organization with one of everything, and returns it with its secrets. */
export async function fillOrganization(storage: StorageAdapter, organizationId = "acme") {
  const loyalty = new LoyaltyService({ storage, clock: () => AT });
  serviceInternals(loyalty).backends.mail.attachSender({ host: "mail.example", sendSignIn: () => true });
  const acme = loyalty.organization(organizationId);
  const secrets: string[] = [];
  await acme.settings.update({
    name: "Café",
    logo: `data:image/png;base64,${createPng(4, 4).toString("base64")}`,
  });
  await acme.messageSettings.update({ senderName: "Café" });
  const { slug } = await acme.tags.create({ name: "VIP" });
  const ada = await acme.users.create({
    email: "ada@example.com",
    name: '=HYPERLINK("https://evil.example")',
    metadata: { city: "Wien, 1010", visits: [1, 2], "a.b": "“quoted”\nline" },
  });
  await acme.users.create({ email: "bob@example.com" });
  await acme.tags.assign(ada.id, slug);
  await acme.subscriptions.put(ada.id, { email: { status: "SUBSCRIBED", text: "News; please" } });
  const segment = await acme.segments.create({
    name: "Guests",
    filter: { operator: "AND", conditions: [{ slug }] },
  });
  const template = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 10 });
  const pass = await acme.passes.create(template.id, { userId: ada.id, notify: true });
  await acme.stamps.add(pass.id, { count: 12, note: "-1 for free", idempotencyKey: "receipt-1" });
  await acme.stamps.redeem(pass.id);
  const points = await acme.templates.create({
    ...{ name: "Points", type: "LOYALTY_CARD", points: {} },
    earning: { currency: "EUR", rules: [{ give: 1, per: { amount: 1_000 } }] },
  });
  await acme.templates.update(points.id, { points: { unit: "beans" } });
  const pointPass = await acme.passes.create(points.id, { userId: ada.id });
  await acme.purchases.put("till-7", "991", {
    ...{ userId: ada.id, currency: "EUR", note: "=1+1" },
    lines: [{ name: "Coffee", amount: 2_500 }],
  });
  await acme.purchases.addReturn("till-7", "991", { returnId: "1", lines: [{ id: "0", amount: 500 }] });
  await acme.points.add(pointPass.id, { points: 50, note: "=1+1" });
  await acme.points.spend(pointPass.id, { points: 20 });
  const { token, apiToken } = await acme.apiTokens.create({ name: "Till", scopes: ["user:read"] });
  const { app, clientSecret } = await acme.apps.create({
    name: "App",
    redirectUris: ["https://app.example/back"],
    scopes: ["user:read"],
  });
  const code = await acme.grants.allow({
    appId: app.id,
    subject: "host-user-1",
    scopes: ["user:read"],
    redirectUri: null,
    codeChallenge: "x".repeat(43),
  });
  const { person, link } = await acme.people.add({ email: "till@example.com", role: "till" });
  const mailedToken = link.path.split("/").at(-1) ?? "";
  const session = await serviceInternals(loyalty).signIns.startSession(mailedToken, {
    device: "Chrome on Windows",
    isLong: true,
  });
  const secondLink = await acme.people.link(person.id);
  const { webhookEndpoint, secret } = await acme.webhooks.create({ url: "https://example.com/hooks" });
  await acme.webhooks.test(webhookEndpoint.id);
  const message = await acme.messages.create({
    name: "Hello",
    audience: { all: true },
    channels: ["email"],
    texts: [{ language: "en", subject: "Hello {name}", text: "There is coffee." }],
  });
  const automation = await acme.automations.create({
    name: "Tag who comes",
    on: { event: "user.created" },
    do: [{ assignTag: slug }],
  });
  await storage.transaction(organizationId, function* (tx) {
    yield* tx.insertAutomationRuns([
      {
        ...{ id: "aur_1", automationId: automation.id, version: 1, userId: ada.id, occasion: "evt_1" },
        ...{ status: "DONE", reason: null, actionIndex: null, dueAt: AT, attempts: 0, nextAttemptAt: null },
        ...{ createdAt: AT, updatedAt: AT },
      },
    ]);
    for (const isMember of [true, false]) yield* tx.changeSegmentMembers(segment.id, [0], isMember, 20_000);
    yield* tx.recordMemberCount(segment.id, 20_000, 1);
    yield* tx.insertQueue(walletJobs, { position: 0, revision: 0, sweeps: [] });
    yield* tx.lockQueue(walletJobs);
    yield* tx.insertWalletCard({
      ...{ passId: pass.id, templateId: template.id, revision: 0, changedAt: AT, atGoogleSince: null },
      ...{ authenticationToken: "secret-of-the-phone", linkToken: "secret-of-the-links" },
      ...{ revokedAt: null, notifiedUntil: null, releasedAt: null, messageId: null },
      ...{ messageDeliveryId: null, messageUntil: null, messageRevision: 0, isMessageAnnounced: false },
      ...{ notificationTimes: [], createdAt: AT },
    });
    yield* tx.putWalletDevice({
      ...{ passId: pass.id, platform: "apple", deviceId: "id-of-the-phone", pushToken: "push-to-the-phone" },
      ...{ state: "registered", notifiedRevision: 0, createdAt: AT, updatedAt: AT },
    });
  });
  secrets.push(
    token,
    clientSecret ?? "",
    code,
    mailedToken,
    secondLink.path.split("/").at(-1) ?? "",
    secret,
    session?.token ?? "",
  );
  secrets.push("secret-of-the-phone", "secret-of-the-links", "id-of-the-phone", "push-to-the-phone");
  secrets.push("receipt-1");
  return {
    loyalty,
    acme,
    storage,
    ada,
    pass,
    pointPass,
    template,
    segment,
    message,
    automation,
    apiToken,
    session,
    secrets,
  };
}
