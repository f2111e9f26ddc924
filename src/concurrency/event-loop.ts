import { setImmediate } from "node:timers";
import { CostlyTurns } from "./costly-turns.js";
import { inSlices, type Step } from "./step.js";

/** Work keeps the event loop from turning for so many milliseconds at most. */
const LONGEST = 10;

/** The turn of the event loop that work goes on in; null before the first step. There is one loop, so one of these. */
let current: Turn | null = null;

class Turn {
  readonly begun = performance.now();
  #end: Promise<void> | null = null;

  constructor() {
    setImmediate(() => {
      if (this.#end === null) current = null;
    });
  }

  /** To wait for. */
  get end(): Promise<void> {
    this.#end ??= wholeTurn().then(() => {
      current = null;
    });
    return this.#end;
  }

  get isAwaited(): boolean {
    return this.#end !== null;
  }
}

/** Costly work goes on after all that waits for the end of a turn. */
const costlyTurns = new CostlyTurns(() => current?.isAwaited === true);

/**
 * Resolves when the event loop has been through all its phases. One immediate would not do: what goes on in it comes
 * before the timers that are due, as what ran before it did.
 */
export function wholeTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}

/**
 * True when steps of work have kept the event loop for 10 ms: the next one must wait for {@link turn}, and then ask
 * again, since others may have had the time of that turn. To be asked before each statement that blocks and in each round
 * of a long loop: awaiting what is done already lets nothing else run, so a row of them would hold up the whole process.
 */
export function isTurnDue(): boolean {
  if (isUndivided) return false;
  if (isCostly) return costlyTurns.isDue();
  if (current !== null) return performance.now() - current.begun > LONGEST;
  current = new Turn();
  return false;
}

/** While what is done must not be interrupted. */
let isUndivided = false;

/** While a step of {@link costly} work goes on. */
let isCostly = false;

/** Runs what can't wait: nobody gets a turn before its end. @throws what the task throws. */
export function undivided<T>(task: () => T): T {
  const before = isUndivided;
  isUndivided = true;
  try {
    return task();
  } finally {
    isUndivided = before;
  }
}

/**
 * Work that gives everything else the turn before each of its own: a search, an aggregate. Costly works go on in the order
 * in which they came, once nothing else waits for a turn and no connection has just been made. A step goes on after 50 ms
 * at most.
 * @throws what the work throws.
 */
export function costly<T>(work: () => Step<T>): Step<T> {
  return inSlices(asCostly, work);
}

function asCostly<T>(task: () => T): T {
  const before = isCostly;
  isCostly = true;
  try {
    return task();
  } finally {
    isCostly = before;
  }
}

/** Waits for a turn among {@link costly} work. */
export function costlyTurn(): Promise<void> {
  return costlyTurns.turn();
}

/** What strangers ask for goes on a little at a time: each such slice takes its turn here. */
const strangersTurns = new CostlyTurns(() => false);

/** Waits for the turn of a slice of strangers' work: once no connection has just been made, as {@link costly} work. */
export function strangersTurn(): Promise<void> {
  return strangersTurns.turn();
}

/** Keeps such work from going on before the event loop has turned without another connection: it accepts one a turn. */
export function noteConnection(): void {
  costlyTurns.postpone();
  strangersTurns.postpone();
}

/** Gives others their turn when one is due. To be asked as {@link isTurnDue}. */
export function* turns(): Step<void> {
  if (!isCostly) while (isTurnDue()) yield turn();
  else if (isTurnDue()) yield costlyTurns.turn();
}

/**
 * Gives others a turn of their own, in which the caller does not go first. For long work whose parts take a turn each: with
 * {@link turns} alone, who waits finds each turn used up by it.
 */
export function* turnOfOthers(): Step<void> {
  if (isUndivided) return;
  yield wholeTurn();
  yield wholeTurn();
}

/** Waits until the event loop has turned. */
export function turn(): Promise<void> {
  return current?.end ?? Promise.resolve();
}
