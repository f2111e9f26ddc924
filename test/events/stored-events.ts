import type { EventPage, EventQuery, LoyaltyEvent, Organization } from "loyalty-kit";
import type { EmittedEvent } from "./recorded-events.js";

/** Reads the pages of the outbox until there is nothing new. The last page is empty. */
export async function readPages({ events }: Organization, query: EventQuery = {}): Promise<EventPage[]> {
  const pages: EventPage[] = [];
  for (let after = query.after ?? "0"; ; ) {
    const page = await events.list({ ...query, after });
    pages.push(page);
    if (page.content.length === 0) return pages;
    after = page.next;
  }
}

/** Lists every event in an organization's outbox, oldest first. */
export async function listStoredEvents(organization: Organization): Promise<LoyaltyEvent[]> {
  return (await readPages(organization, { limit: 1_000 })).flatMap(({ content }) => content);
}

/** Picks the recorded events of one organization, as its outbox has to store them. */
export function eventsOfOrganization(organizationId: string, all: readonly EmittedEvent[]): LoyaltyEvent[] {
  return all.flatMap(({ organizationId: owner, ...event }) => (owner === organizationId ? event : []));
}
