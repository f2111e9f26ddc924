import { hasScopes } from "../api/session.js";
import { Button } from "../components/button.js";
import { CountField, Field, Select, toChoices } from "../components/field.js";
import { pickDefaultLanguage } from "../components/first-language.js";
import { Icon } from "../components/icons.js";
import { listChannels } from "../messages/content-draft.js";
import { ContentFields } from "../messages/content-fields.js";
import { TextsFields } from "../messages/texts-fields.js";
import { actionKinds, editor as words } from "../words/en/automation-editor.js";
import { type ActionDraft, newAction, scopeOfAction } from "./action-draft.js";
import { pickLanguageSources, stampCards } from "./automation-setup.js";
import type { EditorProps } from "./trigger-fields.js";

const MOST = 5;

interface ActionsFieldsProps extends EditorProps {
  readonly actions: readonly ActionDraft[];
  readonly onChange: (change: (actions: readonly ActionDraft[]) => readonly ActionDraft[]) => void;
}

/** An editor for an automation's actions. Lists the actions in the order they run. */
export function ActionsFields({ actions, setup, errorOf, onChange }: ActionsFieldsProps) {
  const kind = actionKinds.find(([kind]) => hasScopes(scopeOfAction[kind]))?.[0] ?? "message";
  const card = stampCards(setup)[0]?.id ?? "";
  const language = pickDefaultLanguage(pickLanguageSources(setup, card));
  return (
    <section class="stack" aria-label={words.actions}>
      <div class="stack tight">
        <h2>{words.actions}</h2>
        <p class="hint">{words.actionsHint}</p>
      </div>
      {actions.map((action, at) => (
        <ActionFields
          key={action.id}
          action={action}
          at={at}
          setup={setup}
          errorOf={(path) => errorOf(`do.${at}.${path}`)}
          onChange={(part) => onChange((before) => before.with(at, { ...action, ...part }))}
          {...(actions.length > 1 && { onRemove: () => onChange((before) => before.toSpliced(at, 1)) })}
        />
      ))}
      <div>
        <Button
          icon="plus"
          text={words.add}
          disabled={actions.length >= MOST}
          onClick={() => onChange((before) => [...before, newAction(kind, card, language)])}
        />
      </div>
    </section>
  );
}

interface ActionFieldsProps extends EditorProps {
  readonly action: ActionDraft;
  readonly at: number;
  readonly onChange: (part: Partial<ActionDraft>) => void;
  readonly onRemove?: () => void;
}

function ActionFields({ action, at, setup, errorOf, onChange, onRemove }: ActionFieldsProps) {
  const { kind, templateId, count } = action;
  const allowed = actionKinds.filter(([each]) => each === kind || hasScopes(scopeOfAction[each]));
  const isOfCard = kind === "addStamps" || kind === "giveReward";
  return (
    <fieldset class="panel padded stack">
      <legend class="unseen">{words.step(at)}</legend>
      <div class="row spread">
        <strong>{words.step(at)}</strong>
        {onRemove !== undefined && (
          <Button kind="plain" label={words.remove(at)} onClick={onRemove}>
            <Icon name="close" />
          </Button>
        )}
      </div>
      <Field label={words.action}>
        <Select value={kind} choices={allowed} onChoose={(chosen) => onChange({ kind: chosen })} />
      </Field>
      {kind === "message" && (
        <MessageFields
          action={action}
          setup={setup}
          errorOf={(path) => errorOf(`message.${path}`)}
          onChange={onChange}
        />
      )}
      {(kind === "assignTag" || kind === "unassignTag") && (
        <TagField action={action} setup={setup} errorOf={() => errorOf(kind)} onChange={onChange} />
      )}
      {isOfCard && (
        <Field label={words.card} error={errorOf(`${kind}.templateId`)}>
          <Select
            value={templateId}
            choices={[["", words.noCard], ...toChoices(stampCards(setup))]}
            onChoose={(id) => onChange({ templateId: id })}
          />
        </Field>
      )}
      {kind === "addStamps" && (
        <CountField
          label={words.count}
          error={errorOf("addStamps.count")}
          min={1}
          value={count}
          onText={(typed) => onChange({ count: typed })}
        />
      )}
    </fieldset>
  );
}

type PartOfAction = Pick<ActionFieldsProps, "action" | "setup" | "errorOf" | "onChange">;

function MessageFields({ action: { content }, setup, errorOf, onChange }: PartOfAction) {
  return (
    <>
      <ContentFields
        edited={content}
        templates={setup.templates}
        errorOf={errorOf}
        onChange={(part) => onChange({ content: { ...content, ...part } })}
      />
      <TextsFields
        texts={content.texts}
        channels={listChannels(content)}
        hasCard={content.templateId !== ""}
        errorOf={errorOf}
        onChange={(texts) => onChange({ content: { ...content, texts } })}
        onShow={() => {}}
      />
    </>
  );
}

function TagField({ action: { tag }, setup: { tags }, errorOf, onChange }: PartOfAction) {
  const isGone = tag !== "" && !tags.some(({ slug }) => slug === tag);
  return (
    <Field label={words.tag} error={errorOf("")}>
      <Select
        value={tag}
        choices={[
          ["", words.noTag],
          ...tags.map(({ slug, name }) => [slug, name] as const),
          ...(isGone ? [[tag, tag] as const] : []),
        ]}
        onChoose={(slug) => onChange({ tag: slug })}
      />
    </Field>
  );
}
