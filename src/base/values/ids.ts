import { v7 } from "uuid";
import { isLongerThan, isStorable } from "./text.js";

/**
 * The prefix of an ID, which identifies the kind of resource. In the order listed, the prefixes stand for a user, tag, assignment,
 * pass, template, event, API token, stamp entry, webhook endpoint, webhook delivery, app, grant, grant code or token, email
 * delivery, message, automation, automation run, saved segment, staff member, staff session, staff passkey, and purchase.
 */
export type IdPrefix =
  | "usr"
  | "utag"
  | "uta"
  | "wp"
  | "tpl"
  | "evt"
  | "akt"
  | "ste"
  | "whe"
  | "whd"
  | "app"
  | "grt"
  | "gtk"
  | "mdl"
  | "msg"
  | "aut"
  | "atr"
  | "seg"
  | "per"
  | "pse"
  | "pky"
  | "pur";

/**
 * A function that generates a UUID for a new ID. Tests can supply their own. The UUIDs should sort by creation time, because rows
 * with equal timestamps are sorted by ID.
 */
export type UuidSource = () => string;

export function newId(prefix: IdPrefix, uuid: UuidSource): string {
  return `${prefix}_${uuid()}`;
}

const BYTES = 16;

/**
 * Random bytes for 256 IDs. They are requested from the system together, because a request takes longer than everything else needed
 * to create an ID.
 */
const randomPool = new Uint8Array(256 * BYTES);
let usedBytes = randomPool.length;

let lastState = { msecs: Number.NEGATIVE_INFINITY, seq: 0 };

/**
 * Creates a UUIDv7 (RFC 9562). Within a process, each ID sorts after the previous one. A 31-bit counter orders the IDs that are
 * created in the same millisecond.
 */
export function uuidV7(): string {
  if (usedBytes === randomPool.length) {
    crypto.getRandomValues(randomPool);
    usedBytes = 0;
  }
  const random = randomPool.subarray(usedBytes, usedBytes + BYTES);
  usedBytes += BYTES;
  lastState = nextState(lastState, Date.now(), random);
  return v7({ random, msecs: lastState.msecs, seq: lastState.seq });
}

/**
 * Returns the state for the next ID. A new millisecond starts somewhere in the lower half of the counter; a counter overflow counts
 * as the next millisecond.
 */
function nextState({ msecs, seq }: typeof lastState, now: number, random: Uint8Array): typeof lastState {
  if (now <= msecs && seq < 0x7fff_ffff) return { msecs, seq: seq + 1 };
  const [a = 0, b = 0, c = 0, d = 0] = random;
  return { msecs: Math.max(now, msecs + 1), seq: ((a & 0x3f) << 24) | (b << 16) | (c << 8) | d };
}

export const MAX_ORGANIZATION_ID_LENGTH = 100;

/**
 * Returns whether a value is a valid organization ID: a nonblank string of 1 to 100 characters that every storage adapter can
 * store.
 */
export function isOrganizationId(value: unknown): value is string {
  return (
    typeof value === "string" &&
    value.trim() !== "" &&
    isStorable(value) &&
    !isLongerThan(value, MAX_ORGANIZATION_ID_LENGTH)
  );
}
