import type { credentialOf } from "../../../src/access/token-verifier.js";
import type { SignedInPerson } from "../../../src/people/sign-ins.js";
import type { SignedInUser } from "../../auth/index.js";

/** A user of the console. */
export interface ConsoleUser extends SignedInUser {
  /** The id of the API token that signed them in, or of the person that they are; `null` where the host signed them in. */
  readonly actorId: string | null;
  /** The session that the person came by; `null` for a token, and where the host signed them in. */
  readonly sessionId: string | null;
  /** What the browser of a token's session has shown; none for a person, and where the host signed them in. */
  readonly credential?: ReturnType<typeof credentialOf>;
  /** The person that they are; `null` for a token, and where the host signed them in. */
  readonly person: Pick<SignedInPerson, "id" | "name" | "email" | "role"> | null;
}
