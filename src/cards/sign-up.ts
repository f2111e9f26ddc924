import type { Step } from "../concurrency/step.js";
import { insertUser, type NewUser } from "../customers/user-writes.js";
import { isLoyaltyError } from "../errors.js";
import type { RecordEvent } from "../events/recording.js";
import {
  mailSignUp,
  recordConsent,
  type SignedUpCustomer,
  type SignUpChoices,
} from "../messages/sign-up-mail.js";
import { parseNew } from "../resources/parse.js";
import { type CreateUser, createUserSchema } from "../resources/user.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import type { Tenant } from "../tenant/tenant.js";
import { foldEmail } from "../values/email.js";

export interface IssueOptions {
  /** `true` issues a preview pass, which is only for looking at. Default: `false`. */
  readonly isPreviewPass?: boolean;
  /**
   * Returns the metadata of a new user when another user already has the email; the new user is then created without an email. By
   * default such a call throws `user_already_exists`. Both paths take the same steps, so timing doesn't reveal whether the email is
   * known.
   * @param ownerId the id of the user who has the email.
   */
  readonly whenTaken?: (ownerId: string) => Pick<CreateUser, "metadata">;
  /**
   * Set for a customer who signs up on a page. Records their consent to receive news; with `notify`, emails them the card, or
   * emails the email's existing owner a link to theirs. None of this makes the call fail or shows in its result.
   */
  readonly joining?: SignUpChoices;
}

/** Records a customer's choices from the sign-up page, and emails them if they have an address. */
export function* applySignUpChoices(
  tenant: Tenant,
  tx: StorageTransaction,
  record: RecordEvent,
  joined: SignedUpCustomer,
  joining: SignUpChoices,
  notify: boolean,
): Step<void> {
  const { user, known } = joined;
  if (joining.consent !== null) yield* recordConsent(tenant, tx, record, joined, joining.consent);
  const hasTyped = known !== null || user.email !== null;
  if (notify && hasTyped) yield* mailSignUp(tenant, tx, joined, joining);
}

/** A new user, and the existing owner of the email that was entered for it. */
type SignUp = Pick<SignedUpCustomer, "user" | "known">;

/** Inserts a user with the email, or without the email if another user has it. */
export function* insertSignUp(
  tenant: Tenant,
  tx: StorageTransaction,
  record: RecordEvent,
  user: NewUser,
  whenTaken: NonNullable<IssueOptions["whenTaken"]>,
): Step<SignUp> {
  const instead = (ownerId: string) =>
    parseNew(createUserSchema, { ...user, ...whenTaken(ownerId), email: null });
  const { email = null } = user;
  if (email === null) return { user: yield* insertUser(tenant, tx, record, user), known: null };
  const find = () => tx.findUserByEmail(tenant.organizationId, foldEmail(email));
  const known = yield* find();
  try {
    const inserted = yield* insertUser(tenant, tx, record, known === null ? user : instead(known.id));
    return { user: inserted, known };
  } catch (error) {
    // A concurrent sign-up has claimed the email since the check.
    const taker = known === null && isLoyaltyError(error, "user_already_exists") ? yield* find() : null;
    if (taker === null) throw error;
    return { user: yield* insertUser(tenant, tx, record, instead(taker.id)), known: taker };
  }
}
