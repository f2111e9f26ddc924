import type { Template } from "../../../../src/resources/template.js";
import { api } from "../api/calls.js";
import { CardPicture } from "../parts/card-picture.js";
import { choice, FormDialog, number, optionalText, text, useForm } from "../parts/form.js";
import { tell } from "../parts/toasts.js";

const fields = {
  name: text("Name", { maxLength: 150 }),
  type: choice("Kind", [
    ["STAMP_CARD", "Stamp card"],
    ["LOYALTY_CARD", "Member card, without stamps"],
  ]),
  maxStamps: number("Stamps until the reward", 10, { min: 1, max: 100 }),
  reward: optionalText("What a full card earns", { maxLength: 150 }),
};

interface TemplateFormProps {
  /** `null` for a new one. */
  readonly template: Template | null;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

/** Makes a card or changes one, and shows it as its owners will see it. */
export function TemplateForm({ template, onClose, onSaved }: TemplateFormProps) {
  const form = useForm(fields, {
    saved: template,
    send: async ({ type, maxStamps, ...sent }) => {
      const input = { ...sent, ...(type === "STAMP_CARD" && { maxStamps }) };
      const { name } = await (template === null
        ? api.templates.create({ ...input, type })
        : api.templates.update(template.id, input));
      onClose();
      onSaved();
      tell(`“${name}” was saved`);
    },
  });
  const hasStamps = form.values.type === "STAMP_CARD";
  const shown = hasStamps ? Math.min(Math.max(Math.floor(Number(form.values.maxStamps)) || 1, 1), 100) : null;
  const hidden = [...(template === null ? [] : ["type"]), ...(hasStamps ? [] : ["maxStamps", "reward"])];
  const card = {
    name: form.values.name || "Your card",
    reward: (hasStamps && form.values.reward) || null,
    design: template?.design ?? null,
  };
  return (
    <FormDialog
      title={template === null ? "New card" : "Edit card"}
      verb={template === null ? "Make card" : "Save"}
      form={form}
      hidden={hidden}
      isWide
      onClose={onClose}
    >
      <div class="halves">
        <div class="stack">
          {form.controls(hidden, {
            maxStamps: {
              hint: template === null ? "1 to 100" : "1 to 100. Cards that customers have keep their number.",
            },
          })}
        </div>
        <section class="stack tight" aria-label="Preview">
          <CardPicture card={card} maxStamps={shown} stamps={0} />
          {shown !== null && (
            <>
              <CardPicture card={card} maxStamps={shown} stamps={Math.ceil(shown / 2) % shown} />
              <CardPicture card={card} maxStamps={shown} stamps={0} rewards={1} />
            </>
          )}
        </section>
      </div>
    </FormDialog>
  );
}
