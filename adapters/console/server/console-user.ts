import type { credentialOf } from "../../../src/access/token-verifier.js";
import type { SignedInPerson } from "../../../src/people/sign-ins.js";
import type { SignedInUser } from "../../auth/index.js";

/** A user who is signed in to the console. */
export interface ConsoleUser extends SignedInUser {
  /** The id of the API token or the staff member; `null` if the host signed the user in. */
  readonly actorId: string | null;
  /** The staff member's session; `null` for a token session, or if the host signed the user in. */
  readonly sessionId: string | null;
  /** The credential of a token session; absent for a staff member, or if the host signed the user in. */
  readonly credential?: ReturnType<typeof credentialOf>;
  /** The signed-in staff member; `null` for a token session, or if the host signed the user in. */
  readonly person: Pick<SignedInPerson, "id" | "name" | "email" | "role"> | null;
}
