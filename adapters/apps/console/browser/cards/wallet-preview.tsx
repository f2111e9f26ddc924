import type { CardField } from "../../../../delivery/wallets/card-texts.js";
import {
  type Canvas,
  heroCanvas,
  stripCanvas,
} from "../../../../delivery/wallets/stamp-drawing/stamp-layout.js";
import { renderStampsSvg } from "../../../../delivery/wallets/stamp-drawing/stamps-svg.js";
import { loadCode } from "../api/call-error.js";
import { mount } from "../api/session.js";
import { useLoad } from "../components/load.js";
import { toSvgUrl, usePictureUrl } from "../components/use-picture-url.js";
import { previews } from "../words/en/card-design.js";
import { buildPreviewTexts, type CardPreview } from "./preview-texts.js";

/** A link as long as real card links, so that the QR code's squares have their real size. */
const exampleCode = `${location.origin}${mount}/c/ThisIsNoCard`;

/** The fields that Google shows as loyalty points. */
const countKeys: readonly string[] = ["stamps", "rewards", "points"];

/**
 * Shows an approximate preview of a card in both wallets. The stamps look exactly as they will in the wallets because the same
 * renderer draws them.
 */
export function WalletPreview(preview: CardPreview) {
  const { design } = preview;
  const logo = usePictureUrl(design.logo);
  const strip = usePictureUrl(design.strip);
  const filled = usePictureUrl(design.stamps.filled);
  const empty = usePictureUrl(design.stamps.empty);
  const { state, texts } = buildPreviewTexts(preview);
  const { words, fields } = texts;

  const renderStrip = (canvas: Canvas) => {
    if (state === null) return strip;
    const { currentStamps, maxStamps: total } = state;
    const pictures = { strip, filled, empty };
    return toSvgUrl(
      renderStampsSvg({ look: design, filled: currentStamps, total }, canvas, 1, pictures, "slice"),
    );
  };
  const [appleStrip, googleStrip] = [renderStrip(stripCanvas), renderStrip(heroCanvas)];
  const altText = state === null ? words.title : previews.stamps(state.currentStamps, state.maxStamps);
  const colors = {
    "--card-ground": design.backgroundColor,
    "--card-ink": design.foregroundColor,
    "--card-label": design.labelColor,
  };
  return (
    <div class="wallet-previews">
      <section class="wallet-card apple" aria-label={previews.inApple} style={colors}>
        <header>
          {logo !== null && <img src={logo} alt="" />}
          <strong>{words.title}</strong>
          {renderLines(fields, ({ place, key }) => place === "header" || key === "points")}
        </header>
        {appleStrip !== null && <img class="strip" src={appleStrip} alt={altText} />}
        <div class="lines">
          {renderLines(fields, ({ place }) => place === "progress" || place === "front")}
        </div>
        <ExampleQr />
      </section>
      <section class="wallet-card google" aria-label={previews.inGoogle} style={colors}>
        <header>
          {logo !== null && <img src={logo} alt="" />}
          <strong>{words.title}</strong>
        </header>
        {(state !== null || words.points !== null) && (
          <div class="lines">{renderLines(fields, ({ key }) => countKeys.includes(key))}</div>
        )}
        <ExampleQr />
        {googleStrip !== null && <img class="strip" src={googleStrip} alt={altText} />}
      </section>
    </div>
  );
}

function renderLines(fields: readonly CardField[], isShown: (field: CardField) => boolean) {
  return fields
    .filter((field) => field.value !== null && isShown(field))
    .map(({ key, label, value }) => (
      <span key={key} class="line">
        <small>{label}</small>
        <span>{value}</span>
      </span>
    ));
}

/** A card's QR code, which keeps its space until the code that draws it is loaded: that is an eighth of this screen's. */
function ExampleQr() {
  const { value } = useLoad("qr", () => loadCode(() => import("../components/qr.js")));
  return value === null ? (
    <svg class="qr" viewBox="0 0 1 1" aria-hidden="true" />
  ) : (
    <value.Qr text={exampleCode} label={previews.exampleCode} />
  );
}
