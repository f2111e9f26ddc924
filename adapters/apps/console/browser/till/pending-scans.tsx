import { Button } from "../components/button.js";
import { momentText, moneyText } from "../words/en/forms.js";
import { till as words } from "../words/en/till.js";
import { isPurchase, type PendingScan } from "./scan-store.js";
import { withdrawScan } from "./till-queue.js";

/** Lists the scans on this device that are waiting to be sent or that the server refused. */
export function PendingScans({ scans }: { readonly scans: readonly PendingScan[] }) {
  const waitingScans = scans.filter(({ refusal }) => refusal === null);
  const stampCount = waitingScans.filter((scan) => !isPurchase(scan)).length;
  const purchaseCount = waitingScans.length - stampCount;
  const refusedScans = scans.filter(({ refusal }) => refusal !== null);
  if (scans.length === 0) return null;
  return (
    <section class="stack tight" aria-label={words.kept} aria-live="polite">
      {waitingScans.length > 0 && (
        <p class="note warn">
          <strong class="grow">
            {stampCount > 0 && words.keptWaiting(stampCount)}
            {stampCount > 0 && purchaseCount > 0 && <br />}
            {purchaseCount > 0 && words.keptPurchases(purchaseCount)}
          </strong>
          <span>{words.keptHint}</span>
        </p>
      )}
      {refusedScans.length > 0 && (
        <>
          <h2>{words.notAccepted}</h2>
          <ul class="panel list">
            {refusedScans.map((scan) => (
              <li key={scan.id}>
                <span class="grow">
                  <strong>
                    {describeScan(scan)} · <bdi>{getScanName(scan)}</bdi>
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

function describeScan(scan: PendingScan): string {
  if (!isPurchase(scan)) return words.plusStamps(scan.count);
  const money = moneyText(scan.purchase.amount, scan.purchase.currency);
  return scan.isReturn ? words.undoOf(money) : words.purchaseOf(money);
}

function getScanName(scan: PendingScan): string {
  const { card } = isPurchase(scan) ? scan.purchase : scan;
  return "passId" in card ? card.passId : card.code;
}
