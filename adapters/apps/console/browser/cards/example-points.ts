import type { CardPoints } from "../../../../../src/points/card-points.js";
import { createEmptyPoints } from "../../../../delivery/languages/point-words.js";

const EXAMPLE_POINTS = 120;

/** Returns the points of a card in a preview, or `null` if the card doesn't collect points. */
export function createExamplePoints(terms: { readonly unit: string | null } | null): CardPoints | null {
  const points = createEmptyPoints(terms);
  return points && { ...points, available: EXAMPLE_POINTS };
}
