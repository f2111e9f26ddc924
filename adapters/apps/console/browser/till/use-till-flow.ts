import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import type { WalletPassDetail } from "../../../../../src/cards/pass-schema.js";
import type { User } from "../../../../../src/customers/schema.js";
import { CallError } from "../api/call-error.js";
import { createCalls, createIdempotencyKey } from "../api/calls.js";
import { base, hasScopes, session } from "../api/session.js";
import { turns as words } from "../words/en/till.js";
import { DeviceStore } from "./device-store.js";
import { type EarningCard, listEarningCards } from "./earning-card.js";
import { isPurchase } from "./scan-store.js";
import { readStoredPrograms } from "./stored-programs.js";
import type { TillCard } from "./till-card.js";
import { addToDay } from "./till-day.js";
import { TillFlow } from "./till-flow.js";
import { readTillPreferences } from "./till-preferences.js";
import { createRandomText, createReceipt } from "./till-purchase.js";
import { bookPurchase, queueScan, returnPurchase, withdrawScan } from "./till-queue.js";
import { type PageSnapshot, SnapshotKeeper, type TillSnapshot } from "./till-snapshot.js";
import { emptyTillState, type TillSignal, type TillState } from "./till-state.js";

/** How long to wait for a page that is being closed, in milliseconds. */
const CLOSING_MS = 1_000;

let keeper: SnapshotKeeper | null = null;

/**
 * Takes over the record of a till page that has been closed, and resolves to the snapshot that the page left behind. If there is no
 * such page, resolves to an empty snapshot.
 */
async function openSnapshot(): Promise<TillSnapshot> {
  const store = await DeviceStore.open<PageSnapshot>(`loyalty-till-turns${base}`);
  const newKeeper = new SnapshotKeeper(store, session.organizationId, reserveRecord, Date.now);
  const snapshot = await newKeeper.open();
  keeper = newKeeper;
  return snapshot;
}

/** Stores a snapshot of this page's unfinished cards. Has no effect until {@link openSnapshot} has resolved. */
function saveSnapshot(snapshot: TillSnapshot): void {
  keeper?.save(snapshot);
}

/**
 * Reserves a record with a lock that the browser holds until the page is closed. In browsers without the Web Locks API, all pages
 * share one record.
 */
function reserveRecord(id: number): Promise<boolean> {
  if (navigator.locks === undefined) return Promise.resolve(true);
  const signal = AbortSignal.timeout(CLOSING_MS);
  return new Promise((resolve) => {
    const holdLock = () => {
      resolve(true);
      return new Promise(() => {});
    };
    navigator.locks
      .request(`loyalty-till-turns${base} ${id}`, { signal }, holdLock)
      .catch(() => resolve(false));
  });
}

const signals: Readonly<Record<TillSignal, SignalEffect>> = {
  good: { tones: [880, 1_320], type: "sine", vibration: [60] },
  asks: { tones: [660, 880, 660], type: "triangle", vibration: [60, 60, 60, 60, 60] },
  bad: { tones: [180, 140], type: "square", vibration: [120, 80, 120] },
};

/** Time between the starts of two tones, in seconds. */
const TONE_INTERVAL_SECONDS = 0.12;

/** How long a tone takes to fade out, in seconds. */
const FADE_SECONDS = 0.2;

let context: AudioContext | null = null;

/** How long to wait for a response, in milliseconds. After that, the till behaves as if it were offline. */
const TIMEOUT_MS = 4_000;

/** API calls for the till, with a short timeout. */
const tillCalls = createCalls({ timeoutMs: TIMEOUT_MS });

/**
 * Looks up a card by its scanned or typed code.
 * @throws {CallError} with status 404 if there is no such card.
 */
async function findCardByCode(code: string): Promise<TillCard> {
  const pass = await lookUpPass(code.trim());
  const { stampProgress: progress, rewardsAvailable } = pass;
  const state = progress === null ? null : { ...progress, rewardsAvailable: rewardsAvailable ?? 0 };
  const [user, earningCards] = await Promise.all([readOwner(pass), readEarningCards(pass)]);
  return { pass, user, state, earningCards };
}

/**
 * Looks up a pass by its code. Our own codes differ by letter case, so the code is tried as it is first. Codes of another program
 * are often all capitals, which people type in small letters.
 */
async function lookUpPass(code: string): Promise<WalletPassDetail> {
  try {
    return await tillCalls.passes.lookup(code);
  } catch (error) {
    const isTypedSmall = /^[0-9a-z]+$/.test(code) && /[a-z]/.test(code);
    if (!isTypedSmall || !(error instanceof CallError) || error.status !== 404) throw error;
    return tillCalls.passes.lookup(code.toUpperCase());
  }
}

async function readOwner({ userId }: WalletPassDetail): Promise<User | null> {
  return hasScopes("user:read") ? tillCalls.users.get(userId) : null;
}

/** Resolves to the customer's cards that earn from purchases. */
async function readEarningCards({ userId }: WalletPassDetail): Promise<readonly EarningCard[]> {
  if (!mayBook) return [];
  const passes = await tillCalls.passes.ofUser(userId);
  return listEarningCards(passes.flatMap(({ isPreviewPass, template }) => (isPreviewPass ? [] : template)));
}

const sourceKey = `loyalty-till-source${base}`;

const mayBook = hasScopes("purchase:write");

/** Lives outside the component, so that waiting cards survive while another screen is shown. */
const flow = new TillFlow({
  findCard: findCardByCode,
  stamp: (passId, count, idempotencyKey) => tillCalls.stamps.add(passId, { count, idempotencyKey }),
  redeem: (passId, idempotencyKey) => tillCalls.stamps.redeem(passId, { idempotencyKey }),
  reverse: (passId, entryId, idempotencyKey) =>
    tillCalls.stamps.reverse(passId, { entryId, note: words.undoneAtTill, idempotencyKey }),
  queueStamps: queueScan,
  withdrawStamps: (key) => withdrawScan((scan) => !isPurchase(scan) && scan.idempotencyKey === key),
  book: bookPurchase,
  returnPurchase,
  readStoredPrograms,
  saveSnapshot,
  signal: (signal) => play(signal, readTillPreferences()),
  addToDay,
  isEveryScanAStamp: () => readTillPreferences().isEveryScanAStamp,
  mayStamp: hasScopes("loyalty:manage"),
  mayBook,
  source: loadSource() ?? createSource(),
  createKey: createIdempotencyKey,
  createReceipt: () => createReceipt(Date.now()),
  now: Date.now,
  setTimer: (ms, callback) => setTimeout(callback, ms),
});

let isRestored = false;

/** Restores the cards that were waiting when the till was closed. */
async function restore(): Promise<void> {
  flow.restore(await openSnapshot());
}

/** Returns the till's flow and its current state, and rerenders the component when the state changes. */
export function useTillFlow(): [TillFlow, TillState] {
  const [state, setState] = useState(emptyTillState);
  useLayoutEffect(() => flow.subscribe(setState), []);
  useEffect(() => {
    // Ignore failures, because there is nothing to restore if the browser has no storage.
    if (!isRestored) restore().catch(() => {});
    isRestored = true;
  }, []);
  return [flow, state];
}

interface SignalEffect {
  /** The tones' frequencies in hertz, played one after another. */
  readonly tones: readonly number[];
  readonly type: OscillatorType;
  /** Durations in milliseconds, alternating between vibration and pause. */
  readonly vibration: readonly number[];
}

/**
 * Plays a signal's sound and vibration if the user has enabled them and the browser supports them. The screen always shows the same
 * information.
 */
function play(
  signal: TillSignal,
  preferences: { readonly hasSound: boolean; readonly hasVibration: boolean },
): void {
  const { tones, type, vibration } = signals[signal];
  try {
    if (preferences.hasVibration) navigator.vibrate?.([...vibration]);
    if (!preferences.hasSound) return;
    context ??= new AudioContext();
    // Browsers let a page play sound only after the first click or key press.
    if (context.state === "suspended") void context.resume().catch(() => {});
    for (const [index, frequency] of tones.entries())
      playTone(context, frequency, index * TONE_INTERVAL_SECONDS, type);
  } catch {
    // If the device can't play sound, the screen shows the result anyway.
  }
}

function playTone(audio: AudioContext, frequency: number, delay: number, type: OscillatorType): void {
  const oscillator = audio.createOscillator();
  const volume = audio.createGain();
  const start = audio.currentTime + delay;
  oscillator.type = type;
  oscillator.frequency.value = frequency;
  volume.gain.setValueAtTime(0.2, start);
  volume.gain.exponentialRampToValueAtTime(0.001, start + FADE_SECONDS);
  oscillator.connect(volume).connect(audio.destination);
  oscillator.start(start);
  oscillator.stop(start + FADE_SECONDS);
}

/** Returns the source of this device's purchases that the browser has stored, or `null` if there is none. */
function loadSource(): string | null {
  try {
    const source = localStorage.getItem(sourceKey) ?? "";
    return /^till-[a-z0-9]{8}$/.test(source) ? source : null;
  } catch {
    return null;
  }
}

/** Creates a source such as `till-4k2zq81m`. The browser stores it. Without storage, it applies until the page is closed. */
function createSource(): string {
  const source = `till-${createRandomText(8)}`;
  try {
    localStorage.setItem(sourceKey, source);
  } catch {
    // The browser has no storage.
  }
  return source;
}
