import type { Step } from "../base/concurrency/step.js";
import { notFound } from "../base/errors.js";
import * as ledger from "../cards/stamp-ledger.js";
import { changeCard } from "../cards/stamps.js";
import { findTag } from "../kernel/find.js";
import type { Change } from "../kernel/tenant.js";
import { sendToCustomer } from "../messages/automation-message.js";
import { addPoints } from "../points/points.js";
import type { StoredAutomationRun } from "../storage/automations.js";
import type { StoredPass } from "../storage/passes.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import type { StoredUser } from "../storage/users.js";
import { assignTag, unassignTag } from "../tags/tags.js";
import type { AutomationAction } from "./schema.js";

/** The context in which an action is performed, including its run and transaction. */
export interface ActionContext extends Change {
  readonly now: number;
  readonly run: StoredAutomationRun;
  readonly user: StoredUser;
  /** The action's index in the automation's list of actions, starting at 0. */
  readonly index: number;
}

/**
 * Performs one action for a customer. Assigning a tag that the customer already has is a no-op, and so is removing a tag that the
 * customer doesn't have.
 * @returns the time at which to continue the action, or `null` if the action is complete.
 * @throws {LoyaltyError} if the action is refused, for example with `resource_not_found` because the tag doesn't exist or the
 *   customer has no card.
 */
export function* runAction(context: ActionContext, action: AutomationAction): Step<number | null> {
  const { tenant, tx, user } = context;
  const { organizationId } = tenant;
  if ("message" in action) return yield* sendToCustomer(context, action.message);
  if ("assignTag" in action) {
    const slug = action.assignTag;
    if (!(yield* hasTag(tx, organizationId, user, slug))) yield* assignTag(context, user.id, slug);
  } else if ("unassignTag" in action) {
    const slug = action.unassignTag;
    if (yield* hasTag(tx, organizationId, user, slug)) yield* unassignTag(context, user.id, slug);
  } else if ("addStamps" in action) {
    const { templateId, count } = action.addStamps;
    const pass = yield* findOldestCard(tx, organizationId, user, templateId);
    yield* changeCard(context, pass.id, null, (card, now) => ledger.add(card, count, now));
  } else if ("givePoints" in action) {
    const { templateId, points } = action.givePoints;
    const pass = yield* findOldestCard(tx, organizationId, user, templateId);
    yield* addPoints(context, pass.id, { points });
  } else {
    const pass = yield* findOldestCard(tx, organizationId, user, action.giveReward.templateId);
    yield* changeCard(context, pass.id, null, ledger.grant);
  }
  return null;
}

/**
 * Returns whether the user has a tag.
 * @throws {LoyaltyError} `resource_not_found` if the tag doesn't exist.
 */
export function* hasTag(
  reader: StorageReader,
  organizationId: string,
  user: StoredUser,
  slug: string,
): Step<boolean> {
  const tag = yield* findTag(reader, organizationId, slug);
  const tags = yield* reader.tagsOfUser(user.ordinal);
  return tags.some(({ ordinal }) => ordinal === tag.ordinal);
}

/**
 * Finds the customer's oldest card for a template.
 * @throws {LoyaltyError} `resource_not_found` if the customer has no such card.
 */
export function* findOldestCard(
  reader: StorageReader,
  organizationId: string,
  user: StoredUser,
  templateId: string,
): Step<StoredPass> {
  const passes = yield* reader.passesOfUsers([user]);
  const pass = passes.find((candidate) => candidate.templateId === templateId);
  if (pass === undefined) throw notFound("wallet_pass", undefined, organizationId);
  return pass;
}
