import {
  type PublicKeyCredentialCreationOptionsJSON,
  type RegistrationResponseJSON,
  startRegistration,
} from "@simplewebauthn/browser";
import { useState } from "preact/hooks";
import { describeDevice } from "../../../../../src/base/values/describe-device.js";
import { CallError } from "../api/call-error.js";
import { Button } from "../components/button.js";
import { Dialog } from "../components/dialog.js";
import { errorMessage } from "../components/error-message.js";
import { ErrorText } from "../components/feedback.js";
import { TextField } from "../components/field.js";
import { showToast } from "../components/toasts.js";
import { passkeys as words } from "../words/en/passkeys.js";
import { accountCalls } from "./account-calls.js";
import { passkeyErrorText } from "./passkey-error.js";

interface PasskeyDialogProps {
  readonly onClose: () => void;
  readonly onAdded: () => void;
}

/** A dialog that asks for a name and then creates a passkey with that name on the device. */
export function PasskeyDialog({ onClose, onAdded }: PasskeyDialogProps) {
  const [name, setName] = useState(() => describeDevice(navigator.userAgent));
  const [isBusy, setBusy] = useState(false);
  const [failed, setFailed] = useState<unknown>(null);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setBusy(true);
    setFailed(null);
    try {
      const options = await accountCalls.passkeyOptions(name);
      await accountCalls.addPasskey(name, await createPasskey(options));
      showToast(words.added(name.trim()));
      onAdded();
      onClose();
    } catch (error) {
      setFailed(error);
    } finally {
      setBusy(false);
    }
  };
  const ofName = failed instanceof CallError ? failed.fields.name : undefined;
  return (
    <Dialog title={words.add} onClose={onClose} onSubmit={(event) => void submit(event)}>
      <TextField
        label={words.name}
        hint={words.nameHint}
        error={ofName}
        autocomplete="off"
        maxLength={60}
        required
        value={name}
        onText={setName}
      />
      {failed !== null && ofName === undefined && <ErrorText>{describeFailure(failed)}</ErrorText>}
      <div class="actions">
        <Button text={words.cancel} onClick={onClose} />
        <Button text={words.goOn} kind="primary" type="submit" disabled={isBusy} />
      </div>
    </Dialog>
  );
}

function describeFailure(failed: unknown): string {
  const code = failed instanceof CallError ? failed.code : null;
  if (code === "recent_sign_in_required") return words.signInAgain;
  return code === "malformed_request" ? words.refused : errorMessage(failed);
}

/**
 * Asks the device to create a passkey.
 * @throws {Error} with a message for the user, if the user cancels or the device can't create the passkey.
 */
async function createPasskey(
  optionsJSON: PublicKeyCredentialCreationOptionsJSON,
): Promise<RegistrationResponseJSON> {
  try {
    return await startRegistration({ optionsJSON });
  } catch (error) {
    throw new Error(passkeyErrorText(error), { cause: error });
  }
}
