import { randomUUID } from "node:crypto";
import type { Organization } from "loyalty-kit";
import { expect } from "vitest";
import { listStoredEvents } from "../../events/stored-events.js";
import { collect } from "../../kit/collect.js";
import { isDone } from "./refused.js";

/** A customer's purchase: a card, stamps on it and a tag, each in its own transaction. */
interface Sale {
  readonly email: string;
  readonly stamps: number;
  readonly isTagged: boolean;
}

/** Serves customers one after the other. Gives up a customer if the storage is unavailable. */
export class Till {
  /** The sales whose card was created. */
  readonly sold: Sale[] = [];
  /** The number of customers who were given up. */
  refused = 0;

  constructor(
    private readonly acme: Organization,
    private readonly card: string,
  ) {}

  /** Sells to one customer. @throws any error except `storage_unavailable`. */
  async sell(): Promise<void> {
    const sale = { email: `${randomUUID()}@example.com`, stamps: 0, isTagged: false };
    const isWhole = await isDone(this.sellAll(sale));
    if (!isWhole) this.refused += 1;
  }

  private async sellAll(sale: { email: string; stamps: number; isTagged: boolean }): Promise<void> {
    const { acme } = this;
    const { id, userId } = await acme.passes.create(this.card, { user: { email: sale.email } });
    this.sold.push(sale);
    await acme.stamps.add(id, { count: 3 });
    sale.stamps = 3;
    await acme.tags.assign(userId, "vip");
    sale.isTagged = true;
    await acme.tags.query({ filter: { operator: "AND", conditions: [{ slug: "vip" }] } });
    await acme.contacts.list({ search: sale.email });
  }
}

/** Asserts that all successful sales are stored, and that the stored data is consistent. */
export async function expectWhole(acme: Organization, sold: readonly Sale[]): Promise<void> {
  const users = await collect(acme.users.list());
  const tagged = new Set((await collect(acme.tags.users("vip"))).map(({ id }) => id));
  const events = await listStoredEvents(acme);
  const countEvents = (type: string) => events.filter((event) => event.type === type).length;
  const byEmail = new Map(users.map((user) => [user.email, user]));
  const stampsOf = new Map<string, number>();
  let stamped = 0;
  for (const user of users) {
    const passes = await acme.passes.ofUser(user.id);
    // A customer and their card are created in one transaction.
    expect(passes).toHaveLength(1);
    for (const { id } of passes) {
      const history = await acme.stamps.history(id);
      const { currentStamps } = await acme.stamps.state(id);
      expect(history.content.reduce((sum, { delta }) => sum + delta, 0)).toBe(currentStamps);
      stampsOf.set(user.email ?? "", currentStamps);
      stamped += history.content.length;
    }
  }
  for (const { email, stamps, isTagged } of sold) {
    const user = byEmail.get(email);
    expect(user).toBeDefined();
    expect(stampsOf.get(email)).toBeGreaterThanOrEqual(stamps);
    if (isTagged) expect(tagged.has(user?.id ?? "")).toBe(true);
  }
  expect(countEvents("user.created")).toBe(users.length);
  expect(countEvents("pass.created")).toBe(users.length);
  expect(countEvents("stamp.added")).toBe(stamped);
  expect(countEvents("user_tag.assigned")).toBe(tagged.size);
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  expect((await acme.tags.verifyIndex()).wrong).toEqual([]);
}
