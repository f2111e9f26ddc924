import type { Step } from "../base/concurrency/step.js";
import { createLoyaltyError, isLoyaltyError } from "../base/errors.js";
import type { Tenant } from "../kernel/tenant.js";
import { type ChannelReach, findReachableChannels } from "../messages/automation-message.js";
import { findMissingChannel } from "../messages/message-sending.js";
import { findPointPass } from "../points/points.js";
import { zoneOf } from "../settings/schema.js";
import type { StoredAutomation } from "../storage/automations.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import type { StoredUser } from "../storage/users.js";
import { findOldestCard, hasTag } from "./actions.js";
import { findMatchingUsers } from "./condition.js";
import {
  isCreatorStillAllowed,
  isRepeatLimitReached,
  MAX_RUNS_PER_WINDOW,
  RUN_WINDOW_MS,
} from "./run-checks.js";
import { type AutomationAction, parseActions, parseFilter, parseRepeatLimit } from "./schema.js";

/** The simulated outcome of one action. */
export interface ActionPreview {
  readonly action: KeysOf<AutomationAction>;
  /** The code of the error that the action would fail with, or `null` if it would succeed. */
  readonly reason: string | null;
  /**
   * For a message action, its channels, each with the reason, if any, that the message wouldn't reach the customer. `null` for
   * other actions.
   */
  readonly channels: readonly ChannelReach[] | null;
}

type KeysOf<Members> = Members extends unknown ? keyof Members : never;

/** The simulated outcome of running an automation for a customer now. */
export interface DryRun {
  readonly wouldRun: boolean;
  /** Why the run would be skipped or fail, or `null` if it would succeed. */
  readonly reason: string | null;
  readonly actions: readonly ActionPreview[];
}

/** Simulates running an automation for a customer now, without its delay. Nothing is written. */
export function* dryRun(
  tenant: Tenant,
  reader: StorageReader,
  automation: StoredAutomation,
  user: StoredUser,
): Step<DryRun> {
  const actions: ActionPreview[] = [];
  for (const action of parseActions(automation))
    actions.push(yield* previewAction(tenant, reader, user, action));
  const failureReason = actions.find(({ reason }) => reason !== null)?.reason ?? null;
  const reason = (yield* findSkipReason(tenant, reader, automation, user)) ?? failureReason;
  return { wouldRun: reason === null, reason, actions };
}

function* findSkipReason(
  tenant: Tenant,
  reader: StorageReader,
  automation: StoredAutomation,
  user: StoredUser,
): Step<string | null> {
  const { organizationId } = tenant;
  const now = tenant.now();
  if (!automation.isEnabled) return "disabled";
  const zone = zoneOf(yield* reader.findSettings());
  const completion = yield* reader.findAutomationCompletion(automation.id, user.id);
  if (isRepeatLimitReached(parseRepeatLimit(automation), completion?.doneAt ?? null, zone, now))
    return "done_before";
  if (!(yield* isCreatorStillAllowed(reader, organizationId, automation, now))) return "access_denied";
  const matchingIds = yield* findMatchingUsers(
    reader,
    { organizationId, filter: parseFilter(automation), at: now },
    [user],
  );
  if (!matchingIds.has(user.id)) return "condition";
  const recentRuns = yield* reader.countAutomationRuns(user.id, now - RUN_WINDOW_MS);
  return recentRuns >= MAX_RUNS_PER_WINDOW ? "too_many_runs" : null;
}

function* previewAction(
  tenant: Tenant,
  reader: StorageReader,
  user: StoredUser,
  actionInput: AutomationAction,
): Step<ActionPreview> {
  const { organizationId } = tenant;
  if ("message" in actionInput) {
    const channels = yield* findReachableChannels(tenant, reader, actionInput.message, user);
    return { action: "message", reason: findMissingChannel(tenant, actionInput.message), channels };
  }
  if ("assignTag" in actionInput || "unassignTag" in actionInput) {
    const [action, slug] =
      "assignTag" in actionInput
        ? (["assignTag", actionInput.assignTag] as const)
        : (["unassignTag", actionInput.unassignTag] as const);
    const reason = yield* findRefusalCode(hasTag(reader, organizationId, user, slug));
    return { action, reason, channels: null };
  }
  if ("givePoints" in actionInput) {
    const { templateId } = actionInput.givePoints;
    const reason = yield* findRefusalCode(assertPointCard(tenant, reader, user, templateId));
    return { action: "givePoints", reason, channels: null };
  }
  const [action, { templateId }] =
    "addStamps" in actionInput
      ? (["addStamps", actionInput.addStamps] as const)
      : (["giveReward", actionInput.giveReward] as const);
  const reason = yield* findRefusalCode(assertStampCard(reader, organizationId, user, templateId));
  return { action, reason, channels: null };
}

function* assertStampCard(
  reader: StorageReader,
  organizationId: string,
  user: StoredUser,
  templateId: string,
): Step<void> {
  const { card } = yield* findOldestCard(reader, organizationId, user, templateId);
  if (card === null) throw createLoyaltyError("not_a_stamp_card");
}

function* assertPointCard(
  tenant: Tenant,
  reader: StorageReader,
  user: StoredUser,
  templateId: string,
): Step<void> {
  const { id } = yield* findOldestCard(reader, tenant.organizationId, user, templateId);
  yield* findPointPass(tenant, reader, id);
}

/** Returns the code of the error that a step fails with, or `null` if the step succeeds. */
function* findRefusalCode(step: Step<unknown>): Step<string | null> {
  try {
    yield* step;
    return null;
  } catch (error) {
    if (isLoyaltyError(error) && error.status < 500) return error.code;
    throw error;
  }
}
