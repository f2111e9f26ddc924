import { useState } from "preact/hooks";
import { computeContrast, isDark, mixColors } from "../../../../delivery/wallets/stamp-drawing/colors.js";
import { loadCode } from "../api/call-error.js";
import { api } from "../api/calls.js";
import { applyShopSettings, hasScopes, session } from "../api/session.js";
import { CardPicture } from "../components/card-picture.js";
import { TextField } from "../components/field.js";
import { type PresetLanguage, pickPresetLanguage } from "../components/first-language.js";
import {
  createNumberField,
  createOptionalTextField,
  createSelectField,
  createTextField,
  FormDialog,
  useForm,
} from "../components/form.js";
import { suggestTimeZone } from "../components/shop-time-zone.js";
import { runWithToast } from "../components/toasts.js";
import { showStepToast } from "../overview/step-toast.js";
import { cards, form as words } from "../words/en/cards.js";
import { readyDesigns } from "../words/en/ready-designs.js";
import { timeZoneWords } from "../words/en/time-zone.js";
import { type DesignDraft, fromDesignDraft, toDesignDraft } from "./design-draft.js";
import { type Trade, tradeKeys, trades } from "./presets/trades.js";

/** Minimum contrast ratio between text and background for WCAG 2.2, level AA. */
const MIN_CONTRAST = 4.5;

/** The color of a new card until the user chooses another. */
const FIRST_COLOR = "#4338CA";

const plainDesign = toDesignDraft({ design: null, reward: null });

const fields = {
  shop: createOptionalTextField(words.shop, {
    maxLength: 78,
    autocomplete: "organization",
    hint: words.shopHint,
  }),
  name: createTextField(words.name, { maxLength: 150 }),
  type: createSelectField(words.kind, [
    ["STAMP_CARD", words.stampCard],
    ["LOYALTY_CARD", words.memberCard],
  ]),
  maxStamps: createNumberField(words.maxStamps, 10, { min: 1, max: 100, hint: words.maxStampsHint }),
  reward: createOptionalTextField(words.reward, { maxLength: 150 }),
};

interface NewCardProps {
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

/**
 * A form for creating a card. The user picks a color or a ready-made design, so that no card is ever gray, and is asked for the
 * shop's name if it has none.
 */
export function NewCard({ onClose, onSaved }: NewCardProps) {
  const [presets, setPresets] = useState<LoadedPresets | null>(null);
  const [trade, setTrade] = useState<Trade | null>(null);
  const [design, setDesign] = useState(() => applyColor(plainDesign, FIRST_COLOR));
  const [asksForShop] = useState(() => session.shopName === null && hasScopes("settings:write"));
  const [timeZone] = useState(() => suggestTimeZone({ name: session.shopName, timeZone: session.timeZone }));
  const form = useForm(fields, {
    send: async ({ shop, type, maxStamps, name, reward }) => {
      const hasStamps = type === "STAMP_CARD";
      await api.templates.create({
        name,
        ...(hasStamps ? { type, maxStamps, reward: reward ?? (design.reward || null) } : { type }),
        design: fromDesignDraft(design),
      });
      // Only now, because a refused form changes nothing. If this fails, sending the form again would create a second card.
      if (asksForShop && shop !== null) {
        const named = { name: shop, ...(timeZone !== null && { timeZone }) };
        await runWithToast(async () => applyShopSettings(await api.settings.update(named)));
      }
      onClose();
      onSaved();
      void showStepToast(words.wasSaved(name));
    },
  });
  const { name, reward } = form.values;
  const hasStamps = form.values.type === "STAMP_CARD";
  const maxStamps = hasStamps
    ? Math.min(Math.max(Math.floor(Number(form.values.maxStamps)) || 1, 1), 100)
    : null;
  const chooseTrade = async (chosen: Trade) => {
    const loaded = presets ?? (await loadPresets());
    setPresets(loaded);
    setTrade(chosen);
    setDesign(loaded.applyTrade(plainDesign, chosen, { hasStamps: true, language: loaded.language }));
  };
  const choosePlain = () => {
    setTrade(null);
    setDesign(applyColor(plainDesign, design.backgroundColor));
  };
  const chooseColor = (color: string) => {
    const colored = applyColor(design, color);
    const pattern = trade !== null && presets?.drawPattern({ ...colored, motif: trades[trade].motif });
    setDesign(pattern ? { ...colored, strip: pattern } : colored);
  };
  const hidden = [...(asksForShop ? [] : ["shop"]), ...(hasStamps ? [] : ["maxStamps", "reward"])];
  const card = {
    name: name || words.unnamed,
    reward: (hasStamps && (reward.trim() || design.reward)) || null,
    design,
  };
  return (
    <FormDialog
      title={cards.fresh}
      submitText={words.make}
      form={form}
      hidden={hidden}
      isWide
      onClose={onClose}
    >
      <div class="halves">
        <div class="stack">
          {form.controls(hidden, {
            shop: timeZone === null ? {} : { hint: `${words.shopHint} ${timeZoneWords.suggested(timeZone)}` },
            reward: design.reward === "" ? {} : { hint: words.rewardUnlessGiven(design.reward) },
          })}
        </div>
        <div class="stack">
          <section class="stack tight" aria-label={words.preview}>
            <CardPicture
              card={card}
              maxStamps={maxStamps}
              stamps={maxStamps === null ? 0 : Math.ceil(maxStamps / 2) % maxStamps}
            />
          </section>
          <fieldset class="looks">
            <legend class="label">{words.look}</legend>
            <Look
              text={words.plain}
              color={design.backgroundColor}
              isChosen={trade === null}
              onChoose={choosePlain}
            />
            {tradeKeys.map((key) => (
              <Look
                key={key}
                text={readyDesigns.trades[key]}
                color={trades[key].backgroundColor}
                isChosen={key === trade}
                onChoose={() => void runWithToast(() => chooseTrade(key))}
              />
            ))}
          </fieldset>
          <TextField
            label={words.color}
            type="color"
            value={design.backgroundColor.toLowerCase()}
            onText={(color) => chooseColor(color.toUpperCase())}
          />
        </div>
      </div>
    </FormDialog>
  );
}

interface LookProps {
  readonly text: string;
  readonly color: string;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

/** A design to choose, shown by its color. */
function Look({ text, color, isChosen, onChoose }: LookProps) {
  return (
    <label>
      <input type="radio" name="look" checked={isChosen} onChange={onChoose} />
      <span class="swatch" style={{ background: color }} />
      {text}
    </label>
  );
}

/** The code that applies a ready-made design, and the language of its texts. */
type LoadedPresets = Awaited<ReturnType<typeof loadPresets>>;

async function loadPresets() {
  const [{ applyTrade, drawPattern }, settings] = await Promise.all([
    loadCode(() => import("./presets/apply-trade.js")),
    hasScopes("settings:read") ? api.settings.get() : null,
  ]);
  const language: PresetLanguage = pickPresetLanguage({
    template: undefined,
    shop: settings?.language ?? null,
  });
  return { applyTrade, drawPattern, language };
}

/** Gives a design a background color, with text colors that can be read on it. */
function applyColor(design: DesignDraft, backgroundColor: string): DesignDraft {
  const foregroundColor = isDark(backgroundColor) ? "#FFFFFF" : "#111111";
  const softColor = mixColors(foregroundColor, backgroundColor, 0.2);
  const labelColor = computeContrast(backgroundColor, softColor) < MIN_CONTRAST ? foregroundColor : softColor;
  return { ...design, backgroundColor, foregroundColor, labelColor };
}
