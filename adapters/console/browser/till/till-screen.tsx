import { useEffect, useRef, useState } from "preact/hooks";
import type { WalletPassDetail } from "../../../../src/resources/pass.js";
import { CallError } from "../api/call-error.js";
import { may } from "../api/session.js";
import { keepTill } from "../app/kept-till.js";
import { PageHead } from "../app/screen.js";
import { Button } from "../parts/button.js";
import { Complaint, Skeleton } from "../parts/states.js";
import { messageOf } from "../parts/toasts.js";
import { counted } from "../parts/words.js";
import { Camera } from "./camera.js";
import { CardAtTill } from "./card-at-till.js";
import { CardWithoutConnection } from "./card-without-connection.js";
import { FindCustomer } from "./find-customer.js";
import { cardByCode, cardOf, type FoundCard } from "./found-card.js";
import { KeptScans } from "./kept-scans.js";
import { useKeyboardScanner } from "./keyboard-scanner.js";
import { sound } from "./signal.js";
import { useTillQueue } from "./till-queue.js";

/** A code of ours, alone or at the end of a link. */
const code = /^(?:https?:\/\/\S+\/)?[0-9A-Za-z]{12}\/?(?:[?#]\S*)?$/;

/** The longest search. */
const MOST_TYPED = 254;

/** A card as a scan found it. The next scan of it shows it anew. */
interface ShownCard extends FoundCard {
  readonly turn: number;
}

/** Finds cards by scanning them, adds stamps, and hands out rewards. */
export function TillScreen() {
  if (may("pass:read")) return <Till />;
  return (
    <div class="till">
      <PageHead title="Till" />
      <Complaint>
        Cards can’t be looked up with this token. Sign in with one that has the scope pass:read.
      </Complaint>
    </div>
  );
}

function Till() {
  const [typed, setTyped] = useState("");
  const [card, setCard] = useState<ShownCard | null>(null);
  const [isLooking, setLooking] = useState(false);
  const [complaint, setComplaint] = useState("");
  /** The code that was scanned while the server could not be reached. */
  const [unfound, setUnfound] = useState<string | null>(null);
  const [kept, setKept] = useState("");
  const [isWatching, setWatching] = useState(false);
  const queue = useTillQueue();
  const input = useRef<HTMLInputElement>(null);
  const asked = useRef(0);
  useEffect(() => {
    // A browser that keeps nothing is no reason to say anything: the till works with a connection.
    keepTill().catch(() => {});
  }, []);

  const isCode = code.test(typed.trim());
  const isSearch = typed.trim().length > 1 && !isCode;
  /** Takes away what is shown of one customer, so that no press meets it any more, and what is still to come of it. */
  const clear = () => {
    setCard(null);
    setComplaint("");
    setKept("");
    setUnfound(null);
    setLooking(false);
    asked.current += 1;
    return asked.current;
  };
  const show = async (find: () => Promise<FoundCard>, scanned: string | null) => {
    const turn = clear();
    setLooking(true);
    try {
      const found = await find();
      if (turn !== asked.current) return;
      setCard({ ...found, turn });
      setTyped("");
    } catch (error) {
      if (turn !== asked.current) return;
      if (scanned !== null && error instanceof CallError && error.status === 0 && may("loyalty:manage")) {
        setUnfound(scanned);
        return;
      }
      sound(false);
      const isUnknown = error instanceof CallError && error.status === 404;
      setComplaint(isUnknown ? "No card has this code." : messageOf(error));
    } finally {
      if (turn === asked.current) setLooking(false);
    }
  };
  const scan = (text: string) => void show(() => cardByCode(text), text.trim());
  const onKeys = (text: string) => {
    if (code.test(text.trim())) {
      setTyped("");
      scan(text);
    } else {
      clear();
      setTyped(text.slice(0, MOST_TYPED));
    }
  };
  useKeyboardScanner(onKeys, (text) => code.test(text.trim()));
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (isCode) scan(typed);
  };
  const keepUnfound = async (count: number) => {
    if (unfound === null) return;
    const turn = asked.current;
    await queue.keep({ code: unfound }, count);
    if (turn !== asked.current) return;
    setUnfound(null);
    setTyped("");
    setKept(`Kept: +${counted(count, "stamp")}`);
    input.current?.focus();
  };
  const next = () => {
    clear();
    input.current?.focus();
  };
  return (
    <div class="till">
      <PageHead title="Till" />
      <search>
        <form class="row" onSubmit={submit}>
          <input
            ref={input}
            class="grow"
            aria-label="Code, name, phone or email"
            placeholder="Code, name, phone…"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            maxLength={MOST_TYPED}
            value={typed}
            onInput={(event) => {
              setTyped(event.currentTarget.value);
              setComplaint("");
            }}
          />
          <Button text="Find card" kind={isCode ? "primary" : ""} type="submit" disabled={!isCode} />
        </form>
      </search>
      <Button
        text={isWatching ? "Close the camera" : "Scan with the camera"}
        class="big"
        kind={isWatching || isCode || isSearch || card !== null ? "" : "primary"}
        isPressed={isWatching}
        onClick={() => setWatching(!isWatching)}
      />
      {isWatching && (
        <Camera
          onCode={(text) => {
            setTyped("");
            scan(text);
          }}
        />
      )}
      {complaint !== "" && <Complaint class="shout">{complaint}</Complaint>}
      {isSearch && may("user:read") && (
        <FindCustomer
          search={typed}
          onFound={(pass: WalletPassDetail) => void show(() => cardOf(pass), null)}
        />
      )}
      {kept !== "" && (
        <div class="outcome good" role="status">
          <span class="mark" aria-hidden="true">
            ✓
          </span>
          <span class="grow">{kept}</span>
        </div>
      )}
      {unfound !== null && !isSearch && (
        <CardWithoutConnection key={unfound} code={unfound} onKeep={keepUnfound} />
      )}
      {card !== null && !isSearch && (
        <CardAtTill
          key={card.turn}
          found={card}
          onKeep={(count, idempotencyKey) => queue.keep({ passId: card.pass.id }, count, idempotencyKey)}
          onFailedLater={(text) => {
            sound(false);
            setComplaint(text);
          }}
          onNext={next}
        />
      )}
      {isLooking && <Skeleton height="12rem" />}
      <KeptScans {...queue} />
      {card === null && !isLooking && unfound === null && !isSearch && complaint === "" && kept === "" && (
        <p class="quiet">
          Scan a card with a reader at this device, type its code, or look for the customer.
        </p>
      )}
    </div>
  );
}
