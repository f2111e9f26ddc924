import type { Template } from "../../../../../src/cards/schema.js";
import type { CardPoints } from "../../../../../src/points/card-points.js";
import { createEmptyPoints } from "../../../../delivery/languages/point-words.js";
import { type CardTexts, describeCard, type StampCounts } from "../../../../delivery/wallets/card-texts.js";
import { blankToNull, type DesignDraft } from "./design-draft.js";

/** The card to preview, with its template and design. */
export interface CardPreview {
  readonly template: Template;
  readonly design: DesignDraft;
  /** The number of stamps to show. If it equals the card's maximum, the preview shows a full card. */
  readonly stamps: number;
  /** The index, in the design's `texts`, of the language to show. */
  readonly language: number;
}

/** Returns the stamp counts and text for a card preview. The counts are `null` if the card doesn't collect stamps. */
export function buildPreviewTexts({ template, design, stamps, language }: CardPreview): {
  readonly state: StampCounts | null;
  readonly texts: CardTexts;
} {
  const texts = design.texts.map((each) => ({
    ...each,
    title: each.title || null,
    stampsLabel: each.stampsLabel || null,
    rewardsLabel: each.rewardsLabel || null,
    toGo: each.toGo || null,
    rewardReady: each.rewardReady || null,
  }));
  const { name, maxStamps } = template;
  const state = maxStamps === null ? null : buildPreviewState(maxStamps, stamps);
  const reward = design.reward || null;
  const textsByLanguage = describeCard({ name, reward, design: { ...design, texts, locations: [] } }, state, {
    points: createExamplePoints(findPointTerms(template, design)),
  });
  return { state, texts: textsByLanguage[language] ?? textsByLanguage[0] };
}

/** Returns the word for points as the form shows it, or `null` if the card doesn't collect points. */
function findPointTerms({ points: savedPoints }: Template, { program }: DesignDraft) {
  if (program === null) return savedPoints;
  return program.points && { unit: blankToNull(program.points.unit) };
}

function buildPreviewState(maxStamps: number, stamps: number): StampCounts {
  const isFull = stamps >= maxStamps;
  return { maxStamps, currentStamps: isFull ? 0 : stamps, rewardsAvailable: isFull ? 1 : 0 };
}

const EXAMPLE_POINTS = 120;

/** Returns the points of a card in a preview, or `null` if the card doesn't collect points. */
export function createExamplePoints(terms: { readonly unit: string | null } | null): CardPoints | null {
  const points = createEmptyPoints(terms);
  return points && { ...points, available: EXAMPLE_POINTS };
}
