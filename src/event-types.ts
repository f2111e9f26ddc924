/** A kind of event. */
interface EventDefinition {
  /** The name of the schema of its data, one of `resources/event-data.ts`. */
  readonly data: string;
  /** The name of the schema of the data that remains after a user is erased. Default: the data only contains ids. */
  readonly erased?: string;
  /** `true` when the event changes the numbers of its day. */
  readonly isCounted?: true;
}

/** Every kind of event. */
export const events = {
  "user.created": { data: "User", erased: "DeletedUser", isCounted: true },
  "user.updated": { data: "User", erased: "DeletedUser" },
  "user.deleted": { data: "DeletedUser", isCounted: true },
  /** It comes once for each channel whose consent has changed. */
  "subscription.changed": { data: "SubscriptionChange", isCounted: true },
  "user_tag.created": { data: "UserTag" },
  "user_tag.updated": { data: "UserTag" },
  "user_tag.deleted": { data: "UserTag" },
  /** It comes before the `user_tag.deleted` of the tag that was merged into another. */
  "user_tag.merged": { data: "UserTagMerge" },
  "user_tag.assigned": { data: "UserTagChange" },
  "user_tag.unassigned": { data: "UserTagChange" },
  "pass.created": { data: "WalletPass", erased: "RevokedWalletPass", isCounted: true },
  "pass.installed": { data: "WalletPassInstallation", erased: "RevokedWalletPass", isCounted: true },
  "pass.uninstalled": { data: "WalletPassInstallation", erased: "RevokedWalletPass", isCounted: true },
  "pass.revoked": { data: "RevokedWalletPass", isCounted: true },
  "stamp.added": { data: "StampCard", isCounted: true },
  "stamp.removed": { data: "StampCard", isCounted: true },
  "stamp.set": { data: "StampCard", isCounted: true },
  "stamp.reset": { data: "StampCard", isCounted: true },
  /** For a reversed entry of any kind, including one that brings a reward back. */
  "stamp.reversed": { data: "StampReversal", isCounted: true },
  /** It comes once for each time that the card was filled. */
  "stamp_card.completed": { data: "CompletedCard" },
  "stamp_card.redeemed": { data: "StampCard", isCounted: true },
  "segment.created": { data: "SavedSegment" },
  "segment.updated": { data: "SavedSegment" },
  "segment.deleted": { data: "SavedSegment" },
  "reward.granted": { data: "StampCard", isCounted: true },
  /** It comes when a message begins, with the sums of its audience. */
  "message.started": { data: "MessageProgress" },
  /** It comes when the last delivery of a message has ended. */
  "message.completed": { data: "MessageProgress" },
  /** Emitted instead of `message.completed` when nothing of a canceled message is in transit. */
  "message.canceled": { data: "MessageProgress" },
  /** About one user and one segment that emits events; it follows the event of the change that caused it. */
  "segment.entered": { data: "SegmentMembershipChange" },
  "segment.left": { data: "SegmentMembershipChange" },
  "automation.created": { data: "AutomationState" },
  "automation.updated": { data: "AutomationState" },
  "automation.deleted": { data: "AutomationState" },
  /** Emitted when an automation is disabled because its creator may no longer do what it does. */
  "automation.disabled": { data: "AutomationState" },
  "template.created": { data: "Template" },
  "template.updated": { data: "Template" },
  "template.deleted": { data: "Template" },
  /** Replaces all other events of an import with `emit: "summary"`. */
  "import.completed": { data: "ImportSummary" },
  /** It comes once a day from the 30th day before on, to every organization that has cards in wallets. */
  "wallet_certificate.expiring": { data: "WalletCertificate" },
} as const satisfies Readonly<Record<string, EventDefinition>>;

export type EventType = keyof typeof events;

export const eventTypes = Object.keys(events) as [EventType, ...EventType[]];

export function isEventType(text: string): text is EventType {
  return Object.hasOwn(events, text);
}

type ErasedData = Extract<(typeof events)[EventType], { readonly erased: string }>["erased"];

/** Returns the name of the schema of what erasing a user leaves of an event; `null` if that is all of it. */
export function findErasedData(type: string): ErasedData | null {
  if (!isEventType(type)) return null;
  const definition = events[type];
  return "erased" in definition ? definition.erased : null;
}
