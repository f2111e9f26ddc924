import { useEffect, useRef, useState } from "preact/hooks";
import type { WalletPassDetail } from "../../../../src/resources/pass.js";
import { keepTill } from "../app/kept-till.js";
import { PageHead, type ScreenProps } from "../app/screen.js";
import { may } from "../app/session.js";
import { Button } from "../parts/button.js";
import { CallError } from "../parts/call-error.js";
import { counted } from "../parts/words.js";
import { Camera } from "./camera.js";
import { CardAtTill } from "./card-at-till.js";
import { CardWithoutConnection } from "./card-without-connection.js";
import { FindCustomer } from "./find-customer.js";
import { cardByCode, cardOf, type FoundCard } from "./found-card.js";
import { KeptScans } from "./kept-scans.js";
import { sound } from "./signal.js";
import { useTillQueue } from "./till-queue.js";

/** A code of ours, alone or at the end of a link. */
const code = /^(?:https?:\/\/\S+\/)?[0-9A-Za-z]{12}\/?(?:[?#]\S*)?$/;

/** Where cards are scanned: find one, add stamps, hand out rewards. */
export function TillScreen(_: ScreenProps) {
  const [typed, setTyped] = useState("");
  const [card, setCard] = useState<FoundCard | null>(null);
  const [complaint, setComplaint] = useState("");
  /** What was scanned while the server could not be reached. */
  const [unfound, setUnfound] = useState<string | null>(null);
  const [kept, setKept] = useState("");
  const [isWatching, setWatching] = useState(false);
  const queue = useTillQueue();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // A browser that keeps nothing is no reason to say anything: the till works with a connection.
    keepTill().catch(() => {});
  }, []);

  const isCode = code.test(typed.trim());
  const isSearch = typed.trim().length > 1 && !isCode;
  const show = async (find: () => Promise<FoundCard>, scanned: string | null) => {
    setComplaint("");
    setKept("");
    setUnfound(null);
    try {
      setCard(await find());
      setTyped("");
    } catch (error) {
      if (scanned !== null && error instanceof CallError && error.status === 0 && may("loyalty:manage")) {
        setCard(null);
        setUnfound(scanned);
        return;
      }
      sound(false);
      const isUnknown = error instanceof CallError && error.status === 404;
      setComplaint(
        isUnknown ? "No card has this code." : error instanceof Error ? error.message : String(error),
      );
    }
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (isCode) void show(() => cardByCode(typed), typed.trim());
  };
  const keepUnfound = async (count: number) => {
    if (unfound === null) return;
    await queue.keep({ code: unfound }, count);
    setUnfound(null);
    setTyped("");
    setKept(`Kept: +${counted(count, "stamp")}`);
    input.current?.focus();
  };
  const next = () => {
    setCard(null);
    setComplaint("");
    setKept("");
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
            maxLength={254}
            value={typed}
            onInput={(event) => {
              setTyped(event.currentTarget.value);
              setComplaint("");
            }}
          />
          <Button kind={isCode ? "primary" : ""} type="submit" disabled={!isCode}>
            Find card
          </Button>
        </form>
      </search>
      <Button
        class="big"
        kind={isWatching || isCode || isSearch || card !== null ? "" : "primary"}
        isPressed={isWatching}
        onClick={() => setWatching(!isWatching)}
      >
        {isWatching ? "Close the camera" : "Scan with the camera"}
      </Button>
      {isWatching && (
        <Camera
          onCode={(scanned) => {
            setTyped("");
            void show(() => cardByCode(scanned), scanned);
          }}
        />
      )}
      {complaint !== "" && (
        <p class="note bad shout" role="alert">
          {complaint}
        </p>
      )}
      {isSearch && may("user:read", "pass:read") && (
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
          key={card.pass.id}
          found={card}
          onKeep={(count, idempotencyKey) => queue.keep({ passId: card.pass.id }, count, idempotencyKey)}
          onNext={next}
        />
      )}
      <KeptScans {...queue} />
      {card === null && unfound === null && !isSearch && complaint === "" && kept === "" && (
        <p class="quiet">
          Scan a card with a reader at this device, type its code, or look for the customer.
        </p>
      )}
    </div>
  );
}
