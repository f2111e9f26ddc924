import { CallError } from "../../adapters/apps/console/browser/api/call-error.js";
import type { TillCard } from "../../adapters/apps/console/browser/till/found-card.js";
import { TillFlow } from "../../adapters/apps/console/browser/till/till-flow.js";
import type { TillSnapshot } from "../../adapters/apps/console/browser/till/till-snapshot.js";
import {
  emptyTillState,
  type TillPorts,
  type TillSignal,
  type TillState,
} from "../../adapters/apps/console/browser/till/till-state.js";

const MAX_STAMPS = 3;
const AT = "2026-01-01T00:00:00.000Z";

/**
 * What becomes of a call: it is done and answered, never arrives, is done while its answer is lost, or while its repeat is told
 * that the first try is still under way.
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

/** A till, and a server that answers one call at a time, when the test says so. */
export function tillBeforeServer(isEveryScanAStamp: boolean) {
  const cards = new Map<string, Card>();
  const done = new Set<string>();
  const kept = new Map<string, { readonly card: string; readonly count: number }>();
  const calls: { readonly arrive: () => unknown; readonly end: (fate: Fate) => void }[] = [];
  const signals: TillSignal[] = [];
  const states: TillState[] = [emptyTillState];
  let onDevice: TillSnapshot = { turns: [], stamped: [] };
  let timers: { readonly at: number; readonly work: () => void }[] = [];
  let [now, lastKey] = [0, 0];

  const cardOf = (code: string): Card => {
    const card = cards.get(code) ?? { stamps: 0, rewards: 0 };
    cards.set(code, card);
    return card;
  };
  const call = <T>(work: () => T) =>
    new Promise<T>((resolve, reject) => {
      const end = (fate: Fate) => {
        if (fate === "answered") return resolve(work());
        if (fate === "unanswered" || fate === "under way") work();
        reject(failures[fate]());
      };
      calls.push({ arrive: work, end });
    });
  /** Changes a card once for a key. */
  const changed = (code: string, key: string, change: (card: Card) => void) => {
    const card = cardOf(code);
    const { stamps } = card;
    if (!done.has(key)) change(card);
    done.add(key);
    const completions = Math.floor(card.stamps / MAX_STAMPS) - Math.floor(stamps / MAX_STAMPS);
    return { ...stateOf(code, card), entryId: key, completions };
  };
  const add = (code: string, count: number, key: string) =>
    changed(code, key, (card) => {
      card.rewards += Math.floor((card.stamps + count) / MAX_STAMPS) - Math.floor(card.stamps / MAX_STAMPS);
      card.stamps += count;
    });

  const ports: TillPorts = {
    findCard: (code) => call(() => foundCard(code, cardOf(code))),
    stamp: (code, count, key) => call(() => add(code, count, key)),
    redeem: (code, key) => call(() => changed(code, key, (card) => (card.rewards -= 1))),
    reverse: (code, _entryId, key) => call(() => changed(code, key, (card) => (card.stamps -= 1))),
    queueStamps: async (card, count, key) => {
      kept.set(key, { card: "code" in card ? card.code : card.passId, count });
    },
    withdrawStamps: async (key) => kept.delete(key),
    saveSnapshot: (turns) => {
      onDevice = turns;
    },
    signal: (signal) => signals.push(signal),
    isEveryScanAStamp: () => isEveryScanAStamp,
    mayStamp: true,
    createKey: () => {
      lastKey += 1;
      return `key-${lastKey}`;
    },
    now: () => now,
    setTimer: (ms, work) => timers.push({ at: now + ms, work }),
  };
  const open = () => {
    const opened = new TillFlow(ports);
    opened.subscribe((state) => states.push(state));
    return opened;
  };
  let flow = open();
  const turnId = () => state().currentCard?.id ?? 0;
  const state = () => states.at(-1) ?? emptyTillState;
  const settle = async () => {
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  };
  return {
    flow: () => flow,
    signals,
    /** Every state that the till has shown. */
    states,
    state,
    cardOf,
    scan: (code: string) => flow.scan(code),
    /** Presses what the till shows at this moment. */
    add: (count = 1) => void flow.add(turnId(), count),
    redeem: () => void flow.redeem(turnId()),
    next: () => flow.next(turnId()),
    later: (ms: number) => {
      now += ms;
      const due = timers.filter(({ at }) => at <= now);
      timers = timers.filter(({ at }) => at > now);
      for (const { work } of due) work();
    },
    /** Kills the browser, and opens the till on that device again. Nobody hears an answer to the calls under way. */
    async kill(haveArrived: boolean) {
      for (const { arrive } of calls.splice(0)) if (haveArrived) arrive();
      timers = [];
      flow = open();
      flow.restore(onDevice);
      await settle();
    },
    settle,
    /** Says what becomes of the oldest call that is under way. */
    async answer(fate: Fate = "answered") {
      calls.shift()?.end(fate);
      await settle();
    },
    /** Answers until nothing is under way any more. */
    async answerAll() {
      await settle();
      while (calls.length > 0) await this.answer();
    },
    /** Sends what is kept, each with its key. */
    sendKept() {
      for (const [key, { card, count }] of kept) add(card, count, key);
    },
  };
}

function stateOf(code: string, { stamps, rewards }: Card) {
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

function foundCard(code: string, card: Card): TillCard {
  const template = {
    id: "template",
    object: "template" as const,
    key: null,
    name: `Card ${code}`,
    type: "STAMP_CARD" as const,
    maxStamps: MAX_STAMPS,
    reward: null,
    design: null,
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
    rewardsAvailable: card.rewards,
  };
  return { pass, user: null, state: stateOf(code, card) };
}
