import { WARNED_DAYS } from "../../../wallets/apple/warned-days.js";
import { may, session } from "../api/session.js";
import { dayText } from "../words/en/forms.js";
import { Facts, type Rows } from "./facts.js";

const DAY_MS = 86_400_000;

/** Says into which wallets the server puts cards, what is missing, and when a certificate ends. */
export function WalletSettings() {
  const { wallets, hasWallets } = session;
  if (!may("settings:read"))
    return <p class="note">You may not do this here: your sign-in lacks settings:read.</p>;
  if (hasWallets && wallets === null) {
    return (
      <p class="note">
        Cards go into wallets here. Whoever runs this server looks after that for all its shops.
      </p>
    );
  }
  const { apple = null, google = null, certificates = [], problems = [] } = wallets ?? {};
  const now = Date.now();
  return (
    <>
      {problems.length > 0 && (
        <section class="note warn" aria-label="What needs care">
          <div class="stack tight">
            <p>
              <strong>Something needs care.</strong> Whoever runs the server can mend it:
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
          <Missing
            needs="a certificate of a pass type from Apple’s developer site, its key, and Apple’s intermediate certificate"
            command={
              "loyalty-kit serve --apple-certificate pass.pem \\\n  --apple-key pass.key --apple-wwdr wwdr.pem"
            }
          />
        ) : (
          <Facts
            rows={[
              ["State", "set up: cards go into it"],
              ["Pass type", apple],
              ...certificates.map(({ name, expiresAt }): Rows[number] => [
                name === apple ? "Certificate" : "Apple’s own",
                `${name === apple ? "" : `${name}, `}${endText(expiresAt, now)}`,
              ]),
            ]}
          />
        )}
      </section>
      <section class="panel padded stack" aria-label="Google Wallet">
        <h2>Google Wallet</h2>
        {google === null ? (
          <Missing
            needs="an issuer of Google’s Pay & Wallet Console, and the key of a service account that may speak for it"
            command={
              "loyalty-kit serve --google-issuer 3388000000012345678 \\\n  --google-service-account account.json"
            }
          />
        ) : (
          <Facts
            rows={[
              ["State", "set up: cards go into it"],
              ["Issuer", google],
              ["Key", "does not end by itself"],
            ]}
          />
        )}
      </section>
    </>
  );
}

function Missing({ needs, command }: { readonly needs: string; readonly command: string }) {
  return (
    <>
      <p>
        <strong>Not set up yet.</strong> Whoever runs the server gives it {needs}:
      </p>
      <pre>{command}</pre>
      <p class="hint">
        “loyalty-kit doctor” there says what is still wrong. All of it is in <code>docs/wallets.md</code>.
      </p>
    </>
  );
}

/** Says when a certificate ends, and how soon where that is soon. */
function endText(expiresAt: string, now: number): string {
  const days = Math.ceil((Date.parse(expiresAt) - now) / DAY_MS);
  if (days <= 0) return `ended on ${dayText(expiresAt)}: phones take no new card`;
  const end = `until ${dayText(expiresAt)}`;
  return days > WARNED_DAYS ? end : `${end}: renew it within ${days === 1 ? "a day" : `${days} days`}`;
}
