import type { Step } from "../base/concurrency/step.js";
import { isStorable } from "../base/values/text.js";
import { findTag } from "../kernel/find.js";
import type { Tenant } from "../kernel/tenant.js";
import {
  assertNoErrors,
  type FieldErrors,
  findDraftErrors,
  findMissingTexts,
} from "../messages/draft-validation.js";
import { requireChannels, requireTemplate } from "../messages/message-sending.js";
import type { SegmentFilter } from "../segments/filter-schema.js";
import type { StoredAutomation } from "../storage/automations.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import {
  type AutomationAction,
  listActionTags,
  listActionTemplates,
  listPointTemplates,
  listStampTemplates,
} from "./action-schema.js";
import { type AutomationTrigger, parseActions, parseFilter, parseTrigger } from "./schema.js";
import { findExpiringTemplateId, findStampTemplateId } from "./trigger-schema.js";

/**
 * Rejects an automation that couldn't run with the organization's current data and setup. A disabled automation can be saved before
 * its channels are set up.
 * @throws {LoyaltyError} `resource_not_found` if a template or tag is missing, `mail_not_configured` or `wallets_not_configured` if
 *   a message uses a channel that isn't set up, or `validation_failed` if a message lacks text that one of its channels requires, a
 *   segment doesn't exist, the segment that triggers the automation emits no events, or a trigger or action about stamps or points
 *   uses a template without them.
 */
export function* assertRunnable(
  tenant: Tenant,
  reader: StorageReader,
  automation: StoredAutomation,
): Step<void> {
  const { organizationId } = tenant;
  const trigger = parseTrigger(automation);
  const actions = parseActions(automation);
  assertNoErrors({
    ...findMessageErrors(actions),
    ...(yield* findTriggerErrors(reader, trigger)),
    ...(yield* findFilterErrors(reader, parseFilter(automation))),
    ...(yield* findTemplateErrors(reader, trigger, actions)),
  });
  const triggerTemplateId =
    findExpiringTemplateId(trigger) ?? ("event" in trigger ? trigger.templateId : undefined);
  for (const id of [
    ...(triggerTemplateId === undefined ? [] : [triggerTemplateId]),
    ...listActionTemplates(actions),
  ])
    yield* requireTemplate(reader, organizationId, id);
  for (const slug of listActionTags(actions)) yield* findTag(reader, organizationId, slug);
  if (!automation.isEnabled) return;
  for (const action of actions) if ("message" in action) requireChannels(tenant, action.message);
}

function findMessageErrors(actions: readonly AutomationAction[]): FieldErrors {
  const errors = actions.flatMap((action, index) =>
    "message" in action
      ? Object.entries({ ...findDraftErrors(action.message), ...findMissingTexts(action.message) }).map(
          ([path, error]) => [`do.${index}.message.${path}`, error],
        )
      : [],
  );
  return Object.fromEntries(errors);
}

function* findTriggerErrors(reader: StorageReader, trigger: AutomationTrigger): Step<FieldErrors> {
  if (!("segmentEntered" in trigger)) return {};
  const slug = trigger.segmentEntered;
  const segment = isStorable(slug) ? yield* reader.findSegment(slug) : null;
  if (segment === null) return { "on.segmentEntered": "must be the slug of a segment" };
  return segment.emitsEvents ? {} : { "on.segmentEntered": "must be a segment that emits events" };
}

function* findFilterErrors(reader: StorageReader, filter: SegmentFilter | null): Step<FieldErrors> {
  const errors: Record<string, string> = {};
  const segmentRefs = filter === null ? [] : [...listSegmentRefs(filter, "if")];
  const savedSegments = segmentRefs.length === 0 ? [] : yield* reader.listSegments();
  const slugs = new Set(savedSegments.map(({ slug }) => slug));
  for (const [path, slug] of segmentRefs)
    if (!slugs.has(slug)) errors[path] = "must be the slug of a segment";
  return errors;
}

/** Finds templates without what a trigger or an action is about: stamps or points. */
function* findTemplateErrors(
  reader: StorageReader,
  trigger: AutomationTrigger,
  actions: readonly AutomationAction[],
): Step<FieldErrors> {
  const stampTemplateId = findStampTemplateId(trigger);
  const expiringTemplateId = findExpiringTemplateId(trigger);
  const stampTemplateRefs = [
    ...(stampTemplateId === null ? [] : [["on.templateId", stampTemplateId] as const]),
    ...listStampTemplates(actions).map(([path, id]) => [`do.${path}`, id] as const),
  ];
  const pointTemplateRefs = [
    ...(expiringTemplateId === null ? [] : [["on.date.pointsExpiry", expiringTemplateId] as const]),
    ...listPointTemplates(actions).map(([path, id]) => [`do.${path}`, id] as const),
  ];
  const errors: Record<string, string> = {};
  for (const [path, id] of stampTemplateRefs) {
    const template = yield* reader.findTemplate(id);
    if (template?.type === "LOYALTY_CARD") errors[path] = "must be a template with stamps";
  }
  for (const [path, id] of pointTemplateRefs) {
    const template = yield* reader.findTemplate(id);
    if (template?.points === null) errors[path] = "must be a template with points";
  }
  return errors;
}

/** Yields the segments that a filter names, each with the path of its leaf. */
function* listSegmentRefs(
  { conditions = [], filters = [] }: SegmentFilter,
  path: string,
): Generator<readonly [path: string, slug: string]> {
  for (const [index, { segment }] of conditions.entries())
    if (segment !== undefined) yield [`${path}.conditions.${index}.segment`, segment];
  for (const [index, filter] of filters.entries()) yield* listSegmentRefs(filter, `${path}.filters.${index}`);
}
