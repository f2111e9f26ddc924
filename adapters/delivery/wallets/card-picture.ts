import { escapeMarkup } from "../../../src/base/values/display-text.js";
import type { DesignTexts } from "../../../src/cards/design-schema.js";
import type { CardPoints } from "../../../src/points/card-points.js";
import { type CardLook, pickCardLook } from "./card-look.js";
import { buildCardWords, type StampCounts } from "./card-texts.js";
import { isDark, mixColors, pickReadableInk } from "./stamp-drawing/colors.js";
import { type Canvas, stripCanvas } from "./stamp-drawing/stamp-layout.js";
import { type DrawnPictures, renderStampsSvg } from "./stamp-drawing/stamps-svg.js";
import { wrapLines } from "./text-lines.js";

/** The parts of a template that appear in a card's picture. The template can be a draft. */
export interface DrawableCard {
  readonly name: string;
  readonly reward: string | null;
  readonly design: (CardLook & { readonly texts: readonly DesignTexts[] }) | null;
}

/**
 * The URLs of a design's pictures. Use paths if a page displays the drawing, or `data:` URLs if the drawing is a standalone image.
 */
export interface CardPictures extends DrawnPictures {
  readonly logo: string | null;
}

/** An SVG drawing of a card, with its size in points. */
export interface CardDrawing {
  readonly svg: string;
  readonly width: number;
  readonly height: number;
}

const WIDTH = 375;
const MARGIN = 18;
const HEADER_HEIGHT = 68;
const LOGO_SIZE = { width: 130, height: 40 };
const COUNT_WIDTH = 72;
/** Width for a count of more than `MAX_SHORT_COUNT` characters, such as a million points. */
const LONG_COUNT_WIDTH = 150;
const MAX_SHORT_COUNT = 7;
/** Height of the empty area on a card without stamps and strip picture, in points. */
const BLANK_HEIGHT = 88;
const FONT = `font-family="system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif"`;

interface InkColors {
  readonly ink: string;
  readonly label: string;
}

/**
 * Draws a card as its owner sees it, with the logo, title, stamps, and reward in the design's colors. The console, posters, and
 * pages use this picture. The SVG never contains scripts or styles, regardless of the card's text. Because its elements have IDs, a
 * page can contain only one inline drawing, but any number of drawings as separate image files.
 * @param stamps the card's stamps, or `null` if the card doesn't collect stamps.
 * @param language the language for text that the design doesn't provide, as a BCP 47 tag.
 * @param points the card's points, or `null` if the card doesn't collect points.
 */
export function drawCard(
  card: DrawableCard,
  stamps: StampCounts | null,
  pictures: CardPictures,
  language: string,
  points: CardPoints | null = null,
): CardDrawing {
  const look = pickCardLook(card.design);
  const background = look.backgroundColor;
  const inks = {
    ink: pickReadableInk(background, look.foregroundColor),
    label: pickReadableInk(background, look.labelColor),
  };
  const texts = (card.design?.texts ?? []).map(dropBlankTexts);
  // Use the text for a full card, which says that a reward is waiting.
  const counts = { stamps: stamps && { ...stamps, currentStamps: 0 }, points };
  const words = buildCardWords(card.name, texts, counts, language);
  const parts = [renderHeader(words, stamps, pictures.logo, inks)];
  let top = HEADER_HEIGHT;
  const strip = drawStrip(look, stamps, pictures, top);
  if (strip === null) {
    top += BLANK_HEIGHT;
  } else {
    parts.push(strip);
    top += stripCanvas.height;
  }
  const footerSvg = renderFooter(words, stamps, card.reward, inks, background, top);
  const height = footerSvg.bottom;
  const borderColor = mixColors(background, isDark(background) ? "#FFFFFF" : "#111111", 0.14);
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" ${FONT}>`,
    `<rect x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="16" fill="${background}" stroke="${borderColor}"/>`,
    ...parts,
    footerSvg.svg,
    "</svg>",
  ].join("");
  return { svg, width: WIDTH, height };
}

type CardWords = ReturnType<typeof buildCardWords>;

function renderHeader(
  words: CardWords,
  stamps: StampCounts | null,
  logo: string | null,
  { ink, label }: InkColors,
): string {
  const left = MARGIN + (logo === null ? 0 : LOGO_SIZE.width + 12);
  const counter =
    stamps === null
      ? words.points && { label: words.points.unit, value: words.points.amount }
      : { label: words.stampsLabel, value: `${stamps.currentStamps} / ${stamps.maxStamps}` };
  const counterWidth = (counter?.value.length ?? 0) > MAX_SHORT_COUNT ? LONG_COUNT_WIDTH : COUNT_WIDTH;
  const width = WIDTH - MARGIN - left - (counter === null ? 0 : counterWidth);
  const size = logo === null ? 20 : 16;
  const lines = wrapLines(words.title, { width, size, maxLines: 2, isBold: true });
  const first = HEADER_HEIGHT / 2 + size * 0.36 - ((lines.length - 1) * size * 1.2) / 2;
  const picture =
    logo === null
      ? ""
      : `<image x="${MARGIN}" y="${(HEADER_HEIGHT - LOGO_SIZE.height) / 2}" width="${LOGO_SIZE.width}" height="${LOGO_SIZE.height}" preserveAspectRatio="xMinYMid meet" href="${escapeXml(logo)}"/>`;
  const count =
    counter === null
      ? ""
      : renderLine(counter.label, {
          x: WIDTH - MARGIN,
          y: 27,
          size: 11,
          fill: label,
          isEndAligned: true,
          width: counterWidth + MARGIN,
        }) +
        renderLine(counter.value, {
          ...{
            x: WIDTH - MARGIN,
            y: 48,
            size: 18,
            fill: ink,
            isEndAligned: true,
            width: counterWidth + MARGIN,
          },
        });
  const title = lines.map((text, at) =>
    renderText(text, { x: left, y: first + at * size * 1.2, size, fill: ink, isBold: true }),
  );
  return picture + title.join("") + count;
}

function drawStrip(
  look: CardLook,
  stamps: StampCounts | null,
  pictures: CardPictures,
  top: number,
): string | null {
  const { width, height }: Canvas = stripCanvas;
  if (stamps === null) {
    return pictures.strip === null
      ? null
      : `<image y="${top}" width="${width}" height="${height}" preserveAspectRatio="xMidYMid slice" href="${escapeXml(pictures.strip)}"/>`;
  }
  const drawing = {
    strip: pictures.strip && escapeXml(pictures.strip),
    filled: pictures.filled && escapeXml(pictures.filled),
    empty: pictures.empty && escapeXml(pictures.empty),
  };
  const state = { look, filled: stamps.currentStamps, total: stamps.maxStamps };
  return `<g transform="translate(0 ${top})">${renderStampsSvg(state, stripCanvas, 1, drawing, "slice")}</g>`;
}

/** Draws the reward for a full card, and whether a reward is waiting. */
function renderFooter(
  words: CardWords,
  stamps: StampCounts | null,
  reward: string | null,
  { ink, label }: InkColors,
  background: string,
  top: number,
): { readonly svg: string; readonly bottom: number } {
  const width = WIDTH - 2 * MARGIN;
  const parts: string[] = [];
  let bottom = top + 6;
  if (reward !== null && stamps !== null) {
    parts.push(renderLine(words.rewardLabel, { x: MARGIN, y: bottom + 18, size: 11, fill: label, width }));
    bottom += 18;
    for (const text of wrapLines(reward, { width, size: 17, maxLines: 2, isBold: true })) {
      bottom += 21;
      parts.push(renderText(text, { x: MARGIN, y: bottom, size: 17, fill: ink, isBold: true }));
    }
    bottom += 6;
  }
  if (stamps !== null && stamps.rewardsAvailable > 0) {
    parts.push(
      `<rect x="${MARGIN}" y="${bottom + 8}" width="${width}" height="32" rx="16" fill="${ink}"/>`,
      renderLine(words.next ?? "", {
        ...{ x: WIDTH / 2, y: bottom + 29, size: 14, fill: background, width: width - 24 },
        ...{ isBold: true, isCentered: true },
      }),
    );
    bottom += 40;
  }
  return { svg: parts.join(""), bottom: bottom + 12 };
}

interface TextLayout {
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly fill: string;
  readonly isBold?: boolean;
  readonly isEndAligned?: boolean;
  readonly isCentered?: boolean;
}

function renderLine(text: string, { width, ...layout }: TextLayout & { readonly width: number }): string {
  const { size, isBold = false } = layout;
  const [first = ""] = wrapLines(text, { width, size, maxLines: 1, isBold });
  return renderText(first, layout);
}

function renderText(text: string, layout: TextLayout): string {
  const { x, y, size, fill, isBold = false, isEndAligned = false, isCentered = false } = layout;
  const anchor = isEndAligned ? ` text-anchor="end"` : isCentered ? ` text-anchor="middle"` : "";
  const weight = isBold ? ` font-weight="700"` : "";
  return `<text x="${x}" y="${Math.round(y * 10) / 10}" font-size="${size}" fill="${fill}"${weight}${anchor}>${escapeXml(text)}</text>`;
}

/** Treats text that is left blank in the editor as absent. */
function dropBlankTexts(texts: DesignTexts): DesignTexts {
  const { title, toGo, rewardReady } = texts;
  return { ...texts, title: title || null, toGo: toGo || null, rewardReady: rewardReady || null };
}

/**
 * Escapes text for XML. Characters that XML doesn't allow become U+FFFD, because otherwise the picture wouldn't be shown at all.
 */
function escapeXml(text: string): string {
  return escapeMarkup(
    text
      .toWellFormed()
      .replaceAll(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, "\u{FFFD}"),
  );
}
