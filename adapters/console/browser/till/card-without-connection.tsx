import { useState } from "preact/hooks";
import { Button } from "../parts/button.js";
import { useOneAtATime } from "../parts/one-at-a-time.js";
import { counted } from "../parts/words.js";
import { sound } from "./signal.js";

const MOST = 20;

interface CardWithoutConnectionProps {
  readonly code: string;
  /** @throws when they can't be kept. */
  readonly onKeep: (count: number) => Promise<void>;
}

/** A scanned card while the server can't be reached: its stamps are kept here. */
export function CardWithoutConnection({ code, onKeep }: CardWithoutConnectionProps) {
  const [count, setCount] = useState(1);
  const [complaint, setComplaint] = useState("");
  const { isBusy, begin } = useOneAtATime();
  const keep = () =>
    begin(async () => {
      try {
        await onKeep(count);
        sound(true);
      } catch (error) {
        sound(false);
        setComplaint(error instanceof Error ? error.message : String(error));
      }
    });
  return (
    <section class="stack" aria-label="Card">
      <p class="note warn">
        <span class="grow">
          No connection. Stamps for <bdi>{code.replace(/^.*\/(?=.)/, "")}</bdi> are kept on this device until
          it is back; rewards can be redeemed then.
        </span>
      </p>
      {complaint !== "" && (
        <p class="note bad shout" role="alert">
          {complaint}
        </p>
      )}
      <div class="steps">
        <Button label="One less" disabled={count <= 1} onClick={() => setCount(count - 1)}>
          −
        </Button>
        <Button kind="primary" class="big grow" disabled={isBusy} onClick={() => void keep()}>
          Keep {counted(count, "stamp")}
        </Button>
        <Button label="One more" disabled={count >= MOST} onClick={() => setCount(count + 1)}>
          +
        </Button>
      </div>
    </section>
  );
}
