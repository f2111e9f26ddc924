import { useState } from "preact/hooks";
import type { DesignTexts } from "../../../../../src/cards/design-schema.js";
import type { Template, UpdateTemplate } from "../../../../../src/cards/schema.js";
import { type CallError, loadCode } from "../api/call-error.js";
import { api } from "../api/calls.js";
import { session } from "../api/session.js";
import { BackLink } from "../app/router.js";
import { NotFound, PageHead, type ScreenProps } from "../app/screen.js";
import { UnsavedChanges } from "../app/unsaved.js";
import { Button } from "../components/button.js";
import { ErrorText, Loading } from "../components/feedback.js";
import { TextField } from "../components/field.js";
import { useSave } from "../components/form.js";
import { LanguageField } from "../components/language-field.js";
import { useLoad } from "../components/load.js";
import { runWithToast, showToast } from "../components/toasts.js";
import { usePictureUrl } from "../components/use-picture-url.js";
import {
  links,
  lists,
  look,
  previews,
  texts,
  texts as textsWords,
  textWords,
  design as words,
} from "../words/en/card-design.js";
import { cards } from "../words/en/cards.js";
import { language as own } from "../words/en/forms.js";
import {
  blankToNull,
  createEmptyTexts,
  type DesignDraft,
  fromDesignDraft,
  toDesignDraft,
} from "./design-draft.js";
import { DesignList, type ItemText } from "./design-list.js";
import { LookFields } from "./look-fields.js";
import { buildPreviewTexts, type CardPreview } from "./preview-texts.js";
import { WalletPreview } from "./wallet-preview.js";

/** Loads the editor for what purchases give. */
const loadProgram = () => loadCode(() => import("./program/program-section.js"));

const textNames = ["title", "description", "stampsLabel", "rewardsLabel", "toGo", "rewardReady"] as const;

const lineLists = [
  { name: "front", maxItems: 4 },
  { name: "back", maxItems: 20 },
] as const;

/** Returns the fields for a text with its own label. */
const listLineTexts = (label: (number: number) => string): ItemText<"label" | "value">[] => [
  { name: "label", label },
  { name: "value", label: () => textsWords.says },
];

/** Maximum number of undo steps. */
const MAX_UNDO_STEPS = 100;

const linkTexts: readonly ItemText<"label" | "url">[] = [
  { name: "label", label: lists.link.label },
  { name: "url", label: () => links.address },
];

const locationTexts: readonly ItemText<"latitude" | "longitude" | "text">[] = [
  { name: "latitude", label: () => links.latitude, inputMode: "decimal" },
  { name: "longitude", label: () => links.longitude, inputMode: "decimal" },
  { name: "text", label: () => links.saysThere, inputMode: "text" },
];

/** The screen for editing how a card looks in wallets. */
export function DesignScreen({ screenLocation }: ScreenProps) {
  const { id } = screenLocation;
  const template = useLoad(id, (calls) => calls.templates.get(id));
  return (
    <Loading data={template} height="30rem" missing={<NotFound />}>
      {(value) => (
        <>
          <BackLink to="/cards" text={words.back} />
          <DesignForm template={value} onSaved={template.set} />
        </>
      )}
    </Loading>
  );
}

interface DesignFormProps {
  readonly template: Template;
  readonly onSaved: (template: Template) => void;
}

/** Edits a design next to a preview of the card in wallets. Nothing is sent until the user saves. */
function DesignForm({ template, onSaved }: DesignFormProps) {
  const history = useUndoableState<DesignDraft>(toDesignDraft(template));
  const design = history.value;
  const { isBusy, error, save } = useSave();
  const [stamps, setStamps] = useState(Math.ceil((template.maxStamps ?? 0) / 2));
  const [language, setLanguage] = useState(0);
  const findError = (field: string) => error?.fields[`design.${field}`];
  const program = useLoad("program", loadProgram);

  const update = async (changes: TemplateChanges) => {
    const saved = await api.templates.update(template.id, changes);
    history.reset(toDesignDraft(saved));
    onSaved(saved);
  };
  const saveAs = (message: string, getChanges: () => TemplateChanges | Promise<TemplateChanges>) =>
    save(async () => {
      const changes = await getChanges();
      const previousDesign = template.design && fromDesignDraft(toDesignDraft(template));
      const previousValues = {
        ...("design" in changes && { design: previousDesign, reward: template.reward }),
        ...("earning" in changes && { earning: template.earning }),
        ...("points" in changes && { points: template.points }),
      };
      await update(changes);
      showToast(
        "design" in changes ? message : words.programSaved,
        () => void runWithToast(() => update(previousValues)),
      );
    });
  const change = (fields: Partial<DesignDraft>, path: string) => history.set({ ...design, ...fields }, path);
  const changeTexts = (texts: DesignDraft["texts"], path = "texts") => change({ texts }, path);

  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void saveAs(words.wasSaved, () => buildChanges(design, template));
      }}
    >
      <UnsavedChanges isDirty={history.undo !== null} />
      <PageHead title={words.title(template.name)}>
        <Button
          text={words.undo}
          disabled={history.undo === null || isBusy}
          onClick={() => history.undo?.()}
        />
        {template.design !== null && (
          <Button
            text={words.remove}
            disabled={isBusy}
            onClick={() => void saveAs(words.wasRemoved, () => ({ design: null }))}
          />
        )}
        <Button text={words.save} kind="primary" type="submit" disabled={isBusy} />
      </PageHead>
      {error !== null && <ErrorText>{describeError(error, template)}</ErrorText>}
      <div class="halves design">
        <div class="stack">
          <LookFields
            template={template}
            design={design}
            findError={findError}
            rewardError={error?.fields.reward}
            onChange={history.set}
          />
          <Loading data={program} height="8rem">
            {({ ProgramSection }) => (
              <ProgramSection
                template={template}
                draft={design.program}
                errors={error?.fields ?? {}}
                onChange={(draft, path) => change({ program: draft }, path)}
              />
            )}
          </Loading>
          <section class="stack tight" aria-label={texts.title}>
            <h2>{texts.title}</h2>
            {findError("texts") !== undefined && (
              <p class="field-error" role="alert">
                {findError("texts")}
              </p>
            )}
            {design.texts.map((each, index) => (
              <DesignTextsFields
                key={index}
                index={index}
                texts={each}
                findError={(path) => findError(`texts.${index}.${path}`)}
                onChange={(changedTexts, path) => {
                  setLanguage(index);
                  changeTexts(design.texts.with(index, changedTexts), `texts.${index}.${path}`);
                }}
                onRemove={() => changeTexts(design.texts.toSpliced(index, 1))}
              />
            ))}
            <div>
              <Button
                text={texts.add}
                onClick={() =>
                  changeTexts([...design.texts, createEmptyTexts(design.texts.length === 0 ? own : "")])
                }
              />
            </div>
          </section>
          <section class="stack tight" aria-label={links.links}>
            <h2>{links.links}</h2>
            <DesignList
              words={lists.link}
              class="pair"
              texts={linkTexts}
              items={design.links}
              maxItems={10}
              findError={(path) => findError(`links.${path}`)}
              onChange={(links, path) => change({ links: [...links] }, `links.${path}`)}
            />
          </section>
          <section class="stack tight" aria-label={links.places}>
            <h2>{links.places}</h2>
            <p class="hint">{links.placesHint}</p>
            <DesignList
              words={lists.place}
              class="place"
              texts={locationTexts}
              items={design.locations}
              maxItems={10}
              findError={(path) => findError(`locations.${path}`)}
              onChange={(locations, path) => change({ locations }, `locations.${path}`)}
            />
          </section>
          <TextField
            label={words.validUntil}
            hint={words.validUntilHint}
            error={findError("expiresAt")}
            type="datetime-local"
            value={design.expiresAt === null ? "" : formatLocalMinute(design.expiresAt)}
            onText={(text) =>
              change({ expiresAt: text === "" ? null : new Date(text).toISOString() }, "expiresAt")
            }
          />
        </div>
        <section class="stack tight preview" aria-label={words.preview}>
          {template.maxStamps !== null && (
            <TextField
              label={stamps === template.maxStamps ? words.allStampsShown : words.stampsShown(stamps)}
              type="range"
              min={0}
              max={template.maxStamps}
              value={String(stamps)}
              onText={(text) => setStamps(Number(text))}
            />
          )}
          <WalletPreview {...{ template, design, stamps, language }} />
          <h2>{words.lockScreen}</h2>
          <LockScreens {...{ template, design, stamps, language }} />
          <p class="hint">{words.walletsChoose}</p>
        </section>
      </div>
    </form>
  );
}

/** Returns the first message about a field behind the name that its part of the screen has, or the message about the whole. */
function describeError({ message, fields }: CallError, { type }: Template): string {
  const [first] = Object.entries(fields);
  if (first === undefined) return message;
  const [path, fieldMessage] = first;
  const [root = "", part = ""] = path.split(".");
  const programName = type === "STAMP_CARD" ? cards.stamps : cards.points;
  const names: Readonly<Record<string, string>> = { ...partNames, earning: programName, points: programName };
  return `${names[root === "design" ? part : root] ?? look.title}: ${fieldMessage}`;
}

const partNames = {
  reward: look.reward,
  backgroundColor: look.backgroundColor,
  foregroundColor: look.foregroundColor,
  labelColor: look.labelColor,
  logo: look.logo,
  icon: look.icon,
  strip: look.strip,
  texts: texts.title,
  links: links.links,
  locations: links.places,
  expiresAt: words.validUntil,
};

type TemplateChanges = Pick<UpdateTemplate, "design" | "reward" | "earning" | "points">;

/**
 * Returns the changes to save. If only the program has changed, they leave out the design, so that a card without one keeps the
 * default.
 * @throws {CallError} if a field of the program is invalid.
 */
async function buildChanges(draft: DesignDraft, template: Template): Promise<TemplateChanges> {
  const toChanges = (each: DesignDraft) => ({
    design: fromDesignDraft(each),
    ...(template.maxStamps !== null && { reward: blankToNull(each.reward) }),
  });
  const changes = toChanges(draft);
  if (draft.program === null) return changes;
  const { buildProgramChanges } = await loadProgram();
  const programChanges = buildProgramChanges(draft.program, template);
  const isDesignChanged = JSON.stringify(changes) !== JSON.stringify(toChanges(toDesignDraft(template)));
  return { ...(isDesignChanged && changes), ...programChanges };
}

/** Formats a time for a `datetime-local` field, in the browser's time zone. */
function formatLocalMinute(timestamp: string): string {
  const time = new Date(timestamp);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

interface Step<T> {
  readonly value: T;
  readonly path: string;
}

interface Undoable<T> {
  readonly value: T;
  /** Changes the value. Consecutive changes at the same path are undone together, as one step. */
  readonly set: (value: T, path: string) => void;
  /** Undoes the last step, or `null` if there is nothing to undo. */
  readonly undo: (() => void) | null;
  /** Sets the value and clears the undo history. */
  readonly reset: (value: T) => void;
}

/** Works like `useState`, but also keeps previous values so that changes can be undone. */
function useUndoableState<T>(initial: T): Undoable<T> {
  const [steps, setSteps] = useState<readonly [Step<T>, ...Step<T>[]]>([{ value: initial, path: "" }]);
  const [latestStep, ...undoneSteps] = steps;
  const [previous, ...earlier] = undoneSteps;
  return {
    value: latestStep.value,
    set: (value, path) =>
      setSteps(([latest, ...others]) =>
        latest.path === path
          ? [{ value, path }, ...others]
          : [{ value, path }, latest, ...others.slice(0, MAX_UNDO_STEPS - 1)],
      ),
    // Clears the path, so that a change at the same path after an undo is a new step.
    undo: previous === undefined ? null : () => setSteps([{ ...previous, path: "" }, ...earlier]),
    reset: (value) => setSteps([{ value, path: "" }]),
  };
}

/**
 * Previews a card's lock-screen notifications on an iPhone and an Android phone. If a location has text, also previews the
 * notification that an iPhone shows near that location.
 */
function LockScreens(preview: CardPreview) {
  const { design } = preview;
  const { words } = buildPreviewTexts(preview).texts;
  const icon = usePictureUrl(design.icon ?? design.logo);
  const logo = usePictureUrl(design.logo);
  const locationText = design.locations.find(({ text }) => text.trim() !== "")?.text;
  const message = words.next ?? previews.message;
  return (
    <div class="lock-screens">
      <section class="lock-screen" aria-label={previews.onIphone}>
        <Notification
          picture={icon}
          ground={design.backgroundColor}
          title={session.shopName ?? previews.yourShop}
          text={message}
        />
        {locationText !== undefined && (
          <Notification
            picture={icon}
            ground={design.backgroundColor}
            title={words.title}
            text={locationText}
          />
        )}
      </section>
      <section class="lock-screen" aria-label={previews.onAndroid}>
        <Notification
          isRound
          picture={logo}
          ground={design.backgroundColor}
          title={words.title}
          text={message}
        />
      </section>
    </div>
  );
}

interface NotificationProps {
  /** The picture's URL. If it is `null`, a square in the card's color is shown instead. */
  readonly picture: string | null;
  readonly ground: string;
  readonly title: string;
  readonly text: string;
  readonly isRound?: boolean;
}

function Notification({ picture, ground, title, text, isRound = false }: NotificationProps) {
  return (
    <div class="lock-notice">
      <span class={`lock-icon ${isRound ? "round" : ""}`} style={{ "--card-ground": ground }}>
        {picture !== null && <img src={picture} alt="" />}
      </span>
      <span class="lock-text">
        <strong>{title}</strong>
        <span>{text}</span>
      </span>
      <small>{previews.now}</small>
    </div>
  );
}

interface DesignTextsProps {
  readonly texts: DesignTexts;
  /** The language's index in the design. Customers whose language the design doesn't have see the first language. */
  readonly index: number;
  /** Returns the error message for a path within these texts, such as `front.0.label`. */
  readonly findError: (path: string) => string | undefined;
  readonly onChange: (texts: DesignTexts, path: string) => void;
  readonly onRemove: () => void;
}

function DesignTextsFields({ texts: designTexts, index, findError, onChange, onRemove }: DesignTextsProps) {
  const buildControlProps = (name: "terms" | (typeof textNames)[number]) => ({
    error: findError(name),
    value: designTexts[name] ?? "",
    onText: (text: string) => onChange({ ...designTexts, [name]: text }, name),
  });
  return (
    <fieldset class="stack tight panel padded">
      <legend class="unseen">{textsWords.languageNumber(index + 1)}</legend>
      <LanguageField
        value={designTexts.language}
        hint={index === 0 ? textsWords.firstHint : undefined}
        error={findError("language")}
        onChoose={(language) => onChange({ ...designTexts, language }, "language")}
      />
      {textNames.map((name) => (
        <TextField
          key={name}
          label={textWords[name][0]}
          hint={textWords[name][1]}
          {...buildControlProps(name)}
        />
      ))}
      {lineLists.map(({ name, maxItems }) => (
        <DesignList
          key={name}
          words={lists[name]}
          class="pair"
          texts={listLineTexts(lists[name].label)}
          items={designTexts[name]}
          maxItems={maxItems}
          findError={(path) => findError(`${name}.${path}`)}
          onChange={(items, path) => onChange({ ...designTexts, [name]: items }, `${name}.${path}`)}
        />
      ))}
      <TextField label={textsWords.terms} rows={3} {...buildControlProps("terms")} />
      <div>
        <Button text={textsWords.remove(index + 1)} kind="plain" onClick={onRemove} />
      </div>
    </fieldset>
  );
}
