import type { Step } from "../concurrency/step.js";
import { insertUser, type NewUser } from "../customers/user-writes.js";
import { isLoyaltyError } from "../errors.js";
import type { RecordEvent } from "../events/recording.js";
import { type SignedUpCustomer, type SignUpChoices, mailSignUp, recordConsent } from "../messages/sign-up-mail.js";
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
   * Says that the user is somebody on a page to join by. Their consent to news is noted, and with `notify` they get the card by
   * mail, or who has the email gets the link to theirs. Nothing of that refuses the pass, or is told.
   */
  readonly joining?: SignUpChoices;
}

/** Notes what somebody has chosen on a page to join by, and mails them. Somebody without an address gets no mail. */
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

/** Adds a user with the email, or without one where another user has it. */
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
    // Somebody has taken it in between.
    const taker = known === null && isLoyaltyError(error, "user_already_exists") ? yield* find() : null;
    if (taker === null) throw error;
    return { user: yield* insertUser(tenant, tx, record, instead(taker.id)), known: taker };
  }
}
