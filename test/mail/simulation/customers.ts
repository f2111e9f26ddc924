import type { Organization } from "loyalty-kit";

/** Expected state of a customer after the calls so far. */
export interface Customer {
  readonly organizationId: string;
  readonly userId: string;
  email: string;
  /** All addresses that the customer has had. */
  readonly addresses: string[];
  readonly passIds: string[];
  /** Whether something is being done to the customer. */
  isBusy: boolean;
  isGone: boolean;
  isErased: boolean;
  hasEndedMessages: boolean;
  isConfirmed: boolean;
}

export function createCustomer(organizationId: string, userId: string, email: string): Customer {
  return {
    ...{
      organizationId,
      userId,
      email,
      addresses: [email],
      passIds: [],
      isBusy: false,
      isGone: false,
      isErased: false,
    },
    ...{ hasEndedMessages: false, isConfirmed: false },
  };
}

/** Responses that callers have received. */
export interface AcknowledgedCalls {
  /** Promised mails, with the idempotency key of the call that promised each; `null` without a key. */
  readonly deliveries: { readonly id: string; readonly key: string | null }[];
  /** Time from which each address must receive nothing. */
  readonly silentAddresses: Map<string, number>;
  /** Time when each pass was deleted. */
  readonly gonePasses: Map<string, number>;
  /** Time when each customer unsubscribed from messages, by user id. */
  readonly endedMessages: Map<string, number>;
  /** Time when each message was canceled. */
  readonly canceledMessages: Map<string, number>;
  /** Messages that were to be sent. */
  readonly messages: Set<string>;
}

/** A call that changes customers. If its response is lost, another process may repeat it. */
export type Call<T> = (organization: Organization) => Promise<T>;
