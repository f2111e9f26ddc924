import { useEffect, useRef, useState } from "preact/hooks";
import { session } from "../api/session.js";
import { Button } from "../components/button.js";
import { moneyText } from "../words/en/forms.js";
import { till as words } from "../words/en/till.js";
import { countMinorDigits, parseAmount } from "./amount.js";
import { describePreview, type PurchaseOffer } from "./earning-card.js";
import type { TillFlow } from "./till-flow.js";

const keys = ["1", "2", "3", "Backspace", "4", "5", "6", "00", "7", "8", "9", "0"] as const;

/** How often a preview is counted again, because bonuses begin and end during the day, in milliseconds. */
const PREVIEW_MS = 30_000;

interface AmountPadProps {
  readonly flow: TillFlow;
  readonly offer: PurchaseOffer;
  readonly amountText: string;
}

/** Large keys for a purchase's amount, and what the purchase will give. */
export function AmountPad({ flow, offer, amountText }: AmountPadProps) {
  const { currency } = offer;
  const field = useRef<HTMLInputElement>(null);
  const now = useNow();
  const amount = parseAmount(amountText, countMinorDigits(currency));
  // The keys of a keyboard must not end up in the field in which the card was found.
  useEffect(() => field.current?.focus({ preventScroll: true }), []);
  return (
    <section class="till-pad" aria-label={words.purchase}>
      <div class="till-amount">
        <input
          ref={field}
          class="number"
          data-amount=""
          aria-label={words.amount(currency)}
          // The keys below take the place of the phone's own keyboard.
          inputMode="none"
          autocomplete="off"
          value={moneyText(amount, currency)}
          onInput={({ currentTarget }) => {
            flow.setAmount("");
            flow.typeAmount(currentTarget.value.replace(/\D/g, ""));
          }}
        />
        <output class="till-preview">{describePreview(offer, amount, session.timeZone, now)}</output>
      </div>
      {/* A pressed key leaves the focus in the field, so that Enter books. */}
      <fieldset
        class="till-keys plain"
        aria-label={words.keys}
        onMouseDown={(event) => event.preventDefault()}
      >
        {keys.map((key) => (
          <Button
            key={key}
            class="big"
            {...(key === "Backspace" && { "aria-label": words.erase })}
            text={key === "Backspace" ? "⌫" : key}
            onClick={() => flow.typeAmount(key)}
          />
        ))}
      </fieldset>
    </section>
  );
}

/** Returns the current time in milliseconds since the Unix epoch, and rerenders the component now and then. */
function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), PREVIEW_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}
