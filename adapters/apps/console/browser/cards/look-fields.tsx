import { useState } from "preact/hooks";
import type { Template } from "../../../../../src/cards/schema.js";
import { contrast } from "../../../../delivery/wallets/stamp-drawing/colors.js";
import { api } from "../api/calls.js";
import { hasScopes } from "../api/session.js";
import { Button } from "../components/button.js";
import { Field, Select, TextField } from "../components/field.js";
import { type PresetLanguage, pickPresetLanguage } from "../components/first-language.js";
import { PictureField } from "../components/picture-field.js";
import { runWithToast } from "../components/toasts.js";
import { contrastOf, makeReadable, shapes, look as words } from "../words/en/card-design.js";
import { locale, numberText } from "../words/en/forms.js";
import { type DesignDraft, getDesignPicture, pictureFields, withPicture } from "./design-draft.js";
import type { PresetDesigns } from "./presets/preset-designs.js";

/** Minimum contrast ratio between text and background for WCAG 2.2, level AA. */
const LEAST = 4.5;

const inks = ["foregroundColor", "labelColor"] as const;

const tenths = new Intl.NumberFormat(locale, { minimumFractionDigits: 1 });

const colors = ["backgroundColor", "foregroundColor", "labelColor"] as const;

/** The dialog with design presets, and the language of their texts. */
interface Ready {
  readonly Dialog: typeof PresetDesigns;
  readonly language: PresetLanguage;
}

interface LookFieldsProps {
  readonly template: Template;
  readonly design: DesignDraft;
  /** Returns the error message for a path within the design, such as `stamps.shape`. */
  readonly errorOf: (path: string) => string | undefined;
  readonly rewardError: string | undefined;
  readonly onChange: (design: DesignDraft, path: string) => void;
}

/** An editor for a design's colors, stamps, reward, and pictures. A button opens preset designs for different kinds of shops. */
export function LookFields({ template, design, errorOf, rewardError, onChange }: LookFieldsProps) {
  /** The dialog, loaded the first time it is opened; `null` while it is closed. */
  const [ready, setReady] = useState<Ready | null>(null);
  const begin = async () => {
    const [{ PresetDesigns }, settings] = await Promise.all([
      import("./presets/preset-designs.js"),
      hasScopes("settings:read") ? api.settings.get() : null,
    ]);
    const language = pickPresetLanguage({ template: { design }, shop: settings?.language ?? null });
    setReady({ Dialog: PresetDesigns, language });
  };
  const hasStamps = template.maxStamps !== null;
  return (
    <section class="panel padded stack tight" aria-label={words.title}>
      <div>
        <Button text={words.ready} onClick={() => void runWithToast(begin)} />
      </div>
      {ready !== null && (
        <ready.Dialog
          template={template}
          design={design}
          language={ready.language}
          onClose={() => setReady(null)}
          onChoose={(chosen, trade) => {
            setReady(null);
            onChange(chosen, `trade ${trade}`);
          }}
        />
      )}
      <div class="colors">
        {colors.map((field) => (
          <TextField
            key={field}
            label={words[field]}
            error={errorOf(field)}
            type="color"
            value={design[field].toLowerCase()}
            onText={(color) => onChange({ ...design, [field]: color.toUpperCase() }, field)}
          />
        ))}
      </div>
      <ContrastWarnings
        design={design}
        onChange={(field, color) => onChange({ ...design, [field]: color }, `readable ${field}`)}
      />
      {hasStamps && (
        <>
          <Field label={words.shape} error={errorOf("stamps.shape")}>
            <Select
              value={design.stamps.shape}
              choices={shapes}
              onChoose={(shape) =>
                onChange({ ...design, stamps: { ...design.stamps, shape } }, "stamps.shape")
              }
            />
          </Field>
          <TextField
            label={words.reward}
            hint={words.rewardHint}
            error={rewardError}
            maxLength={150}
            value={design.reward}
            onText={(reward) => onChange({ ...design, reward }, "reward")}
          />
        </>
      )}
      {pictureFields
        .filter(({ field }) => hasStamps || !field.startsWith("stamps."))
        .map(({ field, label, hint, size }) => (
          <PictureField
            key={field}
            {...{ label, hint, size }}
            picture={getDesignPicture(design, field)}
            error={errorOf(field)}
            onChange={(picture) => onChange(withPicture(design, field, picture), `${field} ${picture}`)}
          />
        ))}
    </section>
  );
}

interface ContrastWarningsProps {
  readonly design: DesignDraft;
  readonly onChange: (field: (typeof inks)[number], color: string) => void;
}

/** Warns about text colors that are hard to read on the card's background, and offers readable alternatives. */
function ContrastWarnings({ design, onChange }: ContrastWarningsProps) {
  const ground = design.backgroundColor;
  const isDark = contrast(ground, "#FFFFFF") >= contrast(ground, "#000000");
  const [color, name] = isDark ? (["#FFFFFF", "white"] as const) : (["#000000", "black"] as const);
  const weak = inks.filter((field) => contrast(ground, design[field]) < LEAST);
  return (
    <div class="stack tight" role="status">
      {weak.map((field) => (
        <p key={field} class="note warn">
          <span class="grow">
            {contrastOf[field](ratioText(contrast(ground, design[field])), `${numberText(LEAST)} : 1`)}
          </span>
          <Button text={makeReadable[field][name]} onClick={() => onChange(field, color)} />
        </p>
      ))}
    </div>
  );
}

/** Formats a contrast ratio, rounded down so that it never appears to be sufficient when it isn't. */
function ratioText(ratio: number): string {
  return `${tenths.format(Math.floor(ratio * 10) / 10)} : 1`;
}
