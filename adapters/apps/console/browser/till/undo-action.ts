import { getErrorMessage } from "../components/error-message.js";
import { turns as words } from "../words/en/till.js";
import { hasNoResponse } from "./call-failure.js";
import type { RecentStamps } from "./recent-stamps.js";
import type { TillPorts } from "./till-state.js";
import type { TillView } from "./till-view.js";

/**
 * Undoes an action and updates the till's state. If the undo fails, shows why.
 * @returns `false` if there is nothing to undo or the action is already being undone.
 */
export async function undoAction(
  id: number,
  ports: TillPorts,
  view: TillView,
  recentStamps: RecentStamps,
): Promise<boolean> {
  const action = view.state.recentActions.find((each) => each.id === id);
  const undo = action?.undo ?? null;
  if (action === undefined || undo === null || action.isUndoing) return false;
  view.updateAction(id, { isUndoing: true });
  try {
    if ("queuedKey" in undo) {
      const isWithdrawn = await ports.withdrawStamps(undo.queuedKey);
      if (!isWithdrawn) throw new Error(words.sentAlready);
    } else if ("purchase" in undo) {
      await ports.returnPurchase(undo.purchase);
      const { tillCard, isAsking } = view.state;
      if (tillCard !== null && action.cards.includes(tillCard.pass.id)) {
        const refreshed = await view.refreshCard();
        view.set({ isAsking: isAsking && (refreshed?.state?.rewardsAvailable ?? 0) > 0 });
      }
    } else {
      const receipt = await ports.reverse(undo.passId, undo.entryId, action.undoKey);
      const { tillCard, isBusy, isAsking } = view.state;
      if (tillCard?.pass.id === undo.passId && !isBusy) {
        const isStillAsking = isAsking && receipt.rewardsAvailable > 0;
        view.set({ tillCard: { ...tillCard, state: receipt }, isAsking: isStillAsking });
      }
    }
    if (!("purchase" in undo)) recentStamps.remove(action.cards);
    const { stamps = 0, rewards = 0, purchases = 0 } = action.counts;
    ports.addToDay({ stamps: -stamps, rewards: -rewards, purchases: -purchases }, action.at);
    view.updateAction(id, { isUndoing: false, undo: null, queued: null, isGood: true, text: undo.message });
    ports.signal("good");
  } catch (error) {
    view.updateAction(id, { isUndoing: false, ...(!hasNoResponse(error) && { undo: null }) });
    view.set({ errorText: `${action.name}: ${getErrorMessage(error)}` });
    ports.signal("bad");
  }
  return true;
}
