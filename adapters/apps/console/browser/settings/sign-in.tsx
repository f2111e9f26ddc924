import type { ApiToken } from "../../../../../src/access/api-token-schema.js";
import { CallError } from "../api/call-error.js";
import { hasScopes, session } from "../api/session.js";
import { Link } from "../app/router.js";
import { SERVER_SETTINGS_PATH } from "../app/sections.js";
import { SignOut, SignOutForm } from "../app/sign-out.js";
import { Button } from "../components/button.js";
import { ErrorText, Loading } from "../components/feedback.js";
import { useSave } from "../components/form.js";
import { useLoad } from "../components/load.js";
import { showToast } from "../components/toasts.js";
import { accountCalls } from "../people/account-calls.js";
import { SessionList } from "../people/session-list.js";
import { dayText } from "../words/en/forms.js";
import { parts } from "../words/en/parts.js";
import { devices as devicesWords, people } from "../words/en/people.js";
import { allowed, settings as words } from "../words/en/settings.js";
import { DefinitionList, type Definitions } from "./definition-list.js";

/** Shows the signed-in user, their permissions, and the features that are set up on the server. */
export function SignIn() {
  const { person } = session;
  const isTokenSession = session.signOut === null && person === null;
  const sessionToken = useLoad("key", async (calls) =>
    isTokenSession && hasScopes("api_token:manage")
      ? { token: findSessionToken(await calls.apiTokens.list()) }
      : { token: null },
  );
  return (
    <>
      <section class="panel padded stack" aria-label={words.signIn.own}>
        <h2>{words.signIn.own}</h2>
        <DefinitionList
          rows={[
            [words.signIn.shop, session.organizationId],
            ...(person === null ? [] : listPersonRows(person)),
            ...(isTokenSession || person !== null ? [] : [[words.signIn.you, session.subject] as const]),
          ]}
        />
        {isTokenSession && (
          <Loading data={sessionToken} height="6.5rem">
            {({ token }) => (
              <DefinitionList
                rows={token === null ? [[words.signIn.key, `${session.subject}…`]] : listSignInFacts(token)}
              />
            )}
          </Loading>
        )}
        <h3>{words.signIn.mayDo}</h3>
        <DefinitionList rows={describeScopes(session.scopes)} />
        <div class="row">
          <SignOut class="button" />
          {isTokenSession && (
            <SignOutForm action="sign-out/everywhere">
              <Button text={words.signIn.everyDevice} type="submit" />
            </SignOutForm>
          )}
        </div>
        {isTokenSession && <p class="hint">{words.signIn.hint} </p>}
      </section>
      {person !== null && session.passkeys !== null && <LazyPasskeys origin={session.passkeys} />}
      {person !== null && <AccountDevices />}
      <section class="panel padded stack" aria-label={words.signIn.server}>
        <h2>{words.signIn.server}</h2>
        <DefinitionList
          rows={[
            [words.signIn.mails, session.hasMail ? words.signIn.sendsMails : words.signIn.sendsNoMails],
            [
              words.signIn.wallets,
              session.hasWallets ? words.signIn.fillsWallets : words.signIn.fillsNoWallets,
            ],
          ]}
        />
        {!(session.hasMail && session.hasWallets) && (
          <p class="hint">
            {session.isOperator ? (
              <Link to={SERVER_SETTINGS_PATH}>{parts.setUpOnServer}</Link>
            ) : (
              words.signIn.serverHint
            )}
          </p>
        )}
      </section>
    </>
  );
}

function listPersonRows({ name, email, role }: NonNullable<typeof session.person>): Definitions {
  return [
    ...(name === null ? [] : [[people.name, name] as const]),
    [people.email, email],
    [people.ownRole, people.roles[role]],
  ];
}

/** Returns the token that the session was started with, or `null` if its prefix matches no token or more than one. */
function findSessionToken(tokens: readonly ApiToken[]): ApiToken | null {
  const [first, second] = tokens.filter(({ prefix }) => prefix === session.subject);
  return second === undefined ? (first ?? null) : null;
}

function listSignInFacts({ name, prefix, createdAt, expiresAt, allowedAddresses }: ApiToken): Definitions {
  return [
    [words.signIn.name, name],
    [words.signIn.key, words.signIn.made(prefix, dayText(createdAt))],
    [
      words.signIn.valid,
      expiresAt === null ? words.signIn.untilTakenBack : words.signIn.until(dayText(expiresAt)),
    ],
    [
      words.signIn.usedFrom,
      allowedAddresses === null ? words.signIn.everywhere : allowedAddresses.join(", "),
    ],
  ];
}

/** Describes what a set of scopes allows. Returns one entry for each kind of resource, such as `["Customers", "see, add"]`. */
function describeScopes(granted: readonly string[]): readonly (readonly [things: string, verbs: string])[] {
  const lines = new Map<string, readonly string[]>();
  for (const [scope, [resource, verb]] of Object.entries(allowed)) {
    if (granted.includes(scope)) lines.set(resource, [...(lines.get(resource) ?? []), verb]);
  }
  return [...lines].map(([resource, verbs]) => [resource, verbs.join(", ")]);
}

/** Lists the devices on which the staff member is signed in, and marks the current device. */
function AccountDevices() {
  const account = useLoad("me", accountCalls.get);
  const { isBusy, error, save } = useSave();
  const endSession = (id: string, device: string) =>
    save(async () => {
      await accountCalls.endSession(id);
      showToast(devicesWords.signedOut(device));
      account.reload();
    });
  return (
    <section class="panel padded stack" aria-label={devicesWords.title}>
      <h2>{devicesWords.title}</h2>
      <p class="hint">{devicesWords.about}</p>
      <Loading data={account} height="3rem" count={2}>
        {({ sessions }) => (
          <SessionList
            sessions={sessions}
            isBusy={isBusy}
            onEnd={({ id, device }) => void endSession(id, device)}
          />
        )}
      </Loading>
      {error !== null && <ErrorText>{error.message}</ErrorText>}
      {session.passkeys !== null && <p class="hint">{devicesWords.everywhereHint}</p>}
      <div class="row">
        <SignOutForm action="sign-out/everywhere">
          <Button text={devicesWords.everywhere} type="submit" />
        </SignOutForm>
      </div>
    </section>
  );
}

/**
 * Lists the signed-in staff member's passkeys. Loads the code for passkeys on demand.
 * @param origin the only origin where passkeys can be added and used.
 */
function LazyPasskeys({ origin }: { readonly origin: string }) {
  const code = useLoad("code", loadPasskeys);
  return (
    <Loading data={code} height="8rem">
      {({ AccountPasskeys }) => <AccountPasskeys origin={origin} />}
    </Loading>
  );
}

/** @throws {CallError} if the server can't be reached. */
async function loadPasskeys() {
  try {
    const { AccountPasskeys } = await import("../people/account-passkeys.js");
    return { AccountPasskeys };
  } catch {
    throw new CallError(0, null);
  }
}
