import { useState } from "preact/hooks";
import type { StampShape } from "../../../../src/resources/design.js";
import type { Template } from "../../../../src/resources/template.js";
import { api } from "../api/calls.js";
import { BackLink } from "../app/router.js";
import { NotFound, PageHead, type ScreenProps } from "../app/screen.js";
import { Button } from "../parts/button.js";
import type { Choices } from "../parts/choices.js";
import { Field, Select, TextField } from "../parts/field.js";
import { useSaving, useUnsavedWarning } from "../parts/form.js";
import { useLoad } from "../parts/load.js";
import { PictureField } from "../parts/picture-field.js";
import { Complaint, Loading } from "../parts/states.js";
import { attempt, tell } from "../parts/toasts.js";
import { DesignList, type ItemText } from "./design-list.js";
import { DesignTextsFields } from "./design-texts.js";
import {
  type EditedDesign,
  editedDesign,
  noTexts,
  pictureFields,
  pictureOf,
  sentDesign,
  withPicture,
} from "./edited-design.js";
import { useUndoable } from "./undoable.js";
import { WalletPreview } from "./wallet-preview.js";

const colors = [
  ["backgroundColor", "Background"],
  ["foregroundColor", "Text and stamps"],
  ["labelColor", "Labels"],
] as const;

const shapes: Choices<StampShape> = [
  ["CIRCLE", "Circles"],
  ["STAR", "Stars"],
  ["HEART", "Hearts"],
  ["CUP", "Cups"],
  ["CHECK", "Check marks"],
];

const linkTexts: readonly ItemText<"label" | "url">[] = [
  { name: "label", label: (number) => `Link ${number}` },
  { name: "url", label: () => "Address" },
];

const placeTexts: readonly ItemText<"latitude" | "longitude" | "text">[] = [
  { name: "latitude", label: () => "Latitude", inputMode: "decimal" },
  { name: "longitude", label: () => "Longitude", inputMode: "decimal" },
  { name: "text", label: () => "Says there", inputMode: "text" },
];

/** The design of a card in wallets. */
export function DesignScreen({ place }: ScreenProps) {
  const id = place.path.split("/")[2] ?? "";
  const template = useLoad(id, (calls) => calls.templates.get(id));
  return (
    <Loading of={template} height="30rem" missing={<NotFound />}>
      {(value) => (
        <>
          <BackLink to="/cards" text="Cards" />
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

/** Changes a design, beside the card as wallets will show it. Nothing is sent before it is saved. */
function DesignForm({ template, onSaved }: DesignFormProps) {
  const edit = useUndoable<EditedDesign>(editedDesign(template.design));
  const design = edit.value;
  const { isBusy, error, save } = useSaving();
  const [stamps, setStamps] = useState(Math.ceil((template.maxStamps ?? 0) / 2));
  const [language, setLanguage] = useState(0);
  const errorOf = (field: string) => error?.fields[`design.${field}`];
  useUnsavedWarning(edit.undo !== null);

  const update = async (next: EditedDesign | null) => {
    const saved = await api.templates.update(template.id, { design: next && sentDesign(next) });
    edit.begin(editedDesign(saved.design));
    onSaved(saved);
  };
  const saveAs = (next: EditedDesign | null, said: string) =>
    save(async () => {
      const before = template.design;
      await update(next);
      tell(said, () => void attempt(() => update(before && editedDesign(before))));
    });
  const change = (fields: Partial<EditedDesign>, path: string) => edit.set({ ...design, ...fields }, path);
  const changeTexts = (texts: EditedDesign["texts"], path = "texts") => change({ texts }, path);

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void saveAs(design, "The design was saved. Cards in wallets follow.");
      }}
    >
      <PageHead title={`Design of ${template.name}`}>
        <Button text="Undo" disabled={edit.undo === null || isBusy} onClick={() => edit.undo?.()} />
        {template.design !== null && (
          <Button
            text="Remove design"
            disabled={isBusy}
            onClick={() => void saveAs(null, "The design was removed. Cards in wallets follow.")}
          />
        )}
        <Button text="Save" kind="primary" type="submit" disabled={isBusy} />
      </PageHead>
      {error !== null && <Complaint>{error.message}</Complaint>}
      <div class="halves design">
        <div class="stack">
          <section class="panel padded stack tight" aria-label="Look">
            <div class="colors">
              {colors.map(([field, label]) => (
                <TextField
                  key={field}
                  label={label}
                  error={errorOf(field)}
                  type="color"
                  value={design[field].toLowerCase()}
                  onText={(color) => change({ [field]: color.toUpperCase() }, field)}
                />
              ))}
            </div>
            {template.maxStamps !== null && (
              <Field label="Stamps are drawn as" error={errorOf("stamps.shape")}>
                <Select
                  value={design.stamps.shape}
                  choices={shapes}
                  onChoose={(shape) => change({ stamps: { ...design.stamps, shape } }, "stamps.shape")}
                />
              </Field>
            )}
            {pictureFields.map(([field, label, hint]) => (
              <PictureField
                key={field}
                label={label}
                hint={hint}
                picture={pictureOf(design, field)}
                error={errorOf(field)}
                onChange={(picture) => edit.set(withPicture(design, field, picture), `${field} ${picture}`)}
              />
            ))}
          </section>
          <section class="stack tight" aria-label="Texts">
            <h2>Texts</h2>
            {errorOf("texts") !== undefined && (
              <p class="field-error" role="alert">
                {errorOf("texts")}
              </p>
            )}
            {design.texts.map((texts, at) => (
              <DesignTextsFields
                key={at}
                at={at}
                texts={texts}
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
                text="Add language"
                onClick={() => changeTexts([...design.texts, noTexts(design.texts.length === 0 ? "en" : "")])}
              />
            </div>
          </section>
          <section class="stack tight" aria-label="Links">
            <h2>Links</h2>
            <DesignList
              noun="link"
              class="pair"
              texts={linkTexts}
              items={design.links}
              most={10}
              errorOf={(path) => errorOf(`links.${path}`)}
              onChange={(links, path) => change({ links: [...links] }, `links.${path}`)}
            />
          </section>
          <section class="stack tight" aria-label="Places">
            <h2>Places</h2>
            <p class="hint">Phones near one of them show the card by themselves, with the text.</p>
            <DesignList
              noun="place"
              class="place"
              texts={placeTexts}
              items={design.locations}
              most={10}
              errorOf={(path) => errorOf(`locations.${path}`)}
              onChange={(locations, path) => change({ locations }, `locations.${path}`)}
            />
          </section>
          <TextField
            label="Valid until"
            hint="Wallets put the card aside then; for ever unless given."
            error={errorOf("expiresAt")}
            type="datetime-local"
            value={design.expiresAt === null ? "" : localMinute(design.expiresAt)}
            onText={(text) =>
              change({ expiresAt: text === "" ? null : new Date(text).toISOString() }, "expiresAt")
            }
          />
        </div>
        <section class="stack tight preview" aria-label="Preview">
          {template.maxStamps !== null && (
            <TextField
              label={`Stamps shown: ${stamps === template.maxStamps ? "all" : stamps}`}
              type="range"
              min={0}
              max={template.maxStamps}
              value={String(stamps)}
              onText={(text) => setStamps(Number(text))}
            />
          )}
          <WalletPreview template={template} design={design} stamps={stamps} language={language} />
          <p class="hint">
            Wallets choose fonts and where texts stand themselves. The stamps are as they will be drawn.
          </p>
        </section>
      </div>
    </form>
  );
}

/** Returns a time as the browser's field has it, in its own time zone. */
function localMinute(timestamp: string): string {
  const time = new Date(timestamp);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
