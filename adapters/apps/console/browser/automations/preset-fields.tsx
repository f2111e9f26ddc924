import type { Segment } from "../../../../../src/segments/schema.js";
import { hasScopes } from "../api/session.js";
import { Check, CountField, TextField } from "../components/field.js";
import { ready } from "../words/en/ready-automations.js";
import { awayName, awaySegment } from "./away-segment.js";
import type { PresetKind } from "./preset-kind.js";
import type { PresetValues } from "./presets.js";

interface ReadyFieldsProps {
  readonly kind: PresetKind;
  readonly values: PresetValues;
  readonly segments: readonly Segment[];
  readonly errorOf: (field: string) => string | undefined;
  readonly onChange: (part: Partial<PresetValues>) => void;
}

/**
 * The form fields that differ between automation presets. Doesn't include the fields that all presets share: the name, the card,
 * and the texts.
 */
export function PresetFields({ kind, values, segments, errorOf, onChange }: ReadyFieldsProps) {
  const hasCard = values.content.templateId !== "";
  const mayGive = hasCard && hasScopes("loyalty:manage");
  const counted = (name: "toGo" | "waits" | "stamps" | "days", label: string, hint: string) => (
    <CountField
      label={label}
      hint={hint}
      error={errorOf(name)}
      value={values[name]}
      onText={(typed) => onChange({ [name]: typed })}
    />
  );
  switch (kind) {
    case "welcome":
      return mayGive ? counted("stamps", ready.stamps, ready.stampsHint) : null;
    case "nearlyFull":
      return counted("toGo", ready.toGo, ready.toGoHint);
    case "reward":
      return counted("waits", ready.waits, ready.waitsHint);
    case "winBack":
      return (
        <>
          {counted("days", ready.days, ready.daysHint)}
          <p class="note">{segmentWords(values, segments)}</p>
        </>
      );
    case "birthday":
      return (
        <>
          <TextField
            label={ready.key}
            hint={ready.keyHint}
            error={errorOf("key")}
            autocomplete="off"
            spellcheck={false}
            value={values.key}
            onText={(key) => onChange({ key })}
          />
          <TextField
            label={ready.at}
            hint={ready.atHint}
            error={errorOf("at")}
            type="time"
            value={values.at}
            onText={(at) => onChange({ at })}
          />
          {mayGive && (
            <Check
              isChecked={values.givesReward}
              hint={ready.rewardHint}
              onChange={(givesReward) => onChange({ givesReward })}
            >
              {ready.reward}
            </Check>
          )}
        </>
      );
  }
}

/** Describes the segment of customers to win back, and whether it will be created or changed. */
function segmentWords(values: PresetValues, segments: readonly Segment[]): string {
  const found = awaySegment(values, segments);
  if (found === undefined) return ready.makeSegment(awayName(values, segments));
  return found.emitsEvents ? ready.useSegment(found.name) : ready.tellSegment(found.name);
}
