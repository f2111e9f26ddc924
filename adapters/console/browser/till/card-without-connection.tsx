import { useState } from "preact/hooks";
import { Complaint } from "../parts/states.js";
import { messageOf } from "../parts/toasts.js";
import { useOneAtATime } from "./one-at-a-time.js";
import { sound } from "./signal.js";
import { StampCount } from "./stamp-count.js";

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
        setComplaint(messageOf(error));
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
      {complaint !== "" && <Complaint class="shout">{complaint}</Complaint>}
      <StampCount count={count} verb="Keep" isBusy={isBusy} onCount={setCount} onPress={() => void keep()} />
    </section>
  );
}
