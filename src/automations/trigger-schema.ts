import * as z from "zod";
import { text } from "../base/fields/text.js";
import { onAnyObject, requireExactlyOne } from "../base/parse.js";
import type { Scope } from "../base/scopes.js";
import { metadataPath } from "../segments/leaf-schema.js";

const MAX_DAYS_BEFORE = 60;
const MAX_STAMPS = 1_000_000;

/** The event types that a host can choose as an automation's trigger. */
export const startingEvents = [
  "user.created",
  "pass.created",
  "pass.installed",
  "stamp.added",
  "stamp_card.completed",
  "stamp_card.redeemed",
  "purchase.recorded",
] as const;

const startingEvent = z.enum(startingEvents);

interface TimedTrigger {
  /** Number of days before the date, from 0 to 60. */
  readonly daysBefore: number;
  /** The time of day in the organization's time zone, such as `09:00`. */
  readonly at: string;
}

export interface AnniversaryTrigger extends TimedTrigger {
  /** The keys that lead to a date in the customer's metadata. */
  readonly metadata: readonly string[];
}

export interface PointExpiryTrigger extends TimedTrigger {
  /** ID of the template whose points expire. */
  readonly pointsExpiry: string;
}

/**
 * A trigger that starts a run on the anniversary of a date in the customer's metadata, or on the last day on which the customer can
 * use some of a card's points. The run starts on that day or a given number of days before it, at a given time of day in the
 * organization's time zone.
 */
export type DateTrigger = AnniversaryTrigger | PointExpiryTrigger;

const dateSchema = z
  .strictObject({
    metadata: metadataPath.optional(),
    pointsExpiry: text().optional(),
    daysBefore: z.int().min(0).max(MAX_DAYS_BEFORE).default(0),
    at: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: "must be a time of the day as HH:MM" }),
  })
  .superRefine(({ metadata, pointsExpiry }, context) => {
    if ((metadata === undefined) !== (pointsExpiry === undefined)) return;
    context.addIssue({ code: "custom", message: "must have exactly one of metadata, pointsExpiry" });
  }, onAnyObject)
  .meta(requireExactlyOne("metadata", "pointsExpiry"))
  .transform(({ metadata, pointsExpiry, ...timing }): DateTrigger => {
    if (metadata !== undefined) return { metadata, ...timing };
    if (pointsExpiry === undefined) throw new Error("a validated date has no known kind");
    return { pointsExpiry, ...timing };
  });

const triggerKinds = ["event", "segmentEntered", "date"] as const;

interface TriggerInput {
  readonly event?: unknown;
  readonly segmentEntered?: unknown;
  readonly date?: unknown;
  readonly templateId?: unknown;
  readonly toGo?: unknown;
}

function checkTriggerInput(input: TriggerInput, context: z.RefinementCtx): void {
  const addIssue = (message: string, ...path: string[]) =>
    context.addIssue({ code: "custom", path, message });
  if (triggerKinds.filter((kind) => input[kind] !== undefined).length !== 1)
    addIssue(`must have exactly one of ${triggerKinds.join(", ")}`);
  const { event, templateId, toGo } = input;
  const isCardEvent = event !== undefined && event !== "user.created" && event !== "purchase.recorded";
  if (templateId !== undefined && !isCardEvent) addIssue("is only allowed with card events", "templateId");
  if (toGo !== undefined && event !== "stamp.added") addIssue("is only allowed with stamp.added", "toGo");
}

const fields = z.strictObject({
  event: startingEvent.optional(),
  templateId: text().optional(),
  toGo: z.int().min(1).max(MAX_STAMPS).optional(),
  segmentEntered: text().optional(),
  date: dateSchema.optional(),
});

/** An automation's trigger. It has exactly one of the properties `event`, `segmentEntered`, and `date`. */
export type AutomationTrigger =
  | {
      /** The type of event that starts a run. */
      readonly event: (typeof startingEvents)[number];
      /** Limits the trigger to events about this template's cards. Default: cards from any template. */
      readonly templateId?: string | undefined;
      /** Limits the trigger to events after which exactly this many stamps are needed to fill the card. */
      readonly toGo?: number | undefined;
    }
  | {
      /** The slug of the segment that customers must enter. */
      readonly segmentEntered: string;
    }
  | {
      /** The date that starts a run. */
      readonly date: DateTrigger;
    };

/**
 * Returns the ID of the template whose stamps trigger the automation. Returns `null` if stamps on any template's cards trigger it,
 * or if the trigger isn't about stamps.
 */
export function findStampTemplateId(trigger: AutomationTrigger): string | null {
  return "event" in trigger && trigger.event.startsWith("stamp") ? (trigger.templateId ?? null) : null;
}

/** Returns the ID of the template whose expiring points trigger the automation, or `null` if none do. */
export function findExpiringTemplateId(trigger: AutomationTrigger): string | null {
  return "date" in trigger && "pointsExpiry" in trigger.date ? trigger.date.pointsExpiry : null;
}

export const triggerSchema = fields
  .superRefine(checkTriggerInput, onAnyObject)
  .transform((input): AutomationTrigger => {
    const { event, templateId, toGo, segmentEntered, date } = input;
    if (date !== undefined) return { date };
    if (segmentEntered !== undefined) return { segmentEntered };
    if (event === undefined) throw new Error("a validated trigger has no known kind");
    return { event, ...(templateId !== undefined && { templateId }), ...(toGo !== undefined && { toGo }) };
  })
  .meta({ id: "NewAutomationTrigger" });

const wireTimingFields = { daysBefore: z.int(), at: z.string() };

/** The schema for a trigger in responses. Exactly one of `event`, `segmentEntered`, and `date` is present. */
export const wireTriggerSchema = z
  .union([
    z.object({
      event: startingEvent,
      templateId: z.string().optional(),
      toGo: z.int().optional(),
    }),
    z.object({ segmentEntered: z.string() }),
    z.object({
      date: z.union([
        z.object({ metadata: z.array(z.string()).readonly(), ...wireTimingFields }),
        z.object({ pointsExpiry: z.string(), ...wireTimingFields }),
      ]),
    }),
  ])
  .meta({ id: "AutomationTrigger" });

/** Returns the scopes for the data that a trigger reads. */
export function listTriggerScopes(trigger: AutomationTrigger): readonly Scope[] {
  if ("date" in trigger) return [findExpiringTemplateId(trigger) === null ? "user:read" : "pass:read"];
  if ("segmentEntered" in trigger) return ["segment:read"];
  if (trigger.event === "purchase.recorded") return ["purchase:read"];
  return [trigger.event === "user.created" ? "user:read" : "pass:read"];
}
