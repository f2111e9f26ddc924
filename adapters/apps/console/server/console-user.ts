import type { credentialOf } from "../../../../src/access/principal.js";
import type { SignedInPerson } from "../../../../src/people/sign-ins.js";
import type { SignedInUser } from "../../../http/auth/index.js";

/** A user who is signed in to the console with a staff account, with an API token, or through the host. */
export interface ConsoleUser extends SignedInUser {
  /** The ID of the API token or staff member, or `null` if the host signed the user in. */
  readonly actorId: string | null;
  /** The ID of the staff member's session, or `null` if the user signed in with a token or through the host. */
  readonly sessionId: string | null;
  /** The API token's credential. Absent if the user signed in as a staff member or through the host. */
  readonly credential?: ReturnType<typeof credentialOf>;
  /** The signed-in staff member, or `null` if the user signed in with a token or through the host. */
  readonly person: Pick<SignedInPerson, "id" | "name" | "email" | "role"> | null;
}
