import { useState } from "preact/hooks";
import type { DesignTexts } from "../../../../../src/cards/design-schema.js";
import type { Template, UpdateTemplate } from "../../../../../src/cards/schema.js";
import { api } from "../api/calls.js";
import { BackLink } from "../app/router.js";
import { NotFound, PageHead, type ScreenProps } from "../app/screen.js";
import { Button } from "../components/button.js";
import { ErrorText, Loading } from "../components/feedback.js";
import { TextField } from "../components/field.js";
import { useSave } from "../components/form.js";
import { useLoad } from "../components/load.js";
import { runWithToast, showToast } from "../components/toasts.js";
import { useUnsavedWarning } from "../components/unsaved-warning.js";
import { usePictureUrl } from "../components/use-picture-url.js";
import {
  links,
  lists,
  previews,
  texts,
  texts as textsWords,
  textWords,
  design as words,
} from "../words/en/card-design.js";
import { language as own } from "../words/en/forms.js";
import { blankToNull, type DesignDraft, fromDesignDraft, noTexts, toDesignDraft } from "./design-draft.js";
import { DesignList, type ItemText } from "./design-list.js";
import { LookFields } from "./look-fields.js";
import { type CardPreview, previewTexts } from "./preview-texts.js";
import { WalletPreview } from "./wallet-preview.js";

const names = ["title", "description", "stampsLabel", "rewardsLabel", "toGo", "rewardReady"] as const;

const lines = [
  { name: "front", most: 4 },
  { name: "back", most: 20 },
] as const;

/** Returns the fields for a text with its own label. */
const linesCalled = (label: (number: number) => string): ItemText<"label" | "value">[] => [
  { name: "label", label },
  { name: "value", label: () => textsWords.says },
];

/** Maximum number of undo steps. */
const KEPT = 100;

const linkTexts: readonly ItemText<"label" | "url">[] = [
  { name: "label", label: lists.link.label },
  { name: "url", label: () => links.address },
];

const placeTexts: readonly ItemText<"latitude" | "longitude" | "text">[] = [
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
  const edit = useUndoable<DesignDraft>(toDesignDraft(template));
  const design = edit.value;
  const { isBusy, error, save } = useSave();
  const [stamps, setStamps] = useState(Math.ceil((template.maxStamps ?? 0) / 2));
  const [language, setLanguage] = useState(0);
  const errorOf = (field: string) => error?.fields[`design.${field}`];
  useUnsavedWarning(edit.undo !== null);

  const update = async (sent: Pick<UpdateTemplate, "design" | "reward">) => {
    const saved = await api.templates.update(template.id, sent);
    edit.begin(toDesignDraft(saved));
    onSaved(saved);
  };
  const saveAs = (sent: Pick<UpdateTemplate, "design" | "reward">, said: string) =>
    save(async () => {
      const before = toDesignDraft(template);
      const back = { design: template.design && fromDesignDraft(before), reward: template.reward };
      await update(sent);
      showToast(said, () => void runWithToast(() => update(back)));
    });
  const change = (fields: Partial<DesignDraft>, path: string) => edit.set({ ...design, ...fields }, path);
  const changeTexts = (texts: DesignDraft["texts"], path = "texts") => change({ texts }, path);

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void saveAs(
          {
            design: fromDesignDraft(design),
            ...(template.maxStamps !== null && { reward: blankToNull(design.reward) }),
          },
          words.wasSaved,
        );
      }}
    >
      <PageHead title={words.title(template.name)}>
        <Button text={words.undo} disabled={edit.undo === null || isBusy} onClick={() => edit.undo?.()} />
        {template.design !== null && (
          <Button
            text={words.remove}
            disabled={isBusy}
            onClick={() => void saveAs({ design: null }, words.wasRemoved)}
          />
        )}
        <Button text={words.save} kind="primary" type="submit" disabled={isBusy} />
      </PageHead>
      {error !== null && <ErrorText>{error.message}</ErrorText>}
      <div class="halves design">
        <div class="stack">
          <LookFields
            template={template}
            design={design}
            errorOf={errorOf}
            rewardError={error?.fields.reward}
            onChange={edit.set}
          />
          <section class="stack tight" aria-label={texts.title}>
            <h2>{texts.title}</h2>
            {errorOf("texts") !== undefined && (
              <p class="field-error" role="alert">
                {errorOf("texts")}
              </p>
            )}
            {design.texts.map((each, at) => (
              <DesignTextsFields
                key={at}
                at={at}
                texts={each}
                errorOf={(path) => errorOf(`texts.${at}.${path}`)}
                onChange={(changed, path) => {
                  setLanguage(at);
                  changeTexts(design.texts.with(at, changed), `texts.${at}.${path}`);
                }}
                onRemove={() => changeTexts(design.texts.toSpliced(at, 1))}
              />
            ))}
            <div>
              <Button
                text={texts.add}
                onClick={() => changeTexts([...design.texts, noTexts(design.texts.length === 0 ? own : "")])}
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
              most={10}
              errorOf={(path) => errorOf(`links.${path}`)}
              onChange={(links, path) => change({ links: [...links] }, `links.${path}`)}
            />
          </section>
          <section class="stack tight" aria-label={links.places}>
            <h2>{links.places}</h2>
            <p class="hint">{links.placesHint}</p>
            <DesignList
              words={lists.place}
              class="place"
              texts={placeTexts}
              items={design.locations}
              most={10}
              errorOf={(path) => errorOf(`locations.${path}`)}
              onChange={(locations, path) => change({ locations }, `locations.${path}`)}
            />
          </section>
          <TextField
            label={words.validUntil}
            hint={words.validUntilHint}
            error={errorOf("expiresAt")}
            type="datetime-local"
            value={design.expiresAt === null ? "" : localMinute(design.expiresAt)}
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

/** Formats a time for a `datetime-local` field, in the browser's time zone. */
function localMinute(timestamp: string): string {
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
  readonly begin: (value: T) => void;
}

/** Works like `useState`, but also keeps previous values so that changes can be undone. */
function useUndoable<T>(initial: T): Undoable<T> {
  const [steps, setSteps] = useState<readonly [Step<T>, ...Step<T>[]]>([{ value: initial, path: "" }]);
  const [last, ...before] = steps;
  const [previous, ...earlier] = before;
  return {
    value: last.value,
    set: (value, path) =>
      setSteps(([latest, ...others]) =>
        latest.path === path
          ? [{ value, path }, ...others]
          : [{ value, path }, latest, ...others.slice(0, KEPT - 1)],
      ),
    // Clears the path, so that a change at the same path after an undo is a new step.
    undo: previous === undefined ? null : () => setSteps([{ ...previous, path: "" }, ...earlier]),
    begin: (value) => setSteps([{ value, path: "" }]),
  };
}

/**
 * Previews a card's lock-screen notifications on an iPhone and an Android phone. If a location has text, also previews the
 * notification that an iPhone shows near that location.
 */
function LockScreens(previewed: CardPreview) {
  const { design } = previewed;
  const { words } = previewTexts(previewed).texts;
  const icon = usePictureUrl(design.icon ?? design.logo);
  const logo = usePictureUrl(design.logo);
  const near = design.locations.find(({ text }) => text.trim() !== "")?.text;
  const changed = words.next ?? previews.message;
  return (
    <div class="lock-screens">
      <section class="lock-screen" aria-label={previews.onIphone}>
        <Notification
          picture={icon}
          ground={design.backgroundColor}
          title={previews.yourShop}
          text={changed}
        />
        {near !== undefined && (
          <Notification picture={icon} ground={design.backgroundColor} title={words.title} text={near} />
        )}
      </section>
      <section class="lock-screen" aria-label={previews.onAndroid}>
        <Notification
          isRound
          picture={logo}
          ground={design.backgroundColor}
          title={words.title}
          text={changed}
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
  readonly at: number;
  /** Returns the error message for a path within these texts, such as `front.0.label`. */
  readonly errorOf: (path: string) => string | undefined;
  readonly onChange: (texts: DesignTexts, path: string) => void;
  readonly onRemove: () => void;
}

function DesignTextsFields({ texts: design, at, errorOf, onChange, onRemove }: DesignTextsProps) {
  const controlOf = (name: "language" | "terms" | (typeof names)[number]) => ({
    error: errorOf(name),
    value: design[name] ?? "",
    onText: (text: string) => onChange({ ...design, [name]: text }, name),
  });
  return (
    <fieldset class="stack tight panel padded">
      <legend class="unseen">{textsWords.languageNumber(at + 1)}</legend>
      <TextField
        label={textsWords.language}
        hint={at === 0 ? textsWords.firstHint : textsWords.languageHint}
        {...controlOf("language")}
      />
      {names.map((name) => (
        <TextField key={name} label={textWords[name][0]} hint={textWords[name][1]} {...controlOf(name)} />
      ))}
      {lines.map(({ name, most }) => (
        <DesignList
          key={name}
          words={lists[name]}
          class="pair"
          texts={linesCalled(lists[name].label)}
          items={design[name]}
          most={most}
          errorOf={(path) => errorOf(`${name}.${path}`)}
          onChange={(items, path) => onChange({ ...design, [name]: items }, `${name}.${path}`)}
        />
      ))}
      <TextField label={textsWords.terms} rows={3} {...controlOf("terms")} />
      <div>
        <Button text={textsWords.remove(at + 1)} kind="plain" onClick={onRemove} />
      </div>
    </fieldset>
  );
}
