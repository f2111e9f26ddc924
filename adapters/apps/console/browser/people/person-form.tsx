import { useId } from "preact/hooks";
import { type Role, roles, scopesOfRole } from "../../../../../src/base/scopes.js";
import type { Person } from "../../../../../src/people/schema.js";
import { api } from "../api/calls.js";
import { hasScopes } from "../api/session.js";
import {
  createOptionalTextField,
  createTextField,
  FormDialog,
  type FormField,
  useForm,
} from "../components/form.js";
import { showToast } from "../components/toasts.js";
import { people as words } from "../words/en/people.js";

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

/** Returns a staff member's name, or their email address if no name is set. */
export const getPersonName = ({ name, email }: { readonly name: string | null; readonly email: string }) =>
  name ?? email;

/** The roles that the user may assign, whose scopes never exceed the user's own. */
const assignableRoles = roles.filter((role) => hasScopes(...scopesOfRole[role]));

/** Returns whether the signed-in user is allowed to edit or remove staff members with this role. */
export const mayManage = (role: Role) => assignableRoles.includes(role);

/** Creates a form field for choosing a role, with a description of each role. */
function createRoleField(): FormField<Role, Role> {
  return {
    initial: "till",
    parse: (role) => role,
    format: (role) => role,
    control: ({ value, error, onChange }) => <RoleControl value={value} error={error} onChange={onChange} />,
  };
}

interface RoleControlProps {
  readonly value: Role;
  readonly error: string | undefined;
  readonly onChange: (role: Role) => void;
}

function RoleControl({ value, error, onChange }: RoleControlProps) {
  const name = useId();
  return (
    <fieldset class="scopes">
      <legend class="label">{words.role}</legend>
      {assignableRoles.map((role) => (
        <label key={role} class="check">
          <input type="radio" name={name} checked={role === value} onChange={() => onChange(role)} />
          <span>
            {words.roles[role]}
            <br />
            <span class="hint">{words.rolesIn[role]}</span>
          </span>
        </label>
      ))}
      {error !== undefined && (
        <p class="field-error" role="alert">
          {error}
        </p>
      )}
    </fieldset>
  );
}
