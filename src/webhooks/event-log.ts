import { run } from "../concurrency/step.js";
import { eventOf, type LoyaltyEvent } from "../events/catalogue.js";
import { type EventQuery, eventQuerySchema } from "../resources/event.js";
import { parse } from "../resources/parse.js";
import type { StoredEvent } from "../storage/events.js";
import type { StorageAdapter } from "../storage/storage-adapter.js";
import type { Tenant } from "../tenant/tenant.js";

/** Some events, oldest first, and where the ones after them begin. */
export interface EventPage {
  readonly content: readonly LoyaltyEvent[];
  /** The `after` of the page to come, to be kept and asked with again later also when there was nothing new. */
  readonly next: string;
}

/** The events of an organization, as the outbox keeps them. */
export class Events {
  constructor(private readonly tenant: Tenant) {}

  /**
   * Events in the order of their commits. Who goes on from `next` misses none, unless it was removed for its age or
   * their number before it was read. Empty when the service has no outbox.
   * @param query `after` is the `next` of an earlier page, the start unless given; `types` are all unless given;
   *   `limit` is 1 to 1,000, 100 unless given.
   * @throws {LoyaltyError} `validation_failed`; `access_denied` without `webhook:manage`.
   */
  async list(query: EventQuery = {}): Promise<EventPage> {
    this.tenant.require("webhook:manage");
    const { after, types, limit } = parse(eventQuerySchema, query);
    const { storage, organizationId } = this.tenant;
    const start = Number(after);
    const { events, end } = await (types === undefined
      ? everything(storage, organizationId, start, limit)
      : ofTypes(storage, organizationId, types, start, limit));
    return { content: events.map(eventOf), next: String(end) };
  }
}

/** Events, and the position up to which all were looked at. */
interface Found {
  readonly events: readonly StoredEvent[];
  readonly end: number;
}

async function everything(
  storage: StorageAdapter,
  organizationId: string,
  after: number,
  limit: number,
): Promise<Found> {
  const events = await run(storage.listEvents(organizationId, null, after, limit));
  return { events, end: events.at(-1)?.position ?? after };
}

/** Those of other types that were looked at in vain need not be again, so the next page begins after them. */
function ofTypes(
  storage: StorageAdapter,
  organizationId: string,
  types: readonly string[],
  after: number,
  limit: number,
): Promise<Found> {
  return storage.snapshot(function* (reader) {
    const events = yield* reader.listEvents(organizationId, types, after, limit);
    const last = events.at(limit - 1);
    if (last !== undefined) return { events, end: last.position };
    return { events, end: Math.max(after, yield* reader.newestEventPosition(organizationId)) };
  });
}
