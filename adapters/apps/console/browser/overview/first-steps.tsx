import { useEffect, useState } from "preact/hooks";
import type { Template } from "../../../../../src/cards/schema.js";
import type { OrganizationCalls } from "../../../../../src/operation-groups.js";
import { api } from "../api/calls.js";
import { base, hasScopes, session } from "../api/session.js";
import { Link, navigate } from "../app/router.js";
import { Button } from "../components/button.js";
import { Icon } from "../components/icons.js";
import { useInterval, useLoad } from "../components/load.js";
import type { NextAction } from "../components/toasts.js";
import { firstSteps as words } from "../words/en/first-steps.js";
import { hasMark, setMark } from "./first-step-marks.js";

const RELOAD_MS = 20_000;

/** A shop with more customers than this has started long ago, so it doesn't get the list. */
const MAX_CUSTOMERS = 20;

/** Number of days to search for stamps. */
const DAYS = 90;

interface Step {
  readonly text: string;
  readonly hint: string;
  readonly to: string;
  readonly isDone: boolean;
}

const mayShowList = () =>
  hasScopes("template:read", "template:create", "template:update", "statistics:read") &&
  !hasMark("hidden") &&
  !hasMark("done");

/**
 * Loads the first steps of a new shop, each with whether it is done.
 * @returns the list, `null` if this user or shop doesn't get one, or `undefined` while that isn't known.
 */
export function useFirstSteps() {
  const [isHidden, setHidden] = useState(() => !mayShowList());
  const [isOpen, setOpen] = useState(false);
  const loaded = useLoad("first steps", async (calls) => (isHidden ? null : loadSteps(calls)));
  const { value: steps, isLoading, error } = loaded;
  useInterval(isOpen && !isHidden ? RELOAD_MS : undefined, loaded.reload);
  const isDone = steps?.every((step) => step.isDone) ?? false;
  const isPast = isDone || (steps === null && !isLoading && error === null && !isHidden);
  useEffect(() => {
    if (isPast) setMark("done");
    // A list that was open stays until the user leaves, so that they see its last tick.
    else if (steps !== null) setOpen(true);
  }, [isPast, steps]);
  if (isHidden) return null;
  if (steps === null) return isLoading ? undefined : null;
  if (isDone && !isOpen) return null;
  const hide = () => {
    setMark("hidden");
    setHidden(true);
  };
  return <StepList steps={steps} onHide={hide} />;
}

/**
 * Resolves to an action that leads to the list's next step, or to `null` if this user or shop has no list, all steps are done, or the
 * next step is on the current screen.
 */
export async function findNextStep(): Promise<NextAction | null> {
  const steps = mayShowList() ? await loadSteps(api) : null;
  const step = steps?.find(({ isDone }) => !isDone);
  if (step === undefined || location.pathname === base + step.to) return null;
  return { text: words.next(step.text), run: () => navigate(step.to) };
}

function StepList({ steps, onHide }: { readonly steps: readonly Step[]; readonly onHide: () => void }) {
  const doneCount = steps.filter(({ isDone }) => isDone).length;
  const next = steps.find(({ isDone }) => !isDone);
  return (
    <section class="panel padded stack" aria-label={words.title}>
      <div class="row spread">
        <h2>{words.title}</h2>
        <div class="row">
          <span class="quiet">{words.progress(doneCount, steps.length)}</span>
          <Button kind="plain" text={words.hide} onClick={onHide} />
        </div>
      </div>
      <ol class="first-steps">
        {steps.map((step) => (
          <li key={step.text} class={step.isDone ? "done" : ""}>
            <span class="tick">{step.isDone && <Icon name="check" size={16} />}</span>
            <p>
              {step.isDone && <span class="unseen">{words.done} </span>}
              <Link class={step === next ? "next" : ""} to={step.to}>
                {step.text}
              </Link>
              {!step.isDone && (
                <>
                  <br />
                  <span class="quiet">{step.hint}</span>
                </>
              )}
            </p>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Reads which steps are done. Resolves to `null` for a shop that is past its first steps. */
async function loadSteps(calls: OrganizationCalls): Promise<readonly Step[] | null> {
  const mayName = hasScopes("settings:read", "settings:write");
  const mayInvite = hasScopes("people:manage");
  const maySend = hasScopes("message:read", "message:send") && (session.hasMail || session.hasWallets);
  const [settings, templates, statistics, people, messages] = await Promise.all([
    mayName ? calls.settings.get() : null,
    calls.templates.list(),
    calls.statistics.get({ days: DAYS }),
    mayInvite ? calls.people.list({ size: 1 }) : null,
    maySend ? calls.messages.list({ status: "SENT", size: 1 }) : null,
  ]);
  if (statistics.customers > MAX_CUSTOMERS) return null;
  const card = templates[0];
  const isDesigned = templates.some(({ design }) => design !== null);
  const ownCount = session.person === null ? 0 : 1;
  return [
    ...(settings === null
      ? []
      : [
          {
            text: words.name,
            hint: words.nameHint,
            to: "/settings/shop",
            isDone: settings.name !== null,
          },
        ]),
    { text: words.card, hint: words.cardHint, to: findCardPath(card, "design"), isDone: isDesigned },
    {
      text: words.poster,
      hint: words.posterHint,
      to: findCardPath(card, "poster"),
      isDone: hasMark("printed"),
    },
    ...(hasScopes("pass:read", "loyalty:manage")
      ? [{ text: words.stamp, hint: words.stampHint, to: "/till", isDone: statistics.stamps > 0 }]
      : []),
    ...(messages === null
      ? []
      : [
          {
            text: words.message,
            hint: words.messageHint,
            to: "/messages/new",
            isDone: messages.totalElements > 0,
          },
        ]),
    ...(people === null
      ? []
      : [
          {
            text: words.staff,
            hint: words.staffHint,
            to: "/settings/people",
            isDone: people.totalElements > ownCount,
          },
        ]),
  ];
}

/** Returns the path of a card's screen, or of the screen where the first card is created. */
function findCardPath(card: Template | undefined, screen: "design" | "poster"): string {
  return card === undefined ? "/cards" : `/cards/${card.id}/${screen}`;
}
