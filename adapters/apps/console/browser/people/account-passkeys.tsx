import {
  type PublicKeyCredentialCreationOptionsJSON,
  type RegistrationResponseJSON,
  startRegistration,
} from "@simplewebauthn/browser";
import { useState } from "preact/hooks";
import { describeDevice } from "../../../../../src/base/values/describe-device.js";
import type { Passkey } from "../../../../../src/people/schema.js";
import { CallError } from "../api/call-error.js";
import { Button } from "../components/button.js";
import { ConfirmDialog, Dialog, DialogButton } from "../components/dialog.js";
import { getErrorMessage } from "../components/error-message.js";
import { ErrorText, Loading } from "../components/feedback.js";
import { TextField } from "../components/field.js";
import { useLoad } from "../components/load.js";
import { showToast } from "../components/toasts.js";
import { momentText } from "../words/en/forms.js";
import { passkeys as words } from "../words/en/passkeys.js";
import { accountCalls } from "./account-calls.js";
import { describePasskeyError } from "./passkey-error.js";

/** Returns the reason why a passkey can't be added on this page, or `null` if one can be added. */
function findObstacle(origin: string): string | null {
  if (location.origin !== origin) return words.elsewhere(origin);
  return "PublicKeyCredential" in window ? null : words.unknown;
}

/**
 * Lists the signed-in staff member's passkeys.
 * @param origin the only origin where passkeys can be added and used.
 */
export function AccountPasskeys({ origin }: { readonly origin: string }) {
  const account = useLoad("passkeys", accountCalls.get);
  const obstacle = findObstacle(origin);
  return (
    <section class="panel padded stack" aria-label={words.title}>
      <h2>{words.title}</h2>
      <p class="hint">{words.about}</p>
      <Loading data={account} height="3rem">
        {({ passkeys }) =>
          passkeys.length === 0 ? (
            <p class="quiet">{words.none}</p>
          ) : (
            <ul class="list">
              {passkeys.map((passkey) => (
                <PasskeyRow key={passkey.id} passkey={passkey} onRemoved={account.reload} />
              ))}
            </ul>
          )
        }
      </Loading>
      {obstacle === null ? (
        <div class="row">
          <DialogButton
            icon="plus"
            text={words.add}
            dialog={(close) => <PasskeyDialog onClose={close} onAdded={account.reload} />}
          />
        </div>
      ) : (
        <p class="hint">{obstacle}</p>
      )}
    </section>
  );
}

interface PasskeyRowProps {
  readonly passkey: Passkey;
  readonly onRemoved: () => void;
}

function PasskeyRow({ passkey, onRemoved }: PasskeyRowProps) {
  const { id, name, createdAt, lastUsedAt } = passkey;
  const createdText = momentText(createdAt);
  return (
    <li>
      <div class="grow">
        <p>
          <strong>
            <bdi>{name}</bdi>
          </strong>
        </p>
        <p class="quiet">
          {lastUsedAt === null
            ? words.neverUsed(createdText)
            : words.lastUsed(createdText, momentText(lastUsedAt))}
        </p>
      </div>
      <DialogButton
        text={words.remove}
        aria-label={words.removeVerb(name)}
        dialog={(close) => (
          <ConfirmDialog
            title={words.removeTitle(name)}
            confirmText={words.removeVerb(name)}
            call={() => accountCalls.removePasskey(id)}
            successMessage={words.removed(name)}
            onDone={onRemoved}
            onClose={close}
          >
            <p>{words.removing}</p>
          </ConfirmDialog>
        )}
      />
    </li>
  );
}

interface PasskeyDialogProps {
  readonly onClose: () => void;
  readonly onAdded: () => void;
}

/** A dialog that asks for a name and then creates a passkey with that name on the device. */
function PasskeyDialog({ onClose, onAdded }: PasskeyDialogProps) {
  const [name, setName] = useState(() => describeDevice(navigator.userAgent));
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setBusy(true);
    setFailure(null);
    try {
      const options = await accountCalls.createPasskeyOptions(name);
      await accountCalls.addPasskey(name, await createPasskey(options));
      showToast(words.added(name.trim()));
      onAdded();
      onClose();
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  const nameError = failure instanceof CallError ? failure.fields.name : undefined;
  return (
    <Dialog title={words.add} onClose={onClose} onSubmit={(event) => void submit(event)}>
      <TextField
        label={words.name}
        hint={words.nameHint}
        error={nameError}
        autocomplete="off"
        maxLength={60}
        required
        value={name}
        onText={setName}
      />
      {failure !== null && nameError === undefined && <ErrorText>{describeFailure(failure)}</ErrorText>}
      <div class="actions">
        <Button text={words.cancel} onClick={onClose} />
        <Button text={words.goOn} kind="primary" type="submit" disabled={isBusy} />
      </div>
    </Dialog>
  );
}

function describeFailure(failure: unknown): string {
  const code = failure instanceof CallError ? failure.code : null;
  if (code === "recent_sign_in_required") return words.signInAgain;
  return code === "malformed_request" ? words.refused : getErrorMessage(failure);
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
    throw new Error(describePasskeyError(error), { cause: error });
  }
}
