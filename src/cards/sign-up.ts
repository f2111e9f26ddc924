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
  /** A preview pass is only for looking at. Default: `false`. */
  readonly isPreviewPass?: boolean;
  /**
   * Returns the metadata of a new user when another user has the email; the new user is created without one. By default such a
   * call throws `user_already_exists`. Both ways take the same steps, so timing doesn't show whether the email is known.
   * @param ownerId the id of the user who has the email.
   */
  readonly whenTaken?: (ownerId: string) => Pick<CreateUser, "metadata">;
  /**
   * Set for a customer who signs up on a page. Records their consent to news; with `notify` mails them the card, or mails the
   * existing owner of the email a link to theirs. None of this makes the call fail or shows in its result.
   */
  readonly joining?: SignUpChoices;
}

/** Records what a customer chose on the sign-up page, and mails them if they have an address. */
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

/** A new user, and who has had the email that was given for it. */
type SignUp = Pick<SignedUpCustomer, "user" | "known">;

/** Adds a user with the email, or without it if another user has it. */
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
    // Another customer has taken it in the meantime.
    const taker = known === null && isLoyaltyError(error, "user_already_exists") ? yield* find() : null;
    if (taker === null) throw error;
    return { user: yield* insertUser(tenant, tx, record, instead(taker.id)), known: taker };
  }
}
