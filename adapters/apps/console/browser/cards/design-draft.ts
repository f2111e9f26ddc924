import type { Design, DesignTexts, NewDesign } from "../../../../../src/cards/design-schema.js";
import type { Template } from "../../../../../src/cards/schema.js";
import { logoSize, type PictureSize } from "../components/picture-size.js";
import { look } from "../words/en/card-design.js";
import type { ProgramDraft } from "./program/program-draft.js";

/** A location in the design form, with coordinates as the user typed them. */
export interface LocationDraft {
  readonly latitude: string;
  readonly longitude: string;
  readonly text: string;
}

/**
 * A design in the editor, together with the template's reward and program. Each picture is the hash of a stored file, or a `data:` URL if the
 * picture hasn't been saved yet.
 */
export interface DesignDraft extends Omit<Design, "locations"> {
  /** The reward for a full card. If it is empty, the card shows a default text. */
  readonly reward: string;
  readonly locations: readonly LocationDraft[];
  /** The changes to what purchases give, or `null` if there are none. */
  readonly program: ProgramDraft | null;
}

/** Returns an editable copy of a template's design, or of the default design if the template has none. */
export function toDesignDraft({ design, reward }: Pick<Template, "design" | "reward">): DesignDraft {
  if (design === null) return { ...plainDesign, reward: reward ?? "", program: null };
  const locations = design.locations.map(({ latitude, longitude, text }) => ({
    latitude: String(latitude),
    longitude: String(longitude),
    text: text ?? "",
  }));
  return { ...design, locations, reward: reward ?? "", program: null };
}

interface PictureFieldDefinition<Field extends string> {
  /** The picture's path in the design, such as `stamps.filled`. */
  readonly field: Field;
  readonly label: string;
  readonly hint: string;
  readonly size: PictureSize;
}

const definePictureField = <Field extends string>(
  field: Field,
  label: string,
  size: PictureSize,
  hint: string,
): PictureFieldDefinition<Field> => ({ field, label, size, hint });

/** The pictures that a design can have. Their sizes are in pixels, for phones with a device pixel ratio of 3. */
export const pictureFields = [
  definePictureField("logo", look.logo, logoSize, look.logoHint),
  definePictureField("icon", look.icon, { width: 174, height: 174 }, look.iconHint),
  definePictureField("strip", look.strip, { width: 1_125, height: 432 }, look.stripHint),
  definePictureField("stamps.filled", look.filled, { width: 300, height: 300 }, look.filledHint),
  definePictureField("stamps.empty", look.empty, { width: 300, height: 300 }, look.emptyHint),
] as const;

export type PictureField = (typeof pictureFields)[number]["field"];

/** The default design of cards that have none of their own. */
const plainDesign: Omit<DesignDraft, "reward" | "program"> = {
  backgroundColor: "#FFFFFF",
  foregroundColor: "#111827",
  labelColor: "#4B5563",
  logo: null,
  icon: null,
  strip: null,
  stamps: { shape: "CIRCLE", filled: null, empty: null },
  texts: [],
  links: [],
  locations: [],
  expiresAt: null,
};

export function getDesignPicture(design: DesignDraft, field: PictureField): string | null {
  if (field === "stamps.filled") return design.stamps.filled;
  return field === "stamps.empty" ? design.stamps.empty : design[field];
}

export function setDesignPicture(
  design: DesignDraft,
  field: PictureField,
  picture: string | null,
): DesignDraft {
  if (field === "stamps.filled") return { ...design, stamps: { ...design.stamps, filled: picture } };
  if (field === "stamps.empty") return { ...design, stamps: { ...design.stamps, empty: picture } };
  return { ...design, [field]: picture };
}

export const createEmptyTexts = (language: string): DesignTexts => ({
  language,
  ...{ title: null, description: null, stampsLabel: null, rewardsLabel: null, toGo: null, rewardReady: null },
  ...{ front: [], back: [], terms: null },
});

/** Trims text. Returns `null` if the result is empty. */
export const blankToNull = (text: string | null) =>
  text === null || text.trim() === "" ? null : text.trim();

/**
 * Converts a draft to the design that the API expects. The reward and the program are omitted because they are part of the template
 * rather than the design.
 */
export function fromDesignDraft({ reward: _, program: __, ...design }: DesignDraft): NewDesign {
  return {
    ...design,
    locations: design.locations.map(({ latitude, longitude, text }) => ({
      latitude: parseNumberOrOmit(latitude),
      longitude: parseNumberOrOmit(longitude),
      text: blankToNull(text),
    })),
    texts: design.texts.map((texts) => ({
      ...texts,
      language: texts.language.trim(),
      title: blankToNull(texts.title),
      description: blankToNull(texts.description),
      stampsLabel: blankToNull(texts.stampsLabel),
      rewardsLabel: blankToNull(texts.rewardsLabel),
      toGo: blankToNull(texts.toGo),
      rewardReady: blankToNull(texts.rewardReady),
      terms: blankToNull(texts.terms),
    })),
  };
}

/** Parses a number. Text that isn't a number is omitted from the request, so that the API reports a missing value. */
function parseNumberOrOmit(text: string): ReturnType<typeof JSON.parse> {
  const number = text.trim() === "" ? Number.NaN : Number(text.replace(",", "."));
  return Number.isNaN(number) ? undefined : number;
}
