import { session } from "../api/session.js";
import { SignOutForm } from "../app/sign-out.js";
import { Button } from "../components/button.js";
import { ErrorText, Loading } from "../components/feedback.js";
import { useSave } from "../components/form.js";
import { useLoad } from "../components/load.js";
import { showToast } from "../components/toasts.js";
import { devices as words } from "../words/en/people.js";
import { accountCalls } from "./account-calls.js";
import { SessionList } from "./session-list.js";

/** Lists the devices on which the staff member is signed in, and marks the current device. */
export function AccountDevices() {
  const me = useLoad("me", accountCalls.get);
  const { isBusy, error, save } = useSave();
  const end = (id: string, device: string) =>
    save(async () => {
      await accountCalls.endSession(id);
      showToast(words.signedOut(device));
      me.reload();
    });
  return (
    <section class="panel padded stack" aria-label={words.title}>
      <h2>{words.title}</h2>
      <p class="hint">{words.about}</p>
      <Loading of={me} height="3rem" count={2}>
        {({ sessions }) => (
          <SessionList sessions={sessions} isBusy={isBusy} onEnd={({ id, device }) => void end(id, device)} />
        )}
      </Loading>
      {error !== null && <ErrorText>{error.message}</ErrorText>}
      {session.passkeys !== null && <p class="hint">{words.everywhereHint}</p>}
      <div class="row">
        <SignOutForm action="sign-out/everywhere">
          <Button text={words.everywhere} type="submit" />
        </SignOutForm>
      </div>
    </section>
  );
}
