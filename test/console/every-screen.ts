import type { SegmentFilter } from "loyalty-kit";
import { hostile } from "./hostile.js";
import type { Shop } from "./shop.js";

export interface EveryScreen {
  /** Every screen's path, with a text that appears once the screen is rendered. */
  readonly screens: readonly (readonly [path: string, seen: string])[];
  /** The paths of an unsent message, an automation and a purchase. */
  readonly draft: string;
  readonly automationPath: string;
  readonly purchasePath: string;
}

/** Fills a shop with one of everything, with texts that try to inject code. */
export async function fillEveryScreen({ acme }: Shop): Promise<EveryScreen> {
  const card = await acme.templates.create({ name: hostile, type: "STAMP_CARD", maxStamps: 8 });
  const pass = await acme.passes.create(card.id, {
    user: {
      email: "eve@example.com",
      name: hostile,
      phone: "<b>1</b>",
      externalId: hostile,
      metadata: { [hostile]: hostile, __proto: { a: [hostile] } },
    },
  });
  await acme.stamps.add(pass.id, { count: 9, note: hostile });
  const tag = await acme.tags.create({ name: hostile.slice(0, 60), description: hostile });
  await acme.tags.assign(pass.userId, tag.slug);
  await acme.webhooks.create({ url: "https://example.com/hooks?<script>", description: hostile });
  await acme.apiTokens.create({ name: hostile.slice(0, 60), scopes: ["user:read"] });
  const { app } = await acme.apps.create({
    name: hostile,
    redirectUris: ["https://example.com/callback?name=%3Cscript%3E"],
    scopes: ["user:read"],
  });
  const grantInput = { appId: app.id, scopes: app.scopes, redirectUri: null, codeChallenge: "a".repeat(43) };
  await acme.grants.allow({ ...grantInput, subject: hostile });
  const message = await acme.messages.create({
    name: hostile.slice(0, 150),
    audience: { all: true },
    templateId: card.id,
    channels: ["wallet", "email"],
    texts: [{ language: "en", wallet: hostile, subject: hostile, text: `${hostile} {name}` }],
    link: "https://example.com/?q=%3Cscript%3E",
  });
  const draft = `/console/messages/${message.id}`;
  const tagFilter: SegmentFilter = { operator: "AND", conditions: [{ slug: tag.slug }] };
  const filter = encodeURIComponent(JSON.stringify(tagFilter));
  const segment = await acme.segments.create({
    name: `Seen ${hostile}`.slice(0, 100),
    description: hostile,
    filter: { operator: "OR", conditions: [{ stamps: { templateId: card.id } }], filters: [tagFilter] },
    emitsEvents: true,
  });
  const automation = await acme.automations.create({
    name: `Auto ${hostile}`,
    on: { segmentEntered: segment.slug },
    if: { operator: "AND", conditions: [{ stamps: { templateId: card.id } }], filters: [tagFilter] },
    do: [{ assignTag: tag.slug }, { addStamps: { templateId: card.id, count: 1 } }],
  });
  const automationPath = `/console/automations/${automation.id}`;
  const club = await acme.templates.create({
    name: hostile,
    type: "LOYALTY_CARD",
    earning: { currency: "EUR", rules: [{ give: 1, per: { amount: 100 }, only: { categories: [hostile] } }] },
    points: { unit: "<b>x</b>", pendingDays: 3, expiry: { days: 30 } },
  });
  const pointPass = await acme.passes.create(club.id, {
    user: { email: "buyer@example.com", name: hostile },
  });
  await acme.points.add(pointPass.id, { points: 40, note: hostile });
  const receipt = hostile.replace("\u202e", "");
  await acme.purchases.put("till-7", receipt, {
    userId: pointPass.userId,
    currency: "EUR",
    lines: [{ amount: 1_250, quantity: 2, name: hostile, category: hostile, sku: hostile }],
    note: hostile,
  });
  const purchasePath = `/console/purchases/till-7/${encodeURIComponent(receipt)}`;
  const screens = [
    ["/console", "Stamps given"],
    ["/console/customers", "eve@example.com"],
    [`/console/customers/${pass.userId}`, "Became a customer"],
    [`/console/segments?filter=${filter}`, "eve@example.com"],
    ["/console/segments", "reports who enters and leaves"],
    [`/console/segments/${segment.slug}`, "eve@example.com"],
    [`/console/segments/${segment.slug}/edit`, "eve@example.com"],
    ["/console/messages", "edited "],
    [draft, "As Anna sees it"],
    ["/console/messages/new", "Email isn’t set up yet"],
    ["/console/automations", "Hasn’t run yet"],
    [automationPath, "No runs yet."],
    ["/console/automations/new", "Add condition"],
    [`${automationPath}/edit`, "Step 2"],
    ["/console/cards", "Poster"],
    [`/console/cards/${card.id}/poster`, "Scan to get your card"],
    [`/console/cards/${card.id}/design`, "Stamps shown: 4"],
    ["/console/till", "Scan a card."],
    ["/console/settings/shop", "Shop name"],
    ["/console/settings/people", "No team members yet"],
    ["/console/settings/mail", "Reply-to address"],
    ["/console/settings/messages", "Days"],
    ["/console/settings/time-zone", "there now"],
    ["/console/settings/wallets", "Wallets aren’t set up yet"],
    ["/console/settings/trail", "Created an API token"],
    ["/console/settings/sign-in", "Permissions"],
    ["/console/developers", "Revoke"],
    ["/console/developers/webhooks", "Deliveries"],
    ["/console/developers/apps", "Apps with access"],
    ["/console/developers/events", "stamp.added"],
    ["/console/reference", "/v1/walletpasses/lookup"],
    ["/reference", "/v1/walletpasses/lookup"],
    ["/console/tags", "1 customer"],
    [`/console/segments-new?filter=${filter}`, "eve@example.com"],
    ["/console/purchases", "€12.50"],
    [purchasePath, "What it gave"],
    [`/console/customers/${pointPass.userId}`, "Bought for €12.50"],
    ["/console/nowhere", "Page not found"],
  ] as const;
  return { screens, draft, automationPath, purchasePath };
}
