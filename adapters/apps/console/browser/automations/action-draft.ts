import type { Automation, CreateAutomation } from "../../../../../src/automations/schema.js";
import type { Scope } from "../../../../../src/base/scopes.js";
import { session } from "../api/session.js";
import {
  type ContentDraft,
  createEmptyText,
  emptyContent,
  fromContentDraft,
  toContentDraft,
} from "../messages/content-draft.js";

type TriggerEvent = Extract<Automation["on"], { readonly event: unknown }>["event"];

/**
 * What triggers an automation: one of the listed event types, entering a segment (`segment`), a date (`date`), or points that
 * expire (`pointsExpiry`).
 */
export type TriggerKind = TriggerEvent | "segment" | "date" | "pointsExpiry";

type ActionKind = "message" | "assignTag" | "unassignTag" | "addStamps" | "giveReward" | "givePoints";

/** How often an automation can run for the same customer: once, each time it is triggered, or at most once in a number of days. */
export type Frequency = "once" | "occasion" | "everyDays";

type Action = Automation["do"][number];
type CreateAction = CreateAutomation["do"][number];

/** The scope that a user needs to create each kind of action. */
export const scopeOfAction: Readonly<Record<ActionKind, Scope>> = {
  message: "message:send",
  assignTag: "user_tag:write",
  unassignTag: "user_tag:write",
  addStamps: "loyalty:manage",
  giveReward: "loyalty:manage",
  givePoints: "loyalty:manage",
};

/**
 * An action in the editor. Preserves the user's input for other kinds of actions so that nothing is lost when switching between
 * kinds.
 */
export interface ActionDraft {
  readonly id: string;
  readonly kind: ActionKind;
  readonly content: ContentDraft;
  /** The tag's slug, or an empty string until a tag is selected. */
  readonly tag: string;
  /** The ID of the card that receives the stamps, reward, or points, or an empty string until a card is selected. */
  readonly templateId: string;
  readonly count: string;
  /** The number of points, as the user typed it. */
  readonly points: string;
}

/**
 * Creates a draft of an action. A message initially uses every channel that this server supports.
 * @param templateId the ID of the card that is selected initially, or an empty string for none.
 * @param language the initial language of a message.
 */
export function createActionDraft(kind: ActionKind, templateId: string, language: string): ActionDraft {
  const onWallet = session.hasWallets && templateId !== "";
  const texts = [createEmptyText(language)];
  const content = { ...emptyContent, texts, templateId, onWallet, byEmail: session.hasMail };
  return { id: crypto.randomUUID(), kind, content, tag: "", templateId, count: "1", points: "10" };
}

/**
 * Converts an action from the API to a draft.
 * @param language the initial language if the user turns the action into a message.
 */
export function toActionDraft(action: Action, language: string): ActionDraft {
  const baseDraft = createActionDraft("message", "", language);
  if ("message" in action) return { ...baseDraft, content: toContentDraft(action.message) };
  if ("assignTag" in action) return { ...baseDraft, kind: "assignTag", tag: action.assignTag };
  if ("unassignTag" in action) return { ...baseDraft, kind: "unassignTag", tag: action.unassignTag };
  if ("giveReward" in action)
    return { ...baseDraft, kind: "giveReward", templateId: action.giveReward.templateId };
  if ("givePoints" in action) {
    const { templateId, points } = action.givePoints;
    return { ...baseDraft, kind: "givePoints", templateId, points: String(points) };
  }
  const { templateId, count } = action.addStamps;
  return { ...baseDraft, kind: "addStamps", templateId, count: String(count) };
}

/** Converts a draft to the action that the API expects. */
export function fromActionDraft({
  kind,
  content,
  tag,
  templateId,
  count,
  points,
}: ActionDraft): CreateAction {
  switch (kind) {
    case "message":
      return { message: fromContentDraft(content) };
    case "assignTag":
      return { assignTag: tag };
    case "unassignTag":
      return { unassignTag: tag };
    case "addStamps":
      return { addStamps: { templateId, count: Number(count) } };
    case "giveReward":
      return { giveReward: { templateId } };
    case "givePoints":
      return { givePoints: { templateId, points: Number(points) } };
  }
}
