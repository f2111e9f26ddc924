import type {
  PublicKeyCredentialCreationOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/browser";
import type { Passkey, Person, PersonSession } from "../../../../src/resources/person.js";
import { requestConsole } from "../api/console-request.js";

/** The person who signed in, where they are signed in, and by what they sign in. */
interface Own {
  readonly person: Person;
  readonly sessions: readonly (PersonSession & { readonly isCurrent: boolean })[];
  readonly passkeys: readonly Passkey[];
}

/** The calls about the signed-in person's own account, which need no scope. */
export const accountCalls = {
  get: async (): Promise<Own> => JSON.parse(await requestConsole("GET", "people/me")),
  endSession: async (id: string): Promise<void> => {
    await requestConsole("DELETE", `people/me/sessions/${encodeURIComponent(id)}`);
  },
  /** What a device makes a passkey with. */
  passkeyOptions: async (name: string): Promise<PublicKeyCredentialCreationOptionsJSON> =>
    JSON.parse(await requestConsole("POST", "people/me/passkeys/options", { name })),
  addPasskey: async (name: string, credential: RegistrationResponseJSON): Promise<void> => {
    await requestConsole("POST", "people/me/passkeys", { name, credential });
  },
  removePasskey: async (id: string): Promise<void> => {
    await requestConsole("DELETE", `people/me/passkeys/${encodeURIComponent(id)}`);
  },
};
