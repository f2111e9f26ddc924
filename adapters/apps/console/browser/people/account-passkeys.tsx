import type { Passkey } from "../../../../../src/people/schema.js";
import { ConfirmDialog, DialogButton } from "../components/dialog.js";
import { Loading } from "../components/feedback.js";
import { useLoad } from "../components/load.js";
import { momentText } from "../words/en/forms.js";
import { passkeys as words } from "../words/en/passkeys.js";
import { accountCalls } from "./account-calls.js";
import { PasskeyDialog } from "./passkey-dialog.js";

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
  const me = useLoad("passkeys", accountCalls.get);
  const hindered = findObstacle(origin);
  return (
    <section class="panel padded stack" aria-label={words.title}>
      <h2>{words.title}</h2>
      <p class="hint">{words.about}</p>
      <Loading of={me} height="3rem">
        {({ passkeys }) =>
          passkeys.length === 0 ? (
            <p class="quiet">{words.none}</p>
          ) : (
            <ul class="list">
              {passkeys.map((passkey) => (
                <PasskeyLine key={passkey.id} passkey={passkey} onRemoved={me.reload} />
              ))}
            </ul>
          )
        }
      </Loading>
      {hindered === null ? (
        <div class="row">
          <DialogButton
            icon="plus"
            text={words.add}
            dialog={(close) => <PasskeyDialog onClose={close} onAdded={me.reload} />}
          />
        </div>
      ) : (
        <p class="hint">{hindered}</p>
      )}
    </section>
  );
}

interface PasskeyLineProps {
  readonly passkey: Passkey;
  readonly onRemoved: () => void;
}

function PasskeyLine({ passkey, onRemoved }: PasskeyLineProps) {
  const { id, name, createdAt, lastUsedAt } = passkey;
  const made = momentText(createdAt);
  return (
    <li>
      <div class="grow">
        <p>
          <strong>
            <bdi>{name}</bdi>
          </strong>
        </p>
        <p class="quiet">
          {lastUsedAt === null ? words.neverUsed(made) : words.lastUsed(made, momentText(lastUsedAt))}
        </p>
      </div>
      <DialogButton
        text={words.remove}
        aria-label={words.removeVerb(name)}
        dialog={(close) => (
          <ConfirmDialog
            title={words.removeTitle(name)}
            verb={words.removeVerb(name)}
            call={() => accountCalls.removePasskey(id)}
            said={words.removed(name)}
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
