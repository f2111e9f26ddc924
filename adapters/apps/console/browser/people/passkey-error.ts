import { WebAuthnError } from "@simplewebauthn/browser";
import { passkeys, signingIn as words } from "../words/en/passkeys.js";

/** Returns the message to show when a device fails to create or use a passkey, or when the user cancels. */
export function describePasskeyError(error: unknown): string {
  if (error instanceof WebAuthnError && error.code === "ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED")
    return passkeys.given;
  // Browsers report the same error for a missing passkey and for a click on Cancel.
  const isCanceled = error instanceof Error && ["NotAllowedError", "AbortError"].includes(error.name);
  return isCanceled ? words.canceled : words.failed;
}
