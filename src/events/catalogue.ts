import { type EventType, isEventType } from "../event-types.js";
import type { PassInstallation, RevokedPass, WalletPass } from "../resources/pass.js";
import type { StampCard } from "../resources/stamps.js";
import type { UserTag } from "../resources/tag.js";
import type { Template } from "../resources/template.js";
import type { DeletedUser, User } from "../resources/user.js";
import type { StoredEvent } from "../storage/events.js";
import { timestamp } from "../values/clock.js";

export interface UserTagChange {
  readonly userId: string;
  readonly userTag: UserTag;
}

/** The data of every kind of event: the resource as the interface shows it after the change. */
export interface EventData {
  "user.created": User;
  "user.updated": User;
  "user.deleted": DeletedUser;
  "user_tag.created": UserTag;
  "user_tag.updated": UserTag;
  "user_tag.deleted": UserTag;
  "user_tag.assigned": UserTagChange;
  "user_tag.unassigned": UserTagChange;
  "pass.created": WalletPass;
  "pass.installed": PassInstallation;
  "pass.uninstalled": PassInstallation;
  "pass.revoked": RevokedPass;
  "stamp.added": StampCard;
  "stamp.removed": StampCard;
  "stamp.set": StampCard;
  "stamp.reset": StampCard;
  /** Once for each time that the card was filled. */
  "stamp_card.completed": StampCard;
  "stamp_card.redeemed": StampCard;
  "template.created": Template;
  "template.updated": Template;
  "template.deleted": Template;
}

/** What happened to one organization, told once it is committed. */
export interface LoyaltyEvent<K extends EventType = EventType> {
  readonly id: string;
  readonly type: K;
  readonly timestamp: string;
  readonly data: EventData[K];
}

/** Hears of a committed change. What it throws or rejects with goes to `onError` and harms nothing else. */
export type EventListener<K extends EventType = EventType> = (
  event: LoyaltyEvent<K>,
  context: { readonly organizationId: string },
) => unknown;

export function eventOf({ id, type, createdAt, data }: StoredEvent): LoyaltyEvent {
  if (!isEventType(type)) throw new Error(`there are no events of the type ${type}`);
  return { id, type, timestamp: timestamp(createdAt), data: JSON.parse(data) };
}
