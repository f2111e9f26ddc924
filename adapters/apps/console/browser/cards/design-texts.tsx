import type { DesignTexts } from "../../../../../src/cards/design-schema.js";
import { Button } from "../components/button.js";
import { TextField } from "../components/field.js";
import { lists, textWords, texts as words } from "../words/en/card-design.js";
import { DesignList, type ItemText } from "./design-list.js";

const names = ["title", "description", "stampsLabel", "rewardsLabel", "toGo", "rewardReady"] as const;

const lines = [
  { name: "front", most: 4 },
  { name: "back", most: 20 },
] as const;

/** Returns the fields for a text with its own label. */
const linesCalled = (label: (number: number) => string): ItemText<"label" | "value">[] => [
  { name: "label", label },
  { name: "value", label: () => words.says },
];

interface DesignTextsProps {
  readonly texts: DesignTexts;
  /** The language's index in the design. Customers whose language the design doesn't have see the first language. */
  readonly at: number;
  /** Returns the error message for a path within these texts, such as `front.0.label`. */
  readonly errorOf: (path: string) => string | undefined;
  readonly onChange: (texts: DesignTexts, path: string) => void;
  readonly onRemove: () => void;
}

export function DesignTextsFields({ texts: design, at, errorOf, onChange, onRemove }: DesignTextsProps) {
  const controlOf = (name: "language" | "terms" | (typeof names)[number]) => ({
    error: errorOf(name),
    value: design[name] ?? "",
    onText: (text: string) => onChange({ ...design, [name]: text }, name),
  });
  return (
    <fieldset class="stack tight panel padded">
      <legend class="unseen">{words.languageNumber(at + 1)}</legend>
      <TextField
        label={words.language}
        hint={at === 0 ? words.firstHint : words.languageHint}
        {...controlOf("language")}
      />
      {names.map((name) => (
        <TextField key={name} label={textWords[name][0]} hint={textWords[name][1]} {...controlOf(name)} />
      ))}
      {lines.map(({ name, most }) => (
        <DesignList
          key={name}
          words={lists[name]}
          class="pair"
          texts={linesCalled(lists[name].label)}
          items={design[name]}
          most={most}
          errorOf={(path) => errorOf(`${name}.${path}`)}
          onChange={(items, path) => onChange({ ...design, [name]: items }, `${name}.${path}`)}
        />
      ))}
      <TextField label={words.terms} rows={3} {...controlOf("terms")} />
      <div>
        <Button text={words.remove(at + 1)} kind="plain" onClick={onRemove} />
      </div>
    </fieldset>
  );
}
