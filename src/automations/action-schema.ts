import * as z from "zod";
import { limitedList } from "../base/fields/limited-list.js";
import { text } from "../base/fields/text.js";
import { onAnyObject, requireExactlyOne } from "../base/parse.js";
import type { Scope } from "../base/scopes.js";
import { stampCount } from "../cards/stamps-schema.js";
import { messageContent, wireMessageContent } from "../messages/schema.js";
import { pointCount } from "../points/schema.js";

/** Maximum number of actions per automation. They all run in one transaction. */
export const MAX_ACTIONS = 5;

/** The kinds of actions. Each action has one of them as its only key. */
export const actionKinds = [
  "message",
  "assignTag",
  "unassignTag",
  "addStamps",
  "giveReward",
  "givePoints",
] as const;

const messageSchema = z.strictObject(messageContent);

/** The content of a message sent by an automation. */
export type AutomationMessage = z.output<typeof messageSchema>;

const templateFields = { templateId: text() };

const fields = z.strictObject({
  message: messageSchema.optional(),
  assignTag: text().optional(),
  unassignTag: text().optional(),
  addStamps: z.strictObject({ ...templateFields, count: stampCount }).optional(),
  giveReward: z.strictObject(templateFields).optional(),
  givePoints: z.strictObject({ ...templateFields, points: pointCount }).optional(),
});

/** One action of an automation. It has exactly one key, which names the kind of action. */
export type AutomationAction =
  | {
      /** Sends this message to the customer. */
      readonly message: AutomationMessage;
    }
  | {
      /** Assigns the tag with this slug. */
      readonly assignTag: string;
    }
  | {
      /** Removes the tag with this slug. */
      readonly unassignTag: string;
    }
  | {
      /** Adds stamps to the customer's card. */
      readonly addStamps: StampsToAdd;
    }
  | {
      /** Adds a reward to the customer's card. */
      readonly giveReward: RewardToGive;
    }
  | {
      /** Adds points to the customer's card. */
      readonly givePoints: PointsToGive;
    };

export interface StampsToAdd {
  /** ID of the template whose card gets the stamps. */
  readonly templateId: string;
  /** Number of stamps to add, from 1 to 100. */
  readonly count: number;
}

export interface RewardToGive {
  /** ID of the template whose card gets the reward. */
  readonly templateId: string;
}

export interface PointsToGive {
  /** ID of the template whose card gets the points. */
  readonly templateId: string;
  /** Number of points to give, from 1 to 1,000,000,000. */
  readonly points: number;
}

export type StoredAction = AutomationAction;

const newActionSchema = fields
  .superRefine((input, context) => {
    if (actionKinds.filter((kind) => input[kind] !== undefined).length === 1) return;
    context.addIssue({ code: "custom", message: `must have exactly one of ${actionKinds.join(", ")}` });
  }, onAnyObject)
  .meta(requireExactlyOne(...actionKinds))
  .transform((input): AutomationAction => {
    const { message, assignTag, unassignTag, addStamps, giveReward, givePoints } = input;
    if (message !== undefined) return { message };
    if (assignTag !== undefined) return { assignTag };
    if (unassignTag !== undefined) return { unassignTag };
    if (addStamps !== undefined) return { addStamps };
    if (giveReward !== undefined) return { giveReward };
    if (givePoints !== undefined) return { givePoints };
    throw new Error("a validated action has no known kind");
  });

export const actionsSchema = limitedList(newActionSchema, MAX_ACTIONS);

/** The schema for an action in responses. An action has exactly one key, which names the kind of action. */
export const actionSchema = z
  .union([
    z.object({ message: z.object(wireMessageContent) }),
    z.object({ assignTag: z.string() }),
    z.object({ unassignTag: z.string() }),
    z.object({ addStamps: z.object({ templateId: z.string(), count: z.int() }) }),
    z.object({ giveReward: z.object({ templateId: z.string() }) }),
    z.object({ givePoints: z.object({ templateId: z.string(), points: z.int() }) }),
  ])
  .meta({ id: "AutomationAction" });

/** Returns the scopes that a caller would need to perform the same actions directly. */
export function listActionScopes(actions: readonly AutomationAction[]): readonly Scope[] {
  return actions.map((action): Scope => {
    if ("message" in action) return "message:send";
    return "assignTag" in action || "unassignTag" in action ? "user_tag:write" : "loyalty:manage";
  });
}

/**
 * Returns the template ID from each action that adds stamps or gives a reward, along with the path of the field that contains the
 * ID.
 */
export function listStampTemplates(
  actions: readonly AutomationAction[],
): readonly [path: string, id: string][] {
  return actions.flatMap((action, index): [string, string][] => {
    if ("addStamps" in action) return [[`${index}.addStamps.templateId`, action.addStamps.templateId]];
    if ("giveReward" in action) return [[`${index}.giveReward.templateId`, action.giveReward.templateId]];
    return [];
  });
}

/** Returns the template ID from each action that gives points, along with the path of the field that contains the ID. */
export function listPointTemplates(
  actions: readonly AutomationAction[],
): readonly [path: string, id: string][] {
  return actions.flatMap((action, index): [string, string][] =>
    "givePoints" in action ? [[`${index}.givePoints.templateId`, action.givePoints.templateId]] : [],
  );
}

/** Returns the IDs of the templates that actions refer to. */
export function listActionTemplates(actions: readonly AutomationAction[]): readonly string[] {
  return actions.flatMap((action) => {
    if ("message" in action) return action.message.templateId ?? [];
    if ("addStamps" in action) return action.addStamps.templateId;
    if ("givePoints" in action) return action.givePoints.templateId;
    return "giveReward" in action ? action.giveReward.templateId : [];
  });
}

/** Returns the slugs of the tags that actions assign or remove. */
export function listActionTags(actions: readonly AutomationAction[]): readonly string[] {
  return actions.flatMap((action) => {
    if ("assignTag" in action) return action.assignTag;
    return "unassignTag" in action ? action.unassignTag : [];
  });
}
