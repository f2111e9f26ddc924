import { Button } from "../components/button.js";
import { till as words } from "../words/en/till.js";

const MOST = 20;

interface StampCountProps {
  readonly count: number;
  /** The big button's label. */
  readonly text: string;
  readonly isBusy: boolean;
  /** Whether pressing the big button is the most likely next step. */
  readonly isLikeliest: boolean;
  readonly onCount: (count: number) => void;
  readonly onPress: () => void;
}

/** A big button that adds the chosen number of stamps, with smaller buttons that change the number. */
export function StampCount({ count, text, isBusy, isLikeliest, onCount, onPress }: StampCountProps) {
  return (
    <div class="till-row">
      <Button label={words.less} disabled={count <= 1} onClick={() => onCount(count - 1)}>
        −
      </Button>
      <Button label={words.more} disabled={count >= MOST} onClick={() => onCount(count + 1)}>
        +
      </Button>
      <Button
        text={text}
        kind={isLikeliest ? "primary" : ""}
        class="big grow"
        disabled={isBusy}
        onClick={onPress}
      />
    </div>
  );
}
