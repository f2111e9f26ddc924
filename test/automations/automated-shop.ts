import type { LoyaltyOptions, StorageAdapter } from "loyalty-kit";
import { runStep } from "../../src/base/concurrency/step.js";
import { openAcme } from "../kit/acme.js";
import { type AutomationInput, insertAutomation } from "./stored-automation.js";

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

/** Opens a shop with tags, a card of five stamps, and automations that run only on request. */
export async function openAutomatedShop(storage: StorageAdapter, options: Partial<LoyaltyOptions> = {}) {
  const shop = openAcme({ ...options, storage });
  const { acme, loyalty, clock } = shop;
  for (const name of ["New", "Vip", "Gone"]) await acme.tags.create({ name });
  const template = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 5 });
  const automate = (automation: AutomationInput) => insertAutomation(storage, automation, clock.now);
  const listRuns = async (automationId: string) => {
    const query = { status: null, page: 0, size: 1_000 };
    const { items } = await runStep(storage.reader("acme").listAutomationRuns({ automationId }, query));
    return [...items].reverse();
  };
  const listTagSlugs = async (userId: string) =>
    (await acme.tags.ofUser(userId)).map(({ slug }) => slug).sort();
  /** Advances the clock and runs everything that is due. */
  const passTime = async (ms: number) => {
    clock.move(ms);
    await loyalty.runAutomations();
  };
  let customers = 0;
  const createCustomer = async (metadata: Record<string, string> = {}) => {
    customers += 1;
    return acme.users.create({ email: `customer-${customers}@example.com`, metadata });
  };
  const createHolder = async () => {
    const user = await createCustomer();
    const card = await acme.passes.create(template.id, { userId: user.id });
    return { user, card };
  };
  return {
    ...shop,
    storage,
    template,
    automate,
    listRuns,
    listTagSlugs,
    passTime,
    createCustomer,
    createHolder,
  };
}
