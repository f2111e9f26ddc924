import type { DesignTexts } from "../../../../src/resources/design.js";
import { Button } from "../parts/button.js";
import { TextField } from "../parts/field.js";
import { DesignList, type ItemText } from "./design-list.js";

const texts = [
  { name: "title", label: "Title", hint: "The name of the card unless given" },
  { name: "description", label: "Description", hint: "Read out in place of the picture" },
  { name: "stampsLabel", label: "Stamps are called", hint: "Such as Coffees" },
  { name: "rewardsLabel", label: "Rewards are called", hint: "Such as Free coffees" },
  { name: "toGo", label: "What is missing", hint: "With {count} in it, such as “{count} more to go”" },
  { name: "rewardReady", label: "A reward is waiting", hint: "What a full card says" },
] as const;

const lines = [
  { name: "front", noun: "front line", label: "Front line", most: 4 },
  { name: "back", noun: "back line", label: "Back line", most: 20 },
] as const;

/** A text with a label of its own. */
const linesCalled = (label: string): ItemText<"label" | "value">[] => [
  { name: "label", label: (number) => `${label} ${number}` },
  { name: "value", label: () => "Says" },
];

interface DesignTextsProps {
  readonly texts: DesignTexts;
  /** The place of the language; the first is that of everybody who speaks none of the others. */
  readonly at: number;
  /** Returns what is wrong at a path in the texts, such as `front.0.label`. */
  readonly errorOf: (path: string) => string | undefined;
  readonly onChange: (texts: DesignTexts, path: string) => void;
  readonly onRemove: () => void;
}

/** The texts of a card in one language. */
export function DesignTextsFields({ texts: design, at, errorOf, onChange, onRemove }: DesignTextsProps) {
  const controlOf = (name: "language" | "terms" | (typeof texts)[number]["name"]) => ({
    error: errorOf(name),
    value: design[name] ?? "",
    onText: (text: string) => onChange({ ...design, [name]: text }, name),
  });
  const others = at === 0 ? ". Who speaks none of the others reads it, too." : "";
  return (
    <fieldset class="stack tight panel padded">
      <legend class="unseen">Language {at + 1}</legend>
      <TextField label="Language" hint={`Such as en or pt-BR${others}`} {...controlOf("language")} />
      {texts.map(({ name, ...text }) => (
        <TextField key={name} {...text} {...controlOf(name)} />
      ))}
      {lines.map(({ name, noun, label, most }) => (
        <DesignList
          key={name}
          noun={noun}
          class="pair"
          texts={linesCalled(label)}
          items={design[name]}
          most={most}
          errorOf={(path) => errorOf(`${name}.${path}`)}
          onChange={(items, path) => onChange({ ...design, [name]: items }, `${name}.${path}`)}
        />
      ))}
      <TextField label="Terms" rows={3} {...controlOf("terms")} />
      <div>
        <Button text={`Remove language ${at + 1}`} kind="plain" onClick={onRemove} />
      </div>
    </fieldset>
  );
}
