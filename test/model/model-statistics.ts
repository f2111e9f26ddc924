import { recountStatistics } from "../statistics/recounted.js";
import type { Subject } from "./subject.js";
import type { World } from "./world.js";

/** The model counts all that was told anew each time. It knows only the days that the trial asks for. */
export function createModelStatistics(world: World): Subject["statistics"] {
  return {
    get: async ({ from = "", to = "" } = {}) => recountStatistics(world.history, from, to),
  };
}
