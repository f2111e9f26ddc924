import type { Template } from "../../../../../src/cards/schema.js";
import { api } from "../api/calls.js";
import { CardPicture } from "../components/card-picture.js";
import { choice, FormDialog, number, optionalText, text, useForm } from "../components/form.js";
import { showToast } from "../components/toasts.js";
import { cards, form as words } from "../words/en/cards.js";

const fields = {
  name: text(words.name, { maxLength: 150 }),
  type: choice(words.kind, [
    ["STAMP_CARD", words.stampCard],
    ["LOYALTY_CARD", words.memberCard],
  ]),
  maxStamps: number(words.maxStamps, 10, { min: 1, max: 100 }),
  reward: optionalText(words.reward, { maxLength: 150 }),
};

interface TemplateFormProps {
  /** The template to edit, or `null` to create one. */
  readonly template: Template | null;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

/** A form for creating or editing a card template, with a preview of the card as customers will see it. */
export function TemplateForm({ template, onClose, onSaved }: TemplateFormProps) {
  const form = useForm(fields, {
    saved: template,
    send: async ({ type, maxStamps, ...sent }) => {
      const stamps = type === "STAMP_CARD" ? { type, maxStamps } : { type };
      const { name } = await (template === null
        ? api.templates.create({ ...sent, ...stamps })
        : api.templates.update(template.id, { ...sent, ...(type === "STAMP_CARD" && { maxStamps }) }));
      onClose();
      onSaved();
      showToast(words.wasSaved(name));
    },
  });
  const hasStamps = form.values.type === "STAMP_CARD";
  const shown = hasStamps ? Math.min(Math.max(Math.floor(Number(form.values.maxStamps)) || 1, 1), 100) : null;
  const hidden = [...(template === null ? [] : ["type"]), ...(hasStamps ? [] : ["maxStamps", "reward"])];
  const card = {
    name: form.values.name || words.unnamed,
    reward: (hasStamps && form.values.reward) || null,
    design: template?.design ?? null,
  };
  return (
    <FormDialog
      title={template === null ? cards.fresh : words.editTitle}
      verb={template === null ? words.make : words.save}
      form={form}
      hidden={hidden}
      isWide
      onClose={onClose}
    >
      <div class="halves">
        <div class="stack">
          {form.controls(hidden, {
            maxStamps: {
              hint: template === null ? words.maxStampsHint : words.maxStampsKept,
            },
          })}
        </div>
        <section class="stack tight" aria-label={words.preview}>
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
