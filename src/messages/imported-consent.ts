import type { StoredSubscription } from "../storage/subscriptions.js";
import { channelOf, isCustomerInitiated, isSameState, withChannel } from "./subscription-state.js";

/** A customer's email consent and language for emails, as imported from another program. */
export interface ImportedConsent {
  /** The customer's email consent, or `null` if the import doesn't include it. */
  readonly email: {
    readonly status: "SUBSCRIBED" | "UNSUBSCRIBED";
    /** When the consent was given or withdrawn, or `null` for the current time. */
    readonly at: number | null;
    readonly text: string | null;
  } | null;
  /** The language for emails, or `null` if the import doesn't include one. */
  readonly language: string | null;
}

/**
 * Applies an imported consent to a subscription. Returns the same object if nothing changes. The consent isn't applied, and
 * `isSkipped` is `true`, if the customer unsubscribed themselves or was unsubscribed after giving the consent.
 */
export function applyImportedConsent(
  before: StoredSubscription,
  { email, language }: ImportedConsent,
  now: number,
): { readonly after: StoredSubscription; readonly isSkipped: boolean } {
  const withLanguage = language === null || language === before.language ? before : { ...before, language };
  if (email === null) return { after: withLanguage, isSkipped: false };
  const current = channelOf(before, "email");
  const { status, at, text } = email;
  if (current.status === "UNSUBSCRIBED") {
    if (status === "UNSUBSCRIBED") return { after: withLanguage, isSkipped: false };
    if (isCustomerInitiated(current) || (at ?? now) <= (current.at ?? 0))
      return { after: withLanguage, isSkipped: true };
  }
  const state = { status, at: at ?? now, source: "import", text } as const;
  const isSame = isSameState(current, state);
  return { after: isSame ? withLanguage : withChannel(withLanguage, "email", state), isSkipped: false };
}
