import { useMemo } from "preact/hooks";
import type { Template } from "../../../../../../src/cards/schema.js";
import { createEmptyPoints } from "../../../../../delivery/languages/point-words.js";
import { useCardPicture } from "../../components/card-picture.js";
import { Qr } from "../../components/qr.js";
import { usePictureUrl } from "../../components/use-picture-url.js";
import { posters } from "../../words/en/posters.js";
import { fitLines } from "./fitted-lines.js";
import { PortraitSheet } from "./portrait-sheet.js";
import { buildSheetContents, type SheetContents, type SheetTitle } from "./sheet-contents.js";
import { CardOnSheet, SheetText } from "./sheet-parts.js";
import { pickSheetWords } from "./sheet-words.js";
import type { ShopBranding } from "./shop-branding.js";

/** A kind of printable sheet, with its size in millimeters. */
export interface Sheet {
  readonly kind: "poster" | "tent" | "sticker";
  readonly text: string;
  readonly width: number;
  readonly height: number;
}

export const sheets: readonly [Sheet, ...Sheet[]] = [
  { kind: "poster", text: posters.poster, width: 210, height: 297 },
  { kind: "tent", text: posters.tent, width: 105, height: 148 },
  { kind: "sticker", text: posters.sticker, width: 85, height: 55 },
];

/** Sizes in millimeters. */
const WIDTH = 85;

const HEIGHT = 55;

const LEFT = { x: 4, width: 36, middle: 22 };

const CARD = { x: LEFT.x, y: 27.5, width: LEFT.width, height: 24, edge: 0.5 };

const CODE = { x: 43, y: 4, width: 38, height: 38 };

const RIGHT = { middle: CODE.x + CODE.width / 2, top: 43.5, width: CODE.width };

interface SheetViewProps {
  readonly sheet: Sheet;
  readonly template: Template;
  readonly shop: ShopBranding;
  readonly link: string;
}

/** Shows a sheet as it will look in print, scaled to fit the available space. */
export function SheetView({ sheet, template, shop, link }: SheetViewProps) {
  const { design, maxStamps } = template;
  const logo = usePictureUrl(design?.logo ?? shop.logo);
  const points = useMemo(() => createEmptyPoints(template.points), [template.points]);
  const stamps = Math.floor((maxStamps ?? 0) / 2);
  const card = useCardPicture({ card: template, maxStamps, stamps, points });
  const words = pickSheetWords([
    design?.texts[0]?.language,
    shop.language ?? undefined,
    ...navigator.languages,
  ]);
  const contents = buildSheetContents({ template, shop: shop.name, logo, words, link, card });
  const { kind, width, height, text } = sheet;
  return (
    <section
      class="sheet"
      aria-label={text}
      lang={words.language}
      style={{
        "--sheet-width": `${width}mm`,
        "--sheet-height": `${height}mm`,
        "--sheet-ratio": width / height,
      }}
    >
      {kind === "sticker" ? (
        <StickerSheet title={text} {...contents} />
      ) : (
        <PortraitSheet title={text} {...contents} />
      )}
    </section>
  );
}

/** A sticker for the counter, with the reward and the card on the left and the QR code on the right. */
function StickerSheet({
  title,
  name,
  lead,
  reward,
  scan,
  link,
  address,
  card,
  colors,
}: SheetContents & SheetTitle) {
  const { width, middle } = LEFT;
  const shopLines = fitLines(name, { width, height: 7.4, largest: 3.6, smallest: 2, isStrong: true });
  const leadLines = fitLines(lead, { width, height: 3, largest: 2.5, smallest: 1.8 });
  const rewardLines = fitLines(reward, { width, height: 10.8, largest: 5, smallest: 2.2, isStrong: true });
  const top = 4 + Math.max(0, 22 - shopLines.height - leadLines.height - rewardLines.height - 1) / 2;
  const rewardTop = top + shopLines.height + 1 + leadLines.height;
  const scanLines = fitLines(scan, {
    width: RIGHT.width,
    height: 4.4,
    largest: 3.4,
    smallest: 1.8,
    isStrong: true,
  });
  const addressLines = fitLines(address, { width: RIGHT.width, height: 4.8, largest: 1.9, smallest: 1.3 });
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`}>
      <title>{title}</title>
      <rect width={WIDTH} height={HEIGHT} fill={colors.ground} />
      <SheetText text={shopLines} x={middle} top={top} fill={colors.ink} isStrong />
      <SheetText text={leadLines} x={middle} top={top + shopLines.height + 1} fill={colors.label} />
      <SheetText text={rewardLines} x={middle} top={rewardTop} fill={colors.ink} isStrong />
      <CardOnSheet card={card} {...CARD} />
      <Qr text={link} label={posters.codeOf(link)} bounds={CODE} />
      <SheetText text={scanLines} x={RIGHT.middle} top={RIGHT.top} fill={colors.ink} isStrong />
      <SheetText
        text={addressLines}
        x={RIGHT.middle}
        top={RIGHT.top + scanLines.height + 0.4}
        fill={colors.label}
      />
    </svg>
  );
}
