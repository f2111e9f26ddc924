import type { Step } from "../../../../src/base/concurrency/step.js";
import { buildUserFolds } from "../../../../src/customers/user-writes.js";
import type { UserFolds } from "../../../../src/storage/users.js";
import { buildSearchText } from "../contacts/search-blocks.js";
import { prepare, type ReadSession, type Session, type Slot } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import type { RowProblem } from "./finding.js";

const BATCH_SIZE = 1_000;

/** A user whose stored folds don't match the user's fields. */
interface WrongUser {
  readonly id: string;
  readonly folds: UserFolds;
  /** The stored email fold, which is unique in the organization. */
  readonly storedEmail: string | null;
  /** The reason why the email fold can't be set, or `null` if it can. */
  blockReason: string | null;
}

/**
 * Creates the check for users' case-folded fields, which are used for searching, sorting, and finding users by email. If a folded
 * email was wrong, a second user might have been stored with the same email. In that case, the check reports both users and repairs
 * neither.
 */
export function createFoldCheck({ db, isOneOf, listParameter }: SqlDialect) {
  const listUsers = prepare((slot: Slot<{ organizationId: string; after: number }>) =>
    db
      .selectFrom("loyalty_users")
      .select(["id", "ordinal", "email", "name", "phone", "external_id as externalId"])
      .select(["email_fold as emailFold", "name_fold as nameFold", "external_id_fold as externalIdFold"])
      .select("search_text as searchText")
      .where("organization_id", "=", slot("organizationId"))
      .where("ordinal", ">", slot("after"))
      .orderBy("ordinal")
      .limit(BATCH_SIZE),
  );

  const findHolders = prepare((slot: Slot<{ organizationId: string; folds: unknown }>) =>
    db
      .selectFrom("loyalty_users")
      .select(["id", "email_fold as fold"])
      .where("organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref("email_fold"), slot("folds"))),
  );

  const setFolds = prepare(
    (
      slot: Slot<{
        organizationId: string;
        id: string;
        name: string | null;
        externalId: string | null;
        text: string;
      }>,
    ) =>
      db
        .updateTable("loyalty_users")
        .set({
          name_fold: slot("name"),
          external_id_fold: slot("externalId"),
          search_text: slot("text"),
        })
        .where("organization_id", "=", slot("organizationId"))
        .where("id", "=", slot("id")),
  );

  const setEmail = prepare((slot: Slot<{ organizationId: string; id: string; fold: string | null }>) =>
    db
      .updateTable("loyalty_users")
      .set({ email_fold: slot("fold") })
      .where("organization_id", "=", slot("organizationId"))
      .where("id", "=", slot("id")),
  );

  function* findWrongUsers(session: ReadSession, organizationId: string): Step<WrongUser[]> {
    const mismatches: WrongUser[] = [];
    for (let after = -1; ; ) {
      const rows = yield* session.all(listUsers({ organizationId, after }));
      for (const row of rows) {
        const folds = buildUserFolds(row);
        if (!hasCorrectFolds(row, folds))
          mismatches.push({ id: row.id, folds, storedEmail: row.emailFold, blockReason: null });
        after = row.ordinal;
      }
      if (rows.length < BATCH_SIZE) break;
    }
    yield* findBlockReasons(session, organizationId, mismatches);
    return mismatches;
  }

  /**
   * Finds the users whose email fold can't be set. A user who already holds an email fold keeps it, unless that user's own fold is
   * about to change.
   */
  function* findBlockReasons(
    session: ReadSession,
    organizationId: string,
    mismatches: readonly WrongUser[],
  ): Step<void> {
    const usersToChange = new Map<string, WrongUser>();
    for (const user of mismatches)
      if (user.storedEmail !== user.folds.email) usersToChange.set(user.id, user);
    const userByEmail = new Map<string, WrongUser>();
    for (const user of usersToChange.values()) {
      const { email } = user.folds;
      if (email === null) continue;
      const other = userByEmail.get(email);
      if (other === undefined) userByEmail.set(email, user);
      else {
        user.blockReason = describeSameEmail(other.id);
        other.blockReason = describeSameEmail(user.id);
      }
    }
    const holderByEmail = new Map<string, string>();
    const folds = [...userByEmail.keys()];
    for (let start = 0; start < folds.length; start += BATCH_SIZE) {
      const foldBatch = listParameter(folds.slice(start, start + BATCH_SIZE));
      for (const { id, fold } of yield* session.all(findHolders({ organizationId, folds: foldBatch })))
        if (fold !== null) holderByEmail.set(fold, id);
    }
    // A user who can't move may in turn block another user.
    for (let isChanged = true; isChanged; ) {
      isChanged = false;
      for (const user of usersToChange.values()) {
        const holder = holderByEmail.get(user.folds.email ?? "");
        const other = holder === undefined ? undefined : usersToChange.get(holder);
        if (user.blockReason !== null || holder === undefined || other?.blockReason === null) continue;
        user.blockReason = other === undefined ? describeSameEmail(holder) : `${holder} has its place`;
        isChanged = true;
      }
    }
  }

  return {
    *find(session: ReadSession, organizationId: string): Step<readonly RowProblem[]> {
      const mismatches = yield* findWrongUsers(session, organizationId);
      return mismatches.map(({ id, blockReason }) =>
        blockReason === null ? id : { about: id, reason: blockReason },
      );
    },

    *repair(session: Session, organizationId: string): Step<void> {
      const mismatches = yield* findWrongUsers(session, organizationId);
      for (const { id, folds } of mismatches) {
        const { name, externalId } = folds;
        yield* session.change(
          setFolds({ organizationId, id, name, externalId, text: buildSearchText(folds) }),
        );
      }
      const usersToChange = mismatches.filter(
        ({ blockReason, storedEmail, folds }) => blockReason === null && storedEmail !== folds.email,
      );
      // Clear the folds first, because two users may hold each other's.
      for (const { id } of usersToChange) yield* session.change(setEmail({ organizationId, id, fold: null }));
      for (const { id, folds } of usersToChange) {
        yield* session.change(setEmail({ organizationId, id, fold: folds.email }));
      }
    },
  };
}

function describeSameEmail(id: string): string {
  return `${id} has the same email`;
}

interface StoredFolds {
  readonly emailFold: string | null;
  readonly nameFold: string | null;
  readonly externalIdFold: string | null;
  readonly searchText: string;
}

function hasCorrectFolds(row: StoredFolds, folds: UserFolds): boolean {
  return (
    row.emailFold === folds.email &&
    row.nameFold === folds.name &&
    row.externalIdFold === folds.externalId &&
    row.searchText === buildSearchText(folds)
  );
}
