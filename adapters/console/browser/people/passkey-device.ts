import {
  type PublicKeyCredentialCreationOptionsJSON,
  type RegistrationResponseJSON,
  startRegistration,
} from "@simplewebauthn/browser";
import { passkeyErrorText } from "./passkey-error.js";

/** Has the device make a passkey. @throws {Error} saying in words why it has not. */
export async function createPasskey(
  optionsJSON: PublicKeyCredentialCreationOptionsJSON,
): Promise<RegistrationResponseJSON> {
  try {
    return await startRegistration({ optionsJSON });
  } catch (error) {
    throw new Error(passkeyErrorText(error), { cause: error });
  }
}
