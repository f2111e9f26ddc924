import { readdirSync } from "node:fs";
import { join, sep } from "node:path";
import { expect, it } from "vitest";
import { root } from "./imports.js";
import { read } from "./pages.js";

const folders = ["adapters", "bench", "deploy", "docs", "examples", "packaging", "src", "test"];

/** The English texts of the project. German ones have words like `Programme`. */
const files = [
  ...["CHANGELOG.md", "CONTRIBUTING.md", "README.md", "SECURITY.md", "package.json"],
  ...folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map(
      (file) => `${folder}/${file.split(sep).join("/")}`,
    ),
  ),
].filter(
  (file) =>
    /\.(?:css|html|json|md|mjs|sh|tsx?|ya?ml)$/.test(file) && !/node_modules|\/de[./]|words\.test/.test(file),
);

const british =
  /behaviour|cancell(?:ed|ing)|catalogue|colour|favour|judgement|labell(?:ed(?!by)|ing)|licence|neighbour|organis(?:e|ing|ation)|programme(?!d|r)/i;

/** Public names that were replaced by others. */
const formerNames = [
  ...[
    "--at-once",
    "--former-short-link-base",
    "--mend",
    "LOYALTY_KEEP",
    "LOYALTY_SECRETS_KEY",
    "segment sweep",
  ],
  ...["acceptsClock", "answerBytes", "answerHours", "formerShortLinkBases", "gatherMs", "isSettling"],
  ...["keepDays", "keepEvents", "onAnswer", "refusesClock", "secretsKeys", "sweepSegments"],
  ...["KeptSecrets", "LentTransaction", "MadeByToken", "/v1/api-keys", "loyalty_answers", "loyalty_marks"],
];

const former = new RegExp(`(?<![\\w-])(?:${formerNames.join("|")})(?!\\w)`);

it.each([
  ["British spelling", british],
  ["former public name", former],
])("no text of the project has a %s", (_, pattern) => {
  const found = files.flatMap((file) => {
    const [match] = pattern.exec(read(file)) ?? [];
    return match === undefined ? [] : [`${file}: ${match}`];
  });
  expect(found).toEqual([]);
});
