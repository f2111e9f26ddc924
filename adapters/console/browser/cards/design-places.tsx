import { Button } from "../parts/button.js";
import { Field } from "../parts/field.js";
import type { EditedPlace } from "./edited-design.js";

const MOST = 10;

const nowhere: EditedPlace = { latitude: "", longitude: "", text: "" };

const texts = [
  ["latitude", "Latitude", "decimal"],
  ["longitude", "Longitude", "decimal"],
  ["text", "Says there", "text"],
] as const;

interface DesignPlacesProps {
  readonly places: readonly EditedPlace[];
  /** What is wrong with a text of one, by its name. */
  readonly errorOf: (name: string) => string | undefined;
  readonly onChange: (places: readonly EditedPlace[], name: string) => void;
}

/** Where phones show the card by themselves. */
export function DesignPlaces({ places, errorOf, onChange }: DesignPlacesProps) {
  return (
    <section class="stack tight" aria-label="Places">
      <h2>Places</h2>
      <p class="hint">Phones near one of them show the card by themselves, with the text.</p>
      {places.map((place, at) => (
        <fieldset class="place" key={at}>
          <legend class="unseen">Place {at + 1}</legend>
          {texts.map(([name, label, inputMode]) => (
            <Field key={name} label={label} error={errorOf(`${at}.${name}`)}>
              <input
                inputMode={inputMode}
                value={place[name]}
                onInput={({ currentTarget: { value } }) =>
                  onChange(
                    places.map((each, other) => (other === at ? { ...each, [name]: value } : each)),
                    `locations.${at}.${name}`,
                  )
                }
              />
            </Field>
          ))}
          <Button
            label={`Remove place ${at + 1}`}
            onClick={() =>
              onChange(
                places.filter((_, other) => other !== at),
                "locations",
              )
            }
          >
            ×
          </Button>
        </fieldset>
      ))}
      {places.length < MOST && (
        <div>
          <Button onClick={() => onChange([...places, nowhere], "locations")}>Add place</Button>
        </div>
      )}
    </section>
  );
}
