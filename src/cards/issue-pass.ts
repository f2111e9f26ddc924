import type { Step } from "../base/concurrency/step.js";
import { isLoyaltyError } from "../base/errors.js";
import { parseNew } from "../base/parse.js";
import { randomBase62 } from "../base/secrets/token-format.js";
import { foldEmail } from "../base/values/email.js";
import { type CreateUser, createUserSchema } from "../customers/schema.js";
import { insertUser, type NewUser } from "../customers/user-writes.js";
import type { RecordEvent } from "../kernel/events/recording.js";
import type { Change, Tenant } from "../kernel/tenant.js";
import {
  mailSignUp,
  recordConsent,
  type SignedUpCustomer,
  type SignUpChoices,
} from "../messages/sign-up-mail.js";
import { countCard } from "../statistics/count-deltas.js";
import type { StoredPass, StoredStampCard } from "../storage/passes.js";
import type { StoredTemplate } from "../storage/templates.js";
import type { StoredUser } from "../storage/users.js";
import { walletPassOf } from "./pass-schema.js";

const CODE_LENGTH = 12;

/** The fields of a new pass that have defaults. */
type PassFields = Partial<Pick<StoredPass, "code" | "isPreviewPass" | "createdAt">>;

/** Issues a pass to a user in the caller's transaction, and records a `pass.created` event. */
export function* issuePass(
  { tenant, tx, record }: Change,
  template: StoredTemplate,
  user: StoredUser,
  fields: PassFields = {},
): Step<StoredPass> {
  const pass = buildPass(tenant, template, user, fields);
  yield* tx.insertPass(pass);
  recordPassCreated(tenant, record, pass);
  return pass;
}

export function buildPass(
  tenant: Tenant,
  template: StoredTemplate,
  user: StoredUser,
  fields: PassFields,
): StoredPass {
  const createdAt = fields.createdAt ?? tenant.now();
  return {
    id: tenant.newId("wp"),
    userId: user.id,
    templateId: template.id,
    code: randomBase62(CODE_LENGTH),
    isPreviewPass: false,
    installationStatus: null,
    card: buildStampCard(template),
    ...fields,
    createdAt,
    updatedAt: createdAt,
  };
}

export function recordPassCreated({ engine }: Tenant, record: RecordEvent, pass: StoredPass): void {
  record("pass.created", walletPassOf(pass, engine.config.shortLinks.current), { cards: countCard(pass) });
}

/** Returns an empty stamp card with the template's current `maxStamps`, or `null` if the template isn't a stamp card. */
export function buildStampCard({ maxStamps }: StoredTemplate): StoredStampCard | null {
  if (maxStamps === null) return null;
  return {
    maxStamps,
    currentStamps: 0,
    timesCompleted: 0,
    rewardsAvailable: 0,
    totalStampsCollected: 0,
    lastStampAt: null,
    visits: "[]",
    entries: 0,
  };
}

export interface IssueOptions {
  /** Whether to issue a preview pass, which is used only to see what the card looks like. Default: `false`. */
  readonly isPreviewPass?: boolean;
  /**
   * Called when another user already has the email. Returns the metadata for the new user, who is then created without an email.
   * If this callback is omitted, the call throws `user_already_exists` instead. A sign-up takes the same steps whether or not the
   * email is already in use, so its timing doesn't reveal which is the case.
   * @param ownerId the ID of the user who has the email.
   */
  readonly whenTaken?: (ownerId: string) => Pick<CreateUser, "metadata">;
  /**
   * What the customer chose on the sign-up page. The call records their consent to receive news and, with `notify`, emails them
   * their card. If the address already belongs to another user, it emails that user a link to their own card instead. If either
   * of these fails, the call still succeeds and returns the same result.
   */
  readonly joining?: SignUpChoices;
}

/**
 * Records the consent that a customer gave on the sign-up page. With `notify`, also queues an email to the address that they
 * entered, if any.
 */
export function* applySignUpChoices(
  change: Change,
  signedUp: SignedUpCustomer,
  choices: SignUpChoices,
  notify: boolean,
): Step<void> {
  const { tenant, tx } = change;
  const { user, existingOwner } = signedUp;
  if (choices.consent !== null) yield* recordConsent(change, signedUp, choices.consent);
  const hasTyped = existingOwner !== null || user.email !== null;
  if (notify && hasTyped) yield* mailSignUp(tenant, tx, signedUp, choices);
}

/** A new user, and the existing owner of the email that was entered for it. */
type SignUp = Pick<SignedUpCustomer, "user" | "existingOwner">;

/** Creates a user with the given email, or without one if the email is already taken by another user. */
export function* insertSignUp(
  change: Change,
  user: NewUser,
  ifTaken: NonNullable<IssueOptions["whenTaken"]>,
): Step<SignUp> {
  const { tx } = change;
  const parseWithoutEmail = (ownerId: string) =>
    parseNew(createUserSchema, { ...user, ...ifTaken(ownerId), email: null });
  const { email = null } = user;
  if (email === null) return { user: yield* insertUser(change, user), existingOwner: null };
  const find = () => tx.findUserByEmail(foldEmail(email));
  const currentOwner = yield* find();
  try {
    const insertedUser = yield* insertUser(
      change,
      currentOwner === null ? user : parseWithoutEmail(currentOwner.id),
    );
    return { user: insertedUser, existingOwner: currentOwner };
  } catch (error) {
    // A concurrent sign-up has claimed the email since the check.
    const owner =
      currentOwner === null && isLoyaltyError(error, "user_already_exists") ? yield* find() : null;
    if (owner === null) throw error;
    return { user: yield* insertUser(change, parseWithoutEmail(owner.id)), existingOwner: owner };
  }
}
