import type { Role } from "../../../../src/base/scopes.js";
import type { getCredential } from "../../../../src/kernel/caller-rights.js";
import type { SignedInUser } from "../../../http/auth/index.js";

/** A user who is signed in to the console with a staff account, with an API token, or through the host. */
export interface ConsoleUser extends SignedInUser {
  /** The ID of the API token or staff member, or `null` if the host signed the user in. */
  readonly actorId: string | null;
  /** The ID of the staff member's session, or `null` if the user signed in with a token or through the host. */
  readonly sessionId: string | null;
  /** The signed-in staff member, or `null` if the user signed in with a token or through the host. */
  readonly person: {
    readonly id: string;
    readonly name: string | null;
    readonly email: string;
    readonly role: Role;
    /** Whether the person has signed in with a link that was mailed to the email, and so has proven that it is theirs. */
    readonly isEmailProven: boolean;
  } | null;
}

/** A user, with what the console needs to make calls on their behalf. */
export interface CredentialedUser extends ConsoleUser {
  /** The API token's credential. Absent if the user signed in as a staff member or through the host. */
  readonly credential?: ReturnType<typeof getCredential>;
}
