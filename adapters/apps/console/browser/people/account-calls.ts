import type {
  PublicKeyCredentialCreationOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/browser";
import type { Passkey, Person, PersonSession } from "../../../../../src/people/schema.js";
import { requestConsole } from "../api/console-request.js";

/** The signed-in staff member, with their sessions and passkeys. */
interface Account {
  readonly person: Person;
  readonly sessions: readonly (PersonSession & { readonly isCurrent: boolean })[];
  readonly passkeys: readonly Passkey[];
}

/** API calls for the signed-in staff member's own account. The calls require no scope. */
export const accountCalls = {
  get: async (): Promise<Account> => JSON.parse(await requestConsole("GET", "people/me")),
  endSession: async (id: string): Promise<void> => {
    await requestConsole("DELETE", `people/me/sessions/${encodeURIComponent(id)}`);
  },
  /** Resolves to the options with which the device creates a passkey. */
  createPasskeyOptions: async (name: string): Promise<PublicKeyCredentialCreationOptionsJSON> =>
    JSON.parse(await requestConsole("POST", "people/me/passkeys/options", { name })),
  addPasskey: async (name: string, credential: RegistrationResponseJSON): Promise<void> => {
    await requestConsole("POST", "people/me/passkeys", { name, credential });
  },
  removePasskey: async (id: string): Promise<void> => {
    await requestConsole("DELETE", `people/me/passkeys/${encodeURIComponent(id)}`);
  },
};
