import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { hasScopes } from "../api/session.js";
import { PageHead } from "../app/screen.js";
import { cacheTill } from "../app/till-cache.js";
import { Button } from "../components/button.js";
import { ErrorText } from "../components/feedback.js";
import { till as words } from "../words/en/till.js";
import { Camera } from "./camera.js";
import { CardQueue } from "./card-queue.js";
import { CurrentCard } from "./current-card.js";
import { FindCustomer } from "./find-customer.js";
import { PendingScans } from "./pending-scans.js";
import { RecentActions } from "./recent-actions.js";
import { ScannedKeys } from "./scanned-keys.js";
import { TillActions } from "./till-actions.js";
import { asTyped, TillField } from "./till-field.js";
import { useTillPreferences } from "./till-preferences.js";
import { usePendingScans } from "./till-queue.js";
import { TillSettings } from "./till-settings.js";
import { useTillFlow } from "./use-till-flow.js";

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
