import { useId } from "preact/hooks";
import { type Role, roles, scopesOfRole } from "../../../../../src/base/scopes.js";
import { hasScopes } from "../api/session.js";
import type { FormField } from "../components/form.js";
import { people as words } from "../words/en/people.js";

/** The roles that the user may assign, whose scopes never exceed the user's own. */
const assignableRoles = roles.filter((role) => hasScopes(...scopesOfRole[role]));

/** Returns whether the signed-in user is allowed to edit or remove staff members with this role. */
export const mayManage = (role: Role) => assignableRoles.includes(role);

/** Creates a form field for choosing a role, with a description of each role. */
export function createRoleField(): FormField<Role, Role> {
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
