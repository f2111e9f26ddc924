import type { Ref } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { hasScopes } from "../api/session.js";
import { PageHead } from "../app/screen.js";
import { cacheTill } from "../app/till-cache.js";
import { Button } from "../components/button.js";
import { Dialog } from "../components/dialog.js";
import { ErrorText } from "../components/feedback.js";
import { Switch } from "../components/switch.js";
import { momentText } from "../words/en/forms.js";
import { till as words } from "../words/en/till.js";
import { Camera } from "./camera.js";
import { CurrentCard } from "./current-card.js";
import { FindCustomer } from "./find-customer.js";
import type { QueuedCard } from "./queued-card.js";
import type { PendingScan } from "./scan-store.js";
import { ScannedKeys } from "./scanned-keys.js";
import { TillActions } from "./till-actions.js";
import { type TillPreferences, useTillPreferences } from "./till-preferences.js";
import { usePendingScans, withdrawScan } from "./till-queue.js";
import type { DoneAction } from "./till-state.js";
import { useTillFlow } from "./use-till-flow.js";

/** Maximum length of the search text. */
const MOST_TYPED = 254;

/** Truncates text to the field's maximum length. */
const asTyped = (text: string) => text.slice(0, MOST_TYPED);

const names = ["isEveryScanAStamp", "isLeftHanded", "hasSound", "hasVibration"] as const;

/** Matches a card's code, alone or at the end of a URL. */
const code = /^(?:https?:\/\/\S+\/)?[0-9A-Za-z]{12}\/?(?:[?#]\S*)?$/;

/** The till, where staff scan cards, add stamps, and redeem rewards. */
export function TillScreen() {
  if (hasScopes("pass:read")) return <Till />;
  return (
    <div class="till">
      <PageHead title={words.title} />
      <ErrorText>{words.mayNotLook} </ErrorText>
    </div>
  );
}

/** Returns props for an element that receives the keyboard focus when a pressed control inside it disappears. */
function useKeptFocus() {
  const ref = useRef<HTMLDivElement>(null);
  const isPressed = useRef(false);
  useLayoutEffect(() => {
    if (!isPressed.current || document.activeElement !== document.body) return;
    isPressed.current = false;
    ref.current?.focus({ preventScroll: true });
  });
  const onClickCapture = () => {
    isPressed.current = true;
  };
  return { ref, onClickCapture };
}

function Till() {
  const [typed, setTyped] = useState("");
  const [isWatching, setWatching] = useState(false);
  const [hasSettings, setSettings] = useState(false);
  const [choices, choose] = useTillPreferences();
  const [flow, state] = useTillFlow();
  const kept = usePendingScans();
  const field = useRef<HTMLInputElement>(null);
  const keepFocus = useKeptFocus();
  useEffect(() => {
    // Ignore failures, because the till works without the cache as long as there is a connection.
    cacheTill().catch(() => {});
  }, []);

  const { turn, outcome, done, waiting, complaint } = state;
  const isCode = code.test(typed.trim());
  const isSearch = typed.trim().length > 1 && !isCode;
  const scan = (text: string) => {
    setTyped("");
    setSettings(false);
    flow.scan(text);
  };
  const onKeys = (text: string) => {
    if (code.test(text.trim())) scan(text);
    else setTyped(asTyped(text));
  };
  useKeyboardScanner(onKeys, (text) => code.test(text.trim()));
  const next = () => {
    if (turn !== null) flow.next(turn.id);
    field.current?.focus();
  };
  const undo = (id: number) => void flow.undo(id);
  return (
    <div class={`till ${choices.isLeftHanded ? "left-hand" : ""}`} tabIndex={-1} {...keepFocus}>
      <PageHead title={words.title} />
      <TillField
        field={field}
        typed={typed}
        isCode={isCode}
        onTyped={setTyped}
        onSubmit={() => scan(typed)}
        onSettings={() => setSettings(true)}
      />
      {hasSettings && <TillSettings choices={choices} onChoose={choose} onClose={() => setSettings(false)} />}
      {complaint !== "" && <ErrorText class="shout">{complaint}</ErrorText>}
      <CardQueue waiting={waiting} />
      <div class="till-stage">
        {isWatching && <Camera isSmall={turn !== null || isSearch} onCode={scan} />}
        {isSearch && hasScopes("user:read") && (
          <FindCustomer
            search={typed}
            onFound={(pass, name) => {
              setTyped("");
              flow.choose(name, pass.qrCodeValue);
            }}
          />
        )}
        {turn !== null && !isSearch && <CurrentCard key={turn.id} state={state} turn={turn} onUndo={undo} />}
        {turn === null && !isSearch && !isWatching && (
          <p class="till-hint">
            {choices.isEveryScanAStamp ? words.everyScan : words.scan}
            <span class="quiet">{words.scanHint} </span>
          </p>
        )}
      </div>
      <div class="till-before">
        <PendingScans scans={kept} />
        <RecentActions done={done.filter(({ id }) => id !== outcome?.id)} onUndo={undo} />
      </div>
      {turn !== null && !isSearch && (
        <TillActions key={turn.id} flow={flow} turn={turn} state={state} onNext={next} />
      )}
      {turn === null && !isSearch && (
        <div class="till-actions">
          <Button
            text={isWatching ? words.closeCamera : words.openCamera}
            class="big"
            kind={isWatching || isCode ? "" : "primary"}
            isPressed={isWatching}
            onClick={() => setWatching(!isWatching)}
          />
        </div>
      )}
    </div>
  );
}

/**
 * Receives input from barcode scanners that act as keyboards, regardless of where the focus is, even in a dialog. A scanner's Enter
 * doesn't press a button, and its keys don't trigger browser shortcuts. If the focus is in a text field, the scanned text stays
 * there unless `isTaken` returns true for it.
 */
function useKeyboardScanner(onScan: (text: string) => void, isTaken: (text: string) => boolean): void {
  const latest = useRef({ onScan, isTaken });
  latest.current = { onScan, isTaken };
  // A layout effect, so that even a scan right after the first frame is received completely.
  useLayoutEffect(() => {
    const keys = new ScannedKeys();
    const hear = (event: KeyboardEvent) => {
      const { key, target, timeStamp } = event;
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.repeat) return;
      const isInField = target instanceof HTMLInputElement;
      const isPress = key === " " && !keys.isUnderWay(timeStamp, isInField);
      const scanned = keys.read(key, timeStamp, isInField);
      const isOurs = isInField
        ? scanned !== null && latest.current.isTaken(scanned)
        : key.length === 1 && !isPress;
      if (isOurs || (scanned !== null && !isInField)) event.preventDefault();
      if (scanned === null || (isInField && !isOurs)) return;
      if (isInField) takeOut(target, scanned);
      latest.current.onScan(scanned);
    };
    document.addEventListener("keydown", hear, true);
    return () => document.removeEventListener("keydown", hear, true);
  }, []);
}

/** Removes a scanned code from the end of the field that it was typed into. */
function takeOut(field: HTMLInputElement, scanned: string): void {
  if (!field.value.endsWith(scanned)) return;
  field.value = field.value.slice(0, -scanned.length);
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

/** Lists the cards that are waiting behind the current card, in the order in which the till will handle them. */
function CardQueue({ waiting }: { readonly waiting: readonly QueuedCard[] }) {
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

interface DoneBeforeProps {
  readonly done: readonly DoneAction[];
  readonly onUndo: (id: number) => void;
}

/** Lists earlier actions, each with an undo button if it can be undone. */
function RecentActions({ done, onUndo }: DoneBeforeProps) {
  if (done.length === 0) return null;
  return (
    <ul class="till-done" aria-label={words.doneBefore}>
      {done.map(({ id, name, text, isGood, undo, isUndoing }) => (
        <li key={id} class={isGood ? "" : "bad"}>
          <span class="grow">
            <strong>
              <bdi>{name}</bdi>
            </strong>{" "}
            <span>{text}</span>
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

interface TillSettingsProps {
  readonly choices: TillPreferences;
  readonly onChoose: (change: Partial<TillPreferences>) => void;
  readonly onClose: () => void;
}

/** A dialog for editing this till's preferences. The preferences are stored on this device and don't affect other tills. */
function TillSettings({ choices, onChoose, onClose }: TillSettingsProps) {
  return (
    <Dialog title={words.thisTill} onClose={onClose}>
      <ul class="till-settings">
        {names.map((name) => (
          <li key={name}>
            <span class="grow">
              <strong id={`till-${name}`}>{words.choices[name][0]}</strong>
              <span class="hint">{words.choices[name][1]}</span>
            </span>
            <Switch
              isOn={choices[name]}
              labelledBy={`till-${name}`}
              onSwitch={async (isOn) => onChoose({ [name]: isOn })}
            />
          </li>
        ))}
      </ul>
      <div class="actions">
        <Button text={words.done} kind="primary" class="big" onClick={onClose} />
      </div>
    </Dialog>
  );
}

/** Lists the scans on this device that are waiting to be sent or that the server refused. */
function PendingScans({ scans }: { readonly scans: readonly PendingScan[] }) {
  const waiting = scans.filter(({ refusal }) => refusal === null);
  const refused = scans.filter(({ refusal }) => refusal !== null);
  if (scans.length === 0) return null;
  return (
    <section class="stack tight" aria-label={words.kept} aria-live="polite">
      {waiting.length > 0 && (
        <p class="note warn">
          <strong class="grow">{words.keptWaiting(waiting.length)}</strong>
          <span>{words.keptHint}</span>
        </p>
      )}
      {refused.length > 0 && (
        <>
          <h2>{words.notAccepted}</h2>
          <ul class="panel list">
            {refused.map((scan) => (
              <li key={scan.id}>
                <span class="grow">
                  <strong>
                    {words.plusStamps(scan.count)} · <bdi>{nameOf(scan)}</bdi>
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

function nameOf({ card }: PendingScan): string {
  return "passId" in card ? card.passId : card.code;
}

interface TillFieldProps {
  readonly field: Ref<HTMLInputElement>;
  readonly typed: string;
  /** Whether the user's input looks like a card's code. */
  readonly isCode: boolean;
  readonly onTyped: (text: string) => void;
  readonly onSubmit: () => void;
  readonly onSettings: () => void;
}

/** A text field for entering a card's code, or for finding customers who don't have their phone with them. */
function TillField({ field, typed, isCode, onTyped, onSubmit, onSettings }: TillFieldProps) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (isCode) onSubmit();
  };
  return (
    <search>
      <form class="till-row" onSubmit={submit}>
        <Button label={words.settings} icon="settings" onClick={onSettings} />
        <input
          ref={field}
          class="grow"
          aria-label={words.field}
          placeholder={words.fieldExample}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          maxLength={MOST_TYPED}
          value={typed}
          onInput={(event) => onTyped(event.currentTarget.value)}
        />
        {typed !== "" && (
          <Button text={words.find} kind={isCode ? "primary" : ""} type="submit" disabled={!isCode} />
        )}
      </form>
    </search>
  );
}
