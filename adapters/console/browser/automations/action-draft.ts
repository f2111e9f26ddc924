import type { Automation, CreateAutomation } from "../../../../src/resources/automation.js";
import type { Scope } from "../../../../src/scopes.js";
import { session } from "../api/session.js";
import {
  type ContentDraft,
  emptyContent,
  fromContentDraft,
  noText,
  toContentDraft,
} from "../messages/content-draft.js";
import type { ActionKind } from "./automation-kinds.js";

type Action = Automation["do"][number];
type SentAction = CreateAutomation["do"][number];

/** The scope that each kind needs. */
export const scopeOfAction: Readonly<Record<ActionKind, Scope>> = {
  message: "message:send",
  assignTag: "user_tag:write",
  unassignTag: "user_tag:write",
  addStamps: "loyalty:manage",
  giveReward: "loyalty:manage",
};

/** One thing that is done, while it is edited: it keeps what was typed for its other kinds. */
export interface ActionDraft {
  readonly id: string;
  readonly kind: ActionKind;
  readonly content: ContentDraft;
  /** A slug; empty for none yet. */
  readonly tag: string;
  /** Empty for none yet. */
  readonly templateId: string;
  readonly count: string;
}

/**
 * A new action; one that writes does so by all ways that this server has.
 * @param templateId the card that it begins with; empty for none.
 * @param language the one that it begins to write in.
 */
export function newAction(kind: ActionKind, templateId: string, language: string): ActionDraft {
  const onWallet = session.hasWallets && templateId !== "";
  const texts = [noText(language)];
  const content = { ...emptyContent, texts, templateId, onWallet, byEmail: session.hasMail };
  return { id: crypto.randomUUID(), kind, content, tag: "", templateId, count: "1" };
}

/** Returns an action to edit. @param language the one that it would begin to write in. */
export function toActionDraft(action: Action, language: string): ActionDraft {
  const none = newAction("message", "", language);
  if ("message" in action) return { ...none, content: toContentDraft(action.message) };
  if ("assignTag" in action) return { ...none, kind: "assignTag", tag: action.assignTag };
  if ("unassignTag" in action) return { ...none, kind: "unassignTag", tag: action.unassignTag };
  if ("giveReward" in action)
    return { ...none, kind: "giveReward", templateId: action.giveReward.templateId };
  const { templateId, count } = action.addStamps;
  return { ...none, kind: "addStamps", templateId, count: String(count) };
}

/** Returns an action as it is sent. */
export function fromActionDraft({ kind, content, tag, templateId, count }: ActionDraft): SentAction {
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
  }
}
