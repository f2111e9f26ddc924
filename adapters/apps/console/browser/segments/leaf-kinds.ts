import type { Choices } from "../components/choices.js";
import * as words from "../words/en/segment-conditions.js";
import { aboutCustomers } from "./customer-kinds.js";
import { always, type Control, type ControlValues, type LeafKind, type LeafKinds } from "./leaf-kind.js";
import {
  type Body,
  bounds,
  days,
  onCard,
  readBounds,
  readWay,
  requiredBounds,
  texts,
} from "./leaf-values.js";

const { labels } = words;

const way = (choices: Choices<string>): Control => ({
  name: "way",
  type: "choice",
  label: labels.way,
  choices,
});

const anyCard: Control = { name: "templateId", type: "anyCard", label: labels.card, isOptional: always };

/** Returns the controls for a lower and an upper bound. */
const bounded = (ways: Choices<string>, after: string): readonly Control[] => [
  way(ways),
  {
    name: "min",
    type: "number",
    label: labels.least,
    isShown: ({ way }) => way !== "max" && way !== "any",
    after: ({ way }) => (way === "between" ? labels.and : after),
  },
  {
    name: "max",
    type: "number",
    label: labels.most,
    isShown: ({ way }) => way === "max" || way === "between",
    after: () => after,
  },
];

/** Returns a condition kind that bounds a number on the customer's cards. */
const onCards = (name: "rewards" | "completions", after: string): LeafKind => ({
  scope: "pass:read",
  controls: [...bounded(words.boundWays, after), anyCard],
  fresh: { way: "min", min: "1", max: "", templateId: "" },
  read: (body) => ({ ...texts(body, "templateId"), ...readBounds({ min: 1, ...body }, 0) }),
  write: (values) => {
    const condition = { ...onCard(values), ...bounds(values, 0) };
    return name === "rewards" ? { rewards: condition } : { completions: condition };
  },
});

/** Returns the control values of a condition that always has a bound. */
function readRequiredBounds(body: Body): ControlValues {
  const read = readBounds(body);
  return { ...read, way: read.way === "any" ? "min" : (read.way ?? "") };
}

/** The condition kinds for which the filter builder has controls. */
export const leafKinds: LeafKinds = {
  lastVisit: {
    scope: "pass:read",
    controls: [
      way(words.visitWays),
      {
        name: "days",
        type: "number",
        label: labels.days,
        isShown: ({ way }) => way !== "never",
        after: words.daysBack,
      },
      anyCard,
    ],
    fresh: { way: "beforeDays", days: "30", templateId: "" },
    read: (body) => ({ ...texts(body, "templateId"), ...readWay(body, "withinDays", "beforeDays", "never") }),
    write: (values) => ({
      lastVisit: { ...onCard(values), ...(values.way === "never" ? { never: true } : days(values)) },
    }),
  },
  visits: {
    scope: "pass:read",
    controls: [
      ...bounded(words.boundWays, labels.visitsIn),
      { name: "days", type: "number", label: labels.days, after: () => labels.daysAfter },
      anyCard,
    ],
    fresh: { way: "min", min: "2", max: "", days: "30", templateId: "" },
    read: (body) => ({ ...texts(body, "templateId", "days"), ...readRequiredBounds(body) }),
    write: (values) => ({
      visits: { ...onCard(values), days: Number(values.days), ...requiredBounds(values) },
    }),
  },
  stamps: {
    scope: "pass:read",
    controls: [
      ...bounded(words.stampWays, labels.stampsOn),
      { name: "templateId", type: "card", label: labels.card },
    ],
    fresh: { way: "any", min: "1", max: "", templateId: "" },
    read: (body) => ({ ...texts(body, "templateId"), ...readBounds(body) }),
    write: (values) => ({ stamps: { templateId: values.templateId ?? "", ...bounds(values) } }),
  },
  points: {
    scope: "pass:read",
    controls: [
      ...bounded(words.stampWays, labels.pointsOn),
      { name: "templateId", type: "card", label: labels.card },
    ],
    fresh: { way: "min", min: "1", max: "", templateId: "" },
    read: (body) => ({ ...texts(body, "templateId"), ...readBounds(body) }),
    write: (values) => ({ points: { templateId: values.templateId ?? "", ...bounds(values) } }),
  },
  pointsExpire: {
    scope: "pass:read",
    controls: [
      { name: "withinDays", type: "number", label: labels.days, after: () => labels.daysOn },
      { name: "templateId", type: "card", label: labels.card },
    ],
    fresh: { withinDays: "14", templateId: "" },
    read: (body) => texts(body, "withinDays", "templateId"),
    write: ({ withinDays, templateId = "" }) => ({
      pointsExpire: { templateId, withinDays: Number(withinDays) },
    }),
  },
  spent: {
    scope: "purchase:read",
    controls: [
      ...bounded(words.boundWays, labels.minorUnits),
      { name: "currency", type: "text", label: labels.currency },
      { name: "days", type: "number", label: labels.daysBack, after: () => labels.daysAfter },
    ],
    fresh: { way: "min", min: "10000", max: "", currency: "EUR", days: "30" },
    read: (body) => ({ ...texts(body, "currency", "days"), ...readRequiredBounds(body) }),
    write: (values) => ({
      spent: { days: Number(values.days), currency: values.currency ?? "", ...requiredBounds(values) },
    }),
  },
  purchases: {
    scope: "purchase:read",
    controls: [
      ...bounded(words.boundWays, labels.purchasesIn),
      { name: "days", type: "number", label: labels.days, after: () => labels.daysAfter },
    ],
    fresh: { way: "min", min: "2", max: "", days: "30" },
    read: (body) => ({ ...texts(body, "days"), ...readRequiredBounds(body) }),
    write: (values) => ({ purchases: { days: Number(values.days), ...requiredBounds(values) } }),
  },
  rewards: onCards("rewards", labels.rewards),
  completions: onCards("completions", labels.times),
  wallet: {
    scope: "pass:read",
    controls: [
      { ...way(words.installedWays), name: "installed" },
      {
        name: "platform",
        type: "choice",
        label: labels.wallet,
        choices: words.platforms,
        isOptional: always,
      },
      anyCard,
    ],
    fresh: { installed: "true", platform: "", templateId: "" },
    read: (body) => texts(body, "installed", "platform", "templateId"),
    write: (values) => ({
      wallet: { ...onCard(values), ...platformOf(values), installed: values.installed === "true" },
    }),
  },
  slug: {
    scope: "user_tag:read",
    controls: [{ name: "slug", type: "tag", label: labels.tag }],
    fresh: { slug: "" },
    read: ({ value }) => texts({ slug: value }, "slug"),
    write: ({ slug = "" }) => ({ slug }),
  },
  segment: {
    scope: null,
    controls: [{ name: "segment", type: "segment", label: labels.segment }],
    fresh: { segment: "" },
    read: ({ value }) => texts({ segment: value }, "segment"),
    write: ({ segment = "" }) => ({ segment }),
  },
  ...aboutCustomers,
};

function platformOf({ platform }: ControlValues) {
  return platform === "apple" || platform === "google" ? ({ platform } as const) : {};
}
