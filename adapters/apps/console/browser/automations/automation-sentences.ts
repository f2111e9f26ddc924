import type { Automation } from "../../../../../src/automations/schema.js";
import { formatClause } from "../segments/filter-sentence.js";
import { parseGroup } from "../segments/filter-tree.js";
import { formatKeys } from "../segments/leaf-values.js";
import { does, happens, per, starts, together } from "../words/en/automation-sentences.js";
import type { Names } from "../words/en/segment-phrases.js";

type Trigger = Automation["on"];
type Action = Automation["do"][number];

/** Describes an automation's trigger and delay, for example "When a customer gets the card “Coffee”, 7 days later". */
export function describeTrigger({ on, after }: Pick<Automation, "on" | "after">, names: Names): string {
  const triggerText = describeEventTrigger(on, names);
  return after === 0 ? triggerText : starts.later(triggerText, after);
}

function describeEventTrigger(on: Trigger, names: Names): string {
  if ("segmentEntered" in on) return starts.segment(names.segment(on.segmentEntered));
  if ("date" in on) {
    const { daysBefore, at } = on.date;
    if ("pointsExpiry" in on.date)
      return starts.pointsExpiry(names.card(on.date.pointsExpiry), daysBefore, at);
    const { metadata } = on.date;
    return starts.everyYear(formatKeys(metadata), daysBefore, at);
  }
  const { event, templateId, toGo } = on;
  const card = templateId === undefined ? null : names.card(templateId);
  return toGo === undefined ? happens[event](card) : starts.missing(toGo, card);
}

/**
 * Describes an automation's condition, for example "Only for customers who have a reward waiting". Returns an empty string if the
 * automation runs for all customers.
 */
export function describeCondition({ if: filter }: Pick<Automation, "if">, names: Names): string {
  const tree = filter === null ? null : parseGroup(filter);
  return tree === null ? "" : together.onlyFor(formatClause(tree, names));
}

/** Describes all actions, for example: add 1 stamp to “Coffee” and write to them by mail */
function describeActions(actions: readonly Action[], names: Names): string {
  const actionTexts = actions.map((action) => describeAction(action, names));
  const lastText = actionTexts.slice(-1).join("");
  const precedingTexts = actionTexts.slice(0, -1).join(", ");
  return precedingTexts === "" ? lastText : together.and(precedingTexts, lastText);
}

/** Describes one action, for example "send them a message by email". */
export function describeAction(action: Action, names: Names): string {
  if ("message" in action) return does.write(action.message.channels, action.message.order === "each");
  if ("assignTag" in action) return does.assignTag(names.tag(action.assignTag));
  if ("unassignTag" in action) return does.unassignTag(names.tag(action.unassignTag));
  if ("addStamps" in action) {
    const { templateId, count } = action.addStamps;
    return does.addStamps(count, names.card(templateId));
  }
  if ("givePoints" in action) {
    const { templateId, points } = action.givePoints;
    return does.givePoints(points, names.card(templateId));
  }
  return does.giveReward(names.card(action.giveReward.templateId));
}

/** Describes how often an automation can run, for example "Once per customer". */
export function describeFrequency(frequency: Automation["per"]): string {
  return typeof frequency === "string" ? per[frequency] : per.everyDays(frequency.everyDays);
}

/** Describes a whole automation in about two sentences, for use in lists. */
export function describeAutomation(automation: Automation, names: Names): string {
  const actions = describeActions(automation.do, names);
  return together.whole(
    describeTrigger(automation, names),
    actions,
    describeCondition(automation, names),
    describeFrequency(automation.per),
  );
}
