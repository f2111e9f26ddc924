import type { Step } from "../base/concurrency/step.js";
import { nextUpdatedAt } from "../base/values/clock.js";
import type { Change } from "../kernel/tenant.js";
import { continueOnCards } from "../messages/automation-message.js";
import { RECHECK_DELAY_MS } from "../messages/message-context.js";
import { reserveQueueCapacity } from "../messages/send-batch.js";
import { zoneOf } from "../settings/schema.js";
import {
  type AutomationContent,
  automationJobs,
  type StoredAutomation,
  type StoredAutomationRun,
} from "../storage/automations.js";
import type { StoredUser } from "../storage/users.js";
import { runAction } from "./actions.js";
import { findMatchingUsers } from "./condition.js";
import {
  isCreatorStillAllowed,
  isLate,
  isRepeatLimitReached,
  isWaitingForDelay,
  MAX_RUNS_PER_WINDOW,
  RUN_WINDOW_MS,
  type RunSkipReason,
} from "./run-checks.js";
import { parseActions, parseFilter, parseRepeatLimit } from "./schema.js";
import { disableAutomation } from "./waiting-runs.js";

/** Maximum number of runs per transaction; the organization's other changes wait for it. */
const RUN_BATCH_SIZE = 20;

/** The run and action in progress, to which a failure of the transaction is attributed. */
export interface Attempt {
  /** The run's ID, or `null` while no run is in progress. */
  runId: string | null;
  actionIndex: number;
}

export interface RunContext extends Change {
  readonly now: number;
}

/** A worker's claim on one automation's runs, including its lease. */
export interface ClaimedRuns {
  readonly automationId: string;
  readonly revision: number;
  readonly lease: string;
}

/**
 * Executes or ends some of an automation's due runs in the caller's transaction, at most one run per customer. Runs that another
 * worker has already finished are left alone.
 * @returns whether more runs might be due.
 */
export function* executeDueRuns(
  context: RunContext,
  { automationId, revision, lease }: ClaimedRuns,
  attempt: Attempt,
): Step<boolean> {
  const { tenant, tx, now } = context;
  const { organizationId } = tenant;
  if ((yield* tx.lockQueue(automationJobs)) === null) return false;
  const automation = yield* tx.findAutomation(automationId);
  if (automation === null) return false;
  const dueRuns = yield* tx.dueAutomationRuns(automationId, now, RUN_BATCH_SIZE);
  const facts = yield* readRunFacts(context, automation, dueRuns);
  const endedRuns: StoredAutomationRun[] = [];
  const changedUserIds = new Set<string>();
  let [isMailQueueFull, hasMoreRuns] = [false, dueRuns.length === RUN_BATCH_SIZE];
  for (const run of dueRuns) {
    // The run just executed for this customer may affect their next run.
    if (changedUserIds.has(run.userId)) {
      hasMoreRuns = true;
      break;
    }
    const outcome = yield* decideRunOutcome(context, facts, run);
    if (typeof outcome === "object") {
      endedRuns.push(outcome);
      continue;
    }
    if (outcome === "denied") {
      endedRuns.push(endRun(run, "FAILED", "access_denied", now));
      // A denied run from an earlier version doesn't make the current actions denied: another creator may have set them.
      if (yield* isCreatorStillAllowed(tx, organizationId, automation, now)) continue;
      yield* disableAutomation(context, automation);
      hasMoreRuns = true;
      break;
    }
    isMailQueueFull = outcome === "do" && !(yield* hasMailCapacity(context, facts, run));
    if (isMailQueueFull) break;
    changedUserIds.add(run.userId);
    if (outcome === "go on") yield* continueRun(context, facts, run);
    else yield* executeRun(context, facts, run, attempt);
  }
  yield* tx.updateAutomationRuns(endedRuns);
  if (hasMoreRuns && !isMailQueueFull) return true;
  const nextRunAt = yield* tx.nextAutomationRunAt(automationId);
  const nextAttemptAt = isMailQueueFull ? now + RECHECK_DELAY_MS : nextRunAt;
  const result = { subject: automationId, revision, nextAttemptAt };
  yield* tx.recordResults(automationJobs, "run", lease, [result], now);
  return false;
}

/** The stored data that decides which of a batch of runs are executed. */
interface RunFacts {
  readonly timeZone: string;
  readonly users: ReadonlyMap<string, StoredUser>;
  readonly versions: ReadonlyMap<number, AutomationContent | null>;
  /** The versions whose creator may no longer perform their actions. */
  readonly deniedVersions: ReadonlySet<number>;
  /** The IDs of the users who match each version's filter now, keyed by version. */
  readonly matchesByVersion: ReadonlyMap<number, ReadonlySet<string>>;
}

function* readRunFacts(
  { tenant, tx, now }: RunContext,
  automation: StoredAutomation,
  runs: readonly StoredAutomationRun[],
): Step<RunFacts> {
  const { organizationId } = tenant;
  const timeZone = zoneOf(yield* tx.findSettings());
  const userIds = [...new Set(runs.map(({ userId }) => userId))];
  const users = new Map((yield* tx.usersById(userIds)).map((user) => [user.id, user]));
  const versions = new Map<number, AutomationContent | null>();
  const deniedVersions = new Set<number>();
  const matchesByVersion = new Map<number, ReadonlySet<string>>();
  for (const version of new Set(runs.map((run) => run.version))) {
    const content = yield* tx.automationVersion(automation.id, version);
    versions.set(version, content);
    if (content === null) continue;
    const versionContent = version === automation.version ? automation : content;
    if (!(yield* isCreatorStillAllowed(tx, organizationId, versionContent, now))) {
      deniedVersions.add(version);
      continue;
    }
    const currentRuns = runs.filter((run) => run.version === version && !isLate(run, now));
    const candidates = currentRuns.flatMap(({ userId }) => users.get(userId) ?? []);
    matchesByVersion.set(
      version,
      yield* findMatchingUsers(tx, { organizationId, filter: parseFilter(content), at: now }, [
        ...new Set(candidates),
      ]),
    );
  }
  return { timeZone, users, versions, deniedVersions, matchesByVersion };
}

/**
 * Decides the outcome of a run. Returns the updated run if it ends or keeps waiting, `"do"` if it must be executed, `"denied"` if
 * its automation lacks permission, and `"go on"` if it is done and has a message on cards.
 */
function* decideRunOutcome(
  { tx, now }: RunContext,
  { timeZone, users, versions, deniedVersions: denied, matchesByVersion: matched }: RunFacts,
  run: StoredAutomationRun,
): Step<StoredAutomationRun | "do" | "denied" | "go on"> {
  if (run.status === "DONE") return "go on";
  const { automationId, version, userId, dueAt } = run;
  const content = versions.get(version) ?? null;
  if (content === null || !users.has(userId)) return skipRun(run, "disabled", now);
  if (isLate(run, now)) return skipRun(run, "late", now);
  const completion = yield* tx.findAutomationCompletion(automationId, userId);
  if (
    isRepeatLimitReached(parseRepeatLimit(content), completion?.doneAt ?? null, timeZone, now) &&
    !isWaitingForDelay(run, now)
  )
    return skipRun(run, "done_before", now);
  if (denied.has(version)) return "denied";
  if (!matched.get(version)?.has(userId)) return skipRun(run, "condition", now);
  if (isWaitingForDelay(run, now))
    return { ...run, nextAttemptAt: dueAt, updatedAt: nextUpdatedAt(run.updatedAt, now) };
  const recentRuns = yield* tx.countAutomationRuns(userId, now - RUN_WINDOW_MS);
  return recentRuns >= MAX_RUNS_PER_WINDOW ? skipRun(run, "too_many_runs", now) : "do";
}

/** Returns whether the mail queue has capacity for a run's emails. */
function* hasMailCapacity(
  context: RunContext,
  { versions }: RunFacts,
  { version }: StoredAutomationRun,
): Step<boolean> {
  const content = versions.get(version) ?? null;
  const actions = content === null ? [] : parseActions(content);
  const messages = actions.flatMap((action) => ("message" in action ? [action.message] : []));
  for (const message of messages) if (!(yield* reserveQueueCapacity(context, message, 1))) return false;
  return true;
}

/** Continues updating a completed run's messages on its customer's cards. */
function* continueRun(
  context: RunContext,
  { users, versions }: RunFacts,
  run: StoredAutomationRun,
): Step<void> {
  const { tx } = context;
  const user = users.get(run.userId);
  const content = versions.get(run.version) ?? null;
  let nextAttemptAt: number | null = null;
  for (const [index, action] of (content === null ? [] : parseActions(content)).entries()) {
    if (user === undefined || !("message" in action)) continue;
    const at = yield* continueOnCards({ ...context, run, user, index }, action.message);
    if (at !== null) nextAttemptAt = Math.min(nextAttemptAt ?? at, at);
  }
  yield* tx.updateAutomationRuns([{ ...run, nextAttemptAt }]);
}

function* executeRun(
  context: RunContext,
  { users, versions }: RunFacts,
  run: StoredAutomationRun,
  attempt: Attempt,
): Step<void> {
  const { tx, now } = context;
  const user = users.get(run.userId);
  const content = versions.get(run.version);
  if (user === undefined || content === undefined || content === null) return;
  const actions = parseActions(content);
  const updatedAt = nextUpdatedAt(run.updatedAt, now);
  attempt.runId = run.id;
  let nextAttemptAt: number | null = null;
  for (const [index, action] of actions.entries()) {
    attempt.actionIndex = index;
    const at = yield* runAction({ ...context, run, user, index }, action);
    if (at !== null) nextAttemptAt = Math.min(nextAttemptAt ?? at, at);
  }
  const doneRun = {
    status: "DONE",
    reason: null,
    actionIndex: null,
    nextAttemptAt,
    updatedAt,
  } as const;
  yield* tx.updateAutomationRuns([{ ...run, ...doneRun }]);
  yield* tx.putAutomationCompletion({
    automationId: run.automationId,
    userId: user.id,
    doneAt: now,
  });
  attempt.runId = null;
}

function skipRun(run: StoredAutomationRun, reason: RunSkipReason, now: number): StoredAutomationRun {
  return endRun(run, "SKIPPED", reason, now);
}

function endRun(
  run: StoredAutomationRun,
  status: "SKIPPED" | "FAILED",
  reason: RunSkipReason | "access_denied",
  now: number,
): StoredAutomationRun {
  const updatedAt = nextUpdatedAt(run.updatedAt, now);
  return { ...run, status, reason, nextAttemptAt: null, updatedAt };
}
