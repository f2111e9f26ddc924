import type { Person } from "../../../../../src/people/schema.js";
import { api } from "../api/calls.js";
import { session } from "../api/session.js";
import { ConfirmDialog } from "../components/dialog.js";
import { Menu, type MenuItem } from "../components/menu.js";
import { runWithToast, showToast } from "../components/toasts.js";
import { dayText } from "../words/en/forms.js";
import { people as words } from "../words/en/people.js";
import { DevicesDialog } from "./devices-dialog.js";
import { PersonForm } from "./person-form.js";
import { personName } from "./person-name.js";
import { mayManage } from "./role-field.js";

interface PersonLineProps {
  readonly person: Person;
  readonly onChanged: () => void;
}

/**
 * A row for a staff member. Shows their role, when they last signed in or were invited, and a menu of the actions that the user is
 * allowed to take.
 */
export function PersonRow({ person, onChanged }: PersonLineProps) {
  const { id, email, name, role, status, invitedAt, lastSignedInAt } = person;
  const isYou = session.person?.id === id;
  const shown = personName(person);
  return (
    <li>
      <div class="grow">
        <p class="row">
          <strong>
            <bdi>{shown}</bdi>
          </strong>
          <span class="chip">{words.roles[role]}</span>
          {status === "INVITED" && <span class="chip warn">{words.waiting}</span>}
          {isYou && <span class="chip good">{words.you}</span>}
        </p>
        <p class="quiet">
          {name !== null && (
            <>
              <bdi>{email}</bdi> ·{" "}
            </>
          )}
          {lastSignedInAt === null
            ? words.neverHere(dayText(invitedAt))
            : words.lastHere(dayText(lastSignedInAt))}
        </p>
      </div>
      {mayManage(role) && <Menu label={words.more(shown)} items={itemsFor(person, isYou, onChanged)} />}
    </li>
  );
}

function itemsFor(person: Person, isYou: boolean, onChanged: () => void): readonly MenuItem[] {
  const { id, email } = person;
  const shown = personName(person);
  const sendAgain = () =>
    runWithToast(async () => {
      await api.people.inviteAgain(id);
      showToast(words.sentAgain(email));
      onChanged();
    });
  return [
    {
      text: words.change,
      dialog: (close) => <PersonForm person={person} onClose={close} onSaved={onChanged} />,
    },
    ...(session.hasMail
      ? [{ text: words.sendAgain, hint: words.sendAgainHint, run: () => void sendAgain() }]
      : []),
    ...(isYou
      ? []
      : [
          {
            text: words.devices,
            dialog: (close: () => void) => <DevicesDialog person={person} onClose={close} />,
          },
          {
            text: words.remove,
            dialog: (close: () => void) => (
              <ConfirmDialog
                title={words.removeTitle(shown)}
                verb={words.removeVerb(shown)}
                call={() => api.people.delete(id)}
                said={words.removed(shown)}
                onDone={onChanged}
                onClose={close}
              >
                <p>{words.removing}</p>
              </ConfirmDialog>
            ),
          },
        ]),
  ];
}
