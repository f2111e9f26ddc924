import { recountStatistics } from "../statistics/recount.js";
import type { Subject } from "./subject.js";
import type { World } from "./world.js";

/** Recounts all events of the model on each call. Supports only the ranges of days that the trial requests. */
export function createModelStatistics(world: World): Subject["statistics"] {
  return {
    get: async ({ from = "", to = "" } = {}) => recountStatistics(world.history, from, to),
  };
}
