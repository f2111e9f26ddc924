import type { LoyaltyOptions, StorageAdapter } from "loyalty-kit";
import { runStep } from "../../src/base/concurrency/step.js";
import { openAcme } from "../kit/acme.js";
import { type Automated, insertAutomation } from "./stored-automation.js";

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

/** A shop with tags, a card of five stamps, and automations that run when they are told to. */
export async function automatedShop(storage: StorageAdapter, options: Partial<LoyaltyOptions> = {}) {
  const opened = openAcme({ ...options, storage });
  const { acme, loyalty, clock } = opened;
  for (const name of ["New", "Vip", "Gone"]) await acme.tags.create({ name });
  const template = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 5 });
  const automate = (given: Automated) => insertAutomation(storage, given, clock.now);
  const runs = async (automationId: string) => {
    const query = { status: null, page: 0, size: 1_000 };
    const { items } = await runStep(storage.listAutomationRuns("acme", { automationId }, query));
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
