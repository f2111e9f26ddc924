import { Button } from "../parts/button.js";
import { Field } from "../parts/field.js";

interface Pair {
  readonly label: string;
  readonly value: string;
}

interface PairListProps {
  /** Of one, such as `Line`. */
  readonly noun: string;
  /** What the second text of each is called. */
  readonly valueLabel: string;
  readonly pairs: readonly Pair[];
  readonly most: number;
  /** What is wrong with a text of one. */
  readonly errorOf: (at: number, text: keyof Pair) => string | undefined;
  readonly onChange: (pairs: readonly Pair[], at: number) => void;
}

/** Some texts with labels of their own. */
export function PairList({ noun, valueLabel, pairs, most, errorOf, onChange }: PairListProps) {
  const change = (at: number, changed: Partial<Pair>) =>
    onChange(
      pairs.map((pair, each) => (each === at ? { ...pair, ...changed } : pair)),
      at,
    );
  return (
    <div class="stack tight">
      {pairs.map(({ label, value }, at) => (
        <div class="pair" key={at}>
          <Field label={`${noun} ${at + 1}`} error={errorOf(at, "label")}>
            <input value={label} onInput={(event) => change(at, { label: event.currentTarget.value })} />
          </Field>
          <Field label={valueLabel} error={errorOf(at, "value")}>
            <input value={value} onInput={(event) => change(at, { value: event.currentTarget.value })} />
          </Field>
          <Button
            label={`Remove ${noun.toLowerCase()} ${at + 1}`}
            onClick={() =>
              onChange(
                pairs.filter((_, each) => each !== at),
                -1,
              )
            }
          >
            ×
          </Button>
        </div>
      ))}
      {pairs.length < most && (
        <div>
          <Button onClick={() => onChange([...pairs, { label: "", value: "" }], -1)}>
            Add {noun.toLowerCase()}
          </Button>
        </div>
      )}
    </div>
  );
}
