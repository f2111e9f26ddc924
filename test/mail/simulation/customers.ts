import type { Organization } from "loyalty-kit";

/** A customer as it is known that the calls have left them. */
export interface Customer {
  readonly organizationId: string;
  readonly userId: string;
  email: string;
  /** All that they have had. */
  readonly addresses: string[];
  readonly passIds: string[];
  /** Something is being done to them. */
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

/** What was answered to callers. */
export interface AcknowledgedCalls {
  /** The mails that were promised, with the key of the call that promised each; `null` where none was given. */
  readonly deliveries: { readonly id: string; readonly key: string | null }[];
  /** When each address was to get nothing any more. */
  readonly silentAddresses: Map<string, number>;
  /** When each pass was gone. */
  readonly gonePasses: Map<string, number>;
  /** When each customer had ended messages, by the id of the service. */
  readonly endedMessages: Map<string, number>;
  /** When each message was canceled. */
  readonly canceledMessages: Map<string, number>;
  /** The messages that were to be sent. */
  readonly messages: Set<string>;
}

/** What is done to customers by calls; each may be made again by another process when its answer is lost. */
export type Call<T> = (organization: Organization) => Promise<T>;
