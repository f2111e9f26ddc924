import type { UserTag } from "../../../../../src/tags/schema.js";
import { api } from "../api/calls.js";
import { createOptionalTextField, createTextField, FormDialog, useForm } from "../components/form.js";
import { showToast } from "../components/toasts.js";
import { tags } from "../words/en/tags.js";

const words = tags.form;

const fields = {
  name: createTextField(words.name, { maxLength: 100 }),
  description: createOptionalTextField(words.description, { rows: 2, maxLength: 500 }),
  color: createTextField(words.color, { type: "color", required: false }),
};

const FIRST_COLOR = "#64748B";

interface TagFormProps {
  /** The tag to edit, or `null` to create a new one. */
  readonly tag: UserTag | null;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

/**
 * A form that creates a tag, or edits its name, description, and color. Renaming a tag doesn't change its slug, because links and
 * programs might use the slug.
 */
export function TagForm({ tag, onClose, onSaved }: TagFormProps) {
  const form = useForm(fields, {
    saved: tag ?? { color: FIRST_COLOR },
    send: async (values) => {
      const { name } = tag === null ? await api.tags.create(values) : await api.tags.update(tag.slug, values);
      showToast(words.saved(name));
      onClose();
      onSaved();
    },
  });
  return (
    <FormDialog
      title={tag === null ? words.new : words.edit(tag.name)}
      submitText={tag === null ? words.add : words.save}
      form={form}
      onClose={onClose}
    />
  );
}
