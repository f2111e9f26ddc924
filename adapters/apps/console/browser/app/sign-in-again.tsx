import { useState } from "preact/hooks";
import { base, session } from "../api/session.js";
import { Button } from "../components/button.js";
import { Dialog } from "../components/dialog.js";
import { TextField } from "../components/field.js";
import { callErrors } from "../words/en/call-errors.js";
import { sessionEnd as words } from "../words/en/session-end.js";

interface SignInAgainProps {
  /** Called when the user says that they have signed in again. */
  readonly onDone: () => void;
}

/** A dialog over the current screen that asks the user to sign in again. */
export function SignInAgain({ onDone }: SignInAgainProps) {
  if (session.signOut !== null) return <SignInWithHost />;
  return session.person === null ? <TokenDialog onDone={onDone} /> : <PersonDialog onDone={onDone} />;
}

/** Lets a staff member sign in again. The emailed link opens in another tab, so this screen keeps its content. */
function PersonDialog({ onDone }: SignInAgainProps) {
  return (
    <Dialog title={words.sessionEnded}>
      <p>{words.signInElsewhere}</p>
      <div class="actions">
        <a class="button" href={base} target="_blank" rel="noopener">
          {words.openSignIn}
        </a>
        <Button text={words.continue} kind="primary" onClick={onDone} />
      </div>
    </Dialog>
  );
}

function SignInWithHost() {
  return (
    <Dialog title={words.sessionEnded} onClose={() => location.reload()}>
      <p>{words.signInAgain}</p>
      <div class="actions">
        <Button text={words.signIn} kind="primary" onClick={() => location.reload()} />
      </div>
    </Dialog>
  );
}

function TokenDialog({ onDone }: SignInAgainProps) {
  const [token, setToken] = useState("");
  const [error, setError] = useState("");
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const body = new URLSearchParams({ token });
    try {
      const { type, status } = await fetch(base, { method: "POST", body, redirect: "manual" });
      if (type === "opaqueredirect") onDone();
      else setError(status === 401 ? words.invalidToken : words.somethingWentWrong);
    } catch {
      setError(callErrors.unreachable);
    }
  };
  return (
    <Dialog title={words.sessionEnded} onSubmit={submit}>
      <p class="quiet">{words.nothingIsLost}</p>
      <TextField
        label={words.apiToken}
        error={error}
        type="password"
        autocomplete="off"
        spellcheck={false}
        required
        value={token}
        onText={setToken}
      />
      <div class="actions">
        <Button text={words.signIn} kind="primary" type="submit" />
      </div>
    </Dialog>
  );
}
