import type { EventType, StampCard, StampEntry } from "loyalty-kit";
import type { Subject } from "./subject.js";
import { check, refuse, type World } from "./world.js";

const events = {
  added: "stamp.added",
  removed: "stamp.removed",
  set: "stamp.set",
  reset: "stamp.reset",
  redeemed: "stamp_card.redeemed",
} as const satisfies Record<StampEntry["type"], EventType>;

export function modelStamps(world: World): Subject["stamps"] {
  /** Notes an entry of this delta, and takes from the card what it fills. */
  const write = (
    passId: string,
    type: StampEntry["type"],
    delta: number,
    note: string | null = null,
    change: Partial<StampCard> = {},
  ): StampCard => {
    const card = world.card(passId);
    const { currentStamps: stampsBefore, maxStamps, timesCompleted, rewardsAvailable } = card.state;
    let stampsAfter = stampsBefore + delta;
    let completions = 0;
    for (; stampsAfter >= maxStamps; stampsAfter -= maxStamps) completions += 1;
    card.state = {
      ...card.state,
      currentStamps: stampsAfter,
      timesCompleted: timesCompleted + completions,
      rewardsAvailable: rewardsAvailable + completions,
      ...change,
    };
    const counts = { type, delta, stampsBefore, stampsAfter, completions };
    card.entries.push({ id: world.id("ste"), object: "stamp_entry", ...counts, note, createdAt: world.now });
    world.tell(events[type], card.state);
    for (let times = 0; times < completions; times += 1) world.tell("stamp_card.completed", card.state);
    return card.state;
  };
  const checkCount = (count: number) => check({ count: count < 1 || count > 100 });
  return {
    state: async (passId) => world.card(passId).state,
    add: async (passId, { count = 1, note } = {}) => {
      checkCount(count);
      const { totalStampsCollected } = world.card(passId).state;
      const change = { totalStampsCollected: totalStampsCollected + count, lastStampAt: world.now };
      return write(passId, "added", count, note, change);
    },
    remove: async (passId, { count = 1, note } = {}) => {
      checkCount(count);
      if (world.card(passId).state.currentStamps < count) refuse("not_enough_stamps");
      return write(passId, "removed", -count, note);
    },
    set: async (passId, { stamps, note }) => {
      check({ stamps: stamps < 0 });
      const { currentStamps, maxStamps } = world.card(passId).state;
      check({ stamps: stamps >= maxStamps });
      return write(passId, "set", stamps - currentStamps, note);
    },
    reset: async (passId) => write(passId, "reset", 0 - world.card(passId).state.currentStamps),
    redeem: async (passId) => {
      const { rewardsAvailable } = world.card(passId).state;
      if (rewardsAvailable === 0) refuse("no_reward_available");
      return write(passId, "redeemed", 0, null, { rewardsAvailable: rewardsAvailable - 1 });
    },
    history: async (passId, { page = 0, size = 50 } = {}) => {
      const entries = world.card(passId).entries.toReversed();
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
