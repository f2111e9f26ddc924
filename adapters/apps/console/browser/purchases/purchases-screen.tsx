import { useEffect, useRef, useState } from "preact/hooks";
import type { OrganizationCalls } from "../../../../../src/operation-groups.js";
import type { Purchase } from "../../../../../src/purchases/schema.js";
import { hasScopes } from "../api/session.js";
import { Link, syncQuery } from "../app/router.js";
import { PageHead, type ScreenProps } from "../app/screen.js";
import { Button } from "../components/button.js";
import { Dialog, DialogButton } from "../components/dialog.js";
import { Empty, Loading } from "../components/feedback.js";
import { TextField } from "../components/field.js";
import { Icon } from "../components/icons.js";
import { useLoad } from "../components/load.js";
import { computeDayBounds } from "../components/log-filter.js";
import { Pager } from "../components/pager.js";
import { findUnitKind, listPointNames, type PointNames } from "../components/purchase-words.js";
import { readShopTimeZone } from "../components/shop-time-zone.js";
import { formatChange } from "../components/unit-text.js";
import { formatTimeIn } from "../components/zoned-time.js";
import { CustomerLink, loadCustomerNames } from "../customers/customer-link.js";
import { formatCustomerName } from "../customers/customer-name.js";
import { CustomerSearch } from "../customers/customer-search.js";
import { moneyText } from "../words/en/forms.js";
import { purchases as words } from "../words/en/purchases.js";
import { buildPurchasePath } from "./purchase-path.js";

const PAGE_SIZE = 25;
const TYPING_MS = 200;

/** The list's filters. An empty string doesn't filter. `from` and `to` are days in the shop's time zone, both inclusive. */
interface PurchaseFilter {
  readonly userId: string;
  readonly source: string;
  readonly from: string;
  readonly to: string;
}

const emptyFilter: PurchaseFilter = { userId: "", source: "", from: "", to: "" };

/** What the rows are written with. */
interface RowContext {
  readonly timeZone: string;
  readonly pointNames: PointNames;
}

/** Lists purchases, newest first, with filters by customer, source, and day. */
export function PurchasesScreen({ screenLocation }: ScreenProps) {
  const [filter, setFilter] = useState(() => parseFilter(screenLocation.query));
  const [page, setPage] = useState(0);
  const names = useRef(new Map<string, string | null>());
  const cachedContext = useRef<RowContext | null>(null);
  const list = useLoad(
    `${Object.values(filter).join(" ")} ${page}`,
    async (calls) => {
      cachedContext.current ??= await loadRowContext(calls);
      const context = cachedContext.current;
      const purchases = await calls.purchases.list({
        page,
        size: PAGE_SIZE,
        ...toQuery(filter, context.timeZone),
      });
      const userIds = [filter.userId, ...purchases.content.map(({ userId }) => userId ?? "")];
      await loadCustomerNames(
        calls,
        userIds.filter((id) => id !== ""),
        names.current,
      );
      return { purchases, context };
    },
    TYPING_MS,
  );
  useEffect(() => syncQuery({ ...filter }), [filter]);
  const changeFilter = (changes: Partial<PurchaseFilter>) => {
    setFilter({ ...filter, ...changes });
    setPage(0);
  };
  const isFiltered = Object.values(filter).some((value) => value !== "");
  return (
    <>
      <PageHead title={words.title} />
      <div class="stack">
        <fieldset class="purchase-filters" aria-label={words.filters}>
          {hasScopes("user:read") && (
            <CustomerFilter
              userId={filter.userId}
              name={names.current.get(filter.userId) ?? filter.userId}
              onChoose={(userId, name) => {
                names.current.set(userId, name);
                changeFilter({ userId });
              }}
              onRemove={() => changeFilter({ userId: "" })}
            />
          )}
          <TextField
            label={words.source}
            autocomplete="off"
            spellcheck={false}
            maxLength={50}
            value={filter.source}
            // Sources consist of these characters only.
            onText={(text) => changeFilter({ source: text.toLowerCase().replace(/[^a-z0-9._-]/g, "") })}
          />
          <TextField
            label={words.from}
            type="date"
            value={filter.from}
            onText={(from) => changeFilter({ from })}
          />
          <TextField label={words.to} type="date" value={filter.to} onText={(to) => changeFilter({ to })} />
        </fieldset>
        <Loading data={list} height="4rem" count={4}>
          {({ purchases: { content, totalElements }, context }) =>
            totalElements === 0 ? (
              isFiltered ? (
                <Empty
                  isPanel
                  title={words.noneSuch}
                  action={<Button text={words.showAll} onClick={() => changeFilter(emptyFilter)} />}
                />
              ) : (
                <Empty
                  isPanel
                  title={words.none}
                  action={
                    hasScopes("template:read") && (
                      <Link class="button" to="/cards">
                        {words.setUpPoints}
                      </Link>
                    )
                  }
                >
                  {words.noneHint}
                </Empty>
              )
            ) : (
              <>
                <ul class="panel list" aria-label={words.title}>
                  {content.map((purchase) => (
                    <PurchaseRow
                      key={purchase.id}
                      purchase={purchase}
                      customer={names.current.get(purchase.userId ?? "") ?? null}
                      context={context}
                    />
                  ))}
                </ul>
                <Pager
                  noun={words.noun}
                  page={page}
                  size={PAGE_SIZE}
                  total={totalElements}
                  onPage={setPage}
                />
              </>
            )
          }
        </Loading>
      </div>
    </>
  );
}

function parseFilter(query: URLSearchParams): PurchaseFilter {
  const readDay = (name: string) => /^\d{4}-\d{2}-\d{2}$/.exec(query.get(name) ?? "")?.[0] ?? "";
  return {
    userId: query.get("userId") ?? "",
    source: query.get("source") ?? "",
    from: readDay("from"),
    to: readDay("to"),
  };
}

/** Converts filters to the API's query, which includes `from` and excludes `to`. */
function toQuery({ userId, source, from, to }: PurchaseFilter, timeZone: string) {
  const [firstDay, lastDay] = [computeDayBounds(from, timeZone), computeDayBounds(to, timeZone)];
  return {
    ...(userId !== "" && { userId }),
    ...(source !== "" && { source }),
    ...(firstDay !== null && { from: firstDay.from }),
    ...(lastDay !== null && { to: lastDay.to }),
  };
}

async function loadRowContext(calls: OrganizationCalls): Promise<RowContext> {
  const [timeZone, templates] = await Promise.all([
    readShopTimeZone(calls),
    hasScopes("template:read") ? calls.templates.list() : [],
  ]);
  return { timeZone, pointNames: listPointNames(templates) };
}

interface CustomerFilterProps {
  readonly userId: string;
  readonly name: string;
  readonly onChoose: (userId: string, name: string) => void;
  readonly onRemove: () => void;
}

/** The chosen customer with a button to remove the filter, or a button to choose a customer. */
function CustomerFilter({ userId, name, onChoose, onRemove }: CustomerFilterProps) {
  if (userId !== "") {
    return (
      <Button aria-label={words.withoutCustomer(name)} onClick={onRemove}>
        <bdi>{name}</bdi> <Icon name="close" size={12} />
      </Button>
    );
  }
  return (
    <DialogButton
      text={words.chooseCustomer}
      dialog={(close) => (
        <Dialog title={words.chooseCustomer} onClose={close}>
          <CustomerSearch
            label={words.findCustomer}
            onFound={(contact) => {
              onChoose(contact.id, formatCustomerName(contact));
              close();
            }}
          />
          <div class="actions">
            <Button text={words.close} onClick={close} />
          </div>
        </Dialog>
      )}
    />
  );
}

interface PurchaseRowProps {
  readonly purchase: Purchase;
  /** The customer's name, or `null` if it isn't known. */
  readonly customer: string | null;
  readonly context: RowContext;
}

function PurchaseRow({ purchase, customer, context: { timeZone, pointNames } }: PurchaseRowProps) {
  const { source, receipt, userId, at, currency, total, returnedTotal, effects } = purchase;
  return (
    <li class="purchase-line">
      <Link class="sample-name number" to={buildPurchasePath(purchase)}>
        {moneyText(total, currency)}
      </Link>
      <div class="grow">
        {userId === null ? (
          <span class="quiet">{words.noCustomer}</span>
        ) : (
          <CustomerLink id={userId} name={customer} />
        )}
        <p class="quiet">
          <time class="number" dateTime={at}>
            {formatTimeIn(timeZone, at)}
          </time>
          {" · "}
          <bdi>{source}</bdi>
          {" · "}
          <bdi>{receipt}</bdi>
        </p>
      </div>
      <div class="row">
        {returnedTotal > 0 && (
          <span class="chip warn">{words.returned(moneyText(returnedTotal, currency))}</span>
        )}
        {effects
          .filter(({ units }) => units > 0)
          .map((effect) => (
            <span key={effect.walletPassId} class="chip good">
              {formatChange(effect.units, findUnitKind(effect, pointNames))}
            </span>
          ))}
      </div>
    </li>
  );
}
