import { useState } from "preact/hooks";
import type { Template } from "../../../../../src/cards/schema.js";
import { computeContrast } from "../../../../delivery/wallets/stamp-drawing/colors.js";
import { api } from "../api/calls.js";
import { hasScopes } from "../api/session.js";
import { Button } from "../components/button.js";
import { Field, Select, TextField } from "../components/field.js";
import { type PresetLanguage, pickPresetLanguage } from "../components/first-language.js";
import { PictureField } from "../components/picture-field.js";
import { runWithToast } from "../components/toasts.js";
import { contrastOf, makeReadable, shapes, look as words } from "../words/en/card-design.js";
import { locale, numberText } from "../words/en/forms.js";
import { type DesignDraft, getDesignPicture, pictureFields, setDesignPicture } from "./design-draft.js";
import type { PresetDesigns } from "./presets/preset-designs.js";

/** Minimum contrast ratio between text and background for WCAG 2.2, level AA. */
const MIN_CONTRAST = 4.5;

const inkFields = ["foregroundColor", "labelColor"] as const;

const tenths = new Intl.NumberFormat(locale, { minimumFractionDigits: 1 });

const colors = ["backgroundColor", "foregroundColor", "labelColor"] as const;

/** The dialog with design presets, and the language of their texts. */
interface LoadedPresets {
  readonly Dialog: typeof PresetDesigns;
  readonly language: PresetLanguage;
}

interface LookFieldsProps {
  readonly template: Template;
  readonly design: DesignDraft;
  /** Returns the error message for a path within the design, such as `stamps.shape`. */
  readonly findError: (path: string) => string | undefined;
  readonly rewardError: string | undefined;
  readonly onChange: (design: DesignDraft, path: string) => void;
}

/** An editor for a design's colors, stamps, reward, and pictures. A button opens preset designs for different kinds of shops. */
export function LookFields({ template, design, findError, rewardError, onChange }: LookFieldsProps) {
  /** The dialog, loaded the first time it is opened; `null` while it is closed. */
  const [presets, setPresets] = useState<LoadedPresets | null>(null);
  const openPresets = async () => {
    const [{ PresetDesigns }, settings] = await Promise.all([
      import("./presets/preset-designs.js"),
      hasScopes("settings:read") ? api.settings.get() : null,
    ]);
    const language = pickPresetLanguage({ template: { design }, shop: settings?.language ?? null });
    setPresets({ Dialog: PresetDesigns, language });
  };
  const hasStamps = template.maxStamps !== null;
  return (
    <section class="panel padded stack tight" aria-label={words.title}>
      <div>
        <Button text={words.ready} onClick={() => void runWithToast(openPresets)} />
      </div>
      {presets !== null && (
        <presets.Dialog
          template={template}
          design={design}
          language={presets.language}
          onClose={() => setPresets(null)}
          onChoose={(chosenDesign, trade) => {
            setPresets(null);
            onChange(chosenDesign, `trade ${trade}`);
          }}
        />
      )}
      <div class="colors">
        {colors.map((field) => (
          <TextField
            key={field}
            label={words[field]}
            error={findError(field)}
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
          <Field label={words.shape} error={findError("stamps.shape")}>
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
            error={findError(field)}
            onChange={(picture) => onChange(setDesignPicture(design, field, picture), `${field} ${picture}`)}
          />
        ))}
    </section>
  );
}

interface ContrastWarningsProps {
  readonly design: DesignDraft;
  readonly onChange: (field: (typeof inkFields)[number], color: string) => void;
}

/** Warns about text colors that are hard to read on the card's background, and offers readable alternatives. */
function ContrastWarnings({ design, onChange }: ContrastWarningsProps) {
  const ground = design.backgroundColor;
  const isDark = computeContrast(ground, "#FFFFFF") >= computeContrast(ground, "#000000");
  const [color, name] = isDark ? (["#FFFFFF", "white"] as const) : (["#000000", "black"] as const);
  const weakFields = inkFields.filter((field) => computeContrast(ground, design[field]) < MIN_CONTRAST);
  return (
    <div class="stack tight" role="status">
      {weakFields.map((field) => (
        <p key={field} class="note warn">
          <span class="grow">
            {contrastOf[field](
              formatRatio(computeContrast(ground, design[field])),
              `${numberText(MIN_CONTRAST)} : 1`,
            )}
          </span>
          <Button text={makeReadable[field][name]} onClick={() => onChange(field, color)} />
        </p>
      ))}
    </div>
  );
}

/** Formats a contrast ratio, rounded down so that it never appears to be sufficient when it isn't. */
function formatRatio(ratio: number): string {
  return `${tenths.format(Math.floor(ratio * 10) / 10)} : 1`;
}
