import type { Person } from "../../../../../src/people/schema.js";
import { api } from "../api/calls.js";
import { session } from "../api/session.js";
import { Button } from "../components/button.js";
import { Dialog } from "../components/dialog.js";
import { ErrorText, Loading } from "../components/feedback.js";
import { useSave } from "../components/form.js";
import { useLoad } from "../components/load.js";
import { showToast } from "../components/toasts.js";
import { devices, people as words } from "../words/en/people.js";
import { personName } from "./person-name.js";
import { SessionList } from "./session-list.js";

interface DevicesDialogProps {
  readonly person: Person;
  readonly onClose: () => void;
}

/** A dialog that lists another staff member's sessions and can end each one, for example if a device was lost. */
export function DevicesDialog({ person, onClose }: DevicesDialogProps) {
  const sessions = useLoad(person.id, (calls) => calls.people.sessions(person.id));
  const { isBusy, error, save } = useSave();
  const end = (sessionId: string, device: string) =>
    save(async () => {
      await api.people.endSession(person.id, sessionId);
      showToast(devices.signedOut(device));
      sessions.reload();
    });
  const endAll = () =>
    save(async () => {
      await api.people.endSessions(person.id);
      showToast(words.signedOutAll(personName(person)));
      onClose();
    });
  return (
    <Dialog title={words.devicesTitle(personName(person))} onClose={onClose}>
      <Loading of={sessions} height="3rem" count={2}>
        {(all) => (
          <SessionList sessions={all} isBusy={isBusy} onEnd={({ id, device }) => void end(id, device)} />
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
