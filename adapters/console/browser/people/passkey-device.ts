import {
  type PublicKeyCredentialCreationOptionsJSON,
  type RegistrationResponseJSON,
  startRegistration,
} from "@simplewebauthn/browser";
import { passkeyErrorText } from "./passkey-error.js";

/**
 * Asks the device to create a passkey.
 * @throws {Error} with a message for the user, if the user cancels or the device can't create the passkey.
 */
export async function createPasskey(
  optionsJSON: PublicKeyCredentialCreationOptionsJSON,
): Promise<RegistrationResponseJSON> {
  try {
    return await startRegistration({ optionsJSON });
  } catch (error) {
    throw new Error(passkeyErrorText(error), { cause: error });
  }
}
