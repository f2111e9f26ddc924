import { useState } from "preact/hooks";
import type { StampShape } from "../../../../src/resources/design.js";
import type { Template } from "../../../../src/resources/template.js";
import { Button } from "../parts/button.js";
import type { Choices } from "../parts/choices.js";
import { Field, Select, TextField } from "../parts/field.js";
import { PictureField } from "../parts/picture-field.js";
import { attempt } from "../parts/toasts.js";
import { ContrastWarnings } from "./contrast-warnings.js";
import { type EditedDesign, pictureFields, pictureOf, withPicture } from "./edited-design.js";
import type { ReadyDesigns } from "./ready/ready-designs.js";

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

interface LookFieldsProps {
  readonly template: Template;
  readonly design: EditedDesign;
  /** Returns what is wrong at a path in the design, such as `stamps.shape`. */
  readonly errorOf: (path: string) => string | undefined;
  readonly rewardError: string | undefined;
  readonly onChange: (design: EditedDesign, path: string) => void;
}

/** Colors, stamps, the reward and pictures; begun with the design of a trade, or as they are. */
export function LookFields({ template, design, errorOf, rewardError, onChange }: LookFieldsProps) {
  /** The dialog, which is loaded when it is first asked for; `null` while it is closed. */
  const [Ready, setReady] = useState<typeof ReadyDesigns | null>(null);
  const begin = async () => {
    const loaded = await import("./ready/ready-designs.js");
    setReady(() => loaded.ReadyDesigns);
  };
  const hasStamps = template.maxStamps !== null;
  return (
    <section class="panel padded stack tight" aria-label="Look">
      <div>
        <Button text="Ready-made designs" onClick={() => void attempt(begin)} />
      </div>
      {Ready !== null && (
        <Ready
          template={template}
          design={design}
          onClose={() => setReady(null)}
          onChoose={(chosen, trade) => {
            setReady(null);
            onChange(chosen, `trade ${trade}`);
          }}
        />
      )}
      <div class="colors">
        {colors.map(([field, label]) => (
          <TextField
            key={field}
            label={label}
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
          <Field label="Stamps are drawn as" error={errorOf("stamps.shape")}>
            <Select
              value={design.stamps.shape}
              choices={shapes}
              onChoose={(shape) =>
                onChange({ ...design, stamps: { ...design.stamps, shape } }, "stamps.shape")
              }
            />
          </Field>
          <TextField
            label="What a full card earns"
            hint="On the card, the poster and the page to join by"
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
            picture={pictureOf(design, field)}
            error={errorOf(field)}
            onChange={(picture) => onChange(withPicture(design, field, picture), `${field} ${picture}`)}
          />
        ))}
    </section>
  );
}
