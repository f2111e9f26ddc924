import {
  type PublicKeyCredentialCreationOptionsJSON,
  type RegistrationResponseJSON,
  startRegistration,
} from "@simplewebauthn/browser";
import { deviceComplaint } from "./device-complaint.js";

/** Has the device make a passkey. @throws {Error} saying in words why it has not. */
export async function madeByDevice(
  optionsJSON: PublicKeyCredentialCreationOptionsJSON,
): Promise<RegistrationResponseJSON> {
  try {
    return await startRegistration({ optionsJSON });
  } catch (error) {
    throw new Error(deviceComplaint(error), { cause: error });
  }
}
