import type { WalletPassDetail } from "../../../../../src/cards/pass-schema.js";
import type { Earning } from "../../../../../src/cards/program-schema.js";
import type { Template } from "../../../../../src/cards/schema.js";
import { countUnits, limitUnits } from "../../../../../src/purchases/earning.js";
import { readLocalTime } from "../../../../../src/purchases/local-time.js";
import type { PurchaseEffect } from "../../../../../src/purchases/schema.js";
import { locale } from "../words/en/forms.js";
import { earning as words } from "../words/en/till.js";

/** A template whose cards earn from purchases. */
export interface EarningCard {
  readonly templateId: string;
  readonly name: string;
  readonly unit: "points" | "stamps";
  /** What points are called on the card, or `null` for the language's word. */
  readonly unitName: string | null;
  readonly earning: Earning;
}

/** The cards on which a purchase gives something, and the currency in which the till takes its amount. */
export interface PurchaseOffer {
  readonly currency: string;
  readonly cards: readonly EarningCard[];
  /** Whether the customer's cards are known. Otherwise, these are all cards that a customer may have. */
  readonly isCustomerKnown: boolean;
  /** Whether the scanned card itself may earn, so that its stamps come from purchases. */
  readonly isOwnCard: boolean;
}

/** What a purchase gives on a card. */
export interface Gain {
  readonly card: EarningCard | null;
  readonly unit: "points" | "stamps";
  readonly units: number;
}

/** Lists the templates that earn from purchases, each once. */
export function listEarningCards(templates: readonly Template[]): readonly EarningCard[] {
  const byId = new Map(templates.map((template) => [template.id, template]));
  return [...byId.values()].flatMap(({ id, name, type, earning, points }) => {
    if (earning === null) return [];
    const unit = type === "STAMP_CARD" ? "stamps" : "points";
    return [{ templateId: id, name, unit, unitName: points?.unit ?? null, earning }];
  });
}

/**
 * Returns the offer for a customer, or `null` if no card earns from purchases. The amount is in the currency of the scanned card, or
 * else of the customer's oldest card that earns.
 * @param templateId the template of the scanned card, or `null` if the card isn't known.
 */
export function createOffer(
  earningCards: readonly EarningCard[],
  templateId: string | null,
): PurchaseOffer | null {
  const ownCard = earningCards.find((card) => card.templateId === templateId);
  const currency = (ownCard ?? earningCards[0])?.earning.currency;
  if (currency === undefined) return null;
  return {
    currency,
    cards: earningCards.filter(({ earning }) => earning.currency === currency),
    isCustomerKnown: templateId !== null,
    isOwnCard: templateId === null || ownCard !== undefined,
  };
}

/** Describes what a purchase of this amount gives, such as "Gives 12 points". Counts by the same rules as the server. */
export function describePreview(offer: PurchaseOffer, amount: number, timeZone: string, now: number): string {
  if (amount === 0)
    return offer.isOwnCard
      ? words.typeAmount
      : words.typeAmountFor(listTexts(offer.cards.map(({ name }) => name)));
  const gains = offer.cards.map((card) => ({
    card,
    unit: card.unit,
    units: countGain(card, amount, timeZone, now),
  }));
  const isLimit =
    !offer.isCustomerKnown ||
    gains.some(({ card, units }) => units > 0 && card.earning.limits.perDay !== undefined);
  const gainText = describeGains(gains, !offer.isOwnCard);
  if (gainText === "") return words.givesNothing;
  return isLimit ? words.givesUpTo(gainText) : words.gives(gainText);
}

function countGain({ earning, unit }: EarningCard, amount: number, timeZone: string, now: number): number {
  const returned = { quantity: 0, amount: 0 };
  const line = { sku: null, category: null, kind: "goods", quantity: 1, amount, tax: 0, returned } as const;
  const purchase = { currency: earning.currency, lines: [line], paidWithPoints: 0 };
  const { perDay = null } = earning.limits;
  const count = countUnits(earning, purchase, readLocalTime(timeZone, now));
  return limitUnits(count, unit, earning.limits, perDay).units;
}

/**
 * Describes what a booked purchase gave and the scanned card's points now, such as "12 points, now 340".
 * @param pass the scanned card's new state, or `null` if it isn't known.
 */
export function describeBooking(
  offer: PurchaseOffer,
  effects: readonly PurchaseEffect[],
  pass: WalletPassDetail | null,
): string {
  const gains = effects.map(({ templateId, unit, units }) => ({
    card: offer.cards.find((card) => card.templateId === templateId) ?? null,
    unit,
    units,
  }));
  const gainText = describeGains(gains, !offer.isOwnCard) || words.nothing;
  const isLimited = effects.some(({ cut }) => cut > 0);
  const text = isLimited ? words.limited(gainText) : gainText;
  const points = effects.some(({ walletPassId, unit }) => unit === "points" && walletPassId === pass?.id)
    ? (pass?.pointCard ?? null)
    : null;
  return points === null ? text : words.nowPoints(text, points.available);
}

/**
 * Lists gains, such as "12 points on Club and 2 stamps on Coffee". Returns an empty string if there are none.
 * @param isCardNamed whether to name the card even if there is only one.
 */
export function describeGains(gains: readonly Gain[], isCardNamed = false): string {
  const positiveGains = gains.filter(({ units }) => units > 0);
  const texts = positiveGains.map(({ card, unit, units }) => {
    const text = describeUnits(units, unit, card?.unitName ?? null);
    return (isCardNamed || gains.length > 1) && card !== null ? words.onCard(text, card.name) : text;
  });
  return listTexts(texts);
}

const listTexts = (texts: readonly string[]) =>
  new Intl.ListFormat(locale, { type: "conjunction" }).format(texts);

/** Formats a number of units with their word, such as "12 points" or "2 stamps". */
export function describeUnits(units: number, unit: "points" | "stamps", unitName: string | null): string {
  if (unit === "stamps") return words.stamps(units);
  return unitName === null ? words.points(units) : words.ownPoints(units, unitName);
}
