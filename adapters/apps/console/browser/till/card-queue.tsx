import { till as words } from "../words/en/till.js";
import type { QueuedCard } from "./queued-card.js";

/** Lists the cards that are waiting behind the current card, in the order in which the till will handle them. */
export function CardQueue({ waiting }: { readonly waiting: readonly QueuedCard[] }) {
  if (waiting.length === 0) return null;
  return (
    <section class="till-waiting" aria-label={words.waiting}>
      <strong>{words.cardsWaiting(waiting.length)}</strong>
      <ol>
        {waiting.map(({ id, name }) => (
          <li key={id} class="chip">
            <bdi>{name}</bdi>
          </li>
        ))}
      </ol>
    </section>
  );
}
