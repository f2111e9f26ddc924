import { errorMessage } from "../components/error-message.js";
import { turns as words } from "../words/en/till.js";
import { hasNoResponse } from "./call-failure.js";
import type { RecentStamps } from "./recent-stamps.js";
import type { TillPorts } from "./till-state.js";
import type { TillView } from "./till-view.js";

/**
 * Undoes an action and updates the till's state. If the undo fails, shows why.
 * @returns `false` if there is nothing to undo or the action is already being undone.
 */
export async function undo(
  id: number,
  ports: TillPorts,
  shown: TillView,
  lately: RecentStamps,
): Promise<boolean> {
  const done = shown.state.done.find((each) => each.id === id);
  const undo = done?.undo ?? null;
  if (done === undefined || undo === null || done.isUndoing) return false;
  shown.redo(id, { isUndoing: true });
  try {
    if ("keptKey" in undo) {
      const isTaken = await ports.takeBackKept(undo.keptKey);
      if (!isTaken) throw new Error(words.sentAlready);
    } else {
      const after = await ports.reverse(undo.passId, undo.entryId, done.undoKey);
      const { found, isBusy, isAsking } = shown.state;
      if (found?.pass.id === undo.passId && !isBusy) {
        const stillAsks = isAsking && after.rewardsAvailable > 0;
        shown.set({ found: { ...found, state: after }, isAsking: stillAsks });
      }
    }
    lately.forget(done.cards);
    shown.redo(id, { isUndoing: false, undo: null, isGood: true, text: undo.said });
    ports.signal("good");
  } catch (error) {
    shown.redo(id, { isUndoing: false, ...(!hasNoResponse(error) && { undo: null }) });
    shown.set({ complaint: `${done.name}: ${errorMessage(error)}` });
    ports.signal("bad");
  }
  return true;
}
