import {
  type PublicKeyCredentialCreationOptionsJSON,
  type RegistrationResponseJSON,
  startRegistration,
} from "@simplewebauthn/browser";
import { passkeyErrorText } from "./passkey-error.js";

/**
 * Creates a passkey on the device.
 * @throws {Error} with a message for the user if the device fails.
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
