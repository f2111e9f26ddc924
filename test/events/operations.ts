import type { CreateMessage, EventData, EventType, WalletPass } from "loyalty-kit";
import { serviceInternals } from "../../src/internals.js";
import { someEmail } from "../kit/acme.js";
import { purchaseInput, type Scene } from "./scene.js";

/** An event that an operation must emit: type and data. */
export type ExpectedEvent = { [K in EventType]: readonly [type: K, data: EventData[K]] }[EventType];

/** Runs in a scene, and returns the events that it must emit. */
export type Operation = (scene: Scene) => Promise<ExpectedEvent[]>;

const revokedEvent = ({ id, userId, templateId }: WalletPass): ExpectedEvent => [
  "pass.revoked",
  { id, object: "wallet_pass", userId, templateId },
];

const messageInput: CreateMessage = {
  name: "News",
  audience: { all: true },
  channels: ["email"],
  texts: [{ language: "en", subject: "News", text: "There is coffee." }],
};

/** Returns the scene's point card with its newest entry. */
const readPointChange = async ({ acme, pointPass: { id } }: Scene) => {
  const [entry] = (await acme.points.history(id, { size: 1 })).content;
  if (entry === undefined) throw new Error("the card has no entry");
  return { pointCard: await acme.points.state(id), entry };
};

/** Changes the scene's points, and returns the expected event. */
const changePoints = async (
  scene: Scene,
  type: `points.${"added" | "removed" | "spent" | "reversed"}`,
  change: (points: Scene["acme"]["points"], passId: string) => Promise<unknown>,
): Promise<ExpectedEvent[]> => {
  await change(scene.acme.points, scene.pointPass.id);
  return [[type, await readPointChange(scene)]];
};

/** Every operation that emits events. */
export const operations: Readonly<Record<string, Operation>> = {
  "creating a user": async ({ acme }) => {
    const { id } = await acme.users.create({ email: someEmail(), metadata: { a: [1] } });
    return [["user.created", await acme.users.get(id)]];
  },
  "updating a user": async ({ acme, ada }) => {
    await acme.users.update("ada", { name: "Ada L." });
    return [["user.updated", await acme.users.get(ada.id)]];
  },
  "deleting a user": async ({ acme, ada, pass, empty, member }) => {
    await acme.users.delete("ada");
    return [
      revokedEvent(pass),
      revokedEvent(empty),
      revokedEvent(member),
      ["user.deleted", { id: ada.id, object: "user" }],
    ];
  },
  "deleting a user without passes": async ({ acme, bob }) => {
    await acme.users.delete(bob.id);
    return [["user.deleted", { id: bob.id, object: "user" }]];
  },
  "noting a consent": async ({ acme, ada }) => {
    const { email, wallet } = await acme.subscriptions.put("ada", {
      email: { status: "SUBSCRIBED", text: "News, please." },
      wallet: { status: "UNSUBSCRIBED" },
    });
    const source = { userId: ada.id, source: "api" } as const;
    return [
      ["subscription.changed", { ...source, channel: "email", status: "SUBSCRIBED", at: email.at }],
      ["subscription.changed", { ...source, channel: "wallet", status: "UNSUBSCRIBED", at: wallet.at }],
    ];
  },
  "a refresh that finds a user who has left a segment and entered another": async ({
    loyalty,
    bob,
    guests,
    regulars,
  }) => {
    const at = new Date(serviceInternals(loyalty).now()).toISOString();
    await loyalty.refreshSegments();
    const [leftData, enteredData] = [guests, regulars].map(({ id, slug, name }) => ({
      ...{ segment: { id, slug, name }, userId: bob.id, at },
      because: "change" as const,
    }));
    if (leftData === undefined || enteredData === undefined) throw new RangeError("the scene has both");
    return [
      ["segment.left", leftData],
      ["segment.entered", enteredData],
    ];
  },
  "saving a segment": async ({ acme }) => {
    const filter = { operator: "AND", conditions: [{ slug: "vip" }] } as const;
    const { members: _, ...segment } = await acme.segments.create({ name: "Vips", filter });
    return [["segment.created", segment]];
  },
  "changing a segment": async ({ acme, guests }) => {
    const updatedSegment = await acme.segments.update(guests.slug, { description: "They come now and then" });
    const { members: _, entered: _entered, left: _left, ...updated } = updatedSegment;
    return [["segment.updated", updated]];
  },
  "deleting a segment": async ({ acme, guests }) => {
    await acme.segments.delete(guests.slug);
    const { members: _, ...deleted } = guests;
    return [["segment.deleted", deleted]];
  },
  "creating a tag": async ({ acme }) => {
    const { slug } = await acme.tags.create({ name: "New" });
    return [["user_tag.created", await acme.tags.get(slug)]];
  },
  "updating a tag": async ({ acme }) => {
    await acme.tags.update("vip", { name: "Regular" });
    return [["user_tag.updated", await acme.tags.get("vip")]];
  },
  "deleting a tag": async ({ acme, ada, bob, vip }) => {
    await acme.tags.delete("vip");
    return [
      ["user_tag.unassigned", { userId: ada.id, userTag: vip }],
      ["user_tag.unassigned", { userId: bob.id, userTag: vip }],
      ["user_tag.deleted", vip],
    ];
  },
  "deleting a tag that no user has": async ({ acme, idle }) => {
    await acme.tags.delete("idle");
    return [["user_tag.deleted", idle]];
  },
  "merging a tag into another": async ({ acme, ada, bob, vip, idle }) => {
    await acme.tags.merge("vip", { into: "idle" });
    return [
      ["user_tag.unassigned", { userId: ada.id, userTag: vip }],
      ["user_tag.assigned", { userId: ada.id, userTag: idle }],
      ["user_tag.unassigned", { userId: bob.id, userTag: vip }],
      ["user_tag.assigned", { userId: bob.id, userTag: idle }],
      ["user_tag.merged", { userTag: vip, into: idle, changed: 2, unchanged: 0 }],
      ["user_tag.deleted", vip],
    ];
  },
  "assigning a tag": async ({ acme, ada, idle }) => {
    await acme.tags.assign("ada", "idle");
    return [["user_tag.assigned", { userId: ada.id, userTag: idle }]];
  },
  "unassigning a tag": async ({ acme, ada, gold }) => {
    await acme.tags.unassign("ada", "gold");
    return [["user_tag.unassigned", { userId: ada.id, userTag: gold }]];
  },
  "assigning a tag to several users, one of whom has it": async ({ acme, ada, bob, gold }) => {
    await acme.tags.assignUsers("gold", { userIds: [bob.id, "ada", ada.id] });
    return [["user_tag.assigned", { userId: bob.id, userTag: gold }]];
  },
  "assigning a tag to all users who match a filter": async ({ acme, ada, bob, idle }) => {
    await acme.tags.assignUsers("idle", { filter: { operator: "AND", conditions: [{ slug: "vip" }] } });
    return [
      ["user_tag.assigned", { userId: ada.id, userTag: idle }],
      ["user_tag.assigned", { userId: bob.id, userTag: idle }],
    ];
  },
  "unassigning a tag from several users, one of whom lacks it": async ({ acme, ada, bob, gold }) => {
    await acme.tags.unassignUsers("gold", { userIds: [bob.id, ada.id] });
    return [["user_tag.unassigned", { userId: ada.id, userTag: gold }]];
  },
  "unassigning a tag from several users, in the given order": async ({ acme, ada, bob, vip }) => {
    await acme.tags.unassignUsers("vip", { userIds: ["bob", ada.id, bob.id] });
    return [
      ["user_tag.unassigned", { userId: bob.id, userTag: vip }],
      ["user_tag.unassigned", { userId: ada.id, userTag: vip }],
    ];
  },
  "unassigning a tag from all users who match a filter": async ({ acme, ada, gold }) => {
    await acme.tags.unassignUsers("gold", { filter: { operator: "OR", conditions: [{ slug: "vip" }] } });
    return [["user_tag.unassigned", { userId: ada.id, userTag: gold }]];
  },
  "importing a new user and a changed one": async ({ acme, ada, vip, gold }) => {
    const email = someEmail();
    await acme.users.import([
      { email, tags: ["VIP", "Gold"] },
      { externalId: "ada", email: ada.email, name: "Ada L.", tags: ["VIP"] },
    ]);
    const { content } = await acme.contacts.list({ search: email });
    const user = await acme.users.get(content[0]?.id ?? "");
    return [
      ["user.created", user],
      ["user.updated", await acme.users.get(ada.id)],
      ["user_tag.assigned", { userId: user.id, userTag: vip }],
      ["user_tag.assigned", { userId: user.id, userTag: gold }],
    ];
  },
  "creating a template": async ({ acme }) => {
    const { id } = await acme.templates.create({ name: "Tea", type: "STAMP_CARD", maxStamps: 3 });
    return [["template.created", await acme.templates.get(id)]];
  },
  "updating a template": async ({ acme, card }) => {
    await acme.templates.update(card.id, { maxStamps: 3 });
    return [["template.updated", await acme.templates.get(card.id)]];
  },
  "warning about an expiring certificate": async ({ loyalty, acme, pass }) => {
    const backend = serviceInternals(loyalty).createWalletBackend(0);
    const unlink = backend.attachLinker(() => ({ apple: null, google: null }));
    await acme.passes.walletLinks(pass.id).finally(unlink);
    const name = "pass.com.example";
    const expiresAt = "2026-01-20T00:00:00.000Z";
    const certificate = { object: "wallet_certificate", platform: "apple", name, expiresAt } as const;
    await backend.reportExpiry(certificate, null);
    return [["wallet_certificate.expiring", certificate]];
  },
  "importing with a summary": async ({ acme }) => {
    await acme.passes.import([{ email: "summed@example.com" }], { emit: "summary" });
    return [["import.completed", { object: "import", created: 1, updated: 0, unchanged: 0, failed: 0 }]];
  },
  "deleting a template": async ({ acme, unused }) => {
    await acme.templates.delete(unused.id);
    return [["template.deleted", unused]];
  },
  "creating a pass": async ({ acme, card }) => {
    const { id } = await acme.passes.create(card.id, { userId: "ada" });
    return [["pass.created", await acme.passes.get(id)]];
  },
  "creating a pass together with its user": async ({ acme, card }) => {
    const { id, userId } = await acme.passes.create(card.id, { user: { email: someEmail() } });
    return [
      ["user.created", await acme.users.get(userId)],
      ["pass.created", await acme.passes.get(id)],
    ];
  },
  "installing a pass": async ({ acme, pass }) => {
    await acme.passes.markInstalled(pass.id);
    return [["pass.installed", { ...(await acme.passes.get(pass.id)), platform: null }]];
  },
  "uninstalling a pass": async ({ acme, member }) => {
    await acme.passes.markUninstalled(member.id);
    return [["pass.uninstalled", { ...(await acme.passes.get(member.id)), platform: null }]];
  },
  "deleting a pass": async ({ acme, pass }) => {
    await acme.passes.delete(pass.id);
    return [revokedEvent(pass)];
  },
  "adding stamps": async ({ acme, pass }) => {
    await acme.stamps.add(pass.id, { count: 2, note: "Receipt" });
    return [["stamp.added", await acme.stamps.state(pass.id)]];
  },
  "filling a card twice in one call": async ({ acme, pass }) => {
    await acme.stamps.add(pass.id, { count: 9 });
    const state = await acme.stamps.state(pass.id);
    const completedCard = { ...state, userId: pass.userId };
    return [
      ["stamp.added", state],
      ["stamp_card.completed", completedCard],
      ["stamp_card.completed", completedCard],
    ];
  },
  "removing stamps": async ({ acme, pass }) => {
    await acme.stamps.remove(pass.id);
    return [["stamp.removed", await acme.stamps.state(pass.id)]];
  },
  "setting stamps": async ({ acme, pass }) => {
    await acme.stamps.set(pass.id, { stamps: 4 });
    return [["stamp.set", await acme.stamps.state(pass.id)]];
  },
  "resetting stamps": async ({ acme, pass }) => {
    await acme.stamps.reset(pass.id);
    return [["stamp.reset", await acme.stamps.state(pass.id)]];
  },
  "reversing an entry": async ({ acme, pass }) => {
    const [newest] = (await acme.stamps.history(pass.id, { size: 1 })).content;
    const reverses = newest?.id ?? "none";
    await acme.stamps.reverse(pass.id, { entryId: reverses });
    return [["stamp.reversed", { ...(await acme.stamps.state(pass.id)), reverses }]];
  },
  "recording a purchase": async (scene) => {
    const { acme, pointPass } = scene;
    const { isApplied: _, ...purchase } = await acme.purchases.put("till", "1", {
      ...purchaseInput,
      userId: pointPass.userId,
    });
    return [
      ["points.earned", await readPointChange(scene)],
      ["purchase.recorded", purchase],
    ];
  },
  "adding the customer to a purchase": async (scene) => {
    const { acme, pointPass } = scene;
    const named = { ...purchaseInput, userId: pointPass.userId };
    const { isApplied: _, ...purchase } = await acme.purchases.put("till", "of-nobody", named);
    return [
      ["points.earned", await readPointChange(scene)],
      ["purchase.changed", purchase],
    ];
  },
  "returning a purchase": async (scene) => {
    const all = { returnId: "1", all: true } as const;
    const { isApplied: _, ...purchase } = await scene.acme.purchases.addReturn("till", "of-eve", all);
    return [
      ["points.returned", await readPointChange(scene)],
      ["purchase.changed", purchase],
    ];
  },
  "adding points": (scene) =>
    changePoints(scene, "points.added", (points, id) => points.add(id, { points: 5, note: "Sorry" })),
  "removing points": (scene) =>
    changePoints(scene, "points.removed", (points, id) => points.remove(id, { points: 5 })),
  "spending points": (scene) =>
    changePoints(scene, "points.spent", (points, id) => points.spend(id, { points: 5 })),
  "reversing a point entry": async (scene) => {
    const { entry } = await readPointChange(scene);
    return changePoints(scene, "points.reversed", (points, id) => points.reverse(id, { entryId: entry.id }));
  },
  "adding points that have already expired": async (scene) => {
    const { acme, pointPass } = scene;
    await acme.points.add(pointPass.id, { points: 5, expiresAt: "2020-01-01T00:00:00.000Z" });
    const { pointCard, entry: expired } = await readPointChange(scene);
    const [added] = (await acme.points.history(pointPass.id, { size: 1, page: 1 })).content;
    if (added === undefined) throw new Error("no points were added");
    return [
      ["points.added", { pointCard, entry: added }],
      ["points.expired", { pointCard, entry: expired }],
    ];
  },
  "redeeming a reward": async ({ acme, pass }) => {
    await acme.stamps.redeem(pass.id);
    return [["stamp_card.redeemed", await acme.stamps.state(pass.id)]];
  },
  "sending a message without recipients": async ({ loyalty, acme, idle }) => {
    const filter = { operator: "AND", conditions: [{ slug: idle.slug }] } as const;
    const { id } = await acme.messages.create({ ...messageInput, audience: { filter } });
    const unlink = serviceInternals(loyalty).backends.mail.attachSender({ host: "shop.example" });
    await acme.messages.send(id).finally(unlink);
    await serviceInternals(loyalty).backends.messages.advance("acme");
    // A delivery that was sent before and failed may be the first.
    const [message] = (await acme.messages.list({ status: "SENT" })).content;
    if (message === undefined) throw new Error("no message is sent");
    const { texts: _, ...sent } = message;
    const updatedAt = new Date(Date.parse(sent.updatedAt) - 1).toISOString();
    return [
      ["message.started", { ...sent, status: "SENDING", completedAt: null, updatedAt }],
      ["message.completed", sent],
    ];
  },
  "canceling a message": async ({ acme }) => {
    const { id } = await acme.messages.create(messageInput);
    const { texts: _, ...canceled } = await acme.messages.cancel(id);
    return [["message.canceled", canceled]];
  },
  "making an automation": async ({ acme, idle }) => {
    const trigger = { event: "user.created" } as const;
    const {
      if: _if,
      do: _do,
      ...segment
    } = await acme.automations.create({
      name: "New",
      on: trigger,
      do: [{ assignTag: idle.slug }],
    });
    return [["automation.created", segment]];
  },
  "changing an automation": async ({ acme, welcome }) => {
    const updatedAutomation = await acme.automations.update(welcome.id, { name: "Hello" });
    const { if: _if, do: _do, ...updated } = updatedAutomation;
    return [["automation.updated", updated]];
  },
  "deleting an automation": async ({ acme, welcome }) => {
    await acme.automations.delete(welcome.id);
    const { if: _if, do: _do, ...deleted } = welcome;
    return [["automation.deleted", deleted]];
  },
};
