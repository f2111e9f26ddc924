import { Button } from "../parts/button.js";
import { counted } from "../words/en/forms.js";

const MOST = 20;

interface StampCountProps {
  readonly count: number;
  /** The word before the number on the big button. */
  readonly verb: string;
  readonly isBusy: boolean;
  /** Whether the big button is what is pressed next most often. */
  readonly isLikeliest: boolean;
  readonly onCount: (count: number) => void;
  readonly onPress: () => void;
}

/** A big button that says how many stamps it gives, beside those that make it more and less. */
export function StampCount({ count, verb, isBusy, isLikeliest, onCount, onPress }: StampCountProps) {
  return (
    <div class="till-row">
      <Button label="One less" disabled={count <= 1} onClick={() => onCount(count - 1)}>
        −
      </Button>
      <Button label="One more" disabled={count >= MOST} onClick={() => onCount(count + 1)}>
        +
      </Button>
      <Button
        text={`${verb} ${counted(count, "stamp")}`}
        kind={isLikeliest ? "primary" : ""}
        class="big grow"
        disabled={isBusy}
        onClick={onPress}
      />
    </div>
  );
}
