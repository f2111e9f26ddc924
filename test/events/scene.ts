import type {
  Automation,
  LoyaltyService,
  Organization,
  Template,
  User,
  UserTag,
  WalletPass,
} from "loyalty-kit";
import type { Segment } from "../../src/segments/schema.js";

/** An organization in which every operation has something to work on. */
export interface Scene {
  readonly loyalty: LoyaltyService;
  readonly acme: Organization;
  /** Has two tags and three passes, and the external id "ada". */
  readonly ada: User;
  /** Has the tag "vip", the external id "bob", and no pass. */
  readonly bob: User;
  /** Bob has left it since the last refresh of segments. */
  readonly guests: Segment;
  /** Bob has entered it since the last refresh of segments. */
  readonly regulars: Segment;
  readonly vip: UserTag;
  readonly gold: UserTag;
  /** No user has it. */
  readonly idle: UserTag;
  /** The template of a stamp card with five stamps. */
  readonly card: Template;
  /** A template without passes. */
  readonly unused: Template;
  /** Ada's stamp card, with two stamps and one reward. */
  readonly pass: WalletPass;
  /** Ada's second stamp card, still empty. */
  readonly empty: WalletPass;
  /** Ada's other pass, which was installed. */
  readonly member: WalletPass;
  /** Another customer's card with 100 points added; it earns one point per 10.00. */
  readonly pointPass: WalletPass;
  /** A disabled automation. */
  readonly welcome: Automation;
}

/** A purchase that earns one point. */
export const purchaseInput = { currency: "EUR", lines: [{ amount: 1_250 }] };

/** @param emitsEvents whether the scene's segments emit events; false only without an outbox. */
export async function createScene(loyalty: LoyaltyService, emitsEvents = true): Promise<Scene> {
  const acme = loyalty.organization("acme");
  const ada = await acme.users.create({ email: "ada@example.com", externalId: "ada", name: "Ada" });
  const guest = await acme.users.create({
    ...{ email: "bob@example.com", externalId: "bob", name: "Bob", metadata: { guest: true } },
  });
  const guests = await createSegment(acme, "guest", emitsEvents);
  const regulars = await createSegment(acme, "regular", emitsEvents);
  const bob = await acme.users.update(guest.id, { metadata: { regular: true } });
  const vip = await acme.tags.create({ name: "VIP" });
  const gold = await acme.tags.create({ name: "Gold" });
  const idle = await acme.tags.create({ name: "Idle" });
  for (const [userId, slug] of [
    [bob.id, "vip"],
    [ada.id, "vip"],
    [ada.id, "gold"],
  ] as const) {
    await acme.tags.assign(userId, slug);
  }
  const card = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 5 });
  const plain = await acme.templates.create({ name: "Member", type: "LOYALTY_CARD" });
  const unused = await acme.templates.create({ name: "Unused", type: "LOYALTY_CARD" });
  const pass = await acme.passes.create(card.id, { userId: ada.id });
  await acme.stamps.add(pass.id, { count: 7 });
  const empty = await acme.passes.create(card.id, { userId: ada.id });
  const { id: memberId } = await acme.passes.create(plain.id, { userId: ada.id });
  await acme.passes.markInstalled(memberId);
  const member = await acme.passes.get(memberId);
  const collecting = await acme.templates.create({
    ...{ name: "Points", type: "LOYALTY_CARD", points: {} },
    earning: { currency: "EUR", rules: [{ give: 1, per: { amount: 1_000 } }] },
  });
  const pointPass = await acme.passes.create(collecting.id, { user: { email: "eve@example.com" } });
  await acme.purchases.put("till", "of-nobody", purchaseInput);
  await acme.purchases.put("till", "of-eve", { ...purchaseInput, userId: pointPass.userId });
  await acme.points.add(pointPass.id, { points: 100 });
  const welcome = await acme.automations.create({
    ...{ name: "Welcome", isEnabled: false, on: { event: "pass.created" }, do: [{ assignTag: "vip" }] },
  });
  const customers = { ada, bob, guests, regulars, vip, gold, idle };
  return { loyalty, acme, ...customers, card, unused, pass, empty, member, pointPass, welcome };
}

/** Creates a segment of the users whose metadata has the key. */
function createSegment({ segments }: Organization, key: string, emitsEvents: boolean): Promise<Segment> {
  const conditions = [{ metadata: { path: [key], exists: true } }];
  return segments.create({ name: key, emitsEvents, filter: { operator: "AND", conditions } });
}
