import { callArguments } from "./call-arguments.js";
import { passSteps } from "./cards/pass-steps.js";
import { stampSteps } from "./cards/stamps.js";
import { checkedSync } from "./checked-calls.js";
import { runSync } from "./concurrency/run-sync.js";
import { userSteps } from "./customers/users.js";
import type { CreatePass, WalletPass, WalletPassDetail } from "./resources/pass.js";
import type {
  ChangeStamps,
  RedeemReward,
  ReverseStampEntry,
  SetStamps,
  StampReceipt,
} from "./resources/stamps.js";
import type { CreateUser, User } from "./resources/user.js";
import type { Tenant } from "./tenant/tenant.js";

/**
 * What a sale needs of an organization, as a part of a host's transaction that is answered at once. Each call does what that of
 * `Organization` does, and returns its result or throws. They take no idempotency keys.
 *
 * Besides, calls throw `storage_unavailable` when another transaction has the lock for writing: roll back, and run yours
 * again, best by `loyalty.inTurn`.
 */
export class SyncOrganization {
  readonly users: SyncUsers;
  readonly passes: SyncPasses;
  readonly stamps: SyncStamps;

  /** @param tenant is joined to the transaction. */
  constructor(tenant: Tenant) {
    this.users = new groups.users(tenant);
    this.passes = new groups.passes(tenant);
    this.stamps = new groups.stamps(tenant);
  }
}

/** As those of `Users`. */
export class SyncUsers {
  constructor(private readonly tenant: Tenant) {}

  create(input: CreateUser): User {
    return runSync(userSteps.create(this.tenant, input));
  }

  upsert(input: CreateUser): User {
    return runSync(userSteps.upsert(this.tenant, input));
  }
}

/** As those of `Passes`. */
export class SyncPasses {
  constructor(private readonly tenant: Tenant) {}

  create(templateId: string, input: CreatePass): WalletPass {
    return runSync(passSteps.create(this.tenant, templateId, input));
  }

  ensure(templateId: string, input: CreatePass): WalletPassDetail {
    return runSync(passSteps.ensure(this.tenant, templateId, input));
  }

  lookup(qrCodeValue: string): WalletPassDetail {
    return runSync(passSteps.lookup(this.tenant, qrCodeValue));
  }
}

/** As those of `Stamps`. */
export class SyncStamps {
  constructor(private readonly tenant: Tenant) {}

  add(passId: string, input?: ChangeStamps): StampReceipt {
    return runSync(stampSteps.add(this.tenant, passId, input));
  }

  remove(passId: string, input?: ChangeStamps): StampReceipt {
    return runSync(stampSteps.remove(this.tenant, passId, input));
  }

  set(passId: string, input: SetStamps): StampReceipt {
    return runSync(stampSteps.set(this.tenant, passId, input));
  }

  reset(passId: string): StampReceipt {
    return runSync(stampSteps.reset(this.tenant, passId));
  }

  redeem(passId: string, input?: RedeemReward): StampReceipt {
    return runSync(stampSteps.redeem(this.tenant, passId, input));
  }

  reverse(passId: string, input: ReverseStampEntry): StampReceipt {
    return runSync(stampSteps.reverse(this.tenant, passId, input));
  }
}

/** What can be done, with arguments of their kinds alone. */
const groups = {
  users: checkedSync(SyncUsers, callArguments.users),
  passes: checkedSync(SyncPasses, callArguments.passes),
  stamps: checkedSync(SyncStamps, callArguments.stamps),
};
