import { Button } from "../../components/button.js";
import { CountField, Field, Select, TextField } from "../../components/field.js";
import { Icon } from "../../components/icons.js";
import { bonusSizes, bonuses as words } from "../../words/en/card-program.js";
import { Fold } from "./fold.js";
import { LineFilterFields } from "./line-filter-fields.js";
import type { BonusDraft } from "./program-draft.js";
import { formatShortWeekday, formatWeekday, weekdays } from "./weekdays.js";

interface BonusFieldsProps {
  readonly bonus: BonusDraft;
  readonly index: number;
  /** Returns the error message at or below a path within the bonus, such as `percent`. */
  readonly findError: (path: string) => string | undefined;
  readonly onChange: (bonus: BonusDraft, path: string) => void;
  readonly onRemove: () => void;
}

/** An editor for a bonus, as a sentence such as "Double on Tuesdays". */
export function BonusFields({ bonus, index, findError, onChange, onRemove }: BonusFieldsProps) {
  const change = (part: Partial<BonusDraft>, path: string) => onChange({ ...bonus, ...part }, path);
  const { percent, isTyped, only, from, to, fromTime, toTime } = bonus;
  const size = bonusSizes.find(([each]) => !isTyped && each === percent)?.[0] ?? "typed";
  return (
    <fieldset class="sunken stack tight">
      <legend class="unseen">{words.bonus(index + 1)}</legend>
      <div class="blanks-head">
        <div class="blanks">
          <Field isInline label={words.size} {...(!isTyped && { error: findError("percent") })}>
            <Select
              class="narrow"
              value={size}
              choices={bonusSizes}
              onChoose={(chosen) =>
                change(chosen === "typed" ? { isTyped: true } : { isTyped: false, percent: chosen }, "size")
              }
            />
          </Field>
          {isTyped && (
            <>
              <CountField
                isInline
                label={words.percent}
                error={findError("percent")}
                class="bound"
                min={101}
                max={1_000}
                value={percent}
                onText={(text) => change({ percent: text }, "percent")}
              />
              <span>{words.percentOf}</span>
            </>
          )}
          <span>{words.on}</span>
          <WeekdayButtons
            chosen={bonus.weekdays}
            onChange={(chosen) => change({ weekdays: chosen }, `weekdays ${chosen?.join()}`)}
          />
        </div>
        <Button kind="plain" label={words.remove(index + 1)} onClick={onRemove}>
          <Icon name="close" />
        </Button>
      </div>
      {bonus.weekdays === undefined && <p class="hint">{words.everyDay}</p>}
      {bonus.weekdays?.length === 0 && <p class="hint">{words.noDay}</p>}
      {findError("weekdays") !== undefined && (
        <p class="field-error" role="alert">
          {findError("weekdays")}
        </p>
      )}
      <Fold
        title={words.more}
        isFilled={only !== undefined || [from, to, fromTime, toTime].some((text) => text !== "")}
        error={["only", "from", "to", "between"].map(findError).find((error) => error !== undefined)}
      >
        <LineFilterFields
          filter={only}
          findError={(list) => findError(`only.${list}`)}
          onChange={(filter) => change({ only: filter }, "only")}
        />
        <div class="columns">
          <TextField
            label={words.fromTime}
            error={findError("between.from")}
            type="time"
            value={fromTime}
            onText={(text) => change({ fromTime: text }, "fromTime")}
          />
          <TextField
            label={words.toTime}
            hint={words.timeHint}
            error={findError("between.to")}
            type="time"
            value={toTime}
            onText={(text) => change({ toTime: text }, "toTime")}
          />
          <TextField
            label={words.from}
            error={findError("from")}
            type="date"
            value={from}
            onText={(text) => change({ from: text }, "from")}
          />
          <TextField
            label={words.to}
            error={findError("to")}
            type="date"
            value={to}
            onText={(text) => change({ to: text }, "to")}
          />
        </div>
      </Fold>
    </fieldset>
  );
}

interface WeekdayButtonsProps {
  readonly chosen: readonly number[] | undefined;
  /** Called with the chosen days in order, or with `undefined` if none is left, which stands for every day. */
  readonly onChange: (chosen: number[] | undefined) => void;
}

function WeekdayButtons({ chosen = [], onChange }: WeekdayButtonsProps) {
  const toggle = (weekday: number) => {
    const toggled = weekdays.filter((each) => chosen.includes(each) !== (each === weekday));
    onChange(toggled.length === 0 ? undefined : toggled);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset can't be a part of the sentence's line.
    <div class="weekdays" role="group" aria-label={words.weekdays}>
      {weekdays.map((weekday) => (
        <Button key={weekday} isPressed={chosen.includes(weekday)} onClick={() => toggle(weekday)}>
          <span aria-hidden="true">{formatShortWeekday(weekday)}</span>
          <span class="unseen">{formatWeekday(weekday)}</span>
        </Button>
      ))}
    </div>
  );
}
