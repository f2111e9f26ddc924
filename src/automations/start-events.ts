import { mayStartAutomations } from "../access/actor-schema.js";
import type { SegmentMembershipChange } from "../segments/move-schema.js";
import type { StoredEvent } from "../storage/events.js";
import type { AutomationTrigger } from "./schema.js";

/** The fields of an event that determine which automations it starts and for which customer. */
export interface StartEvent {
  readonly type: string;
  /** The customer's ID, or `null` if the event contains only a pass ID. */
  readonly userId: string | null;
  readonly passId: string | null;
  readonly templateId: string | null;
  /** The number of stamps still needed to fill the card after the event, or `null` if the event isn't about stamps. */
  readonly toGo: number | null;
  /** The slug of the segment that the customer entered, or `null` if the event isn't about a segment. */
  readonly segment: string | null;
  /**
   * If the passing of a midnight caused the event, the time of that midnight in ms, even if it was evaluated later. Otherwise
   * `null`.
   */
  readonly midnight: number | null;
}

/** The combined data of all event types that start automations. */
interface StartEventData {
  readonly id?: string;
  readonly object?: string;
  readonly userId?: string;
  readonly walletPassId?: string;
  readonly templateId?: string;
  readonly currentStamps?: number;
  readonly maxStamps?: number;
  readonly segment?: { readonly slug: string };
  readonly because?: SegmentMembershipChange["because"];
  readonly at?: string;
}

/** Returns the type of event that starts an automation, or `null` if the automation is triggered by a date. */
export function startEventType(trigger: AutomationTrigger): string | null {
  if ("event" in trigger) return trigger.event;
  return "segmentEntered" in trigger ? "segment.entered" : null;
}

/** Parses an event. Returns `null` if the event isn't allowed to start automations because an automation or an import caused it. */
export function parseStartEvent(event: Pick<StoredEvent, "type" | "data" | "actor">): StartEvent | null {
  if (!mayStartAutomations(event)) return null;
  const told: StartEventData = JSON.parse(event.data);
  const { currentStamps, maxStamps, because, at } = told;
  return {
    type: event.type,
    userId: told.userId ?? (told.object === "user" ? (told.id ?? null) : null),
    passId: told.walletPassId ?? null,
    templateId: told.templateId ?? null,
    toGo: maxStamps === undefined || currentStamps === undefined ? null : maxStamps - currentStamps,
    segment: told.segment?.slug ?? null,
    midnight: because === "time" && at !== undefined ? Date.parse(at) : null,
  };
}

/** Returns whether an event matches an automation's trigger. */
export function isStartedBy(
  trigger: AutomationTrigger,
  { type, templateId, toGo, segment }: StartEvent,
): boolean {
  if (startEventType(trigger) !== type) return false;
  if ("segmentEntered" in trigger) return trigger.segmentEntered === segment;
  if (!("event" in trigger)) return false;
  if (trigger.templateId !== undefined && trigger.templateId !== templateId) return false;
  return trigger.toGo === undefined || trigger.toGo === toGo;
}
