import { useState } from "preact/hooks";
import type { Template } from "../../../../../src/cards/schema.js";
import type { OrganizationCalls } from "../../../../../src/operation-groups.js";
import { computeUsableFrom } from "../../../../../src/points/dates.js";
import type { Purchase, PurchaseEffect } from "../../../../../src/purchases/schema.js";
import { api } from "../api/calls.js";
import { hasScopes } from "../api/session.js";
import { BackLink } from "../app/router.js";
import { NotFound, PageHead, type ScreenProps } from "../app/screen.js";
import { Button } from "../components/button.js";
import { DialogButton } from "../components/dialog.js";
import { Loading } from "../components/feedback.js";
import { useLoad } from "../components/load.js";
import { findUnitKind, listPointNames } from "../components/purchase-words.js";
import { readShopTimeZone } from "../components/shop-time-zone.js";
import { runWithToast, showToast } from "../components/toasts.js";
import { formatTimeIn } from "../components/zoned-time.js";
import { CustomerLink, loadCustomerNames } from "../customers/customer-link.js";
import { moneyText } from "../words/en/forms.js";
import { returning, purchase as words } from "../words/en/purchases.js";
import { PurchaseLines } from "./purchase-lines.js";
import { findReason } from "./purchase-reason.js";
import { describeReason } from "./reason-sentences.js";
import { ReturnDialog } from "./return-dialog.js";

/** A purchase, and what the screen needs to explain it. */
interface PurchaseDetails {
  readonly purchase: Purchase;
  readonly timeZone: string;
  /** The templates of the cards, keyed by ID. Empty if the user may not read templates. */
  readonly templates: ReadonlyMap<string, Template>;
  /** The customer's name, or `null` if it isn't known. */
  readonly customer: string | null;
  readonly hasPending: boolean;
}

/** Shows a purchase with its returns, and the points or stamps that each card got for it, with the reason. */
export function PurchaseScreen({ screenLocation: { id: source, subId: receipt } }: ScreenProps) {
  const details = useLoad(`${source} ${receipt}`, (calls) => loadDetails(calls, source, receipt));
  return (
    <Loading data={details} height="6rem" count={3} missing={<NotFound />}>
      {(loadedDetails) => <PurchaseView details={loadedDetails} onChanged={details.reload} />}
    </Loading>
  );
}

async function loadDetails(
  calls: OrganizationCalls,
  source: string,
  receipt: string,
): Promise<PurchaseDetails> {
  const [purchase, timeZone, templates] = await Promise.all([
    calls.purchases.get(source, receipt),
    readShopTimeZone(calls),
    hasScopes("template:read") ? calls.templates.list() : [],
  ]);
  const { userId, at } = purchase;
  const templatesById = new Map(templates.map((template) => [template.id, template]));
  const pendingEffects = purchase.effects.filter(({ unit, units, templateId }) => {
    const terms = templatesById.get(templateId)?.points ?? null;
    const firstUse = terms === null ? 0 : computeUsableFrom(terms, timeZone, Date.parse(at));
    return unit === "points" && units > 0 && firstUse > Date.now();
  });
  const names = new Map<string, string | null>();
  const [cards] = await Promise.all([
    loadCards(calls, pendingEffects),
    loadCustomerNames(calls, userId === null ? [] : [userId], names),
  ]);
  return {
    purchase,
    timeZone,
    templates: templatesById,
    customer: names.get(userId ?? "") ?? null,
    hasPending: cards.some(({ pending }) => pending > 0),
  };
}

/** Reads the points of the cards on which a purchase may have pending points. */
function loadCards(calls: OrganizationCalls, effects: readonly PurchaseEffect[]) {
  if (!hasScopes("pass:read", "purchase:write")) return [];
  return Promise.all(effects.map(({ walletPassId }) => calls.points.state(walletPassId)));
}

interface PurchaseViewProps {
  readonly details: PurchaseDetails;
  readonly onChanged: () => void;
}

function PurchaseView({ details, onChanged }: PurchaseViewProps) {
  const { purchase, timeZone, templates, customer, hasPending } = details;
  const { source, receipt, userId, at, createdAt, currency, total, returnedTotal, paidWithPoints, note } =
    purchase;
  const { lines, effects } = purchase;
  const formatMoney = (amount: number) => moneyText(amount, currency);
  const hasRest = lines.some(
    ({ quantity, amount, returned }) => quantity > returned.quantity || amount > returned.amount,
  );
  const pointNames = listPointNames([...templates.values()]);
  const facts: readonly (readonly [string, string | null])[] = [
    [words.at, formatTimeIn(timeZone, at)],
    [words.recorded, formatTimeIn(timeZone, createdAt)],
    [words.source, source],
    [words.receipt, receipt],
    [words.total, formatMoney(total)],
    [words.returned, returnedTotal > 0 ? formatMoney(returnedTotal) : null],
    [words.paidWithPoints, paidWithPoints > 0 ? formatMoney(paidWithPoints) : null],
    [words.note, note],
  ];
  return (
    <>
      <BackLink to="/purchases" text={words.back} />
      <PageHead title={words.title(formatMoney(total))}>
        {hasScopes("purchase:write") && hasPending && (
          <ConfirmPoints purchase={purchase} onDone={onChanged} />
        )}
        {hasScopes("purchase:write") && hasRest && (
          <DialogButton
            text={returning.open}
            dialog={(close) => (
              <ReturnDialog
                purchase={purchase}
                pointNames={pointNames}
                onClose={close}
                onReturned={onChanged}
              />
            )}
          />
        )}
      </PageHead>
      <div class="halves">
        <div class="stack">
          <section class="panel padded stack" aria-label={words.gave}>
            <h2>{words.gave}</h2>
            {effects.length === 0 && <p>{userId === null ? words.nobody : words.gaveNothing}</p>}
            {effects.map((effect) => {
              const template = templates.get(effect.templateId);
              const reason = findReason(purchase, effect, template?.earning ?? null, timeZone);
              const [lead, ...more] = describeReason(reason, findUnitKind(effect, pointNames));
              return (
                <div key={effect.walletPassId} class="stack tight">
                  <h3>
                    <bdi>{template?.name ?? words.oneCard}</bdi>
                  </h3>
                  <p>
                    <bdi>{lead}</bdi>
                  </p>
                  {more.length > 0 && (
                    <ul class="quiet">
                      {more.map((sentence) => (
                        <li key={sentence}>
                          <bdi>{sentence}</bdi>
                        </li>
                      ))}
                    </ul>
                  )}
                </div>
              );
            })}
          </section>
          <PurchaseLines purchase={purchase} />
        </div>
        <section class="panel padded stack" aria-label={words.details}>
          <h2>{words.details}</h2>
          <dl class="facts">
            {userId !== null && (
              <div>
                <dt>{words.customer}</dt>
                <dd>
                  <CustomerLink id={userId} name={customer} />
                </dd>
              </div>
            )}
            {facts
              .filter(([, value]) => value !== null)
              .map(([name, value]) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>
                    <bdi>{value}</bdi>
                  </dd>
                </div>
              ))}
          </dl>
        </section>
      </div>
    </>
  );
}

interface ConfirmPointsProps {
  readonly purchase: Purchase;
  readonly onDone: () => void;
}

/** A button that makes the purchase's pending points usable now. */
function ConfirmPoints({ purchase: { source, receipt }, onDone }: ConfirmPointsProps) {
  const [isBusy, setBusy] = useState(false);
  const confirm = async () => {
    setBusy(true);
    await runWithToast(async () => {
      const { isApplied } = await api.purchases.confirm(source, receipt);
      showToast(isApplied ? words.confirmed : words.alreadyConfirmed);
      onDone();
    });
    setBusy(false);
  };
  return <Button text={words.confirm} disabled={isBusy} onClick={() => void confirm()} />;
}
