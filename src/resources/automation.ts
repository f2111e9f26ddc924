import type { EventType } from "../event-types.js";
import type { Scope } from "../scopes.js";
import type { AutomationContent, StoredAutomation } from "../storage/automations.js";
import type { StoredMessage } from "../storage/messages.js";
import type { SegmentFilter } from "./segment-filter.js";

export interface DateTrigger {
  readonly metadata: readonly string[];
  readonly daysBefore: number;
  readonly at: string;
}

export type AutomationTrigger =
  | { readonly event: EventType; readonly templateId?: string; readonly toGo?: number }
  | { readonly segmentEntered: string }
  | { readonly date: DateTrigger };

export type AutomationPer = "once" | "occasion" | { readonly everyDays: number };

export type AutomationMessage = Pick<
  StoredMessage,
  "templateId" | "channels" | "order" | "texts" | "link" | "respectsCap"
>;

export type AutomationAction =
  | { readonly message: AutomationMessage }
  | { readonly assignTag: string }
  | { readonly unassignTag: string }
  | { readonly addStamps: { readonly templateId: string; readonly count: number } }
  | { readonly giveReward: { readonly templateId: string } };

export function triggerOf({ on }: Pick<StoredAutomation, "on">): AutomationTrigger {
  return JSON.parse(on);
}

export function perOf({ per }: Pick<AutomationContent, "per">): AutomationPer {
  return JSON.parse(per);
}

export function actionsOf(content: Pick<AutomationContent, "do">): readonly AutomationAction[] {
  return JSON.parse(content.do);
}

export function filterOf(content: Pick<AutomationContent, "if">): SegmentFilter | null {
  return content.if === null ? null : JSON.parse(content.if);
}

export function scopesOfActions(actions: readonly AutomationAction[]): readonly Scope[] {
  return actions.map((action): Scope => {
    if ("message" in action) return "message:send";
    return "assignTag" in action || "unassignTag" in action ? "user_tag:write" : "loyalty:manage";
  });
}
