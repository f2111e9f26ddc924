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
  pointTemplates,
  stampedTemplates,
  tagsOfActions,
  templatesOfActions,
} from "./action-schema.js";
import { type AutomationTrigger, actionsOf, filterOf, triggerOf } from "./schema.js";
import { findExpiringTemplate, findStampedTemplate } from "./trigger-schema.js";

/**
 * Rejects an automation that couldn't run with the organization's current data and setup. A disabled automation can be saved before
 * its channels are set up.
 * @throws {LoyaltyError} `resource_not_found` if a template or tag is missing, `mail_not_configured` or `wallets_not_configured` if
 *   a message uses a channel that isn't set up, or `validation_failed` if a message lacks text that one of its channels requires, a
 *   segment doesn't exist, the segment that triggers the automation emits no events, or a trigger or action about stamps or points
 *   uses a template without them.
 */
export function* assertPossible(
  tenant: Tenant,
  reader: StorageReader,
  automation: StoredAutomation,
): Step<void> {
  const { organizationId } = tenant;
  const trigger = triggerOf(automation);
  const actions = actionsOf(automation);
  assertNoErrors({
    ...messageComplaints(actions),
    ...(yield* findTriggerErrors(reader, trigger)),
    ...(yield* filterComplaints(reader, filterOf(automation))),
    ...(yield* findTemplateErrors(reader, trigger, actions)),
  });
  const startsBy = findExpiringTemplate(trigger) ?? ("event" in trigger ? trigger.templateId : undefined);
  for (const id of [...(startsBy === undefined ? [] : [startsBy]), ...templatesOfActions(actions)])
    yield* requireTemplate(reader, organizationId, id);
  for (const slug of tagsOfActions(actions)) yield* findTag(reader, organizationId, slug);
  if (!automation.isEnabled) return;
  for (const action of actions) if ("message" in action) requireChannels(tenant, action.message);
}

function messageComplaints(actions: readonly AutomationAction[]): FieldErrors {
  const complaints = actions.flatMap((action, at) =>
    "message" in action
      ? Object.entries({ ...findDraftErrors(action.message), ...findMissingTexts(action.message) }).map(
          ([path, complaint]) => [`do.${at}.message.${path}`, complaint],
        )
      : [],
  );
  return Object.fromEntries(complaints);
}

function* findTriggerErrors(reader: StorageReader, trigger: AutomationTrigger): Step<FieldErrors> {
  if (!("segmentEntered" in trigger)) return {};
  const slug = trigger.segmentEntered;
  const segment = isStorable(slug) ? yield* reader.findSegment(slug) : null;
  if (segment === null) return { "on.segmentEntered": "must be the slug of a segment" };
  return segment.emitsEvents ? {} : { "on.segmentEntered": "must be a segment that emits events" };
}

function* filterComplaints(reader: StorageReader, filter: SegmentFilter | null): Step<FieldErrors> {
  const complaints: Record<string, string> = {};
  const segmentNames = filter === null ? [] : [...segmentsIn(filter, "if")];
  const savedSegments = segmentNames.length === 0 ? [] : yield* reader.listSegments();
  const slugs = new Set(savedSegments.map(({ slug }) => slug));
  for (const [path, slug] of segmentNames)
    if (!slugs.has(slug)) complaints[path] = "must be the slug of a segment";
  return complaints;
}

/** Finds templates without what a trigger or an action is about: stamps or points. */
function* findTemplateErrors(
  reader: StorageReader,
  trigger: AutomationTrigger,
  actions: readonly AutomationAction[],
): Step<FieldErrors> {
  const stampedBy = findStampedTemplate(trigger);
  const expiringBy = findExpiringTemplate(trigger);
  const stamped = [
    ...(stampedBy === null ? [] : [["on.templateId", stampedBy] as const]),
    ...stampedTemplates(actions).map(([path, id]) => [`do.${path}`, id] as const),
  ];
  const pointed = [
    ...(expiringBy === null ? [] : [["on.date.pointsExpiry", expiringBy] as const]),
    ...pointTemplates(actions).map(([path, id]) => [`do.${path}`, id] as const),
  ];
  const complaints: Record<string, string> = {};
  for (const [path, id] of stamped) {
    const template = yield* reader.findTemplate(id);
    if (template?.type === "LOYALTY_CARD") complaints[path] = "must be a template with stamps";
  }
  for (const [path, id] of pointed) {
    const template = yield* reader.findTemplate(id);
    if (template?.points === null) complaints[path] = "must be a template with points";
  }
  return complaints;
}

/** Yields the segments that a filter names, each with the path of its leaf. */
function* segmentsIn(
  { conditions = [], filters = [] }: SegmentFilter,
  path: string,
): Generator<readonly [path: string, slug: string]> {
  for (const [at, { segment }] of conditions.entries())
    if (segment !== undefined) yield [`${path}.conditions.${at}.segment`, segment];
  for (const [at, filter] of filters.entries()) yield* segmentsIn(filter, `${path}.filters.${at}`);
}
