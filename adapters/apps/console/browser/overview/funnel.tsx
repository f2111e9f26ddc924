import { session } from "../api/session.js";
import { Link } from "../app/router.js";
import { LoadError } from "../components/feedback.js";
import { useInterval, useLoad } from "../components/load.js";
import { numberText } from "../words/en/forms.js";
import { overview as words } from "../words/en/overview.js";
import { percentText } from "./percent-text.js";
import { buildListPath, funnel, RECENT_DAYS, readTotals } from "./program-counts.js";

const RELOAD_MS = 60_000;

/**
 * Shows how many of the customers who signed up recently have taken each step towards a reward. Each step links to its customers.
 * Leaves out the wallets if they aren't set up and no host has reported a card in one.
 */
export function Funnel() {
  const filters = funnel.map(({ filter }) => filter);
  const totals = useLoad("funnel", (calls) => readTotals(calls, filters));
  useInterval(RELOAD_MS, totals.reload);
  const { value: counts, error } = totals;
  if (counts === null && error !== null) return <LoadError error={error} onRetry={totals.reload} />;
  const joinedCount = counts?.[0] ?? 0;
  return (
    <section class="panel padded stack tight" aria-label={words.way} aria-busy={counts === null}>
      <h2>{words.way}</h2>
      <p class="quiet">{words.whoJoined(RECENT_DAYS)}</p>
      <ol class="funnel">
        {funnel.map(({ text, filter, isWallet }, index) => {
          const count = counts?.[index] ?? 0;
          if (isWallet && !session.hasWallets && count === 0) return null;
          const share = joinedCount === 0 ? 0 : count / joinedCount;
          return (
            <li key={text}>
              <Link to={buildListPath(filter)}>
                {/* A placeholder keeps the space until the count arrives, so that the layout doesn't jump. */}
                {text} <span class="number">{counts === null ? "–" : numberText(count)}</span>
              </Link>{" "}
              <span class="quiet number">{percentText(share)}</span>
              <progress class="progress" aria-label={words.ofJoined(text)} value={share} max={1} />
            </li>
          );
        })}
      </ol>
    </section>
  );
}
