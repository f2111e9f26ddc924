import * as z from "zod";
import { singleLineName, text, wireTimestamp } from "../base/fields/text.js";
import { parse, parseNew } from "../base/parse.js";
import type { Scope } from "../base/scopes.js";
import { timesOf } from "../base/values/clock.js";
import {
  listLeafScopes,
  listLeaves,
  readFilter,
  type SegmentFilter,
  segmentFilterSchema,
} from "../segments/filter-schema.js";
import type { AutomationContent, StoredAutomation } from "../storage/automations.js";
import { createRejectingSchema, readProperty } from "../tags/tag-filter-schema.js";
import {
  type AutomationAction,
  actionSchema,
  actionsSchema,
  listActionScopes,
  MAX_ACTIONS,
  type StoredAction,
} from "./action-schema.js";
import {
  type AutomationTrigger,
  listTriggerScopes,
  triggerSchema,
  wireTriggerSchema,
} from "./trigger-schema.js";

export type { AutomationMessage } from "./action-schema.js";
export type {
  AnniversaryTrigger,
  AutomationTrigger,
  DateTrigger,
  PointExpiryTrigger,
} from "./trigger-schema.js";
export { type AutomationAction, listActionScopes as scopesOfActions };

const MAX_NAME_LENGTH = 150;
const MAX_DELAY_DAYS = 30;
const MAX_INTERVAL_DAYS = 3_650;

const intervalSchema = z.strictObject({ everyDays: z.int().min(1).max(MAX_INTERVAL_DAYS) });

/** A string or an object. An invalid value gets the error for its own JSON type. */
const perSchema = z
  .union([z.enum(["once", "occasion"]), intervalSchema], { error: "must be once, occasion or {everyDays}" })
  .meta({ id: "AutomationPer" });

/** How often an automation can run for the same customer: only once, at most once every `everyDays` days, or on every occasion. */
export type AutomationPer = z.output<typeof perSchema>;

function buildFieldSchemas(filter: z.ZodType<SegmentFilter, SegmentFilter>) {
  return {
    name: singleLineName(MAX_NAME_LENGTH),
    isEnabled: z.boolean(),
    on: triggerSchema,
    if: filter.nullable(),
    after: z.int().min(0).max(MAX_DELAY_DAYS),
    do: actionsSchema,
    per: perSchema,
  };
}

function buildCreateSchema(filter: z.ZodType<SegmentFilter, SegmentFilter>) {
  const fields = buildFieldSchemas(filter);
  return z.object({
    ...fields,
    isEnabled: fields.isEnabled.default(true),
    if: fields.if.default(null),
    after: fields.after.default(0),
    per: perSchema.default("occasion"),
  });
}

function buildUpdateSchema(filter: z.ZodType<SegmentFilter, SegmentFilter>) {
  return z.object(buildFieldSchemas(filter)).partial();
}

export const createAutomationSchema = buildCreateSchema(segmentFilterSchema).meta({ id: "CreateAutomation" });

/**
 * A new automation. `on` is its trigger, and `if` is a segment filter that customers must match (default: all customers match).
 * `after` is a delay in days, after which `if` is evaluated again. `do` lists 1 to 5 actions, which are performed atomically. `per`
 * limits how often the automation can run for the same customer (default: it runs every time it is triggered).
 */
export type CreateAutomation = z.input<typeof createAutomationSchema>;

export const updateAutomationSchema = buildUpdateSchema(segmentFilterSchema).meta({ id: "UpdateAutomation" });

/**
 * Changes to an automation. Only the given fields change. `if: null` removes the filter, so all customers match. Waiting runs
 * continue with the version they started with.
 */
export type UpdateAutomation = z.input<typeof updateAutomationSchema>;

export type NewAutomation = z.output<typeof createAutomationSchema>;
export type AutomationChanges = z.output<typeof updateAutomationSchema>;

/**
 * Validates a new automation and throws the same errors as `parseNew`. Checks the filter's size first, because a deeply nested
 * filter could overflow the stack.
 */
export function parseNewAutomation(input: unknown): NewAutomation {
  const failingSchema = createRejectingSchema<SegmentFilter>(readProperty(input, "if"));
  return parseNew(failingSchema === null ? createAutomationSchema : buildCreateSchema(failingSchema), input);
}

/**
 * Validates changes to an automation and throws the same errors as `parse`. Checks the filter's size first, because a deeply nested
 * filter could overflow the stack.
 */
export function parseAutomationChanges(input: unknown): AutomationChanges {
  const failingSchema = createRejectingSchema<SegmentFilter>(readProperty(input, "if"));
  return parse(failingSchema === null ? updateAutomationSchema : buildUpdateSchema(failingSchema), input);
}

export const automationSchema = z
  .object({
    id: z.string(),
    object: z.literal("automation"),
    name: z.string(),
    isEnabled: z.boolean(),
    version: z.int().min(1),
    on: wireTriggerSchema,
    if: segmentFilterSchema.nullable(),
    after: z.int().min(0),
    do: z.array(actionSchema).min(1).max(MAX_ACTIONS),
    per: perSchema,
    createdAt: wireTimestamp,
    updatedAt: wireTimestamp,
  })
  .meta({ id: "Automation" });

/**
 * An automation, which performs actions for customers in response to events or dates. `version` increases whenever anything but the
 * name changes.
 */
export type Automation = z.output<typeof automationSchema>;

export const automationStateSchema = automationSchema
  .omit({ if: true, do: true })
  .meta({ id: "AutomationState" });

/** The data in automation events: the automation without its condition and actions. */
export type AutomationState = z.output<typeof automationStateSchema>;

export const testAutomationSchema = z.object({ userId: text() }).meta({ id: "TestAutomation" });

/** The customer to simulate the automation for, by service ID or external ID. */
export type TestAutomation = z.input<typeof testAutomationSchema>;

export function automationOf(automation: StoredAutomation): Automation {
  return {
    id: automation.id,
    object: "automation",
    name: automation.name,
    isEnabled: automation.isEnabled,
    version: automation.version,
    on: parseTrigger(automation),
    if: parseFilter(automation),
    after: automation.after,
    do: [...parseActions(automation)],
    per: parseRepeatLimit(automation),
    ...timesOf(automation),
  };
}

export function automationStateOf(automation: StoredAutomation): AutomationState {
  const { if: _if, do: _do, ...state } = automationOf(automation);
  return state;
}

export function parseTrigger({ on }: Pick<StoredAutomation, "on">): AutomationTrigger {
  return JSON.parse(on);
}

export function parseRepeatLimit({ per }: Pick<AutomationContent, "per">): AutomationPer {
  return JSON.parse(per);
}

export function parseActions(content: Pick<AutomationContent, "do">): readonly StoredAction[] {
  return JSON.parse(content.do);
}

/** Returns the filter that an automation's customers must match, or `null` if it applies to all customers. */
export function parseFilter(content: Pick<AutomationContent, "if">): SegmentFilter | null {
  return content.if === null ? null : readFilter(content.if);
}

/**
 * Returns the distinct scopes that a caller needs to create an automation with the given parts, in the order in which they are
 * checked.
 */
export function listAutomationScopes({
  on,
  ...content
}: Partial<Pick<StoredAutomation, "on">> & Pick<AutomationContent, "if" | "do">): readonly Scope[] {
  return listPartScopes({
    on: on === undefined ? undefined : parseTrigger({ on }),
    if: parseFilter(content),
    do: parseActions(content),
  });
}

interface ContentParts {
  readonly on?: AutomationTrigger | undefined;
  readonly if?: SegmentFilter | null | undefined;
  readonly do?: readonly AutomationAction[] | undefined;
}

function listPartScopes({ on, if: filter = null, do: actions = [] }: ContentParts): readonly Scope[] {
  return [
    ...new Set<Scope>([
      ...(on === undefined ? [] : listTriggerScopes(on)),
      ...listFilterScopes(filter),
      ...listActionScopes(actions),
    ]),
  ];
}

/** Returns the scopes that a filter needs. Naming a segment needs the scope for reading segments. */
function listFilterScopes(filter: SegmentFilter | null): readonly Scope[] {
  if (filter === null) return [];
  const refersToSegment = listLeaves(filter).some(({ segment }) => segment !== undefined);
  return refersToSegment ? ["segment:read", ...listLeafScopes(filter)] : listLeafScopes(filter);
}

/**
 * Returns the scopes that a caller needs for input that hasn't been validated yet. Invalid parts are ignored here and rejected
 * later.
 */
export function listInputScopes(input: unknown): readonly Scope[] {
  const failingSchema = createRejectingSchema(readProperty(input, "if"));
  const parts = z.object({ on: triggerSchema, if: segmentFilterSchema, do: actionsSchema });
  const { on, if: filter, do: actions } = parts.shape;
  return listPartScopes({
    on: on.safeParse(readProperty(input, "on")).data,
    if: failingSchema === null ? filter.safeParse(readProperty(input, "if")).data : null,
    do: actions.safeParse(readProperty(input, "do")).data,
  });
}

/** Returns the slugs of the segments that an automation's trigger and condition refer to. */
export function listAutomationSegments(
  automation: Pick<StoredAutomation, "on"> & Pick<AutomationContent, "if">,
): ReadonlySet<string> {
  const filter = parseFilter(automation);
  const trigger = parseTrigger(automation);
  const segmentSlugs = filter === null ? [] : listLeaves(filter).flatMap(({ segment }) => segment ?? []);
  return new Set("segmentEntered" in trigger ? [trigger.segmentEntered, ...segmentSlugs] : segmentSlugs);
}
