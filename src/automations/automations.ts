import type * as z from "zod";
import { runStep, type Step } from "../base/concurrency/step.js";
import { createLoyaltyError, notFound } from "../base/errors.js";
import { type Page, pageOf } from "../base/page.js";
import { parse } from "../base/parse.js";
import { DAY_MS, dateOf } from "../base/values/clock.js";
import { isStorable } from "../base/values/text.js";
import { type AuditedAction, recordAuditEntry } from "../kernel/audit.js";
import { findUser } from "../kernel/find.js";
import type { IdempotencyOptions } from "../kernel/idempotency/idempotent-call.js";
import { assertBelowLimit } from "../kernel/limits.js";
import { applyPatch, type Patch } from "../kernel/patch.js";
import type { Tenant } from "../kernel/tenant.js";
import { UseCases } from "../kernel/use-cases.js";
import { explainForUser } from "../segments/explain-segment.js";
import { canonicalizeFilter, pastConditionScopes } from "../segments/filter-schema.js";
import { zoneOf } from "../settings/schema.js";
import { type AutomationRunOwner, automationJobs, type StoredAutomation } from "../storage/automations.js";
import type { StorageReader, StorageTransaction } from "../storage/storage-adapter.js";
import { assertRunnable } from "./automation-rules.js";
import { findConditionScopes, findReadScopes } from "./condition.js";
import { DAY_DONE, getLatestDueDay, getNextCheckTime } from "./dates.js";
import { dryRun } from "./dry-run.js";
import {
  type AutomationRun,
  type AutomationRunListQuery,
  type AutomationTest,
  automationRunOf,
  automationRunQuerySchema,
} from "./run-schema.js";
import {
  type Automation,
  type AutomationChanges,
  automationOf,
  automationStateOf,
  type CreateAutomation,
  listAutomationScopes,
  listInputScopes,
  parseAutomationChanges,
  parseFilter,
  parseNewAutomation,
  parseTrigger,
  type TestAutomation,
  testAutomationSchema,
  type UpdateAutomation,
} from "./schema.js";
import { scheduleAutomation, skipRuns } from "./waiting-runs.js";

/** Minimum time for which past versions are stored, because cards show a run's message for up to 30 days. */
const VERSION_RETENTION_MS = 31 * DAY_MS;

/** Maximum number of past versions per automation. */
const MAX_PAST_VERSIONS = 100;

/** Manages automations, which act on customers in response to events and dates, and lists their runs. */
export class Automations extends UseCases {
  /**
   * Creates an automation. Only future events and dates trigger the automation.
   * @throws {LoyaltyError} `validation_failed`, `resource_not_found` for a missing template or tag, `mail_not_configured` or
   *   `wallets_not_configured` if an enabled automation sends a message, `too_many_automations`, or `access_denied` if the caller
   *   lacks `automation:manage` or a scope for something that the automation does or reads.
   */
  async create(input: CreateAutomation & IdempotencyOptions): Promise<Automation> {
    const { tenant } = this;
    tenant.require(listInputScopes(input));
    const fields = parseNewAutomation(input);
    return tenant.change(["automations.create", input], function* ({ tx, record }) {
      const createdAt = tenant.now();
      const position = yield* tx.newestEventPosition();
      const automation: StoredAutomation = {
        id: tenant.newId("aut"),
        name: fields.name,
        isEnabled: fields.isEnabled,
        version: 1,
        ...toStoredContent(fields),
        startPosition: position,
        creatorId: tenant.creatorId,
        dateDay: null,
        dateCursor: 0,
        createdAt,
        updatedAt: createdAt,
      };
      tenant.require(listAutomationScopes(automation));
      tenant.require(yield* findReadScopes(tx, automation));
      yield* assertRunnable(tenant, tx, automation);
      yield* assertBelowLimit(tx, tenant, "automations");
      if ((yield* tx.lockQueue(automationJobs)) === null)
        yield* tx.insertQueue(automationJobs, { position, createdAt });
      yield* tx.insertAutomation(automation);
      yield* scheduleDateChecks(tenant, tx, automation);
      record("automation.created", automationStateOf(automation));
      yield* recordAuditEntry(tx, tenant, {
        action: "automation.created",
        ...buildAuditFields(automation),
      });
      return automationOf(automation);
    });
  }

  /**
   * Lists the organization's automations, oldest first.
   * @throws {LoyaltyError} `access_denied` if the caller lacks `automation:manage`.
   */
  async list(): Promise<Automation[]> {
    const { reader } = this.tenant;
    return (await runStep(reader.listAutomations())).map(automationOf);
  }

  /**
   * Returns the current version of an automation.
   * @throws {LoyaltyError} `resource_not_found`, or `access_denied` if the caller lacks `automation:manage`.
   */
  async get(automationId: string): Promise<Automation> {
    const { reader, organizationId } = this.tenant;
    return automationOf(await runStep(findAutomation(reader, organizationId, automationId)));
  }

  /**
   * Changes only the given fields. Waiting runs continue with the version they started with, or are skipped if the automation is
   * disabled. If nothing changes, `updatedAt` stays the same. A caller who enables the automation, or changes anything but its
   * name, becomes its creator. From then on, the automation runs with that caller's permissions.
   * @throws {LoyaltyError} the same errors as {@link create}, `resource_not_found` if the automation doesn't exist, or
   *   `too_many_automation_versions`.
   */
  async update(automationId: string, input: UpdateAutomation & IdempotencyOptions): Promise<Automation> {
    const { tenant } = this;
    tenant.require(listInputScopes(input));
    const changes = parseAutomationChanges(input);
    const { organizationId } = tenant;
    return tenant.change(["automations.update", automationId, input], function* ({ tx, record }) {
      const before = yield* findAutomation(tx, organizationId, automationId);
      yield* tx.lockQueue(automationJobs);
      const after = applyPatch(before, toStoredPatch(changes), tenant.now());
      if (after === before) return automationOf(before);
      const automation = yield* applyChanges(tenant, tx, before, after);
      yield* tx.updateAutomation(automation);
      if (before.isEnabled && !automation.isEnabled) yield* skipRuns(tenant, tx, automation);
      if (automation.isEnabled !== before.isEnabled || automation.on !== before.on)
        yield* scheduleDateChecks(tenant, tx, automation);
      record("automation.updated", automationStateOf(automation));
      yield* recordAuditEntry(tx, tenant, {
        action: "automation.updated",
        ...buildAuditFields(automation),
      });
      return automationOf(automation);
    });
  }

  /**
   * Deletes an automation. Its waiting runs are skipped, and workers remove its messages from cards. Its finished runs are still
   * listed for each customer.
   * @throws {LoyaltyError} `resource_not_found`, or `access_denied` if the caller lacks `automation:manage`.
   */
  async delete(automationId: string, options: IdempotencyOptions = {}): Promise<void> {
    const { tenant } = this;
    const { organizationId } = tenant;
    await tenant.change(["automations.delete", automationId, options], function* ({ tx, record }) {
      const automation = yield* findAutomation(tx, organizationId, automationId);
      yield* tx.lockQueue(automationJobs);
      yield* skipRuns(tenant, tx, automation);
      yield* tx.deleteAutomation(automationId);
      record("automation.deleted", automationStateOf(automation));
      yield* recordAuditEntry(tx, tenant, {
        action: "automation.deleted",
        ...buildAuditFields(automation),
      });
    });
  }

  /**
   * Lists one page of an automation's runs, newest first.
   * @throws {LoyaltyError} `resource_not_found`, `validation_failed`, or `access_denied` if the caller lacks `automation:manage` or
   *   a scope for something that the automation's condition or segment reads. If runs from earlier versions are listed, the caller
   *   needs the scopes for everything that any condition can read.
   */
  async runs(automationId: string, query: AutomationRunListQuery = {}): Promise<Page<AutomationRun>> {
    const { tenant } = this;
    const { reader, organizationId } = tenant;
    const runQuery = parse(automationRunQuerySchema, query);
    const { id, version, ...currentContent } = await runStep(
      findAutomation(reader, organizationId, automationId),
    );
    tenant.require(await runStep(findReadScopes(reader, currentContent)));
    const page = await this.#listRuns(runQuery, { automationId: id });
    if (page.content.some((run) => run.version !== version)) tenant.require(pastConditionScopes);
    return page;
  }

  /**
   * Lists one page of a user's runs, newest first, across all automations, including deleted ones.
   * @param userId the user's service ID or external ID.
   * @throws {LoyaltyError} `resource_not_found`, `validation_failed`, or `access_denied` if the caller lacks `automation:manage`
   *   or any of the scopes for the data that conditions can read.
   */
  async ofUser(userId: string, query: AutomationRunListQuery = {}): Promise<Page<AutomationRun>> {
    const { reader, organizationId } = this.tenant;
    const runQuery = parse(automationRunQuerySchema, query);
    const { id } = await runStep(findUser(reader, organizationId, userId));
    return this.#listRuns(runQuery, { userId: id });
  }

  /**
   * Simulates an automation for a user as if it started now. Nothing is written, so the automation can still run for the same event
   * or date.
   * @throws {LoyaltyError} `resource_not_found` if the automation or the user doesn't exist, `validation_failed`, or
   *   `access_denied` if the caller lacks `automation:manage`, `user:read`, or a scope for something that `if` reads.
   */
  async test(automationId: string, input: TestAutomation): Promise<AutomationTest> {
    const { tenant } = this;
    const { organizationId } = tenant;
    const { userId } = parse(testAutomationSchema, input);
    const at = tenant.now();
    return tenant.read(function* (reader) {
      const automation = yield* findAutomation(reader, organizationId, automationId);
      const filter = parseFilter(automation);
      tenant.require(yield* findConditionScopes(reader, filter));
      const user = yield* findUser(reader, organizationId, userId);
      const explanation =
        filter === null ? null : yield* explainForUser(reader, { organizationId, filter, at }, user);
      const { wouldRun, reason, actions } = yield* dryRun(tenant, reader, automation, user);
      const copyChannels = (channels: (typeof actions)[number]["channels"]) => channels && [...channels];
      return {
        object: "automation_test",
        automationId: automation.id,
        userId: user.id,
        wouldRun,
        reason,
        if: explanation,
        actions: actions.map(({ channels, ...action }) => ({ ...action, channels: copyChannels(channels) })),
      };
    });
  }

  async #listRuns(
    { status, page, size }: z.output<typeof automationRunQuerySchema>,
    owner: AutomationRunOwner,
  ): Promise<Page<AutomationRun>> {
    const { reader } = this.tenant;
    const runQuery = { status: status ?? null, page, size };
    const { items, total } = await runStep(reader.listAutomationRuns(owner, runQuery));
    return pageOf(items.map(automationRunOf), total, { page, size });
  }
}

type StoredContent = Pick<StoredAutomation, "on" | "if" | "after" | "do" | "per">;

type ContentInput = Pick<ReturnType<typeof parseNewAutomation>, keyof StoredContent>;

function toStoredContent({ on, if: filter, after, do: actions, per }: ContentInput): StoredContent {
  return {
    on: JSON.stringify(on),
    if: filter === null ? null : JSON.stringify(canonicalizeFilter(filter)),
    after,
    do: JSON.stringify(actions),
    per: JSON.stringify(per),
  };
}

function toStoredPatch(changes: AutomationChanges): Patch<StoredAutomation> {
  const { name, isEnabled, on, if: filter, after, do: actions, per } = changes;
  return {
    name,
    isEnabled,
    on: on && JSON.stringify(on),
    if: filter && JSON.stringify(canonicalizeFilter(filter)),
    ...(filter === null && { if: null }),
    after,
    do: actions && JSON.stringify(actions),
    per: per && JSON.stringify(per),
  };
}

/** The fields of an automation that a run keeps from the version it started with. */
const contentFields = ["on", "if", "after", "do", "per"] as const;

/**
 * Applies the consequences of a change to an automation: checks permissions, stores the previous version and updates the start
 * position and creator.
 */
function* applyChanges(
  tenant: Tenant,
  tx: StorageTransaction,
  before: StoredAutomation,
  after: StoredAutomation,
): Step<StoredAutomation> {
  const isContentChanged = contentFields.some((name) => after[name] !== before[name]);
  const isNewlyEnabled = after.isEnabled && !before.isEnabled;
  if (!isContentChanged && !isNewlyEnabled) return after;
  tenant.require(listAutomationScopes(after));
  tenant.require(yield* findReadScopes(tx, after));
  yield* assertRunnable(tenant, tx, after);
  if (isContentChanged) yield* storePastVersion(tenant, tx, before);
  const isRestarted = isNewlyEnabled || after.on !== before.on;
  const startPosition = isRestarted ? yield* tx.newestEventPosition() : before.startPosition;
  const version = before.version + (isContentChanged ? 1 : 0);
  return { ...after, version, startPosition, creatorId: tenant.creatorId };
}

/**
 * Stores the current version if it has runs, and removes past versions that are no longer needed.
 * @throws {LoyaltyError} `too_many_automation_versions`.
 */
function* storePastVersion(tenant: Tenant, tx: StorageTransaction, automation: StoredAutomation): Step<void> {
  const { id: automationId, version, if: filter, after, do: actions, per, creatorId } = automation;
  const newestRunQuery = { status: null, page: 0, size: 1 };
  const [newestRun] = (yield* tx.listAutomationRuns({ automationId }, newestRunQuery)).items;
  if (newestRun?.version !== version) return;
  const endedAt = tenant.now();
  yield* tx.removePastAutomations(automationId, endedAt - VERSION_RETENTION_MS);
  if ((yield* tx.countPastAutomations(automationId)) >= MAX_PAST_VERSIONS)
    throw createLoyaltyError("too_many_automation_versions", [`${MAX_PAST_VERSIONS}`]);
  const pastVersion = { automationId, version, if: filter, after, do: actions, per, creatorId, endedAt };
  yield* tx.insertPastAutomation(pastVersion);
}

/** Builds the audit entry for an automation. */
function buildAuditFields({ id, name, isEnabled }: StoredAutomation): Omit<AuditedAction, "action"> {
  return { target: id, details: { name, isEnabled } };
}

/**
 * Finds an automation by its ID, whether it is enabled or disabled.
 * @throws {LoyaltyError} `resource_not_found` if there is no such automation.
 */
function* findAutomation(reader: StorageReader, organizationId: string, id: string): Step<StoredAutomation> {
  const automation = isStorable(id) ? yield* reader.findAutomation(id) : null;
  if (automation === null) throw notFound("automation", id, organizationId);
  return automation;
}

/**
 * Schedules date checks for an automation that was created or enabled, or whose trigger was changed. The checks begin with the
 * next day whose trigger time hasn't passed. If the automation is disabled or has no date trigger, its date checks are canceled.
 * The caller's transaction must already hold the lock on the automation queue.
 */
export function* scheduleDateChecks(
  tenant: Tenant,
  tx: StorageTransaction,
  automation: StoredAutomation,
): Step<void> {
  const now = tenant.now();
  const trigger = parseTrigger(automation);
  const dateJob = { automationId: automation.id, lane: "date" } as const;
  if (!("date" in trigger) || !automation.isEnabled) {
    yield* scheduleAutomation(tx, dateJob, null, now);
    return;
  }
  const zone = zoneOf(yield* tx.findSettings());
  const day = getLatestDueDay(trigger.date, zone, now);
  yield* tx.updateAutomation({ ...automation, dateDay: dateOf(day), dateCursor: DAY_DONE });
  const at = getNextCheckTime(trigger.date, zone, day, now);
  yield* scheduleAutomation(tx, dateJob, at, now);
}
