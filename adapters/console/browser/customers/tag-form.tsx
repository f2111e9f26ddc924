import type { UserTag } from "../../../../src/resources/tag.js";
import { api } from "../api/calls.js";
import { FormDialog, optionalText, text, useForm } from "../parts/form.js";
import { tell } from "../parts/toasts.js";

const fields = {
  name: text("Name", { maxLength: 100 }),
  description: optionalText("Description", { rows: 2, maxLength: 500 }),
  color: text("Colour", { type: "color" }),
};

const FIRST_COLOR = "#64748B";

interface TagFormProps {
  /** The tag that is edited; `null` for a new one. */
  readonly tag: UserTag | null;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

/** Makes a tag, or edits one: its name, description and colour. Links and programs know it by its first name. */
export function TagForm({ tag, onClose, onSaved }: TagFormProps) {
  const form = useForm(fields, {
    saved: tag ?? { color: FIRST_COLOR },
    send: async (sent) => {
      const { name } = tag === null ? await api.tags.create(sent) : await api.tags.update(tag.slug, sent);
      tell(`“${name}” was saved`);
      onClose();
      onSaved();
    },
  });
  return (
    <FormDialog
      title={tag === null ? "New tag" : `Edit “${tag.name}”`}
      verb={tag === null ? "Add" : "Save"}
      form={form}
      onClose={onClose}
    />
  );
}
