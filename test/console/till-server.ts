import { CallError } from "../../adapters/apps/console/browser/api/call-error.js";
import { hasNoResponse } from "../../adapters/apps/console/browser/till/call-failure.js";
import type { TillCard } from "../../adapters/apps/console/browser/till/till-card.js";
import { TillFlow } from "../../adapters/apps/console/browser/till/till-flow.js";
import type { TillPurchase } from "../../adapters/apps/console/browser/till/till-purchase.js";
import type { TillSnapshot } from "../../adapters/apps/console/browser/till/till-snapshot.js";
import {
  emptyTillState,
  type TillPorts,
  type TillSignal,
  type TillState,
} from "../../adapters/apps/console/browser/till/till-state.js";
import type { Earning } from "../../src/cards/program-schema.js";
import type { PurchaseEffect } from "../../src/purchases/schema.js";

const MAX_STAMPS = 3;
const AT = "2026-01-01T00:00:00.000Z";

/**
 * The fate of a call: it takes effect and gets a response, never arrives, takes effect but loses its response, its repeat
 * fails because the first try is still running, or it finds nothing.
 */
export type Fate = "answered" | "unsent" | "unanswered" | "under way" | "unknown";

const failures = {
  unsent: () => new CallError(0, null),
  unanswered: () => new CallError(0, null),
  "under way": () => new CallError(409, { code: "idempotency_key_in_use", params: null }),
  unknown: () => new CallError(404, { code: "resource_not_found", params: null }),
};

interface Card {
  stamps: number;
  rewards: number;
}

/** A purchase gives at most 5 stamps. */
const earning: Earning = {
  currency: "EUR",
  rules: [{ give: 1, per: { amount: 100 }, minAmount: 0 }],
  combine: "sum",
  bonuses: [],
  counts: { kinds: ["goods"], tax: true, paidWithPoints: false },
  limits: { perPurchase: 5 },
  onReturn: "debt",
};

/**
 * Creates a till, and a server that handles one call at a time, when the test says so.
 * @param doCardsEarn whether the cards' stamps come from purchases.
 */
export function createTillBeforeServer(isEveryScanAStamp: boolean, doCardsEarn = false) {
  const cards = new Map<string, Card>();
  const appliedKeys = new Set<string>();
  const purchases = new Map<
    string,
    { readonly card: string; readonly amount: number; isReturned: boolean }
  >();
  let storedPurchases: { readonly purchase: TillPurchase; readonly isReturn: boolean }[] = [];
  const storedScans = new Map<string, { readonly card: string; readonly count: number }>();
  const calls: { readonly arrive: () => unknown; readonly endCall: (fate: Fate) => void }[] = [];
  const signals: TillSignal[] = [];
  const day = { stamps: 0, rewards: 0, purchases: 0 };
  const states: TillState[] = [emptyTillState];
  let deviceState: TillSnapshot = { turns: [], stamped: [] };
  let timers: { readonly at: number; readonly work: () => void }[] = [];
  let [now, lastKey] = [0, 0];

  const getCard = (code: string): Card => {
    const card = cards.get(code) ?? { stamps: 0, rewards: 0 };
    cards.set(code, card);
    return card;
  };
  const callServer = <T>(work: () => T) =>
    new Promise<T>((resolve, reject) => {
      const endCall = (fate: Fate) => {
        if (fate === "answered") return resolve(work());
        if (fate === "unanswered" || fate === "under way") work();
        reject(failures[fate]());
      };
      calls.push({ arrive: work, endCall });
    });
  /** Changes a card once per key. */
  const changeCard = (code: string, key: string, change: (card: Card) => void) => {
    const card = getCard(code);
    const { stamps } = card;
    if (!appliedKeys.has(key)) change(card);
    appliedKeys.add(key);
    const completions = Math.floor(card.stamps / MAX_STAMPS) - Math.floor(stamps / MAX_STAMPS);
    return { ...createStampState(code, card), entryId: key, completions };
  };
  const addStamps = (code: string, count: number, key: string) =>
    changeCard(code, key, (card) => {
      card.rewards += Math.floor((card.stamps + count) / MAX_STAMPS) - Math.floor(card.stamps / MAX_STAMPS);
      card.stamps += count;
    });

  const recordPurchase = ({ receipt, card, amount }: TillPurchase): PurchaseEffect[] => {
    const code = "code" in card ? card.code : card.passId;
    const isReturned = purchases.get(receipt)?.isReturned ?? false;
    purchases.set(receipt, { card: code, amount, isReturned });
    const effect = { walletPassId: code, templateId: "template", unit: "stamps" as const, units: 5 };
    return [{ ...effect, notTaken: 0, cut: 0, because: null }];
  };
  const recordReturn = ({ receipt }: TillPurchase) => {
    const purchase = purchases.get(receipt);
    if (purchase !== undefined) purchase.isReturned = true;
  };
  const removeStored = (purchase: TillPurchase) => {
    storedPurchases = storedPurchases.filter((stored) => stored.purchase !== purchase);
  };
  const createKey = () => {
    lastKey += 1;
    return `key-${lastKey}`;
  };

  const ports: TillPorts = {
    findCard: (code) => callServer(() => createTillCard(code, getCard(code), doCardsEarn)),
    stamp: (code, count, key) => callServer(() => addStamps(code, count, key)),
    redeem: (code, key) => callServer(() => changeCard(code, key, (card) => (card.rewards -= 1))),
    reverse: (code, _entryId, key) => callServer(() => changeCard(code, key, (card) => (card.stamps -= 1))),
    queueStamps: async (card, count, key) => {
      storedScans.set(key, { card: "code" in card ? card.code : card.passId, count });
    },
    withdrawStamps: async (key) => storedScans.delete(key),
    book: async (purchase, isReachable) => {
      storedPurchases.push({ purchase, isReturn: false });
      if (!isReachable) return null;
      try {
        const effects = await callServer(() => recordPurchase(purchase));
        removeStored(purchase);
        return effects;
      } catch (error) {
        if (hasNoResponse(error)) return null;
        removeStored(purchase);
        throw error;
      }
    },
    returnPurchase: async (purchase) => {
      if (storedPurchases.some((stored) => stored.purchase === purchase))
        storedPurchases.push({ purchase, isReturn: true });
      else await callServer(() => recordReturn(purchase));
    },
    readStoredPrograms: () => (doCardsEarn ? [earningCard] : []),
    saveSnapshot: (savedTurns) => {
      deviceState = savedTurns;
    },
    signal: (signal) => signals.push(signal),
    addToDay: ({ stamps = 0, rewards = 0, purchases = 0 }) => {
      day.stamps += stamps;
      day.rewards += rewards;
      day.purchases += purchases;
    },
    isEveryScanAStamp: () => isEveryScanAStamp,
    mayStamp: true,
    mayBook: true,
    source: "till-1",
    createReceipt: createKey,
    createKey,
    now: () => now,
    setTimer: (ms, work) => timers.push({ at: now + ms, work }),
  };
  const openTill = () => {
    const till = new TillFlow(ports);
    till.subscribe((state) => states.push(state));
    return till;
  };
  let flow = openTill();
  const currentTurnId = () => currentState().currentCard?.id ?? 0;
  const currentState = () => states.at(-1) ?? emptyTillState;
  const runPendingPromises = async () => {
    for (let round = 0; round < 20; round += 1) await Promise.resolve();
  };
  return {
    flow: () => flow,
    signals,
    /** The till's counts of the day. */
    day,
    /** Every state that the till has displayed. */
    states,
    currentState,
    getCard,
    scan: (code: string) => flow.scan(code),
    /** Presses what the till displays at this moment. */
    add: (count = 1) => void flow.add(currentTurnId(), count),
    redeem: () => void flow.redeem(currentTurnId()),
    next: () => flow.next(currentTurnId()),
    later: (ms: number) => {
      now += ms;
      const dueTimers = timers.filter(({ at }) => at <= now);
      timers = timers.filter(({ at }) => at > now);
      for (const { work } of dueTimers) work();
    },
    /** Kills the browser, and opens the till on the same device again. Running calls get no response. */
    async killTill(areDelivered: boolean) {
      for (const { arrive } of calls.splice(0)) if (areDelivered) arrive();
      timers = [];
      flow = openTill();
      flow.restore(deviceState);
      await runPendingPromises();
    },
    runPendingPromises,
    /** Decides the fate of the oldest running call. */
    async answerCall(fate: Fate = "answered") {
      calls.shift()?.endCall(fate);
      await runPendingPromises();
    },
    /** Responds until no call is running. */
    async answerAll() {
      await runPendingPromises();
      while (calls.length > 0) await this.answerCall();
    },
    /** Types an amount in minor units, and books it. */
    book(amount: number) {
      flow.setAmount(String(amount));
      void flow.book(currentTurnId());
    },
    skip: () => void flow.skipAmount(currentTurnId()),
    openPad: () => flow.openPad(currentTurnId()),
    /** The purchases that the server has recorded for a card. */
    listPurchases: (code: string) => [...purchases.values()].filter(({ card }) => card === code),
    /** Sends the stored scans and purchases, each with its key. */
    sendStoredScans() {
      for (const [key, { card, count }] of storedScans) addStamps(card, count, key);
      for (const { purchase, isReturn } of storedPurchases.splice(0))
        if (isReturn) recordReturn(purchase);
        else recordPurchase(purchase);
    },
  };
}

function createStampState(code: string, { stamps, rewards }: Card) {
  return {
    object: "stamp_card" as const,
    walletPassId: code,
    templateId: "template",
    currentStamps: stamps % MAX_STAMPS,
    maxStamps: MAX_STAMPS,
    totalStampsCollected: stamps,
    timesCompleted: Math.floor(stamps / MAX_STAMPS),
    rewardsAvailable: rewards,
    lastStampAt: null,
  };
}

const earningCard = {
  templateId: "template",
  name: "Card",
  unit: "stamps" as const,
  unitName: null,
  earning,
};

function createTillCard(code: string, card: Card, doesEarn: boolean): TillCard {
  const template = {
    id: "template",
    object: "template" as const,
    key: null,
    name: `Card ${code}`,
    type: "STAMP_CARD" as const,
    maxStamps: MAX_STAMPS,
    reward: null,
    design: null,
    earning: doesEarn ? earning : null,
    points: null,
    createdAt: AT,
    updatedAt: AT,
  };
  const pass = {
    id: code,
    object: "wallet_pass" as const,
    userId: "user",
    templateId: template.id,
    qrCodeValue: code,
    isPreviewPass: false,
    installationStatus: null,
    createdAt: AT,
    updatedAt: AT,
    template,
    stampProgress: null,
    pointCard: null,
    rewardsAvailable: card.rewards,
  };
  return {
    pass,
    user: null,
    state: createStampState(code, card),
    earningCards: doesEarn ? [earningCard] : [],
  };
}
