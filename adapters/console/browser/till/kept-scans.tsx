import { Button } from "../parts/button.js";
import { counted } from "../words/en/forms.js";
import type { QueuedScan } from "./scan-store.js";
import { takeBackScan } from "./till-queue.js";

/** The scans that this device keeps for later, and those that the server refused. */
export function KeptScans({ scans }: { readonly scans: readonly QueuedScan[] }) {
  const waiting = scans.filter(({ refusal }) => refusal === null);
  const refused = scans.filter(({ refusal }) => refusal !== null);
  if (scans.length === 0) return null;
  return (
    <section class="stack tight" aria-label="Kept on this device" aria-live="polite">
      {waiting.length > 0 && (
        <p class="note warn">
          <strong class="grow">{counted(waiting.length, "scan")} waiting for the connection</strong>
          <span>They are sent by themselves. Leave this device signed in.</span>
        </p>
      )}
      {refused.length > 0 && (
        <>
          <h2>Not accepted</h2>
          <ul class="panel list">
            {refused.map((scan) => (
              <li key={scan.id}>
                <span class="grow">
                  <strong>
                    +{counted(scan.count, "stamp")} · <bdi>{nameOf(scan)}</bdi>
                  </strong>
                  <br />
                  <span class="quiet">
                    {new Date(scan.scannedAt).toLocaleString()} · {scan.refusal}
                  </span>
                </span>
                <Button text="Dismiss" onClick={() => void takeBackScan(({ id }) => id === scan.id)} />
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function nameOf({ card }: QueuedScan): string {
  return "passId" in card ? card.passId : card.code;
}
