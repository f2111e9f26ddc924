import { useLayoutEffect, useState } from "preact/hooks";
import type { StampShape } from "../../../../src/resources/design.js";
import type { Template } from "../../../../src/resources/template.js";
import { patch } from "../app/call.js";
import { PageHead } from "../app/screen.js";
import { Button } from "../parts/button.js";
import { CallError } from "../parts/call-error.js";
import { Field } from "../parts/field.js";
import { tell, tellFailure } from "../parts/toasts.js";
import { DesignPlaces } from "./design-places.js";
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
import { PairList } from "./pair-list.js";
import { PictureField } from "./picture-field.js";
import { useUndoable } from "./undoable.js";
import { WalletPreview } from "./wallet-preview.js";

interface DesignFormProps {
  readonly template: Template;
  readonly onSaved: (template: Template) => void;
}

const colors = [
  ["backgroundColor", "Background"],
  ["foregroundColor", "Text and stamps"],
  ["labelColor", "Labels"],
] as const;

const shapes: readonly (readonly [StampShape, string])[] = [
  ["CIRCLE", "Circles"],
  ["STAR", "Stars"],
  ["HEART", "Hearts"],
  ["CUP", "Cups"],
  ["CHECK", "Check marks"],
];

/** Changes a design, beside the card as wallets will show it. Nothing is sent before it is saved. */
export function DesignForm({ template, onSaved }: DesignFormProps) {
  const edit = useUndoable<EditedDesign>(editedDesign(template.design));
  const design = edit.value;
  const [error, setError] = useState<CallError | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [stamps, setStamps] = useState(Math.ceil((template.maxStamps ?? 0) / 2));
  const [language, setLanguage] = useState(0);
  const errorOf = (field: string) => error?.fields[`design.${field}`];
  const isDirty = edit.undo !== null;

  // With the same drawing that says that it was saved, not a frame later: who leaves then has nothing to lose.
  useLayoutEffect(() => {
    if (!isDirty) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [isDirty]);

  const put = (next: EditedDesign | null) =>
    patch<Template>(`/v1/templates/${template.id}`, { design: next && sentDesign(next) });
  const take = (saved: Template) => {
    edit.begin(editedDesign(saved.design));
    setError(null);
    onSaved(saved);
  };
  const save = async (next: EditedDesign | null, said: string) => {
    setBusy(true);
    const before = template.design;
    try {
      take(await put(next));
      tell(said, () => void put(before && editedDesign(before)).then(take, tellFailure));
    } catch (failed) {
      if (!(failed instanceof CallError)) throw failed;
      setError(failed);
    } finally {
      setBusy(false);
    }
  };
  const change = (fields: Partial<EditedDesign>, field: string) => edit.set({ ...design, ...fields }, field);

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void save(design, "The design was saved. Cards in wallets follow.");
      }}
    >
      <PageHead title={`Design of ${template.name}`}>
        <Button disabled={edit.undo === null || isBusy} onClick={() => edit.undo?.()}>
          Undo
        </Button>
        {template.design !== null && (
          <Button
            disabled={isBusy}
            onClick={() => void save(null, "The design was removed. Cards in wallets follow.")}
          >
            Remove design
          </Button>
        )}
        <Button kind="primary" type="submit" disabled={isBusy}>
          Save
        </Button>
      </PageHead>
      {error !== null && (
        <p class="note bad" role="alert">
          {error.message}
        </p>
      )}
      <div class="halves design">
        <div class="stack">
          <section class="panel padded stack tight" aria-label="Look">
            <div class="colors">
              {colors.map(([field, label]) => (
                <Field key={field} label={label} error={errorOf(field)}>
                  <input
                    type="color"
                    value={design[field].toLowerCase()}
                    onInput={(event) => change({ [field]: event.currentTarget.value.toUpperCase() }, field)}
                  />
                </Field>
              ))}
            </div>
            {template.maxStamps !== null && (
              <Field label="Stamps are drawn as" error={errorOf("stamps.shape")}>
                <select
                  value={design.stamps.shape}
                  onChange={(event) => {
                    const [shape] = shapes.find(([each]) => each === event.currentTarget.value) ?? ["CIRCLE"];
                    change({ stamps: { ...design.stamps, shape } }, "stamps.shape");
                  }}
                >
                  {shapes.map(([shape, name]) => (
                    <option key={shape} value={shape}>
                      {name}
                    </option>
                  ))}
                </select>
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
                errorOf={(name) => errorOf(`texts.${at}.${name}`)}
                onChange={(changed, name) => {
                  setLanguage(at);
                  change(
                    { texts: design.texts.map((each, place) => (place === at ? changed : each)) },
                    `texts.${at}.${name}`,
                  );
                }}
                onRemove={() => change({ texts: design.texts.filter((_, place) => place !== at) }, "texts")}
              />
            ))}
            <div>
              <Button
                onClick={() =>
                  change(
                    { texts: [...design.texts, noTexts(design.texts.length === 0 ? "en" : "")] },
                    "texts",
                  )
                }
              >
                Add language
              </Button>
            </div>
          </section>
          <section class="stack tight" aria-label="Links">
            <h2>Links</h2>
            <PairList
              noun="Link"
              valueLabel="Address"
              pairs={design.links.map(({ label, url }) => ({ label, value: url }))}
              most={10}
              errorOf={(at, text) => errorOf(`links.${at}.${text === "value" ? "url" : "label"}`)}
              onChange={(pairs, at) =>
                change({ links: pairs.map(({ label, value }) => ({ label, url: value })) }, `links.${at}`)
              }
            />
          </section>
          <DesignPlaces
            places={design.locations}
            errorOf={(name) => errorOf(`locations.${name}`)}
            onChange={(locations, name) => change({ locations }, name)}
          />
          <Field
            label="Valid until"
            hint="Wallets put the card aside then; for ever unless given."
            error={errorOf("expiresAt")}
          >
            <input
              type="datetime-local"
              value={design.expiresAt === null ? "" : localMinute(design.expiresAt)}
              onInput={({ currentTarget: { value } }) =>
                change({ expiresAt: value === "" ? null : new Date(value).toISOString() }, "expiresAt")
              }
            />
          </Field>
        </div>
        <section class="stack tight preview" aria-label="Preview">
          {template.maxStamps !== null && (
            <Field label={`Stamps shown: ${stamps === template.maxStamps ? "all" : stamps}`}>
              <input
                type="range"
                min="0"
                max={template.maxStamps}
                value={stamps}
                onInput={(event) => setStamps(Number(event.currentTarget.value))}
              />
            </Field>
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

/** A time as the browser's field has it, in its own time zone. */
function localMinute(timestamp: string): string {
  const time = new Date(timestamp);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
