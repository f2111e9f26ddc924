import { Qr } from "../../components/qr.js";
import { posters } from "../../words/en/posters.js";
import { fitLines } from "./fitted-lines.js";
import type { SheetContents, SheetTitle } from "./sheet-contents.js";
import { CardOnSheet, SheetText } from "./sheet-parts.js";

/** A4 in millimeters. Smaller sheets with nearly the same aspect ratio show the same drawing, scaled down. */
const WIDTH = 210;
const HEIGHT = 297;
const MARGIN = 15;

/** Height of the colored band, whose lower edge lies behind the card. */
const BAND_HEIGHT = 168;
/** Top and bottom of the text above the card. */
const TEXT_AREA = { top: 13, bottom: 105 };
const CARD = { x: 36, y: 109, width: 138, height: 90, edge: 2 };
const CODE = { x: MARGIN, y: 206, width: 77, height: 77 };
const INSTRUCTIONS = { left: 100, right: WIDTH - MARGIN };

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
  const shopLines = fitLines(name, { width, height: 14, largest: 10, smallest: 5.5, isStrong: true });
  const leadLines = fitLines(lead, { width, height: 10, largest: 8, smallest: 5 });
  const rewardLines = fitLines(reward, { width, height: 34, largest: 18, smallest: 7, isStrong: true });
  const logoHeight = logo === null ? 0 : LOGO.height + GAP;
  const totalHeight = logoHeight + shopLines.height + GAP + leadLines.height + SMALL_GAP + rewardLines.height;
  const top = Math.max(TEXT_AREA.top, (TEXT_AREA.top + TEXT_AREA.bottom - totalHeight) / 2);
  const shopTop = top + logoHeight;
  const leadTop = shopTop + shopLines.height + GAP;

  const column = INSTRUCTIONS.right - INSTRUCTIONS.left;
  const middle = (INSTRUCTIONS.left + INSTRUCTIONS.right) / 2;
  const scanLines = fitLines(scan, { width: column, height: 46, largest: 13, smallest: 6, isStrong: true });
  const noAppLines = fitLines(noApp, { width: column, height: 9, largest: 7, smallest: 4 });
  const addressLines = fitLines(address, { width: column, height: 12, largest: 4.4, smallest: 2.6 });
  const scanTop =
    CODE.y + (CODE.height - scanLines.height - noAppLines.height - addressLines.height - 2 * GAP) / 2;
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="xMidYMid slice">
      <title>{title}</title>
      <rect width={WIDTH} height={HEIGHT} fill="#fff" />
      <rect width={WIDTH} height={BAND_HEIGHT} fill={colors.ground} />
      {logo !== null && (
        <image
          x={(WIDTH - LOGO.width) / 2}
          y={top}
          {...LOGO}
          href={logo}
          preserveAspectRatio="xMidYMid meet"
        />
      )}
      <SheetText text={shopLines} x={WIDTH / 2} top={shopTop} fill={colors.ink} isStrong />
      <SheetText text={leadLines} x={WIDTH / 2} top={leadTop} fill={colors.label} />
      <SheetText
        text={rewardLines}
        x={WIDTH / 2}
        top={leadTop + leadLines.height + SMALL_GAP}
        fill={colors.ink}
        isStrong
      />
      <CardOnSheet card={card} {...CARD} />
      <Qr text={link} label={posters.codeOf(link)} bounds={CODE} />
      <SheetText text={scanLines} x={middle} top={scanTop} fill={INK} isStrong />
      <SheetText text={noAppLines} x={middle} top={scanTop + scanLines.height + GAP} fill={QUIET} />
      <SheetText
        text={addressLines}
        x={middle}
        top={scanTop + scanLines.height + noAppLines.height + 2 * GAP}
        fill={QUIET}
      />
    </svg>
  );
}
