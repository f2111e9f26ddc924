import type { EventPage, EventQuery, LoyaltyEvent, Organization } from "loyalty-kit";
import type { HeardEvent } from "./heard.js";

/** The pages of the outbox that one reader gets who goes on until there is nothing new. The last one is empty. */
export async function readPages({ events }: Organization, query: EventQuery = {}): Promise<EventPage[]> {
  const pages: EventPage[] = [];
  for (let after = query.after ?? "0"; ; ) {
    const page = await events.list({ ...query, after });
    pages.push(page);
    if (page.content.length === 0) return pages;
    after = page.next;
  }
}

/** Every event that an organization's outbox keeps, oldest first. */
export async function listStoredEvents(organization: Organization): Promise<LoyaltyEvent[]> {
  return (await readPages(organization, { limit: 1_000 })).flatMap(({ content }) => content);
}

/** The events of one organization that were heard, as its outbox has to keep them. */
export function eventsOfOrganization(organizationId: string, all: readonly HeardEvent[]): LoyaltyEvent[] {
  return all.flatMap(({ organizationId: owner, ...event }) => (owner === organizationId ? event : []));
}
