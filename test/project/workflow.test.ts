import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { root } from "./imports.js";

const read = (path: string) => readFileSync(join(root, path), "utf8");
const { engines, scripts } = JSON.parse(read("package.json"));

interface Step {
  readonly run?: string;
  readonly with?: { readonly "node-version"?: number };
}

const steps: readonly Step[] = parse(read(".github/workflows/check.yml")).jobs.check.steps;

it("the workflow runs .ci/run, and nothing else", () => {
  expect(steps.flatMap(({ run = [] }) => run)).toEqual([".ci/run"]);
});

it("the workflow uses the oldest Node.js that the package allows", () => {
  const [node] = steps.flatMap((step) => step.with?.["node-version"] ?? []);
  expect(engines.node).toMatch(new RegExp(`>=\\s?${node}`));
});

it("each issue form asks a question, and each command in the pull request template exists", () => {
  const forms = readdirSync(join(root, ".github/ISSUE_TEMPLATE")).filter((name) => name !== "config.yml");
  expect(forms.length).toBeGreaterThan(1);
  for (const form of forms) {
    const { name, description, body } = parse(read(`.github/ISSUE_TEMPLATE/${form}`));
    expect([typeof name, typeof description], form).toEqual(["string", "string"]);
    const questions = body.filter(({ validations }: { validations?: object }) => validations !== undefined);
    expect(questions.length, form).toBeGreaterThan(0);
  }
  const template = read(".github/pull_request_template.md");
  const namedScripts = [...template.matchAll(/`npm (?:run )?([\w:]+)/g)].map(([, script = ""]) => script);
  expect(namedScripts.filter((script) => !(script in scripts))).toEqual([]);
  for (const [, file = ""] of template.matchAll(/\b([A-Z]+(?:\.md)?)\b/g)) {
    if (file.length > 4) expect(existsSync(join(root, file.replace(/(\.md)?$/, ".md"))), file).toBe(true);
  }
});
