import { useState } from "preact/hooks";
import type { WalletPassDetail } from "../../../../../src/cards/pass-schema.js";
import type { PointCard, PointEntry, PointReceipt } from "../../../../../src/points/schema.js";
import { api } from "../api/calls.js";
import { hasScopes } from "../api/session.js";
import { Link } from "../app/router.js";
import { describeNamedActor, loadStaffNames } from "../components/actor-names.js";
import { Button } from "../components/button.js";
import { RelativeTime } from "../components/events.js";
import { Loading } from "../components/feedback.js";
import { CountField, TextField } from "../components/field.js";
import { useLoad } from "../components/load.js";
import { Pager } from "../components/pager.js";
import { describePointEntry } from "../components/point-words.js";
import { readShopTimeZone } from "../components/shop-time-zone.js";
import { runWithToast, showToast } from "../components/toasts.js";
import { formatUnits, type UnitKind } from "../components/unit-text.js";
import { formatDayIn } from "../components/zoned-time.js";
import { buildPurchasePath } from "../purchases/purchase-path.js";
import { numberText } from "../words/en/forms.js";
import { pointHistory, points as words } from "../words/en/points.js";

const HISTORY_SIZE = 10;
const MAX_POINTS = 1_000_000_000;

interface PointPanelProps {
  readonly pass: WalletPassDetail;
  readonly card: PointCard;
  /** Called with the card's points after a change. */
  readonly onChanged: (card: PointCard) => void;
}

/** Shows the points on a customer's card and where they come from, with buttons to change them. */
export function PointPanel({ pass, card, onChanged }: PointPanelProps) {
  const { id } = pass;
  const kind: UnitKind = { unit: "points", word: pass.template.points?.unit ?? null };
  const zone = useLoad("zone", readShopTimeZone);
  const [isHistoryOpen, setHistoryOpen] = useState(false);
  const [changeCount, setChangeCount] = useState(0);

  const showReceipt = ({ entryId, ...after }: PointReceipt) => {
    onChanged(after);
    setChangeCount((previous) => previous + 1);
    return entryId;
  };
  const undo = (entryId: string) =>
    runWithToast(async () => {
      showReceipt(await api.points.reverse(id, { entryId, note: words.undone }));
      showToast(words.undone);
    });
  const runChange = (change: Promise<PointReceipt>, message: string) =>
    runWithToast(async () => {
      const entryId = showReceipt(await change);
      showToast(message, () => void undo(entryId));
    });

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
        <PointActions passId={id} available={available} format={format} onRunChange={runChange} />
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

interface PointActionsProps {
  readonly passId: string;
  readonly available: number;
  readonly format: (count: number) => string;
  /** Shows the outcome of a change, and resolves to whether the change succeeded. */
  readonly onRunChange: (change: Promise<PointReceipt>, message: string) => Promise<boolean>;
}

/** Buttons for adding, spending, and removing points. */
function PointActions({ passId, available, format, onRunChange }: PointActionsProps) {
  const [input, setInput] = useState("");
  const [note, setNote] = useState("");
  const [isBusy, setBusy] = useState(false);
  const points = Number(input);
  const isCount = Number.isSafeInteger(points) && points >= 1 && points <= MAX_POINTS;
  const fields = { points, ...(note.trim() !== "" && { note: note.trim() }) };

  const runChange = async (change: Promise<PointReceipt>, message: string) => {
    setBusy(true);
    if (await onRunChange(change, message)) {
      setInput("");
      setNote("");
    }
    setBusy(false);
  };
  const add = () => runChange(api.points.add(passId, fields), pointHistory.added(format(points)));
  const spend = () => runChange(api.points.spend(passId, fields), pointHistory.spent(format(points)));
  const remove = () => runChange(api.points.remove(passId, fields), pointHistory.removed(format(points)));
  const canTake = isCount && !isBusy && points <= available;
  return (
    <div class="stack tight">
      <div class="row">
        <div class="point-count">
          <CountField
            label={words.points}
            error={input === "" || isCount ? "" : words.pointsWrong}
            min={1}
            max={MAX_POINTS}
            value={input}
            onText={setInput}
          />
        </div>
        <div class="grow">
          <TextField label={words.note} maxLength={512} value={note} onText={setNote} />
        </div>
      </div>
      <div class="row">
        <Button text={words.add} kind="primary" disabled={!isCount || isBusy} onClick={() => void add()} />
        <Button text={words.spend} disabled={!canTake} onClick={() => void spend()} />
        <Button text={words.remove} disabled={!canTake} onClick={() => void remove()} />
      </div>
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
  const names = useLoad("names", loadStaffNames);
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
