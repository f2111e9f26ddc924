import assert from "node:assert/strict";
import type {
  EventData,
  EventType,
  LoyaltyEvent,
  StampCard,
  StampEntry,
  User,
  UserTag,
  WalletPass,
} from "loyalty-kit";

export interface TagModel {
  readonly tag: UserTag;
  /** The ids of the users who have the tag. */
  readonly holders: Set<string>;
}

export interface PassModel {
  readonly pass: WalletPass;
  /** The stamp changes of the pass, oldest first. */
  readonly stamps: { readonly type: StampEntry["type"]; readonly after: StampCard }[];
  /** The number of completions that events reported for the card. */
  completed: number;
}

/** The state that follows from the events. Each event must be possible after the previous ones. */
export class EventModel {
  readonly users = new Map<string, User>();
  readonly tags = new Map<string, TagModel>();
  /** The slugs of segments by their ids. */
  readonly segments = new Map<string, string>();
  readonly passes = new Map<string, PassModel>();

  /**
   * Applies an event.
   * @throws {AssertionError} if it is impossible after the previous events: a repetition, or about something
   * deleted.
   */
  apply<K extends EventType>({ type, data }: LoyaltyEvent<K>): void {
    this.#happened[type](data);
  }

  readonly #happened: { readonly [K in EventType]: (data: EventData[K]) => void } = {
    "user.created": (user) => add(this.users, user.id, user),
    "user.updated": (user) => {
      assert.notDeepEqual(user, getKnown(this.users, user.id), "no event is emitted when nothing changes");
      this.users.set(user.id, user);
    },
    "user.deleted": ({ id }) => {
      remove(this.users, id);
      // No event reports each of these removals.
      for (const { holders } of this.tags.values()) holders.delete(id);
      for (const { pass } of this.passes.values())
        assert.notEqual(pass.userId, id, "a user's passes are revoked before the user is deleted");
    },
    "subscription.changed": ({ userId }) => void getKnown(this.users, userId),
    "segment.created": ({ id, slug }) => {
      for (const other of this.segments.values()) assert.notEqual(other, slug);
      add(this.segments, id, slug);
    },
    "segment.updated": ({ id }) => void getKnown(this.segments, id),
    "segment.deleted": ({ id }) => remove(this.segments, id),
    "user_tag.created": (tag) => {
      for (const other of this.tags.values()) assert.notEqual(other.tag.slug, tag.slug);
      add(this.tags, tag.id, { tag, holders: new Set() });
    },
    "user_tag.updated": (tag) => {
      this.tags.set(tag.id, { ...getKnown(this.tags, tag.id), tag });
    },
    "user_tag.merged": ({ userTag, into }) => {
      assert.equal(
        getKnown(this.tags, userTag.id).holders.size,
        0,
        "a tag is unassigned from all users before it is merged",
      );
      getKnown(this.tags, into.id);
    },
    "user_tag.deleted": ({ id }) => {
      assert.equal(
        getKnown(this.tags, id).holders.size,
        0,
        "a tag is unassigned from all users before it is deleted",
      );
      remove(this.tags, id);
    },
    "user_tag.assigned": ({ userId, userTag }) => {
      getKnown(this.users, userId);
      const { tag, holders } = getKnown(this.tags, userTag.id);
      assert.deepEqual(userTag, tag);
      assert.ok(!holders.has(userId), "a tag isn't assigned to a user who has it");
      holders.add(userId);
    },
    "user_tag.unassigned": ({ userId, userTag }) => {
      const { tag, holders } = getKnown(this.tags, userTag.id);
      assert.deepEqual(userTag, tag);
      assert.ok(holders.delete(userId), "a tag isn't unassigned from a user who lacks it");
    },
    "pass.created": (pass) => {
      getKnown(this.users, pass.userId);
      add(this.passes, pass.id, { pass, stamps: [], completed: 0 });
    },
    "pass.installed": ({ platform: _, ...pass }) => this.#setInstallation(pass, "INSTALLED"),
    "pass.uninstalled": ({ platform: _, ...pass }) => this.#setInstallation(pass, "UNINSTALLED"),
    "pass.revoked": ({ id }) => remove(this.passes, id),
    "stamp.added": (card) => this.#addStampEvent("added", card),
    "stamp.removed": (card) => this.#addStampEvent("removed", card),
    "stamp.set": (card) => this.#addStampEvent("set", card),
    "stamp.reset": (card) => this.#addStampEvent("reset", card),
    "stamp.reversed": ({ reverses: _, ...card }) => this.#addStampEvent("reversed", card),
    "stamp_card.redeemed": (card) => this.#addStampEvent("redeemed", card),
    "stamp_card.completed": ({ walletPassId, timesCompleted }) => {
      const pass = getKnown(this.passes, walletPassId);
      pass.completed += 1;
      assert.ok(pass.completed <= timesCompleted, "each completion of a card is emitted once");
    },
    "points.earned": ({ pointCard }) => void getKnown(this.passes, pointCard.walletPassId),
    "points.returned": ({ pointCard }) => void getKnown(this.passes, pointCard.walletPassId),
    "points.added": ({ pointCard }) => void getKnown(this.passes, pointCard.walletPassId),
    "points.removed": ({ pointCard }) => void getKnown(this.passes, pointCard.walletPassId),
    "points.spent": ({ pointCard }) => void getKnown(this.passes, pointCard.walletPassId),
    "points.expired": ({ pointCard }) => void getKnown(this.passes, pointCard.walletPassId),
    "points.reversed": ({ pointCard }) => void getKnown(this.passes, pointCard.walletPassId),
    "purchase.recorded": () => {},
    "purchase.changed": () => {},
    "segment.entered": () => {},
    "segment.left": () => {},
    "reward.granted": () => {},
    "template.created": () => {},
    "template.updated": () => {},
    "template.deleted": () => {},
    "message.started": () => {},
    "message.completed": () => {},
    "message.canceled": () => {},
    "automation.created": () => {},
    "automation.updated": () => {},
    "automation.deleted": () => {},
    "automation.disabled": () => {},
    "import.completed": () => {},
    "wallet_certificate.expiring": () => {},
  };

  #setInstallation(pass: WalletPass, status: WalletPass["installationStatus"]): void {
    const toldPass = getKnown(this.passes, pass.id);
    assert.equal(pass.installationStatus, status);
    assert.notEqual(toldPass.pass.installationStatus, status, "no event is emitted when nothing changes");
    this.passes.set(pass.id, { ...toldPass, pass });
  }

  #addStampEvent(type: StampEntry["type"], after: StampCard): void {
    getKnown(this.passes, after.walletPassId).stamps.push({ type, after });
  }
}

function getKnown<T>(all: ReadonlyMap<string, T>, id: string): T {
  const one = all.get(id);
  assert.ok(one !== undefined, `${id} has an event although it does not exist`);
  return one;
}

function add<T>(all: Map<string, T>, id: string, one: T): void {
  assert.ok(!all.has(id), `${id} is made once`);
  all.set(id, one);
}

function remove(all: Map<string, unknown>, id: string): void {
  assert.ok(all.delete(id), `${id} goes once`);
}
