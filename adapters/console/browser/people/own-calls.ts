import type {
  PublicKeyCredentialCreationOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/browser";
import type { Passkey, Person, PersonSession } from "../../../../src/resources/person.js";
import { consoleAnswer } from "../api/console-answer.js";

/** The person who signed in, where they are signed in, and by what they sign in. */
interface Own {
  readonly person: Person;
  readonly sessions: readonly (PersonSession & { readonly isCurrent: boolean })[];
  readonly passkeys: readonly Passkey[];
}

/** What somebody who signed in with an email asks of the console about themselves. It takes no scope. */
export const own = {
  get: async (): Promise<Own> => JSON.parse(await consoleAnswer("GET", "people/me")),
  endSession: async (id: string): Promise<void> => {
    await consoleAnswer("DELETE", `people/me/sessions/${encodeURIComponent(id)}`);
  },
  /** What a device makes a passkey with. */
  passkeyOptions: async (name: string): Promise<PublicKeyCredentialCreationOptionsJSON> =>
    JSON.parse(await consoleAnswer("POST", "people/me/passkeys/options", { name })),
  addPasskey: async (name: string, credential: RegistrationResponseJSON): Promise<void> => {
    await consoleAnswer("POST", "people/me/passkeys", { name, credential });
  },
  removePasskey: async (id: string): Promise<void> => {
    await consoleAnswer("DELETE", `people/me/passkeys/${encodeURIComponent(id)}`);
  },
};
