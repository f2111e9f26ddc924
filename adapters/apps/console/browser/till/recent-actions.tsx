import { Button } from "../components/button.js";
import { locale, numberText } from "../words/en/forms.js";
import { till as words } from "../words/en/till.js";
import { useTillDay } from "./till-day.js";
import type { DoneAction } from "./till-state.js";

const timeFormat = new Intl.DateTimeFormat(locale, { timeStyle: "short" });

interface RecentActionsProps {
  readonly actions: readonly DoneAction[];
  /** Whether each action has its time. Phones have no room for it. */
  readonly hasTimes?: boolean;
  readonly onUndo: (id: number) => void;
}

/** Lists earlier actions, each with an undo button if it can be undone. */
export function RecentActions({ actions, hasTimes = false, onUndo }: RecentActionsProps) {
  if (actions.length === 0) return null;
  return (
    <ul class="till-done" aria-label={words.doneBefore}>
      {actions.map(({ id, name, text, isGood, undo, isUndoing, at }) => (
        <li key={id} class={isGood ? "" : "bad"}>
          <span class="grow">
            <strong>
              <bdi>{name}</bdi>
            </strong>{" "}
            <span>{text}</span>
            {hasTimes && (
              <>
                {" "}
                <time class="quiet number" dateTime={new Date(at).toISOString()}>
                  {timeFormat.format(at)}
                </time>
              </>
            )}
          </span>
          {undo !== null && (
            <Button disabled={isUndoing} onClick={() => onUndo(id)}>
              {words.undo} <span class="unseen">{words.undone(text, name)}</span>
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Shows what this till has done today and for which customers, beside the current card on a wide screen. */
export function TillDayPanel(props: Omit<RecentActionsProps, "hasTimes">) {
  const { stamps, rewards, purchases } = useTillDay();
  const counts = [
    [stamps, words.stampsToday(stamps)],
    [rewards, words.rewardsToday(rewards)],
    ...(purchases > 0 ? [[purchases, words.purchasesToday(purchases)] as const] : []),
  ] as const;
  return (
    <>
      <section class="panel padded stack tight" aria-label={words.today}>
        <h2>{words.today}</h2>
        <dl class="big-numbers">
          {counts.map(([count, text]) => (
            <div key={text} class="big-number">
              <dt>{text}</dt>
              <dd class="number">{numberText(count)}</dd>
            </div>
          ))}
        </dl>
      </section>
      <section class="panel padded stack tight" aria-label={words.recentCustomers}>
        <h2>{words.recentCustomers}</h2>
        {props.actions.length === 0 && <p class="quiet">{words.noRecent}</p>}
        <RecentActions {...props} hasTimes />
      </section>
    </>
  );
}
