import { EXPIRY_WARNING_DAYS } from "../../../../delivery/wallets/apple/expiry-warning.js";
import { hasScopes, session } from "../api/session.js";
import { callErrors } from "../words/en/call-errors.js";
import { dayText } from "../words/en/forms.js";
import { settings as words } from "../words/en/settings.js";
import { DefinitionList, type Definitions } from "./definition-list.js";
import { ForOperator } from "./for-operator.js";

const DAY_MS = 86_400_000;

/** Shows which wallets are set up, which setup steps are missing, and when certificates expire. */
export function WalletSettings() {
  const { wallets, hasWallets } = session;
  if (!hasScopes("settings:read")) return <p class="note">{callErrors.lacksScope("settings:read")}</p>;
  if (hasWallets && wallets === null) {
    return <p class="note">{words.wallets.others} </p>;
  }
  const { apple = null, google = null, certificates = [], problems = [] } = wallets ?? {};
  const now = Date.now();
  return (
    <>
      {problems.length > 0 && (
        <section class="note warn" aria-label={words.wallets.problems}>
          <div class="stack tight">
            <p>
              <strong>{words.wallets.needsCare}</strong> {words.wallets.fix}
            </p>
            <ul>
              {problems.map((problem) => (
                <li key={problem}>{problem}</li>
              ))}
            </ul>
          </div>
        </section>
      )}
      <section class="panel padded stack" aria-label="Apple Wallet">
        <h2>Apple Wallet</h2>
        {apple === null ? (
          <MissingSetup
            needs={words.wallets.appleNeeds}
            command={
              "loyalty-kit serve --apple-certificate pass.pem \\\n  --apple-key pass.key --apple-wwdr wwdr.pem"
            }
          />
        ) : (
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
        )}
      </section>
      <section class="panel padded stack" aria-label="Google Wallet">
        <h2>Google Wallet</h2>
        {google === null ? (
          <MissingSetup
            needs={words.wallets.googleNeeds}
            command={
              "loyalty-kit serve --google-issuer 3388000000012345678 \\\n  --google-service-account account.json"
            }
          />
        ) : (
          <DefinitionList
            rows={[
              [words.wallets.state, words.wallets.isSetUp],
              [words.wallets.issuer, google],
              [words.wallets.key, words.wallets.neverEnds],
            ]}
          />
        )}
      </section>
    </>
  );
}

function MissingSetup({ needs, command }: { readonly needs: string; readonly command: string }) {
  return (
    <>
      <p>
        <strong>{words.wallets.missing}</strong> {words.askOperator}
      </p>
      <ForOperator>
        <p>{words.wallets.given(needs)}</p>
        <pre>{command}</pre>
        <p class="hint">
          {words.wallets.doctor} <code>docs/wallets.md</code>.
        </p>
      </ForOperator>
    </>
  );
}

/** Describes when a certificate expires, with the number of days left if it expires soon. */
function describeExpiry(expiresAt: string, now: number): string {
  const days = Math.ceil((Date.parse(expiresAt) - now) / DAY_MS);
  if (days <= 0) return words.wallets.ended(dayText(expiresAt));
  const day = dayText(expiresAt);
  return days > EXPIRY_WARNING_DAYS ? words.wallets.until(day) : words.wallets.renew(day, days);
}
