import { Qr } from "../../components/qr.js";
import { posters } from "../../words/en/posters.js";
import { fittedLines } from "./fitted-lines.js";
import type { SheetContents, SheetTitle } from "./sheet-contents.js";
import { DrawnCard, SheetText } from "./sheet-parts.js";

/** A4 in millimeters. Smaller sheets with nearly the same aspect ratio show the same drawing, scaled down. */
const WIDTH = 210;
const HEIGHT = 297;
const MARGIN = 15;

/** Height of the colored band, whose lower edge lies behind the card. */
const BAND = 168;
/** Top and bottom of the text above the card. */
const WORDS = { top: 13, bottom: 105 };
const CARD = { x: 36, y: 109, width: 138, height: 90, edge: 2 };
const CODE = { x: MARGIN, y: 206, width: 77, height: 77 };
const SAID = { left: 100, right: WIDTH - MARGIN };

const LOGO = { width: 90, height: 24 };
const GAP = 5;
const SMALL_GAP = 2.5;
const INK = "#17171C";
const QUIET = "#4A4A57";

/** A poster or table tent, with the reward and the card at the top and the QR code at the bottom. */
export function PortraitSheet({
  title,
  name,
  logo,
  lead,
  reward,
  scan,
  noApp,
  link,
  address,
  card,
  colors,
}: SheetContents & SheetTitle) {
  const width = WIDTH - 2 * MARGIN;
  const shop = fittedLines(name, { width, height: 14, largest: 10, smallest: 5.5, isStrong: true });
  const above = fittedLines(lead, { width, height: 10, largest: 8, smallest: 5 });
  const promise = fittedLines(reward, { width, height: 34, largest: 18, smallest: 7, isStrong: true });
  const logoHeight = logo === null ? 0 : LOGO.height + GAP;
  const all = logoHeight + shop.height + GAP + above.height + SMALL_GAP + promise.height;
  const top = Math.max(WORDS.top, (WORDS.top + WORDS.bottom - all) / 2);
  const shopTop = top + logoHeight;
  const leadTop = shopTop + shop.height + GAP;

  const column = SAID.right - SAID.left;
  const middle = (SAID.left + SAID.right) / 2;
  const call = fittedLines(scan, { width: column, height: 46, largest: 13, smallest: 6, isStrong: true });
  const quiet = fittedLines(noApp, { width: column, height: 9, largest: 7, smallest: 4 });
  const typed = fittedLines(address, { width: column, height: 12, largest: 4.4, smallest: 2.6 });
  const callTop = CODE.y + (CODE.height - call.height - quiet.height - typed.height - 2 * GAP) / 2;
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="xMidYMid slice">
      <title>{title}</title>
      <rect width={WIDTH} height={HEIGHT} fill="#fff" />
      <rect width={WIDTH} height={BAND} fill={colors.ground} />
      {logo !== null && (
        <image
          x={(WIDTH - LOGO.width) / 2}
          y={top}
          {...LOGO}
          href={logo}
          preserveAspectRatio="xMidYMid meet"
        />
      )}
      <SheetText text={shop} x={WIDTH / 2} top={shopTop} fill={colors.ink} isStrong />
      <SheetText text={above} x={WIDTH / 2} top={leadTop} fill={colors.label} />
      <SheetText
        text={promise}
        x={WIDTH / 2}
        top={leadTop + above.height + SMALL_GAP}
        fill={colors.ink}
        isStrong
      />
      <DrawnCard card={card} {...CARD} />
      <Qr text={link} label={posters.codeOf(link)} bounds={CODE} />
      <SheetText text={call} x={middle} top={callTop} fill={INK} isStrong />
      <SheetText text={quiet} x={middle} top={callTop + call.height + GAP} fill={QUIET} />
      <SheetText text={typed} x={middle} top={callTop + call.height + quiet.height + 2 * GAP} fill={QUIET} />
    </svg>
  );
}
