import type { Page } from "../../../../../src/base/page.js";
import type { Person } from "../../../../../src/people/schema.js";
import { api } from "../api/calls.js";
import { hasScopes, session } from "../api/session.js";
import { Button } from "../components/button.js";
import { ConfirmDialog, Dialog, DialogButton } from "../components/dialog.js";
import { Empty, ErrorText, Loading, LoadingList } from "../components/feedback.js";
import { useSave } from "../components/form.js";
import { useLoad } from "../components/load.js";
import { Menu, type MenuItem } from "../components/menu.js";
import { MissingSetup } from "../components/missing-setup.js";
import { runWithToast, showToast } from "../components/toasts.js";
import { dayText } from "../words/en/forms.js";
import { parts } from "../words/en/parts.js";
import { devices, people as words } from "../words/en/people.js";
import { getPersonName, InviteForm, mayManage, PersonForm } from "./person-form.js";
import { SessionList } from "./session-list.js";

/** Number of staff members per page. */
const PAGE_SIZE = 200;

/** Lists the organization's staff members and their roles. */
export function PeopleTab() {
  const people = useLoad("people", (calls) =>
    loadAllPages((page) => calls.people.list({ page, size: PAGE_SIZE })),
  );
  const mayInvite = hasScopes("people:manage");
  return (
    <>
      <div class="row spread">
        <p class="hint">{words.about}</p>
        {mayInvite && session.hasMail && (
          <DialogButton
            icon="plus"
            text={words.invite}
            kind="primary"
            dialog={(close) => <InviteForm onClose={close} onSaved={people.reload} />}
          />
        )}
      </div>
      {mayInvite && !session.hasMail && <MissingSetup text={parts.noMail} advice={words.noMailAdvice} />}
      <LoadingList
        data={people}
        empty={
          <Empty isPanel title={words.nobody}>
            {mayInvite && session.hasMail && words.nobodyYet}
          </Empty>
        }
      >
        {(person) => <PersonRow key={person.id} person={person} onChanged={people.reload} />}
      </LoadingList>
    </>
  );
}

/**
 * Reads all pages of a list, one after another.
 * @param readPage reads the page with the given number, starting from 0.
 */
async function loadAllPages<T>(
  readPage: (page: number) => Promise<Pick<Page<T>, "content" | "totalPages">>,
): Promise<T[]> {
  const items: T[] = [];
  for (let page = 0; ; page += 1) {
    const { content, totalPages } = await readPage(page);
    items.push(...content);
    if (page + 1 >= totalPages) return items;
  }
}

interface PersonRowProps {
  readonly person: Person;
  readonly onChanged: () => void;
}

/**
 * A row for a staff member. Shows their role, when they last signed in or were invited, and a menu of the actions that the user is
 * allowed to take.
 */
function PersonRow({ person, onChanged }: PersonRowProps) {
  const { id, email, name, role, status, invitedAt, lastSignedInAt } = person;
  const isYou = session.person?.id === id;
  const displayName = getPersonName(person);
  return (
    <li>
      <div class="grow">
        <p class="row">
          <strong>
            <bdi>{displayName}</bdi>
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
      {mayManage(role) && (
        <Menu label={words.more(displayName)} items={buildMenuItems(person, isYou, onChanged)} />
      )}
    </li>
  );
}

function buildMenuItems(person: Person, isYou: boolean, onChanged: () => void): readonly MenuItem[] {
  const { id, email } = person;
  const displayName = getPersonName(person);
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
                title={words.removeTitle(displayName)}
                confirmText={words.removeVerb(displayName)}
                call={() => api.people.delete(id)}
                successMessage={words.removed(displayName)}
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

interface DevicesDialogProps {
  readonly person: Person;
  readonly onClose: () => void;
}

/** A dialog that lists another staff member's sessions and can end each one, for example if a device was lost. */
function DevicesDialog({ person, onClose }: DevicesDialogProps) {
  const sessions = useLoad(person.id, (calls) => calls.people.sessions(person.id));
  const { isBusy, error, save } = useSave();
  const endSession = (sessionId: string, device: string) =>
    save(async () => {
      await api.people.endSession(person.id, sessionId);
      showToast(devices.signedOut(device));
      sessions.reload();
    });
  const endAll = () =>
    save(async () => {
      await api.people.endSessions(person.id);
      showToast(words.signedOutAll(getPersonName(person)));
      onClose();
    });
  return (
    <Dialog title={words.devicesTitle(getPersonName(person))} onClose={onClose}>
      <Loading data={sessions} height="3rem" count={2}>
        {(list) => (
          <SessionList
            sessions={list}
            isBusy={isBusy}
            onEnd={({ id, device }) => void endSession(id, device)}
          />
        )}
      </Loading>
      {error !== null && <ErrorText>{error.message}</ErrorText>}
      {session.passkeys !== null && <p class="hint">{words.signOutAllHint}</p>}
      <div class="actions">
        <Button text={words.close} onClick={onClose} />
        {sessions.value !== null && (session.passkeys !== null || sessions.value.length > 0) && (
          <Button text={words.signOutAll} kind="danger" disabled={isBusy} onClick={() => void endAll()} />
        )}
      </div>
    </Dialog>
  );
}
