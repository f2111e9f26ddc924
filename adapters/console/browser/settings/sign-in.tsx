import type { ApiToken } from "../../../../src/resources/api-token.js";
import { may, session } from "../api/session.js";
import { SignOut, SignOutForm } from "../app/sign-out.js";
import { Button } from "../parts/button.js";
import { useLoad } from "../parts/load.js";
import { Loading } from "../parts/states.js";
import { dayText } from "../words/en/forms.js";
import { allowedWords } from "./allowed-words.js";
import { Facts, type Rows } from "./facts.js";

/** Shows who is signed in, what they may do, and what the server has been set up for. */
export function SignIn() {
  const key = useLoad("key", async (calls) =>
    may("api_token:manage") ? { of: signedInWith(await calls.apiTokens.list()) } : { of: null },
  );
  const isKey = session.signOut === null;
  return (
    <>
      <section class="panel padded stack" aria-label="Your sign-in">
        <h2>Your sign-in</h2>
        <Facts
          rows={[["Shop", session.organizationId], ...(isKey ? [] : [["You", session.subject] as const])]}
        />
        {isKey && (
          <Loading of={key} height="4rem">
            {({ of }) => <Facts rows={of === null ? [["Key", `${session.subject}…`]] : factsOf(of)} />}
          </Loading>
        )}
        <h3>What it may do here</h3>
        <Facts rows={allowedWords(session.scopes)} />
        <div class="row">
          <SignOut class="button" />
          {isKey && (
            <SignOutForm action="sign-out/everywhere">
              <Button text="Sign out on every device" type="submit" />
            </SignOutForm>
          )}
        </div>
        {isKey && (
          <p class="hint">
            A sign-in ends by itself after twelve hours. The second button ends all that began with this key,
            such as on a lost device. Who still has the key can sign in with it again: revoke it under
            Developers.
          </p>
        )}
      </section>
      <section class="panel padded stack" aria-label="This server">
        <h2>This server</h2>
        <Facts
          rows={[
            ["Mails", session.hasMail ? "it sends them" : "it sends none yet"],
            [
              "Wallets",
              session.hasWallets ? "it puts cards into wallets" : "it puts no cards into wallets yet",
            ],
          ]}
        />
        <p class="hint">Who runs the server sets this up. “loyalty-kit doctor” there says what is missing.</p>
      </section>
    </>
  );
}

/** The key that the session is of; `null` where its first characters are those of none, or of several. */
function signedInWith(tokens: readonly ApiToken[]): ApiToken | null {
  const [first, second] = tokens.filter(({ prefix }) => prefix === session.subject);
  return second === undefined ? (first ?? null) : null;
}

function factsOf({ name, prefix, createdAt, expiresAt, allowedAddresses }: ApiToken): Rows {
  return [
    ["Name", name],
    ["Key", `${prefix}…, made ${dayText(createdAt)}`],
    ["Valid", expiresAt === null ? "until it is taken back" : `until ${dayText(expiresAt)}`],
    ["Used from", allowedAddresses === null ? "everywhere" : allowedAddresses.join(", ")],
  ];
}
