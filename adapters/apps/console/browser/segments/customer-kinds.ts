import * as words from "../words/en/segment-conditions.js";
import { always, type Control, type ControlValues, type LeafKinds } from "./leaf-kind.js";
import { days, formatKeys, parseKeys, readWay, texts } from "./leaf-values.js";

const { labels } = words;

const key: Control = { name: "path", type: "key", label: labels.key };

const daysBack: Control = {
  name: "days",
  type: "number",
  label: labels.days,
  isShown: ({ way }) => way === "withinDays" || way === "beforeDays",
  after: words.daysBack,
};

/** Returns the stored value if it is one of the choices; otherwise the first choice. */
function pickChoice<Value extends string>(
  values: readonly (readonly [Value, string])[],
  storedValue = "",
): Value {
  const choice = values.find(([value]) => value === storedValue) ?? values[0];
  if (choice === undefined) throw new Error("there is nothing to choose from");
  return choice[0];
}

/** Condition kinds that test a customer's own data rather than their cards. */
export const aboutCustomers: Pick<
  LeafKinds,
  "joined" | "anniversary" | "field" | "subscription" | "language" | "metadata"
> = {
  joined: {
    scope: "user:read",
    controls: [
      { name: "way", type: "choice", label: labels.way, choices: words.joinedWays },
      daysBack,
      {
        name: "from",
        type: "date",
        label: labels.from,
        isOptional: ({ to }) => to !== "",
        isShown: isBetween,
        after: () => labels.until,
      },
      { name: "to", type: "date", label: labels.to, isOptional: always, isShown: isBetween },
    ],
    fresh: { way: "withinDays", days: "30", from: "", to: "" },
    read: (body) => {
      const wayValues = readWay(body, "withinDays", "beforeDays");
      return {
        ...wayValues,
        way: wayValues.way === "" ? "between" : (wayValues.way ?? ""),
        ...texts(body, "from", "to"),
      };
    },
    write: (values) => {
      const { way, from = "", to = "" } = values;
      return {
        joined: way === "between" ? { ...(from !== "" && { from }), ...(to !== "" && { to }) } : days(values),
      };
    },
  },
  anniversary: {
    scope: "user:read",
    controls: [
      key,
      { name: "way", type: "choice", label: labels.way, choices: words.anniversaryWays },
      {
        name: "month",
        type: "choice",
        label: labels.month,
        choices: words.months,
        isShown: ({ way }) => way === "month",
      },
      {
        name: "days",
        type: "number",
        label: labels.days,
        isShown: ({ way }) => way === "withinDays",
        after: () => labels.daysAfter,
      },
    ],
    fresh: { path: "birthday", way: "month", month: "this", days: "7" },
    read: (body) => ({ ...readPath(body), ...readWay(body, "withinDays", "month"), ...texts(body, "month") }),
    write: ({ path = "", way, month, days }) => ({
      anniversary: {
        path: parseKeys(path),
        ...(way === "month"
          ? { month: month === "this" ? ("this" as const) : Number(month) }
          : { withinDays: Number(days) }),
      },
    }),
  },
  field: {
    scope: "user:read",
    controls: [
      { name: "name", type: "choice", label: labels.what, choices: words.fieldNames },
      { name: "exists", type: "choice", label: labels.way, choices: words.existsWays },
    ],
    fresh: { name: "phone", exists: "true" },
    read: (body) => texts(body, "name", "exists"),
    write: ({ name, exists }) => ({
      field: { name: pickChoice(words.fieldNames, name), exists: exists === "true" },
    }),
  },
  subscription: {
    scope: "user:read",
    controls: [
      { name: "status", type: "choice", label: labels.consent, choices: words.consents },
      { name: "channel", type: "choice", label: labels.channel, choices: words.channels },
    ],
    fresh: { channel: "email", status: "SUBSCRIBED" },
    read: (body) => texts(body, "channel", "status"),
    write: ({ channel, status }) => ({
      subscription: {
        channel: pickChoice(words.channels, channel),
        status: pickChoice(words.consents, status),
      },
    }),
  },
  language: {
    scope: "user:read",
    controls: [{ name: "language", type: "text", label: labels.language }],
    fresh: { language: "en" },
    read: ({ value }) => texts({ language: value }, "language"),
    write: ({ language = "" }) => ({ language: language.trim() }),
  },
  metadata: {
    scope: "user:read",
    controls: [
      key,
      { name: "way", type: "choice", label: labels.way, choices: words.metadataWays },
      { name: "text", type: "text", label: labels.value, isShown: ({ way }) => way === "text" },
      { name: "number", type: "decimal", label: labels.value, isShown: ({ way }) => way === "number" },
      {
        name: "min",
        type: "decimal",
        label: labels.least,
        isOptional: ({ max }) => max !== "",
        isShown: isBetween,
        after: () => labels.upTo,
      },
      { name: "max", type: "decimal", label: labels.most, isOptional: always, isShown: isBetween },
      daysBack,
    ],
    fresh: { path: "", way: "text", text: "", number: "", min: "", max: "", days: "30" },
    read: (body) => ({ ...readPath(body), ...readMetadata(body) }),
    write: (values) => ({ metadata: { path: parseKeys(values.path ?? ""), ...buildValueTest(values) } }),
  },
};

function isBetween({ way }: ControlValues): boolean {
  return way === "between";
}

function readPath({ path }: { readonly path?: unknown }): ControlValues {
  return { path: formatKeys(path) };
}

function readMetadata(body: Readonly<Record<string, unknown>>): ControlValues {
  const { equals, exists } = body;
  const { min, max } = body;
  const emptyValues = { text: "", number: "", min: "", max: "", days: "" };
  if (typeof equals === "string") return { ...emptyValues, way: "text", text: equals };
  if (typeof equals === "number") return { ...emptyValues, way: "number", number: String(equals) };
  if (typeof equals === "boolean") return { ...emptyValues, way: equals ? "yes" : "no" };
  if (typeof exists === "boolean") return { ...emptyValues, way: exists ? "exists" : "missing" };
  if (min !== undefined || max !== undefined)
    return { ...emptyValues, way: "between", ...texts(body, "min", "max") };
  return { ...emptyValues, ...readWay(body, "withinDays", "beforeDays") };
}

/** Builds the part of a metadata condition that tests the value. */
function buildValueTest(values: ControlValues) {
  const { way, text = "", number, min = "", max = "" } = values;
  if (way === "text") return { equals: text };
  if (way === "number") return { equals: Number(number) };
  if (way === "yes" || way === "no") return { equals: way === "yes" };
  if (way === "exists" || way === "missing") return { exists: way === "exists" };
  if (way !== "between") return days(values);
  const upTo = max.trim() !== "" && { max: Number(max) };
  return min.trim() === "" ? { max: Number(max) } : { min: Number(min), ...upTo };
}
