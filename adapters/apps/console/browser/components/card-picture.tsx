import { useMemo } from "preact/hooks";
import type { CardPoints } from "../../../../../src/points/card-points.js";
import { describePoints } from "../../../../delivery/languages/point-words.js";
import { type DrawableCard, drawCard } from "../../../../delivery/wallets/card-picture.js";
import { cardPicture as words } from "../words/en/card-picture.js";
import { toSvgUrl, usePictureUrl } from "./use-picture-url.js";

interface CardPictureProps {
  readonly card: DrawableCard & { readonly design: { readonly logo: string | null } | null };
  /** The number of stamps that fill the card, or `null` if the card has no stamps. */
  readonly maxStamps: number | null;
  readonly stamps: number;
  readonly rewards?: number;
  /** The card's points. Default: the card doesn't collect points. */
  readonly points?: CardPoints | null;
}

/** A rendered card: its URL, its size in points, and a text alternative. */
interface RenderedCard {
  readonly url: string;
  readonly width: number;
  readonly height: number;
  readonly altText: string;
}

/** Draws a card as its owner sees it, using the same code as the customer pages. Returns the picture's URL, size, and alt text. */
export function useCardPicture({
  card,
  maxStamps,
  stamps,
  rewards = 0,
  points = null,
}: CardPictureProps): RenderedCard {
  const { name, reward, design } = card;
  const logo = usePictureUrl(design?.logo ?? null);
  const strip = usePictureUrl(design?.strip ?? null);
  const filled = usePictureUrl(design?.stamps.filled ?? null);
  const empty = usePictureUrl(design?.stamps.empty ?? null);
  const picture = useMemo(() => {
    const state = maxStamps === null ? null : { maxStamps, currentStamps: stamps, rewardsAvailable: rewards };
    const pictures = { logo, strip, filled, empty };
    const { svg, ...size } = drawCard({ name, reward, design }, state, pictures, navigator.language, points);
    return { url: toSvgUrl(svg), ...size };
  }, [name, reward, design, maxStamps, stamps, rewards, points, logo, strip, filled, empty]);
  const progress = maxStamps === null ? [] : [words.progress(stamps, maxStamps)];
  const pointsText = points === null ? [] : [describePoints(points, navigator.language).balance];
  const rewardsText = rewards === 0 ? [] : [words.toRedeem(rewards)];
  const earnsText = reward === null || maxStamps === null ? [] : [words.earns(reward)];
  return { ...picture, altText: [name, ...progress, ...pointsText, ...rewardsText, ...earnsText].join(". ") };
}

export function CardPicture(props: CardPictureProps) {
  const { url, width, height, altText } = useCardPicture(props);
  return <img class="card-picture" src={url} width={width} height={height} alt={altText} />;
}
