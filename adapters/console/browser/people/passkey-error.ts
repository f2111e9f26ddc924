import { WebAuthnError } from "@simplewebauthn/browser";
import { passkeys, signingIn as words } from "../words/en/passkeys.js";

/** The message when a device failed to create or use a passkey. */
export function passkeyErrorText(error: unknown): string {
  if (error instanceof WebAuthnError && error.code === "ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED")
    return passkeys.given;
  // Browsers don't tell who has no passkey from who has pressed Cancel.
  const isCanceled = error instanceof Error && ["NotAllowedError", "AbortError"].includes(error.name);
  return isCanceled ? words.canceled : words.failed;
}
