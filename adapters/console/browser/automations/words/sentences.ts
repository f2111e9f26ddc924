import type { Automation } from "../../../../../src/resources/automation.js";
import { clauseOf } from "../../segments/filter-sentence.js";
import { groupOf } from "../../segments/filter-tree.js";
import { textOfKeys } from "../../segments/leaf-values.js";
import type { Names } from "../../segments/words/phrases.js";
import { counted } from "../../words/en/forms.js";

type Start = Automation["on"];
type Action = Automation["do"][number];
type StartingEvent = Extract<Start, { readonly event: unknown }>["event"];

const quoted = (name: string) => `“${name}”`;

/** Each event as what happens, with the words for a card. */
const happens: Readonly<Record<StartingEvent, (card: string | null) => string>> = {
  "user.created": () => "a customer is added",
  "pass.created": (card) => `somebody gets ${card === null ? "a card" : `the card ${card}`}`,
  "pass.installed": (card) => `somebody puts ${card === null ? "a card" : `the card ${card}`} into a wallet`,
  "stamp.added": (card) => `somebody gets a stamp${card === null ? "" : ` on ${card}`}`,
  "stamp_card.completed": (card) => `${card === null ? "a card" : `the card ${card}`} is full`,
  "stamp_card.redeemed": (card) => `a reward${card === null ? "" : ` of ${card}`} is handed out`,
};

/** When somebody gets the card “Coffee”, 7 days later */
export function whenText({ on, after }: Pick<Automation, "on" | "after">, names: Names): string {
  return `${startText(on, names)}${after === 0 ? "" : `, ${counted(after, "day")} later`}`;
}

function startText(on: Start, names: Names): string {
  if ("segmentEntered" in on)
    return `When somebody comes into the segment ${quoted(names.segment(on.segmentEntered))}`;
  if ("date" in on) {
    const { metadata, daysBefore, at } = on.date;
    const day = quoted(textOfKeys(metadata));
    return `Every year ${daysBefore === 0 ? "on" : `${counted(daysBefore, "day")} before`} ${day}, at ${at}`;
  }
  const { event, templateId, toGo } = on;
  const card = templateId === undefined ? null : quoted(names.card(templateId));
  if (toGo !== undefined) {
    const missing = `${counted(toGo, "stamp")} ${toGo === 1 ? "is" : "are"} still missing`;
    return `When ${missing}${card === null ? "" : ` on ${card}`}`;
  }
  return `When ${happens[event](card)}`;
}

/** Only for customers who have a reward waiting; empty where it is for everybody. */
export function conditionText({ if: filter }: Pick<Automation, "if">, names: Names): string {
  const tree = filter === null ? null : groupOf(filter);
  return tree === null ? "" : `Only for customers ${clauseOf(tree, names)}`;
}

/** add 1 stamp to “Coffee” and write to them, by mail */
export function actionsText(actions: readonly Action[], names: Names): string {
  const said = actions.map((action) => actionText(action, names));
  const last = said.slice(-1).join("");
  const before = said.slice(0, -1).join(", ");
  return before === "" ? last : `${before} and ${last}`;
}

/** write to them by mail */
export function actionText(action: Action, names: Names): string {
  if ("message" in action) return `write to them ${channelsText(action.message)}`;
  if ("assignTag" in action) return `give them the tag ${quoted(names.tag(action.assignTag))}`;
  if ("unassignTag" in action) return `take the tag ${quoted(names.tag(action.unassignTag))} from them`;
  if ("addStamps" in action) {
    const { templateId, count } = action.addStamps;
    return `add ${counted(count, "stamp")} to ${quoted(names.card(templateId))}`;
  }
  return `give them a reward on ${quoted(names.card(action.giveReward.templateId))}`;
}

type Message = Extract<Action, { readonly message: unknown }>["message"];

function channelsText({ channels, order }: Pick<Message, "channels" | "order">): string {
  const said = channels.map((channel) => (channel === "email" ? "by mail" : "on the card"));
  return said.join(order === "each" ? " and " : ", or else ");
}

/** Once for each customer. */
export function perText(per: Automation["per"]): string {
  if (per === "once") return "Once for each customer";
  if (per === "occasion") return "Each time that it happens";
  return per.everyDays === 1
    ? "At most once a day for each customer"
    : `At most every ${counted(per.everyDays, "day")} for each customer`;
}

/** All of it in two sentences, for a list. */
export function automationText(automation: Automation, names: Names): string {
  const condition = conditionText(automation, names);
  const start = `${whenText(automation, names)}: ${actionsText(automation.do, names)}.`;
  return `${start} ${condition === "" ? "" : `${condition}. `}${perText(automation.per)}.`;
}
