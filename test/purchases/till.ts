import { LoyaltyService, type Organization, type StorageAdapter } from "loyalty-kit";
import { afterAll, beforeAll, expect } from "vitest";
import { ManualClock } from "../kit/manual-clock.js";
import type { Earning } from "./earning.js";
import type { Program } from "./model.js";

export type PutPurchase = Parameters<Organization["purchases"]["put"]>[2];
export type ReturnPurchase = Parameters<Organization["purchases"]["addReturn"]>[2];
export type PurchaseResult = Awaited<ReturnType<Organization["purchases"]["put"]>>;
type TemplateFields = Parameters<Organization["templates"]["update"]>[1];

/** A shop in Vienna on 15 June 2026 at noon. Ada has one card, and Bob has none. */
export interface Till {
  readonly loyalty: LoyaltyService;
  readonly storage: StorageAdapter;
  readonly acme: Organization;
  readonly clock: ManualClock;
  readonly ada: string;
  readonly bob: string;
  readonly template: string;
  readonly card: string;
  /** Records a purchase of Ada's, with one line for each amount. */
  buy(
    receipt: string,
    bought: number | PutPurchase["lines"],
    rest?: Partial<PutPurchase>,
  ): Promise<PurchaseResult>;
  /** Returns an amount of the first line, or everything. */
  takeBack(receipt: string, returnId: string, amount?: number): Promise<PurchaseResult>;
  /** Moves the clock to a time such as `2026-08-01T12:00+02:00`. */
  goTo(time: string): void;
}

/** Opens shops that share a service. */
export function createTills(open: () => Promise<StorageAdapter>) {
  const clock = new ManualClock();
  const errors: unknown[] = [];
  let storage: StorageAdapter;
  let loyalty: LoyaltyService;
  let shops = 0;
  beforeAll(async () => {
    storage = await open();
    loyalty = new LoyaltyService({ storage, clock: clock.read, onError: (error) => errors.push(error) });
  });
  afterAll(async () => {
    await loyalty.close();
    expect(errors).toEqual([]);
  });

  /** Opens a shop whose point cards earn by these rules. Default: 1 point for each 1.00. */
  async function openPointTill(
    earning: Partial<Earning> = {},
    points: Program["points"] = {},
  ): Promise<Till> {
    return openTill({ type: "LOYALTY_CARD" }, { earning: fillEarning(earning), points });
  }

  /** Opens a shop whose cards earn stamps by these rules. Default: 1 stamp for each 1.00. */
  async function openStampTill(maxStamps: number, earning: Partial<Earning> = {}): Promise<Till> {
    return openTill({ type: "STAMP_CARD", maxStamps }, { earning: fillEarning(earning), points: null });
  }

  async function openTill(
    kind: { readonly type: "LOYALTY_CARD" } | { readonly type: "STAMP_CARD"; readonly maxStamps: number },
    program: Program,
  ): Promise<Till> {
    clock.now = Date.parse("2026-06-15T12:00+02:00");
    shops += 1;
    const acme = loyalty.organization(`shop-${shops}`);
    await acme.settings.update({ timeZone: "Europe/Vienna" });
    const ada = (await acme.users.create({ email: "ada@example.com" })).id;
    const bob = (await acme.users.create({ email: "bob@example.com" })).id;
    const template = (await acme.templates.create({ name: "Card", ...kind, ...toFields(program) })).id;
    const card = (await acme.passes.create(template, { userId: ada })).id;
    return {
      ...{ loyalty, storage, acme, clock, ada, bob, template, card },
      buy: (receipt, bought, rest = {}) => {
        const lines = typeof bought === "number" ? [{ amount: bought }] : bought;
        const { walletPassId, qrCodeValue } = rest;
        const isNamed = walletPassId !== undefined || qrCodeValue !== undefined;
        const customer = isNamed ? {} : { userId: ada };
        return acme.purchases.put("till", receipt, { currency: "EUR", lines, ...customer, ...rest });
      },
      takeBack: (receipt, returnId, amount) =>
        acme.purchases.addReturn("till", receipt, {
          returnId,
          ...(amount === undefined ? { all: true as const } : { lines: [{ id: "0", amount }] }),
        }),
      goTo: (time) => {
        clock.now = Date.parse(time);
      },
    };
  }

  return { openPointTill, openStampTill };
}

export function fillEarning(earning: Partial<Earning>): Earning {
  return { currency: "EUR", rules: [{ give: 1, per: { amount: 100 } }], ...earning };
}

/** Converts a program to fields of a template, without the model's read-only types. */
export function toFields(program: Partial<Program>): Pick<TemplateFields, "earning" | "points"> {
  return JSON.parse(JSON.stringify(program));
}

/** Returns the units that a call gave or took on all cards. */
export function unitsOf({ changes }: Pick<PurchaseResult, "changes">): number {
  return changes.reduce((sum, { units }) => sum + units, 0);
}
