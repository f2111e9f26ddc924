import { Button } from "../components/button.js";
import { momentText } from "../words/en/forms.js";
import { till as words } from "../words/en/till.js";
import type { PendingScan } from "./scan-store.js";
import { withdrawScan } from "./till-queue.js";

/** Lists the scans on this device that are waiting to be sent or that the server refused. */
export function PendingScans({ scans }: { readonly scans: readonly PendingScan[] }) {
  const waiting = scans.filter(({ refusal }) => refusal === null);
  const refused = scans.filter(({ refusal }) => refusal !== null);
  if (scans.length === 0) return null;
  return (
    <section class="stack tight" aria-label={words.kept} aria-live="polite">
      {waiting.length > 0 && (
        <p class="note warn">
          <strong class="grow">{words.keptWaiting(waiting.length)}</strong>
          <span>{words.keptHint}</span>
        </p>
      )}
      {refused.length > 0 && (
        <>
          <h2>{words.notAccepted}</h2>
          <ul class="panel list">
            {refused.map((scan) => (
              <li key={scan.id}>
                <span class="grow">
                  <strong>
                    {words.plusStamps(scan.count)} · <bdi>{nameOf(scan)}</bdi>
                  </strong>
                  <br />
                  <span class="quiet">
                    {momentText(new Date(scan.scannedAt).toISOString())} · {scan.refusal}
                  </span>
                </span>
                <Button text={words.dismiss} onClick={() => void withdrawScan(({ id }) => id === scan.id)} />
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function nameOf({ card }: PendingScan): string {
  return "passId" in card ? card.passId : card.code;
}
