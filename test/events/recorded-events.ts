import type { EventType, LoyaltyEvent, LoyaltyService } from "loyalty-kit";

/** Every event type. */
export const eventTypes = Object.keys({
  "user.created": true,
  "user.updated": true,
  "user.deleted": true,
  "subscription.changed": true,
  "user_tag.created": true,
  "user_tag.updated": true,
  "user_tag.deleted": true,
  "user_tag.assigned": true,
  "user_tag.unassigned": true,
  "pass.created": true,
  "pass.installed": true,
  "pass.uninstalled": true,
  "pass.revoked": true,
  "stamp.added": true,
  "stamp.removed": true,
  "stamp.set": true,
  "stamp.reset": true,
  "stamp.reversed": true,
  "stamp_card.completed": true,
  "stamp_card.redeemed": true,
  "purchase.recorded": true,
  "purchase.changed": true,
  "points.earned": true,
  "points.returned": true,
  "points.added": true,
  "points.removed": true,
  "points.spent": true,
  "points.expired": true,
  "points.reversed": true,
  "segment.created": true,
  "segment.updated": true,
  "segment.deleted": true,
  "message.started": true,
  "message.completed": true,
  "message.canceled": true,
  "segment.entered": true,
  "segment.left": true,
  "template.created": true,
  "template.updated": true,
  "template.deleted": true,
  "user_tag.merged": true,
  "import.completed": true,
  "reward.granted": true,
  "automation.created": true,
  "automation.updated": true,
  "automation.deleted": true,
  "automation.disabled": true,
  "wallet_certificate.expiring": true,
} satisfies Record<EventType, true>) as EventType[];

/** An event and its organization. */
export interface EmittedEvent extends LoyaltyEvent {
  readonly organizationId: string;
}

/** Records every event that a service emits from now on, in order. */
export function recordEvents(
  loyalty: LoyaltyService,
  onEvent: (event: EmittedEvent) => void = () => {},
): EmittedEvent[] {
  const all: EmittedEvent[] = [];
  for (const type of eventTypes) {
    loyalty.on(type, (event, { organizationId }) => {
      const recordedEvent = { ...event, organizationId };
      all.push(recordedEvent);
      onEvent(recordedEvent);
    });
  }
  return all;
}

/** Returns the type and the data of each event. */
export function listTypesAndData(events: readonly EmittedEvent[]): [type: EventType, data: unknown][] {
  return events.map(({ type, data }) => [type, data]);
}
