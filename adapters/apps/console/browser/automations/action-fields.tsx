import { hasScopes } from "../api/session.js";
import { Button } from "../components/button.js";
import { CountField, Field, Select, toChoices } from "../components/field.js";
import { pickDefaultLanguage } from "../components/first-language.js";
import { Icon } from "../components/icons.js";
import { listChannels } from "../messages/content-draft.js";
import { ContentFields } from "../messages/content-fields.js";
import { TextsFields } from "../messages/texts-fields.js";
import { actionKinds, editor as words } from "../words/en/automation-editor.js";
import { type ActionDraft, createActionDraft, scopeOfAction } from "./action-draft.js";
import { listPointCards, listStampCards, pickLanguageSources } from "./automation-setup.js";
import type { EditorProps } from "./trigger-fields.js";

const MAX_ACTIONS = 5;

interface ActionsFieldsProps extends EditorProps {
  readonly actions: readonly ActionDraft[];
  readonly onChange: (change: (actions: readonly ActionDraft[]) => readonly ActionDraft[]) => void;
}

/** An editor for an automation's actions, listed in the order in which they run. */
export function ActionsFields({ actions, setup, findError, onChange }: ActionsFieldsProps) {
  const kind = actionKinds.find(([kind]) => hasScopes(scopeOfAction[kind]))?.[0] ?? "message";
  const card = listStampCards(setup)[0]?.id ?? "";
  const language = pickDefaultLanguage(pickLanguageSources(setup, card));
  return (
    <section class="stack" aria-label={words.actions}>
      <div class="stack tight">
        <h2>{words.actions}</h2>
        <p class="hint">{words.actionsHint}</p>
      </div>
      {actions.map((action, index) => (
        <ActionFields
          key={action.id}
          action={action}
          index={index}
          setup={setup}
          findError={(path) => findError(`do.${index}.${path}`)}
          onChange={(part) => onChange((previous) => previous.with(index, { ...action, ...part }))}
          {...(actions.length > 1 && {
            onRemove: () => onChange((previous) => previous.toSpliced(index, 1)),
          })}
        />
      ))}
      <div>
        <Button
          icon="plus"
          text={words.add}
          disabled={actions.length >= MAX_ACTIONS}
          onClick={() => onChange((previous) => [...previous, createActionDraft(kind, card, language)])}
        />
      </div>
    </section>
  );
}

interface ActionFieldsProps extends EditorProps {
  readonly action: ActionDraft;
  readonly index: number;
  readonly onChange: (part: Partial<ActionDraft>) => void;
  readonly onRemove?: () => void;
}

function ActionFields({ action, index, setup, findError, onChange, onRemove }: ActionFieldsProps) {
  const { kind, templateId, count, points } = action;
  const allowedKinds = actionKinds.filter(([each]) => each === kind || hasScopes(scopeOfAction[each]));
  const hasCardField = kind === "addStamps" || kind === "giveReward" || kind === "givePoints";
  const cards = kind === "givePoints" ? listPointCards(setup) : listStampCards(setup);
  const changeKind = (newKind: ActionDraft["kind"]) => {
    const isOtherCard = (kind === "givePoints") !== (newKind === "givePoints");
    onChange({ kind: newKind, ...(isOtherCard && { templateId: "" }) });
  };
  return (
    <fieldset class="panel padded stack">
      <legend class="unseen">{words.step(index)}</legend>
      <div class="row spread">
        <strong>{words.step(index)}</strong>
        {onRemove !== undefined && (
          <Button kind="plain" label={words.remove(index)} onClick={onRemove}>
            <Icon name="close" />
          </Button>
        )}
      </div>
      <Field label={words.action}>
        <Select value={kind} choices={allowedKinds} onChoose={changeKind} />
      </Field>
      {kind === "message" && (
        <MessageFields
          action={action}
          setup={setup}
          findError={(path) => findError(`message.${path}`)}
          onChange={onChange}
        />
      )}
      {(kind === "assignTag" || kind === "unassignTag") && (
        <TagField action={action} setup={setup} findError={() => findError(kind)} onChange={onChange} />
      )}
      {hasCardField && (
        <Field label={words.card} error={findError(`${kind}.templateId`)}>
          <Select
            value={templateId}
            choices={[["", words.noCard], ...toChoices(cards)]}
            onChoose={(id) => onChange({ templateId: id })}
          />
        </Field>
      )}
      {kind === "addStamps" && (
        <CountField
          label={words.count}
          error={findError("addStamps.count")}
          min={1}
          value={count}
          onText={(text) => onChange({ count: text })}
        />
      )}
      {kind === "givePoints" && (
        <CountField
          label={words.points}
          error={findError("givePoints.points")}
          min={1}
          value={points}
          onText={(text) => onChange({ points: text })}
        />
      )}
    </fieldset>
  );
}

type ActionPartProps = Pick<ActionFieldsProps, "action" | "setup" | "findError" | "onChange">;

function MessageFields({ action: { content }, setup, findError, onChange }: ActionPartProps) {
  return (
    <>
      <ContentFields
        draft={content}
        templates={setup.templates}
        findError={findError}
        onChange={(part) => onChange({ content: { ...content, ...part } })}
      />
      <TextsFields
        texts={content.texts}
        channels={listChannels(content)}
        hasCard={content.templateId !== ""}
        findError={findError}
        onChange={(texts) => onChange({ content: { ...content, texts } })}
        onShow={() => {}}
      />
    </>
  );
}

function TagField({ action: { tag }, setup: { tags }, findError, onChange }: ActionPartProps) {
  const isDeleted = tag !== "" && !tags.some(({ slug }) => slug === tag);
  return (
    <Field label={words.tag} error={findError("")}>
      <Select
        value={tag}
        choices={[
          ["", words.noTag],
          ...tags.map(({ slug, name }) => [slug, name] as const),
          ...(isDeleted ? [[tag, tag] as const] : []),
        ]}
        onChoose={(slug) => onChange({ tag: slug })}
      />
    </Field>
  );
}
