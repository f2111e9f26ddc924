import { Button } from "../../components/button.js";
import { Check, CountField, Field, Select, TextField } from "../../components/field.js";
import { Icon } from "../../components/icons.js";
import { bases, rules as words } from "../../words/en/card-program.js";
import type { CardUnit } from "./card-unit.js";
import { Fold } from "./fold.js";
import { LineFilterFields } from "./line-filter-fields.js";
import type { RuleDraft } from "./program-draft.js";

const currencies = Intl.supportedValuesOf("currency");

interface RuleFieldsProps {
  readonly rule: RuleDraft;
  readonly index: number;
  readonly unit: CardUnit;
  readonly currency: string;
  /** Returns the error message at or below a path within the rule, such as `per`. */
  readonly findError: (path: string) => string | undefined;
  readonly onChange: (rule: RuleDraft, path: string) => void;
  /** Changes the currency of all rules. Only the first rule can. */
  readonly onCurrency?: ((currency: string) => void) | undefined;
  readonly onRemove?: (() => void) | undefined;
}

/** An editor for a rule, as a sentence such as "Give 1 point for every amount of 1.00 EUR". */
export function RuleFields({
  rule,
  index,
  unit,
  currency,
  findError,
  onChange,
  onCurrency,
  onRemove,
}: RuleFieldsProps) {
  const change = (part: Partial<RuleDraft>, path: string) => onChange({ ...rule, ...part }, path);
  const { give, basis, amount, only, minAmount, inSteps } = rule;
  const isPerAmount = basis === "amount";
  return (
    <fieldset class="sunken stack tight">
      <legend class="unseen">{words.rule(index + 1)}</legend>
      <div class="blanks-head">
        <div class="blanks">
          <span>{words.give}</span>
          <CountField
            isInline
            label={unit.isPoints ? words.givePoints : words.giveStamps}
            error={findError("give")}
            class="bound"
            min={1}
            value={give}
            onText={(text) => change({ give: text }, "give")}
          />
          <span>{unit.nameUnits(Number(give))}</span>
          <Field isInline label={words.basis}>
            <Select
              class="narrow"
              value={basis}
              choices={bases}
              onChoose={(chosenBasis) => change({ basis: chosenBasis }, "basis")}
            />
          </Field>
          {isPerAmount && (
            <TextField
              isInline
              label={words.amount}
              error={findError("per")}
              class="bound"
              type="text"
              inputMode="decimal"
              autocomplete="off"
              value={amount}
              onText={(text) => change({ amount: text }, "amount")}
            />
          )}
          {!isPerAmount && onCurrency !== undefined && <span>{words.purchasesIn}</span>}
          {onCurrency === undefined
            ? isPerAmount && <span>{currency}</span>
            : renderCurrency({ currency, onCurrency })}
        </div>
        {onRemove !== undefined && (
          <Button kind="plain" label={words.remove(index + 1)} onClick={onRemove}>
            <Icon name="close" />
          </Button>
        )}
      </div>
      <Fold
        title={words.more}
        isFilled={only !== undefined || minAmount !== "" || inSteps === true}
        error={findError("only") ?? findError("minAmount")}
      >
        <LineFilterFields
          filter={only}
          findError={(list) => findError(`only.${list}`)}
          onChange={(filter) => change({ only: filter }, "only")}
        />
        <TextField
          label={`${words.minAmount} (${currency})`}
          error={findError("minAmount")}
          inputMode="decimal"
          autocomplete="off"
          value={minAmount}
          onText={(text) => change({ minAmount: text }, "minAmount")}
        />
        {isPerAmount && (
          <Check
            isChecked={inSteps === true}
            hint={unit.isPoints ? words.inStepsHint : undefined}
            onChange={(isChecked) => change({ inSteps: isChecked || undefined }, "inSteps")}
          >
            {words.inSteps}
          </Check>
        )}
      </Fold>
    </fieldset>
  );
}

/** Renders the currency's select. A currency that the browser doesn't know stays selected until the user chooses another. */
function renderCurrency({
  currency,
  onCurrency,
}: {
  readonly currency: string;
  readonly onCurrency: (currency: string) => void;
}) {
  const codes = currencies.includes(currency) ? currencies : [currency, ...currencies];
  return (
    <Field isInline label={words.currency}>
      <Select
        class="currency"
        value={currency}
        choices={codes.map((code) => [code, code] as const)}
        onChoose={onCurrency}
      />
    </Field>
  );
}
