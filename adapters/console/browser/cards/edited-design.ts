import type { Design, DesignTexts, NewDesign } from "../../../../src/resources/design.js";

/** A place as it is typed. */
export interface EditedPlace {
  readonly latitude: string;
  readonly longitude: string;
  readonly text: string;
}

/** A design while it is edited: a picture is its hash, or a `data:` URL until it is saved. */
export interface EditedDesign extends Omit<Design, "locations"> {
  readonly locations: readonly EditedPlace[];
}

/** Returns a design to edit; that of cards without one for `null`. */
export function editedDesign(design: Design | null): EditedDesign {
  if (design === null) return plainDesign;
  const locations = design.locations.map(({ latitude, longitude, text }) => ({
    latitude: String(latitude),
    longitude: String(longitude),
    text: text ?? "",
  }));
  return { ...design, locations };
}

/** The pictures of a design, by where they stand in it. */
export const pictureFields = [
  ["logo", "Logo", "Beside the title; 160 × 50 points and more pixels than that."],
  ["icon", "Icon", "On notifications; square, 87 pixels or more."],
  ["strip", "Picture behind the stamps", "375 × 144 points, so 1,125 × 432 pixels."],
  ["stamps.filled", "Stamp", "In place of the shape; square."],
  ["stamps.empty", "Missing stamp", "The stamp itself, faded, unless given."],
] as const;

export type PictureField = (typeof pictureFields)[number][0];

/** The design of cards without one of their own. */
const plainDesign: EditedDesign = {
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

export function pictureOf(design: EditedDesign, field: PictureField): string | null {
  if (field === "stamps.filled") return design.stamps.filled;
  return field === "stamps.empty" ? design.stamps.empty : design[field];
}

export function withPicture(design: EditedDesign, field: PictureField, picture: string | null): EditedDesign {
  if (field === "stamps.filled") return { ...design, stamps: { ...design.stamps, filled: picture } };
  if (field === "stamps.empty") return { ...design, stamps: { ...design.stamps, empty: picture } };
  return { ...design, [field]: picture };
}

export const noTexts = (language: string): DesignTexts => ({
  language,
  ...{ title: null, description: null, stampsLabel: null, rewardsLabel: null, toGo: null, rewardReady: null },
  ...{ front: [], back: [], terms: null },
});

/** The design as it is sent: a blank text is none. */
export function sentDesign(design: EditedDesign): NewDesign {
  const orNull = (text: string | null) => (text === null || text.trim() === "" ? null : text.trim());
  return {
    ...design,
    locations: design.locations.map(({ latitude, longitude, text }) => ({
      latitude: sentNumber(latitude),
      longitude: sentNumber(longitude),
      text: orNull(text),
    })),
    texts: design.texts.map((texts) => ({
      ...texts,
      language: texts.language.trim(),
      title: orNull(texts.title),
      description: orNull(texts.description),
      toGo: orNull(texts.toGo),
      rewardReady: orNull(texts.rewardReady),
      terms: orNull(texts.terms),
    })),
  };
}

/** A text that is no number is left out, for the server to say that one is required. */
function sentNumber(text: string): ReturnType<typeof JSON.parse> {
  const number = text.trim() === "" ? Number.NaN : Number(text.replace(",", "."));
  return Number.isNaN(number) ? undefined : number;
}
