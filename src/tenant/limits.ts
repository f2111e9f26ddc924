/** How much one organization may have, so that none crowds out the others. What is over it already stays. */
export interface OrganizationLimits {
  /** Deliveries of webhooks that are pending, of all its endpoints; 200,000 unless given. */
  readonly pendingDeliveries?: number;
  /** Deliveries that are pending at one endpoint; 50,000 unless given. */
  readonly pendingDeliveriesPerEndpoint?: number;
  /** Webhook endpoints; 100 unless given. */
  readonly webhookEndpoints?: number;
}

/** The limits, complete. */
export type Limits = { -readonly [Name in keyof OrganizationLimits]-?: number };

const defaults: Limits = {
  pendingDeliveries: 200_000,
  pendingDeliveriesPerEndpoint: 50_000,
  webhookEndpoints: 100,
};

/** @throws {RangeError} for a limit that is no positive integer. */
export function limitsOf(given: OrganizationLimits = {}): Limits {
  const limits = { ...defaults };
  for (const name of Object.keys(defaults).filter(isLimit)) {
    const limit = given[name] ?? defaults[name];
    if (!Number.isSafeInteger(limit) || limit < 1) {
      throw new RangeError(`limits.${name} must be a positive integer`);
    }
    limits[name] = limit;
  }
  return limits;
}

function isLimit(name: string): name is keyof Limits {
  return Object.hasOwn(defaults, name);
}
