import { session } from "../api/session.js";
import { SignOutForm } from "../app/sign-out.js";
import { Button } from "../parts/button.js";
import { useSaving } from "../parts/form.js";
import { useLoad } from "../parts/load.js";
import { Complaint, Loading } from "../parts/states.js";
import { tell } from "../parts/toasts.js";
import { devices as words } from "../words/en/people.js";
import { own } from "./own-calls.js";
import { SessionList } from "./session-list.js";

/** Where the person who is signed in is signed in, on this device and on others. */
export function OwnDevices() {
  const me = useLoad("me", own.get);
  const { isBusy, error, save } = useSaving();
  const end = (id: string, device: string) =>
    save(async () => {
      await own.endSession(id);
      tell(words.signedOut(device));
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
      {error !== null && <Complaint>{error.message}</Complaint>}
      {session.passkeys !== null && <p class="hint">{words.everywhereHint}</p>}
      <div class="row">
        <SignOutForm action="sign-out/everywhere">
          <Button text={words.everywhere} type="submit" />
        </SignOutForm>
      </div>
    </section>
  );
}
