import type { Purchase, PurchaseLine } from "../../../../../src/purchases/schema.js";
import { moneyText, numberText } from "../words/en/forms.js";
import { reasons, purchase as words } from "../words/en/purchases.js";

/** Lists a purchase's lines, with the amount and the quantity that were returned. */
export function PurchaseLines({ purchase: { lines, currency } }: { readonly purchase: Purchase }) {
  return (
    <section class="panel padded stack tight" aria-label={words.lines}>
      <h2>{words.lines}</h2>
      <ol class="history">
        {lines.map((line, index) => (
          <LineRow key={line.id} line={line} name={getLineName(line, index)} currency={currency} />
        ))}
      </ol>
    </section>
  );
}

/** Returns a line's name for display. Lines of erased customers have no name. */
export function getLineName({ name, sku, category }: PurchaseLine, index: number): string {
  return name ?? sku ?? category ?? words.line(index + 1);
}

interface LineRowProps {
  readonly line: PurchaseLine;
  readonly name: string;
  readonly currency: string;
}

function LineRow({
  line: { sku, category, kind, quantity, amount, returned },
  name,
  currency,
}: LineRowProps) {
  const about = [kind === "goods" ? null : reasons.kinds[kind], category, sku].filter(
    (text) => text !== null && text !== name,
  );
  const returnedAmount = moneyText(returned.amount, currency);
  return (
    <li>
      <span class="grow">
        <bdi>{quantity === 1 ? name : words.pieces(numberText(quantity), name)}</bdi>
        {about.length > 0 && (
          <>
            <br />
            <bdi class="quiet">{about.join(" · ")}</bdi>
          </>
        )}
        {(returned.quantity > 0 || returned.amount > 0) && (
          <>
            <br />
            <span class="chip warn">
              {returned.quantity > 0
                ? words.lineReturned(numberText(returned.quantity), returnedAmount)
                : words.amountReturned(returnedAmount)}
            </span>
          </>
        )}
      </span>
      <span class="number">{moneyText(amount, currency)}</span>
    </li>
  );
}
