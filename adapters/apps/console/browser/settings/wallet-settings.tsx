import { EXPIRY_WARNING_DAYS } from "../../../../delivery/wallets/apple/expiry-warning.js";
import { hasScopes, session } from "../api/session.js";
import { Link } from "../app/router.js";
import { SERVER_SETTINGS_PATH } from "../app/sections.js";
import { MissingSetup } from "../components/missing-setup.js";
import { callErrors } from "../words/en/call-errors.js";
import { dayText } from "../words/en/forms.js";
import { parts } from "../words/en/parts.js";
import { settings as words } from "../words/en/settings.js";
import { DefinitionList, type Definitions } from "./definition-list.js";

const DAY_MS = 86_400_000;

/** Shows which wallets are set up, and when certificates expire. */
export function WalletSettings() {
  const { wallets, hasWallets } = session;
  if (!hasScopes("settings:read")) return <p class="note">{callErrors.lacksScope("settings:read")}</p>;
  if (hasWallets && wallets === null) {
    return <p class="note">{words.wallets.others} </p>;
  }
  const { apple = null, google = null, certificates = [], problems = [] } = wallets ?? {};
  const isAnySetUp = apple !== null || google !== null;
  const now = Date.now();
  return (
    <>
      {isAnySetUp && problems.length > 0 && (
        <p class="note warn">
          <strong>{words.wallets.needsCare}</strong>
          {session.isOperator ? (
            <Link to={SERVER_SETTINGS_PATH}>{words.wallets.look}</Link>
          ) : (
            words.wallets.fix
          )}
        </p>
      )}
      {apple !== null && (
        <section class="panel padded stack" aria-label="Apple Wallet">
          <h2>Apple Wallet</h2>
          <DefinitionList
            rows={[
              [words.wallets.state, words.wallets.isSetUp],
              [words.wallets.passType, apple],
              ...certificates.map(({ name, expiresAt }): Definitions[number] => [
                name === apple ? words.wallets.certificate : words.wallets.ofApple,
                `${name === apple ? "" : `${name}, `}${describeExpiry(expiresAt, now)}`,
              ]),
            ]}
          />
        </section>
      )}
      {google !== null && (
        <section class="panel padded stack" aria-label="Google Wallet">
          <h2>Google Wallet</h2>
          <DefinitionList
            rows={[
              [words.wallets.state, words.wallets.isSetUp],
              [words.wallets.issuer, google],
              [words.wallets.key, words.wallets.neverEnds],
            ]}
          />
        </section>
      )}
      {(apple === null || google === null) && <MissingSetup text={describeMissing(apple, google)} />}
    </>
  );
}

/** Says which wallet isn't set up, or that neither is. */
function describeMissing(apple: string | null, google: string | null): string {
  if (apple === null && google === null) return parts.noWallets;
  return words.wallets.oneMissing(apple === null ? "Apple Wallet" : "Google Wallet");
}

/** Describes when a certificate expires, with the number of days left if it expires soon. */
function describeExpiry(expiresAt: string, now: number): string {
  const days = Math.ceil((Date.parse(expiresAt) - now) / DAY_MS);
  if (days <= 0) return words.wallets.ended(dayText(expiresAt));
  const day = dayText(expiresAt);
  return days > EXPIRY_WARNING_DAYS ? words.wallets.until(day) : words.wallets.renew(day, days);
}
