/** Every kind of event. `EventData` has what each is told with. */
export const eventTypes = [
  "user.created",
  "user.updated",
  "user.deleted",
  "user_tag.created",
  "user_tag.updated",
  "user_tag.deleted",
  "user_tag.assigned",
  "user_tag.unassigned",
  "pass.created",
  "pass.installed",
  "pass.uninstalled",
  "pass.revoked",
  "stamp.added",
  "stamp.removed",
  "stamp.set",
  "stamp.reset",
  "stamp.reversed",
  "stamp_card.completed",
  "stamp_card.redeemed",
  "template.created",
  "template.updated",
  "template.deleted",
  "import.completed",
  "wallet_certificate.expiring",
] as const;

export type EventType = (typeof eventTypes)[number];

const known: ReadonlySet<string> = new Set(eventTypes);

export function isEventType(text: string): text is EventType {
  return known.has(text);
}
