import type { StoredWebhookEndpoint } from "../storage/webhooks.js";

interface EndpointChange {
  readonly url?: string | undefined;
  readonly types?: readonly string[] | null | undefined;
  readonly description?: string | null | undefined;
  readonly isDisabled?: boolean | undefined;
}

/**
 * An endpoint after a change; `null` if it changes nothing. A new URL begins without failures, and so does an endpoint
 * that is enabled.
 * @param newestPosition of the organization's outbox: an endpoint that is disabled gets the events up to there, and one that
 *   is enabled goes on from there. It goes on from its own position when the events from before it was disabled have not all
 *   become deliveries yet.
 */
export function applyEndpointChange(
  before: StoredWebhookEndpoint,
  { url = before.url, types = before.types, description = before.description, isDisabled }: EndpointChange,
  now: number,
  newestPosition: number,
): StoredWebhookEndpoint | null {
  const isMoved = url !== before.url;
  const after: StoredWebhookEndpoint = {
    ...before,
    url,
    description,
    types: types && [...new Set(types)],
    failingSince: isMoved ? null : before.failingSince,
    slowSince: isMoved ? null : before.slowSince,
  };
  const wasDisabled = before.disabledAt !== null;
  if (isDisabled !== undefined && isDisabled !== wasDisabled) {
    return isDisabled
      ? { ...after, disabledReason: "requested", disabledAt: now, lastPosition: newestPosition }
      : enableEndpoint(after, newestPosition);
  }
  const isSame = !isMoved && description === before.description && areSame(after.types, before.types);
  return isSame ? null : after;
}

function enableEndpoint(endpoint: StoredWebhookEndpoint, newestPosition: number): StoredWebhookEndpoint {
  const { position, lastPosition } = endpoint;
  const isBehind = lastPosition !== null && position < lastPosition;
  return {
    ...endpoint,
    disabledReason: null,
    disabledAt: null,
    failingSince: null,
    slowSince: null,
    position: isBehind ? position : newestPosition,
    lastPosition: null,
  };
}

function areSame(a: readonly string[] | null, b: readonly string[] | null): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
