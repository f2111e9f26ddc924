import { useEffect, useState } from "preact/hooks";
import { base } from "../api/session.js";
import type { TillCounts } from "./till-state.js";

/** The numbers of one day at this till, which this browser keeps. */
interface TillDay extends TillCounts {
  /** The day on this device's calendar, such as `2026-11-23`. */
  readonly day: string;
}

const names = ["stamps", "rewards", "purchases"] as const;

const storageKey = `loyalty-till-day${base}`;

const listeners = new Set<() => void>();

/** The numbers of this page, for browsers without storage. */
let current: TillDay = createDay(Date.now());

function createDay(at: number): TillDay {
  return { day: formatDay(at), stamps: 0, rewards: 0, purchases: 0 };
}

/** Returns the day on this device's calendar. */
function formatDay(at: number): string {
  const date = new Date(at);
  const pad = (value: number) => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
}

/** Reads today's numbers, which other pages of this browser may have changed. */
function readDay(): TillDay {
  const today = createDay(Date.now());
  try {
    const value: unknown = JSON.parse(localStorage.getItem(storageKey) ?? "null");
    if (typeof value === "object" && value !== null) current = parseDay(value);
  } catch {
    // Use this page's numbers if the browser's storage is unavailable or contains invalid data.
  }
  if (current.day !== today.day) current = today;
  return current;
}

function parseDay(value: object): TillDay {
  const read = (name: (typeof names)[number]) => Number(Reflect.get(value, name)) || 0;
  return {
    day: String(Reflect.get(value, "day")),
    ...{ stamps: read("stamps"), rewards: read("rewards"), purchases: read("purchases") },
  };
}

/** Adds to today's numbers. Has no effect for an action of another day, such as one that is undone after midnight. */
export function addToDay(counts: Partial<TillCounts>, at: number): void {
  const today = readDay();
  if (formatDay(at) !== today.day) return;
  const add = (name: (typeof names)[number]) => Math.max(today[name] + (counts[name] ?? 0), 0);
  current = {
    day: today.day,
    ...{ stamps: add("stamps"), rewards: add("rewards"), purchases: add("purchases") },
  };
  try {
    localStorage.setItem(storageKey, JSON.stringify(current));
  } catch {
    // Without storage, the numbers count until the page is closed.
  }
  for (const listener of listeners) listener();
}

/** Returns today's numbers at this till, and renders the component again when they change. */
export function useTillDay(): TillCounts {
  const [day, setDay] = useState(readDay);
  useEffect(() => {
    const update = () => setDay(readDay());
    listeners.add(update);
    return () => {
      listeners.delete(update);
    };
  }, []);
  return day;
}
