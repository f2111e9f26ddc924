import type { Person } from "../../../../../src/people/schema.js";
import { api } from "../api/calls.js";
import { createOptionalTextField, createTextField, FormDialog, useForm } from "../components/form.js";
import { showToast } from "../components/toasts.js";
import { people as words } from "../words/en/people.js";
import { getPersonName } from "./person-name.js";
import { createRoleField } from "./role-field.js";

const fields = {
  name: createOptionalTextField(words.name, { maxLength: 150, autocomplete: "off", hint: words.nameHint }),
  role: createRoleField(),
};

const invitedFields = {
  email: createTextField(words.email, {
    inputMode: "email",
    autocomplete: "off",
    hint: words.inviteHint,
  }),
  ...fields,
};

interface FormProps {
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

/** A form that invites a new staff member by email. */
export function InviteForm({ onClose, onSaved }: FormProps) {
  const form = useForm(invitedFields, {
    send: async (values) => {
      const { email } = await api.people.invite(values);
      showToast(words.invited(email));
      onSaved();
      onClose();
    },
  });
  return (
    <FormDialog title={words.inviteTitle} submitText={words.sendInvitation} form={form} onClose={onClose} />
  );
}

/** A form for changing a staff member's name and role. */
export function PersonForm({ person, onClose, onSaved }: FormProps & { readonly person: Person }) {
  const form = useForm(fields, {
    saved: person,
    send: async ({ name, role }) => {
      await api.people.update(person.id, {
        ...(name !== person.name && { name }),
        ...(role !== person.role && { role }),
      });
      showToast(words.saved);
      onSaved();
      onClose();
    },
  });
  return (
    <FormDialog
      title={words.changeTitle(getPersonName(person))}
      submitText={words.save}
      form={form}
      onClose={onClose}
    />
  );
}
