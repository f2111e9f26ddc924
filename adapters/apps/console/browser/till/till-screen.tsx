import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { hasScopes } from "../api/session.js";
import { PageHead } from "../app/screen.js";
import { cacheTill } from "../app/till-cache.js";
import { Button } from "../components/button.js";
import { Dialog } from "../components/dialog.js";
import { ErrorText } from "../components/feedback.js";
import { Switch } from "../components/switch.js";
import { till as words } from "../words/en/till.js";
import { AmountPad } from "./amount-pad.js";
import { Camera } from "./camera.js";
import { CurrentCard } from "./current-card.js";
import { FindCustomer } from "./find-customer.js";
import { PendingScans } from "./pending-scans.js";
import type { QueuedCard } from "./queued-card.js";
import { RecentActions, TillDayPanel } from "./recent-actions.js";
import { AmountKeys, type EndOfKeys, ScannedKeys } from "./scanned-keys.js";
import { refreshStoredPrograms } from "./stored-programs.js";
import { TillActions } from "./till-actions.js";
import type { TillFlow } from "./till-flow.js";
import { type TillPreferences, useTillPreferences } from "./till-preferences.js";
import { usePendingScans } from "./till-queue.js";
import type { DoneAction } from "./till-state.js";
import { useMedia } from "./use-media.js";
import { useTillFlow } from "./use-till-flow.js";

/** Maximum length of the search text. */
const MAX_SEARCH_LENGTH = 254;

/** Truncates text to the field's maximum length. */
const truncateSearch = (text: string) => text.slice(0, MAX_SEARCH_LENGTH);

const preferenceNames = ["isEveryScanAStamp", "isLeftHanded", "hasSound", "hasVibration"] as const;

/** Matches a card's code, alone or at the end of a URL. */
const codePattern = /^(?:https?:\/\/\S+\/)?[0-9A-Za-z]{12}\/?(?:[?#]\S*)?$/;

const isCardCode = (text: string) => codePattern.test(text.trim());

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

/** A screen with room beside the current card, as in `till.css`. */
const wideScreen = "(min-width: 64rem)";

/** A wide screen whose text fields open no keyboard on the screen. */
const desk = `${wideScreen} and (pointer: fine)`;

/**
 * Keeps the text field focused at a desk, so that it is always ready: at first, when a card has its result, and when a dialog
 * or a pressed control is gone. Elsewhere a focused field would open a keyboard on the screen.
 * @param isReady whether the field should have the focus now. The amount of a purchase is typed elsewhere.
 * @param moment the field gets the focus each time this changes.
 */
function useReadyField(field: RefObject<HTMLInputElement | null>, isReady: boolean, moment: string): void {
  const isDesk = useMedia(desk);
  const shouldFocus = isDesk && isReady;
  // The moment is what the field waits for.
  useLayoutEffect(() => {
    if (shouldFocus && moment !== null) field.current?.focus({ preventScroll: true });
  }, [field, shouldFocus, moment]);
  useLayoutEffect(() => {
    if (shouldFocus && document.activeElement === document.body)
      field.current?.focus({ preventScroll: true });
  });
}

/** Returns props for an element that receives the keyboard focus when a pressed control inside it disappears. */
function useFocusFallback() {
  const ref = useRef<HTMLDivElement>(null);
  const isPressed = useRef(false);
  useLayoutEffect(() => {
    if (!isPressed.current || document.activeElement !== document.body) return;
    isPressed.current = false;
    ref.current?.focus({ preventScroll: true });
  });
  const notePress = () => {
    isPressed.current = true;
  };
  return { ref, onClickCapture: notePress, onKeyDownCapture: notePress };
}

function Till() {
  const [searchText, setSearchText] = useState("");
  const [isSearchEntered, setSearchEntered] = useState(false);
  const [isCameraOpen, setCameraOpen] = useState(false);
  const [cameraError, setCameraError] = useState("");
  const [areSettingsOpen, setSettingsOpen] = useState(false);
  const [preferences, updatePreferences] = useTillPreferences();
  const [flow, state] = useTillFlow();
  const pendingScans = usePendingScans((scans) => void flow.noteScans(scans));
  const field = useRef<HTMLInputElement>(null);
  /** The last code that was typed rather than scanned, which can be corrected if it's wrong. */
  const typedCode = useRef("");
  const isWide = useMedia(wideScreen);
  useEffect(() => {
    // Ignore failures, because the till works without the cache as long as there is a connection.
    cacheTill().catch(() => {});
    refreshStoredPrograms().catch(() => {});
  }, []);

  const { currentCard, tillCard, offer, isPadOpen, amountText, outcome, recentActions, waiting, errorText } =
    state;
  const isCode = isCardCode(searchText);
  const isSearch = searchText.trim().length > 1 && !isCode;
  const isPadVisible = isPadOpen && !isSearch;
  useReadyField(
    field,
    !isPadVisible && !areSettingsOpen,
    `${currentCard?.id ?? ""} ${outcome?.id ?? ""} ${outcome?.text ?? ""}`,
  );
  const isNotFound = outcome?.isGood === false && tillCard === null;
  useLayoutEffect(() => {
    if (isNotFound && currentCard?.code === typedCode.current && field.current?.value === "")
      selectText(field.current, typedCode.current);
  }, [isNotFound, currentCard]);
  const keepFocus = useFocusFallback();
  const search = (text: string) => {
    setSearchText(text);
    setSearchEntered(false);
    setCameraError("");
  };
  const scan = (text: string) => {
    search("");
    setSettingsOpen(false);
    flow.scan(text);
  };
  const handleScan = (text: string) => {
    if (isCardCode(text)) scan(text);
    else search(truncateSearch(text));
  };
  const submit = () => {
    if (!isCode) return setSearchEntered(true);
    typedCode.current = searchText;
    scan(searchText);
  };
  const book = () => {
    if (currentCard !== null) void flow.book(currentCard.id);
  };
  useKeyboardScanner(handleScan, isCardCode, flow, isPadVisible ? book : null);
  const goToNext = () => {
    search("");
    if (currentCard !== null) flow.next(currentCard.id);
    field.current?.focus();
  };
  const undo = (id: number) => void flow.undo(id);
  const isCurrent = ({ id }: DoneAction) => id === outcome?.id;
  return (
    <div class={`till ${preferences.isLeftHanded ? "left-hand" : ""}`} tabIndex={-1} {...keepFocus}>
      <PageHead title={words.title} />
      <TillField
        field={field}
        text={searchText}
        isCode={isCode}
        onText={search}
        onSubmit={submit}
        onSettings={() => setSettingsOpen(true)}
      />
      {areSettingsOpen && (
        <TillSettings
          preferences={preferences}
          onChange={updatePreferences}
          onClose={() => setSettingsOpen(false)}
        />
      )}
      {errorText !== "" && <ErrorText class="shout">{errorText}</ErrorText>}
      <CardQueue waiting={waiting} />
      <div class="till-stage">
        {isCameraOpen && (
          <Camera
            isSmall={currentCard !== null || isSearch}
            onCode={scan}
            onFailed={(reason) => {
              setCameraOpen(false);
              setCameraError(reason);
            }}
          />
        )}
        {cameraError !== "" && <ErrorText>{cameraError}</ErrorText>}
        {isSearch && hasScopes("user:read") && (
          <FindCustomer
            search={searchText}
            shouldSelectOnly={isSearchEntered}
            onFound={(pass, name) => {
              search("");
              flow.choose(name, pass.qrCodeValue);
            }}
          />
        )}
        {currentCard !== null && !isSearch && (
          <CurrentCard key={currentCard.id} state={state} card={currentCard} onUndo={undo} />
        )}
        {currentCard === null && !isSearch && !isCameraOpen && (
          <p class="till-hint">
            {preferences.isEveryScanAStamp ? words.everyScan : words.scan}
            <span class="quiet">{words.scanHint} </span>
          </p>
        )}
      </div>
      <div class="till-before">
        <PendingScans scans={pendingScans} />
        {isWide ? (
          <TillDayPanel
            // The current card has the undo button of its own action.
            actions={recentActions.map((action) => (isCurrent(action) ? { ...action, undo: null } : action))}
            onUndo={undo}
          />
        ) : (
          <RecentActions actions={recentActions.filter((action) => !isCurrent(action))} onUndo={undo} />
        )}
      </div>
      {isPadVisible && offer !== null && currentCard !== null && (
        <AmountPad key={currentCard.id} flow={flow} offer={offer} amountText={amountText} />
      )}
      {currentCard !== null && !isSearch && (
        <TillActions key={currentCard.id} flow={flow} card={currentCard} state={state} onNext={goToNext} />
      )}
      {currentCard === null && !isSearch && (
        <div class="till-actions">
          <Button
            text={isCameraOpen ? words.closeCamera : words.openCamera}
            class="big"
            kind={isCameraOpen || isCode ? "" : "primary"}
            isPressed={isCameraOpen}
            onClick={() => {
              setCameraOpen(!isCameraOpen);
              setCameraError("");
            }}
          />
        </div>
      )}
    </div>
  );
}

/**
 * Receives input from barcode scanners that act as keyboards, regardless of where the focus is, even in a dialog. A scanner's Enter
 * doesn't press a button, and its keys don't trigger browser shortcuts. If the focus is in a text field, the scanned text stays
 * there unless `isAccepted` returns true for it. While the till asks for an amount, keys outside of other text fields change the
 * amount, and Enter books it. The digits of a scanned code are removed from the amount.
 * @param book books the typed amount, or `null` while the till doesn't ask for one.
 */
function useKeyboardScanner(
  onScan: (text: string) => void,
  isAccepted: (text: string) => boolean,
  flow: TillFlow,
  book: (() => void) | null,
): void {
  const latest = useRef({ onScan, isTaken: isAccepted, book });
  latest.current = { onScan, isTaken: isAccepted, book };
  // A layout effect, so that even a scan right after the first frame is received completely.
  useLayoutEffect(() => {
    const keys = new ScannedKeys();
    const amountKeys = new AmountKeys((text) => latest.current.isTaken(text));
    const handleAmountKey = (
      { key, target }: KeyboardEvent,
      end: EndOfKeys | null,
      onBook: () => void,
    ): boolean => {
      if (end?.kind === "scan") {
        flow.setAmount(end.amountText);
        latest.current.onScan(end.text);
        return true;
      }
      const isBooking = key === "Enter" && (end?.kind === "amount" || !isControl(target));
      if (isBooking) onBook();
      else flow.typeAmount(key);
      return isBooking || key === "Backspace" || (key.length === 1 && key !== " ");
    };
    const handleKey = (event: KeyboardEvent) => {
      const { key, target, timeStamp } = event;
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.repeat) return;
      const isInField = target instanceof HTMLInputElement && !isAmountField(target);
      const end = amountKeys.processKey(key, timeStamp, flow.amountText);
      const isPress = key === " " && !keys.isScanning(timeStamp, isInField);
      const scannedText = keys.processKey(key, timeStamp, isInField);
      const { book: onBook } = latest.current;
      if (onBook !== null && !isInField && !isInDialog(target)) {
        if (handleAmountKey(event, end, onBook)) event.preventDefault();
        return;
      }
      const isHandled = isInField
        ? scannedText !== null && latest.current.isTaken(scannedText)
        : key.length === 1 && !isPress;
      if (isHandled || (scannedText !== null && !isInField)) event.preventDefault();
      if (scannedText === null || (isInField && !isHandled)) return;
      if (isInField) removeScannedText(target, scannedText);
      latest.current.onScan(scannedText);
    };
    document.addEventListener("keydown", handleKey, true);
    return () => document.removeEventListener("keydown", handleKey, true);
  }, []);
}

const isAmountField = (target: EventTarget | null) =>
  target instanceof HTMLInputElement && target.dataset.amount !== undefined;

const isInDialog = (target: EventTarget | null) =>
  target instanceof Element && target.closest("dialog") !== null;

/** Returns whether Enter presses an element, such as a button. */
const isControl = (target: EventTarget | null) =>
  target instanceof Element && target.closest("button, a, [role=switch]") !== null;

/** Removes a scanned code from the end of the field that it was typed into. */
function removeScannedText(field: HTMLInputElement, scannedText: string): void {
  if (!field.value.endsWith(scannedText)) return;
  field.value = field.value.slice(0, -scannedText.length);
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

/** Puts a text into the field, so that the next text replaces it. */
function selectText(field: HTMLInputElement, text: string): void {
  field.value = text;
  field.select();
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

interface TillSettingsProps {
  readonly preferences: TillPreferences;
  readonly onChange: (change: Partial<TillPreferences>) => void;
  readonly onClose: () => void;
}

/** A dialog for editing this till's preferences. The preferences are stored on this device and don't affect other tills. */
function TillSettings({ preferences, onChange, onClose }: TillSettingsProps) {
  return (
    <Dialog title={words.thisTill} onClose={onClose}>
      <ul class="till-settings">
        {preferenceNames.map((name) => (
          <li key={name}>
            <span class="grow">
              <strong id={`till-${name}`}>{words.choices[name][0]}</strong>
              <span class="hint">{words.choices[name][1]}</span>
            </span>
            <Switch
              isOn={preferences[name]}
              labelledBy={`till-${name}`}
              onSwitch={async (isOn) => onChange({ [name]: isOn })}
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

interface TillFieldProps {
  readonly field: RefObject<HTMLInputElement | null>;
  readonly text: string;
  /** Whether the user's input looks like a card's code. */
  readonly isCode: boolean;
  readonly onText: (text: string) => void;
  readonly onSubmit: () => void;
  readonly onSettings: () => void;
}

/** A text field for entering a card's code, or for finding customers who don't have their phone with them. */
function TillField({ field, text, isCode, onText, onSubmit, onSettings }: TillFieldProps) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    // The next text replaces the one that isn't a code.
    if (!isCode) field.current?.select();
    onSubmit();
  };
  return (
    <search>
      <form class="till-row" onSubmit={submit}>
        <Button label={words.settings} icon="settings" class="till-settings-button" onClick={onSettings}>
          <span class="till-wide">{words.settings}</span>
        </Button>
        <input
          ref={field}
          class="grow"
          aria-label={words.field}
          placeholder={words.fieldExample}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          maxLength={MAX_SEARCH_LENGTH}
          value={text}
          onInput={(event) => onText(event.currentTarget.value)}
        />
        {isCode && <Button text={words.find} kind="primary" type="submit" />}
      </form>
    </search>
  );
}
