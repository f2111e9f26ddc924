import type { StoredWebhookEndpoint } from "../storage/webhooks.js";

interface EndpointChange {
  readonly url?: string | undefined;
  readonly types?: readonly string[] | null | undefined;
  readonly description?: string | null | undefined;
  readonly isDisabled?: boolean | undefined;
}

/**
 * Applies a change to an endpoint. Changing the URL or enabling the endpoint clears its failure history.
 * @param newestPosition the newest position in the organization's outbox. If the change disables the endpoint, events up to this
 *   position are still delivered to it, and later ones aren't. If the change enables the endpoint, it skips ahead to this position,
 *   unless some events from before it was disabled don't have deliveries yet. In that case, it continues where it left off.
 * @returns the changed endpoint, or `null` if nothing changes.
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
