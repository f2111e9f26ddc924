import { turns } from "../../concurrency/event-loop.js";
import type { Step } from "../../concurrency/step.js";
import type { Recorder } from "../../events/recording.js";
import { StorageConflict, type StorageTransaction } from "../../storage/storage-adapter.js";
import type { StoredUser, UserSequence } from "../../storage/users.js";
import type { Tenant } from "../../tenant/tenant.js";
import { foldsOf, newUser, tellOfNew } from "../user-changes.js";
import type { ValidRow } from "./row.js";

/** How many users are added at most in one step, between two turns of the event loop. */
export const MOST_OF_STEP = 256;

/** Users of rows who are added together. Nobody has their keys: that is looked up before. */
export class NewUsers {
  private waiting: StoredUser[] = [];
  private next: UserSequence | null = null;

  constructor(
    private readonly tenant: Tenant,
    private readonly tx: StorageTransaction,
    private readonly record: Recorder,
  ) {}

  /** @throws {LoyaltyError} `validation_failed` on `createdAt`, with nothing added. */
  *add(input: ValidRow["user"], bornAt: number | null): Step<StoredUser> {
    const { tenant, tx, record } = this;
    const place = this.next ?? (yield* tx.nextUser(tenant.organizationId));
    const user = newUser(tenant, place, input, bornAt);
    this.next = { ordinal: user.ordinal + 1, newest: user };
    this.waiting.push(user);
    tellOfNew(record, user);
    return user;
  }

  /** Writes those that were added. */
  *write(): Step<void> {
    const users = this.waiting;
    this.waiting = [];
    for (let at = 0; at < users.length; at += MOST_OF_STEP) {
      yield* turns();
      const some = users.slice(at, at + MOST_OF_STEP).map((user) => ({ user, folds: foldsOf(user) }));
      const added = yield* this.tx.insertUsers(this.tenant.organizationId, some);
      if (added < some.length) throw new StorageConflict("email");
    }
  }
}
