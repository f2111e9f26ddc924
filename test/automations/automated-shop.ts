import type { LoyaltyOptions, StorageAdapter } from "loyalty-kit";
import { run } from "../../src/concurrency/step.js";
import type { StoredAutomation } from "../../src/storage/automations.js";
import { openAcme } from "../kit/acme.js";

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

export interface Automated {
  readonly on: unknown;
  readonly do: readonly unknown[];
  readonly if?: unknown;
  readonly after?: number;
  readonly per?: unknown;
}

/** A shop with tags, a card of five stamps, and automations that run when they are told to. */
export async function automatedShop(storage: StorageAdapter, options: Partial<LoyaltyOptions> = {}) {
  const opened = openAcme({ ...options, storage });
  const { acme, loyalty, clock } = opened;
  for (const name of ["New", "Vip", "Gone"]) await acme.tags.create({ name });
  const template = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 5 });
  const automate = async (given: Automated): Promise<string> => {
    const id = `aut_${crypto.randomUUID()}`;
    await storage.transaction(function* (tx) {
      const newest = yield* tx.newestEventPosition("acme");
      const at = clock.now;
      if ((yield* tx.findAutomationQueue("acme")) === null)
        yield* tx.insertAutomationQueue("acme", { position: newest, createdAt: at });
      const stored: StoredAutomation = {
        ...{ id, name: id, isEnabled: true, version: 1, on: JSON.stringify(given.on) },
        if: given.if === undefined ? null : JSON.stringify(given.if),
        ...{
          after: given.after ?? 0,
          do: JSON.stringify(given.do),
          per: JSON.stringify(given.per ?? "occasion"),
        },
        ...{
          startPosition: newest,
          makerId: null,
          dateDay: null,
          dateCursor: 0,
          createdAt: at,
          updatedAt: at,
        },
      };
      yield* tx.insertAutomation("acme", stored);
    });
    return id;
  };
  const runs = async (automationId: string) => {
    const query = { status: null, page: 0, size: 1_000 };
    const { items } = await run(storage.listAutomationRuns("acme", { automationId }, query));
    return [...items].reverse();
  };
  const slugs = async (userId: string) => (await acme.tags.ofUser(userId)).map(({ slug }) => slug).sort();
  /** Lets time pass, and does what is due then. */
  const pass = async (ms: number) => {
    clock.move(ms);
    await loyalty.runAutomations();
  };
  let customers = 0;
  const customer = async (metadata: Record<string, string> = {}) => {
    customers += 1;
    return acme.users.create({ email: `customer-${customers}@example.com`, metadata });
  };
  const holder = async () => {
    const user = await customer();
    const card = await acme.passes.create(template.id, { userId: user.id });
    return { user, card };
  };
  return { ...opened, storage, template, automate, runs, slugs, pass, customer, holder };
}
