/** The definition of an event type. */
interface EventDefinition {
  /** The name of the event data's schema, as defined in `resources/event-data.ts`. */
  readonly data: string;
  /**
   * The name of the schema for the data that remains after the user is erased. Default: the same schema, because the data contains
   * only IDs.
   */
  readonly erased?: string;
  /** `true` if the event counts toward its day's statistics. */
  readonly isCounted?: true;
}

/** Every event type, with the names of the schemas for its data before and after the user is erased. */
export const events = {
  "user.created": { data: "User", erased: "DeletedUser", isCounted: true },
  "user.updated": { data: "User", erased: "DeletedUser" },
  "user.deleted": { data: "DeletedUser", isCounted: true },
  /** Emitted once for each channel whose consent changed. */
  "subscription.changed": { data: "SubscriptionChange", isCounted: true },
  "user_tag.created": { data: "UserTag" },
  "user_tag.updated": { data: "UserTag" },
  "user_tag.deleted": { data: "UserTag" },
  /** Emitted when a tag is merged into another one, before the `user_tag.deleted` event for the tag that disappears. */
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
  /** Emitted when any kind of entry is reversed, including when reversing a redemption restores the reward. */
  "stamp.reversed": { data: "StampReversal", isCounted: true },
  /** Emitted each time the card is filled. */
  "stamp_card.completed": { data: "CompletedCard" },
  "stamp_card.redeemed": { data: "StampCard", isCounted: true },
  "purchase.recorded": { data: "ChangedPurchase", erased: "ChangedPurchase" },
  /** Emitted when a purchase's content changes, something is returned, or its pending points become usable. */
  "purchase.changed": { data: "ChangedPurchase", erased: "ChangedPurchase" },
  "points.earned": { data: "PointChange", erased: "PointChange", isCounted: true },
  "points.returned": { data: "PointChange", erased: "PointChange", isCounted: true },
  "points.added": { data: "PointChange", erased: "PointChange", isCounted: true },
  "points.removed": { data: "PointChange", erased: "PointChange", isCounted: true },
  "points.spent": { data: "PointChange", erased: "PointChange", isCounted: true },
  "points.expired": { data: "PointChange", erased: "PointChange", isCounted: true },
  /** Emitted when an entry is reversed that added, removed, or spent points. */
  "points.reversed": { data: "PointChange", erased: "PointChange", isCounted: true },
  "segment.created": { data: "SavedSegment" },
  "segment.updated": { data: "SavedSegment" },
  "segment.deleted": { data: "SavedSegment" },
  "reward.granted": { data: "StampCard", isCounted: true },
  /** Emitted when a message starts, with its audience totals. */
  "message.started": { data: "MessageProgress" },
  /** Emitted when a message's last delivery has ended. */
  "message.completed": { data: "MessageProgress" },
  /** Emitted instead of `message.completed` once a canceled message has no deliveries in transit. */
  "message.canceled": { data: "MessageProgress" },
  /**
   * Emitted for one user and one segment, after the event for the change that moved the user. Only segments that emit events cause
   * it.
   */
  "segment.entered": { data: "SegmentMembershipChange" },
  "segment.left": { data: "SegmentMembershipChange" },
  "automation.created": { data: "AutomationState" },
  "automation.updated": { data: "AutomationState" },
  "automation.deleted": { data: "AutomationState" },
  /** Emitted when an automation is disabled because its creator has lost the rights that its actions need. */
  "automation.disabled": { data: "AutomationState" },
  "template.created": { data: "Template" },
  "template.updated": { data: "Template" },
  "template.deleted": { data: "Template" },
  /** Emitted instead of all other events by an import that uses `emit: "summary"`. */
  "import.completed": { data: "ImportSummary" },
  /** Emitted once a day, from 30 days before the certificate expires, to every organization that has cards in wallets. */
  "wallet_certificate.expiring": { data: "WalletCertificate" },
} as const satisfies Readonly<Record<string, EventDefinition>>;

export type EventType = keyof typeof events;

export const eventTypes = Object.keys(events) as [EventType, ...EventType[]];

export function isEventType(text: string): text is EventType {
  return Object.hasOwn(events, text);
}

type ErasedData = Extract<(typeof events)[EventType], { readonly erased: string }>["erased"];

/**
 * Returns the name of the schema for the event data that remains after a user is erased, or `null` if erasing a user doesn't change
 * the data.
 */
export function findErasedData(type: string): ErasedData | null {
  if (!isEventType(type)) return null;
  const definition = events[type];
  return "erased" in definition ? definition.erased : null;
}
