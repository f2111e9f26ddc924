import * as z from "zod";
import { instantText } from "../base/fields/instant.js";
import { languageText, wrongLanguage } from "../base/fields/language.js";
import { pictureText } from "../base/fields/picture.js";
import { colorText, nonBlankText, text, wireTimestamp } from "../base/fields/text.js";
import { timestamp } from "../base/values/clock.js";
import { parseLink } from "../base/values/url.js";

/** The built-in shapes for stamps that have no picture. */
export const stampShapes = ["CIRCLE", "STAR", "HEART", "CUP", "CHECK"] as const;

export type StampShape = (typeof stampShapes)[number];

const MAX_LANGUAGES = 20;
/** Maximum number of locations, because wallets use only the first ten. */
const MAX_LOCATIONS = 10;
const MAX_LINKS = 10;
const MAX_FRONT_FIELDS = 4;
const MAX_BACK_FIELDS = 20;

/** A language tag in the form that phones support for a pass's languages. */
const language = languageText.refine((tag) => /^[a-z]{2,3}(?:-[A-Z][a-z]{3})?(?:-[A-Z]{2})?$/.test(tag), {
  error: wrongLanguage,
});

const label = nonBlankText(40);

const frontField = z.object({ label, value: nonBlankText(80) });
const backField = z.object({ label, value: nonBlankText(2_000) });

const newDesignTexts = z.object({
  language,
  title: nonBlankText(40).nullish().default(null),
  description: nonBlankText(200).nullish().default(null),
  stampsLabel: label.nullish().default(null),
  rewardsLabel: label.nullish().default(null),
  toGo: nonBlankText(60)
    .refine((value) => value.includes("{count}"), { error: "must contain {count}" })
    .nullish()
    .default(null),
  rewardReady: nonBlankText(60).nullish().default(null),
  front: z.array(frontField).max(MAX_FRONT_FIELDS).default([]),
  back: z.array(backField).max(MAX_BACK_FIELDS).default([]),
  terms: nonBlankText(5_000).nullish().default(null),
});

const linkUrl = text(2_048).refine(isLink, { error: "must be an https, mailto or tel URL" });

const link = z.object({ label, url: linkUrl });

const location = z.object({
  latitude: z.number().min(-90).max(90),
  longitude: z.number().min(-180).max(180),
  text: nonBlankText(100).nullish().default(null),
});

const picture = pictureText.nullish().default(null);

/**
 * The schema for a design in a request. Missing fields are set to their defaults. A picture is uploaded once, and then referred to
 * by its hash.
 */
export const newDesignSchema = z
  .object({
    backgroundColor: colorText.default("#FFFFFF"),
    foregroundColor: colorText.default("#111827"),
    labelColor: colorText.default("#4B5563"),
    logo: picture,
    icon: picture,
    strip: picture,
    stamps: z
      .object({ shape: z.enum(stampShapes).default("CIRCLE"), filled: picture, empty: picture })
      .prefault({}),
    texts: z
      .array(newDesignTexts)
      .max(MAX_LANGUAGES)
      .superRefine((texts, context) => {
        const languages = texts.map((each) => each.language);
        if (new Set(languages).size < languages.length) {
          context.addIssue({ code: "custom", message: "must list each language once" });
        }
      })
      .default([]),
    links: z.array(link).max(MAX_LINKS).default([]),
    locations: z.array(location).max(MAX_LOCATIONS).default([]),
    expiresAt: instantText
      .transform((time) => timestamp(Date.parse(time)))
      .nullish()
      .default(null),
  })
  .meta({ id: "NewDesign" });

export type NewDesign = z.input<typeof newDesignSchema>;

/** A parsed design whose pictures haven't been stored yet. */
export type ReadDesign = z.output<typeof newDesignSchema>;

const pictureHash = z.string().nullable();
const optionalText = z.string().nullable();
const field = z.object({ label: z.string(), value: z.string() });

const designTexts = z.object({
  language: z.string(),
  title: optionalText,
  description: optionalText,
  stampsLabel: optionalText,
  rewardsLabel: optionalText,
  toGo: optionalText,
  rewardReady: optionalText,
  front: z.array(field),
  back: z.array(field),
  terms: optionalText,
});

export const designSchema = z
  .object({
    backgroundColor: z.string(),
    foregroundColor: z.string(),
    labelColor: z.string(),
    logo: pictureHash,
    icon: pictureHash,
    strip: pictureHash,
    stamps: z.object({ shape: z.enum(stampShapes), filled: pictureHash, empty: pictureHash }),
    texts: z.array(designTexts),
    links: z.array(z.object({ label: z.string(), url: z.string() })),
    locations: z.array(z.object({ latitude: z.number(), longitude: z.number(), text: optionalText })),
    expiresAt: wireTimestamp.nullable(),
  })
  .meta({ id: "Design" });

/**
 * The visual design of a template's cards. Customers whose language has no entry in `texts` see the first entry. Any text that is
 * `null` falls back to the template's name or to built-in UI text. Pictures are identified by the SHA-256 hash of their bytes.
 */
export type Design = z.output<typeof designSchema>;

/** The wording of a design in one language, such as the card's title and its field labels. */
export type DesignTexts = z.output<typeof designTexts>;

function isLink(value: string): boolean {
  return ["https:", "mailto:", "tel:"].includes(parseLink(value)?.protocol ?? "");
}
