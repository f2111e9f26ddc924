import type { credentialOf } from "../../../src/access/token-verifier.js";
import type { SignedInPerson } from "../../../src/people/sign-ins.js";
import type { SignedInUser } from "../../auth/index.js";

/** A user of the console. */
export interface ConsoleUser extends SignedInUser {
  /** The id of the API token that signed them in, or of the person that they are; `null` if the host signed them in. */
  readonly actorId: string | null;
  /** The session that the person came by; `null` for a token, and where the host signed them in. */
  readonly sessionId: string | null;
  /** The credential of a token session; absent for a person, and if the host signed the user in. */
  readonly credential?: ReturnType<typeof credentialOf>;
  /** The person that they are; `null` for a token, and where the host signed them in. */
  readonly person: Pick<SignedInPerson, "id" | "name" | "email" | "role"> | null;
}
