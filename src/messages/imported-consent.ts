import type { StoredSubscription } from "../storage/subscriptions.js";
import { channelOf, isCustomerInitiated, isSameState, withChannel } from "./subscription-state.js";

/** A customer's consent to receive email messages, and their language for emails, as imported from another program. */
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
 * Applies an imported consent to a subscription. Returns the same object if nothing changes. If the customer unsubscribed
 * themselves, or was unsubscribed after the consent was given, the consent isn't applied and `isSkipped` is `true`.
 */
export function applyImportedConsent(
  before: StoredSubscription,
  { email, language }: ImportedConsent,
  now: number,
): { readonly after: StoredSubscription; readonly isSkipped: boolean } {
  const spoken = language === null || language === before.language ? before : { ...before, language };
  if (email === null) return { after: spoken, isSkipped: false };
  const known = channelOf(before, "email");
  const { status, at, text } = email;
  if (known.status === "UNSUBSCRIBED") {
    if (status === "UNSUBSCRIBED") return { after: spoken, isSkipped: false };
    if (isCustomerInitiated(known) || (at ?? now) <= (known.at ?? 0))
      return { after: spoken, isSkipped: true };
  }
  const state = { status, at: at ?? now, source: "import", text } as const;
  const isSame = isSameState(known, state);
  return { after: isSame ? spoken : withChannel(spoken, "email", state), isSkipped: false };
}
