import type { EventType, StampCard, StampEntry, StampReceipt } from "loyalty-kit";
import type { Subject } from "./subject.js";
import { check, throwRefusal, type World } from "./world.js";

const events = {
  added: "stamp.added",
  removed: "stamp.removed",
  set: "stamp.set",
  reset: "stamp.reset",
  redeemed: "stamp_card.redeemed",
  granted: "reward.granted",
} as const satisfies Partial<Record<StampEntry["type"], EventType>>;

/** The type of an entry that a call creates. Purchases create the others. */
type CalledEntryType = keyof typeof events;

export function createModelStamps(world: World): Subject["stamps"] {
  /** Adds an entry with this delta, and completes the card each time it is full. */
  const write = (
    passId: string,
    type: CalledEntryType | "reversed",
    delta: number,
    note: string | null = null,
    change: Partial<StampCard> = {},
    reversed: StampEntry | null = null,
  ): StampReceipt => {
    const card = world.getCard(passId);
    const { currentStamps: stampsBefore, maxStamps, timesCompleted, rewardsAvailable } = card.state;
    const reversedCompletions = reversed?.completions ?? 0;
    let stampsAfter = stampsBefore + delta + reversedCompletions * maxStamps;
    let completions = 0 - reversedCompletions;
    for (; stampsAfter >= maxStamps; stampsAfter -= maxStamps) completions += 1;
    card.state = {
      ...card.state,
      currentStamps: stampsAfter,
      timesCompleted: timesCompleted + completions,
      rewardsAvailable: rewardsAvailable + completions,
      ...change,
    };
    const counts = { type, delta, stampsBefore, stampsAfter, completions };
    const entryId = world.createId("ste");
    const reverses = reversed?.id ?? null;
    const rest = { ...counts, note, reverses, purchase: null, actor: world.actor, createdAt: world.now };
    card.entries.push({ id: entryId, object: "stamp_entry", ...rest });
    if (reverses !== null) world.recordEvent("stamp.reversed", { ...card.state, reverses });
    else if (type !== "reversed") world.recordEvent(events[type], card.state);
    const { userId } = world.getPass(passId);
    for (let times = 0; times < completions; times += 1)
      world.recordEvent("stamp_card.completed", { ...card.state, userId });
    return { ...card.state, entryId, completions };
  };
  const checkCount = (count: number) => check({ count: count < 1 || count > 100 });
  return {
    state: async (passId) => world.getCard(passId).state,
    add: async (passId, { count = 1, note } = {}) => {
      checkCount(count);
      const { totalStampsCollected, lastStampAt } = world.getCard(passId).state;
      const newest = lastStampAt !== null && lastStampAt > world.now ? lastStampAt : world.now;
      const change = { totalStampsCollected: totalStampsCollected + count, lastStampAt: newest };
      return write(passId, "added", count, note, change);
    },
    remove: async (passId, { count = 1, note } = {}) => {
      checkCount(count);
      if (world.getCard(passId).state.currentStamps < count) throwRefusal("not_enough_stamps");
      return write(passId, "removed", -count, note);
    },
    set: async (passId, { stamps, note }) => {
      check({ stamps: stamps < 0 });
      const { currentStamps, maxStamps } = world.getCard(passId).state;
      check({ stamps: stamps >= maxStamps });
      return write(passId, "set", stamps - currentStamps, note);
    },
    reset: async (passId) => write(passId, "reset", 0 - world.getCard(passId).state.currentStamps),
    redeem: async (passId, { note } = {}) => {
      const { rewardsAvailable } = world.getCard(passId).state;
      if (rewardsAvailable === 0) throwRefusal("no_reward_available");
      return write(passId, "redeemed", 0, note, { rewardsAvailable: rewardsAvailable - 1 });
    },
    reverse: async (passId, { entryId, note }) => {
      const { state, entries } = world.getCard(passId);
      const entry = entries.find(({ id }) => id === entryId) ?? throwRefusal("resource_not_found");
      if (entry.reverses !== null) throwRefusal("not_reversible");
      if (entries.some(({ reverses }) => reverses === entry.id)) throwRefusal("already_reversed");
      const { type, delta, completions } = entry;
      const remaining = state.currentStamps - delta + completions * state.maxStamps;
      if (remaining < 0) throwRefusal("not_enough_stamps");
      const redeemed = type === "redeemed" ? 1 : 0;
      const filled = Math.floor(remaining / state.maxStamps);
      const rewardsAvailable = state.rewardsAvailable + redeemed + filled - completions;
      if (rewardsAvailable < 0) throwRefusal("reward_already_redeemed");
      const totalStampsCollected = state.totalStampsCollected - (type === "added" ? delta : 0);
      const change = { rewardsAvailable, totalStampsCollected };
      return write(passId, "reversed", 0 - delta, note, change, entry);
    },
    history: async (passId, { page = 0, size = 50 } = {}) => {
      const entries = world.getCard(passId).entries.toReversed();
      return {
        content: entries.slice(page * size, (page + 1) * size),
        totalElements: entries.length,
        totalPages: Math.ceil(entries.length / size),
        number: page,
        size,
      };
    },
  };
}
