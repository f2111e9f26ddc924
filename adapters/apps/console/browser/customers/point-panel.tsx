import { useState } from "preact/hooks";
import type { WalletPassDetail } from "../../../../../src/cards/pass-schema.js";
import type { PointCard, PointEntry, PointReceipt } from "../../../../../src/points/schema.js";
import { api } from "../api/calls.js";
import { hasScopes } from "../api/session.js";
import { Link } from "../app/router.js";
import { describeNamedActor, loadActorNames } from "../components/actor-names.js";
import { Button } from "../components/button.js";
import { DialogButton } from "../components/dialog.js";
import { RelativeTime } from "../components/events.js";
import { Loading } from "../components/feedback.js";
import { useLoad } from "../components/load.js";
import { Menu, type MenuItem } from "../components/menu.js";
import { Pager } from "../components/pager.js";
import { readShopTimeZone } from "../components/shop-time-zone.js";
import { describePointEntry, formatUnits, type UnitKind } from "../components/unit-text.js";
import { formatDayIn } from "../components/zoned-time.js";
import { buildPurchasePath } from "../purchases/purchase-path.js";
import { numberText } from "../words/en/forms.js";
import { pointHistory, points as words } from "../words/en/points.js";
import { buildChangeItem, type CardActionsProps, ChangeDialog, useCardChanges } from "./card-changes.js";

const HISTORY_SIZE = 10;
const MAX_POINTS = 1_000_000_000;

interface PointPanelProps extends CardActionsProps {
  readonly pass: WalletPassDetail;
  readonly card: PointCard;
  /** Called with the card's points after a change. */
  readonly onChanged: (card: PointCard) => void;
}

/** Shows the points on a customer's card and where they come from, with buttons to change them. */
export function PointPanel({ pass, card, onChanged, ...actions }: PointPanelProps) {
  const { id } = pass;
  const kind: UnitKind = { unit: "points", word: pass.template.points?.unit ?? null };
  const zone = useLoad("zone", readShopTimeZone);
  const [isHistoryOpen, setHistoryOpen] = useState(false);
  const [changeCount, setChangeCount] = useState(0);

  const onReceipt = ({ entryId: _, ...after }: PointReceipt) => {
    onChanged(after);
    setChangeCount((previous) => previous + 1);
  };

  const format = (count: number) => formatUnits(count, kind);
  const { available, pending, held, debt, expiring, earned, spent, expired } = card;
  const [next] = expiring;
  const amounts = [
    [pending, words.pending],
    [held, words.held],
    [debt, words.debt],
  ] as const;
  return (
    <>
      <div class="row spread">
        <p class="total number">{format(available)}</p>
        <Button
          text={words.why(format(available))}
          isExpanded={isHistoryOpen}
          onClick={() => setHistoryOpen(!isHistoryOpen)}
        />
      </div>
      <ul class="stack tight">
        {amounts
          .filter(([count]) => count > 0)
          .map(([count, text]) => (
            <li key={text(format(count))}>{text(format(count))}</li>
          ))}
        {next !== undefined && zone.value !== null && (
          <li>{words.expires(format(next.points), formatLastDay(zone.value, next.at))}</li>
        )}
        <li class="quiet">{words.inAll(numberText(earned), numberText(spent), numberText(expired))}</li>
      </ul>
      {hasScopes("loyalty:manage") && (
        <PointActions {...actions} passId={id} available={available} format={format} onReceipt={onReceipt} />
      )}
      {isHistoryOpen && zone.value !== null && (
        <PointHistory
          passId={id}
          kind={kind}
          timeZone={zone.value}
          // The newest entries are on the first page.
          key={changeCount}
        />
      )}
    </>
  );
}

/** Points usually expire at midnight, so the day before is the last on which they are usable. */
const formatLastDay = (timeZone: string, expiresAt: string) =>
  formatDayIn(timeZone, new Date(Date.parse(expiresAt) - 1));

interface PointActionsProps extends CardActionsProps {
  readonly passId: string;
  readonly available: number;
  readonly format: (count: number) => string;
  readonly onReceipt: (receipt: PointReceipt) => void;
}

/** A button that adds points, and a menu with all other changes. */
function PointActions(props: PointActionsProps) {
  const { passId, available, format, isPrimary, menuLabel, otherItems, onReceipt } = props;
  const { isBusy, runChange } = useCardChanges(onReceipt, (input) => api.points.reverse(passId, input));
  const amount = { label: words.points, min: 1, max: MAX_POINTS, error: words.pointsWrong(MAX_POINTS) };
  const amountToTake = { ...amount, max: available, error: words.pointsWrong(available) };
  const items: readonly MenuItem[] = [
    ...(available > 0
      ? [
          buildChangeItem({
            text: words.spend,
            amount: amountToTake,
            send: (points, note) =>
              runChange(
                () => api.points.spend(passId, { points, ...note }),
                pointHistory.spent(format(points)),
              ),
          }),
          buildChangeItem({
            text: words.remove,
            amount: amountToTake,
            send: (points, note) =>
              runChange(
                () => api.points.remove(passId, { points, ...note }),
                pointHistory.removed(format(points)),
              ),
          }),
        ]
      : []),
    ...otherItems,
  ];
  return (
    <div class="row card-actions">
      <DialogButton
        class="grow"
        icon="plus"
        text={words.add}
        kind={isPrimary ? "primary" : ""}
        disabled={isBusy}
        dialog={(close) => (
          <ChangeDialog
            text={words.add}
            amount={amount}
            send={(points, note) =>
              runChange(() => api.points.add(passId, { points, ...note }), pointHistory.added(format(points)))
            }
            onClose={close}
          />
        )}
      />
      {items.length > 0 && <Menu label={menuLabel} items={items} />}
    </div>
  );
}

interface PointHistoryProps {
  readonly passId: string;
  readonly kind: UnitKind;
  readonly timeZone: string;
}

/** Lists a card's point entries, newest first, one page at a time. */
function PointHistory({ passId, kind, timeZone }: PointHistoryProps) {
  const [page, setPage] = useState(0);
  const history = useLoad(`${passId} ${page}`, (calls) =>
    calls.points.history(passId, { page, size: HISTORY_SIZE }),
  );
  const names = useLoad("names", loadActorNames);
  const describeDetails = ({ debt, usableFrom, expiresAt, createdAt, actor }: PointEntry) => {
    const amount = formatUnits(Math.abs(debt), kind);
    return [
      ...(debt === 0 ? [] : [debt > 0 ? pointHistory.owed(amount) : pointHistory.paid(amount)]),
      ...(usableFrom !== null && usableFrom > createdAt
        ? [pointHistory.usableFrom(formatDayIn(timeZone, usableFrom))]
        : []),
      ...(expiresAt === null ? [] : [pointHistory.usableUntil(formatLastDay(timeZone, expiresAt))]),
      describeNamedActor(actor, names.value ?? new Map()),
    ].join(" · ");
  };
  return (
    <section class="stack tight" aria-label={pointHistory.title}>
      <h3>{pointHistory.title}</h3>
      <Loading data={history} height="2.5rem" count={3}>
        {({ content, totalElements }) => (
          <>
            {totalElements === 0 && <p class="quiet">{pointHistory.none}</p>}
            <ol class="history">
              {content.map((entry) => (
                <li key={entry.id}>
                  <span class="grow">
                    <EntryText entry={entry} kind={kind} />
                    {entry.note !== null && (
                      <>
                        <br />
                        <bdi>{pointHistory.quoted(entry.note)}</bdi>
                      </>
                    )}
                    <br />
                    <bdi class="quiet">{describeDetails(entry)}</bdi>
                  </span>
                  <RelativeTime at={entry.at} />
                </li>
              ))}
            </ol>
            <Pager
              noun={pointHistory.noun}
              page={page}
              size={HISTORY_SIZE}
              total={totalElements}
              onPage={setPage}
            />
          </>
        )}
      </Loading>
    </section>
  );
}

/** An entry's sentence, which leads to the purchase that the entry comes from. */
function EntryText({ entry, kind }: { readonly entry: PointEntry; readonly kind: UnitKind }) {
  const text = describePointEntry(entry, kind);
  if (entry.purchase === null || !hasScopes("purchase:read")) return <bdi>{text}</bdi>;
  return (
    <Link to={buildPurchasePath(entry.purchase)}>
      <bdi>{text}</bdi>
    </Link>
  );
}
