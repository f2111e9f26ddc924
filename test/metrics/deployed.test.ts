import { readFileSync } from "node:fs";
import { parser } from "@prometheus-io/lezer-promql";
import { LoyaltyService } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { createMetrics } from "loyalty-kit/metrics";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets: readonly { readonly expr: string }[];
  }[];
}

const read = (name: string) => readFileSync(new URL(`../../deploy/${name}`, import.meta.url), "utf8");
const rules: readonly Rule[] = parse(read("prometheus-rules.yml")).groups.flatMap(
  (group: { rules: readonly Rule[] }) => group.rules,
);
const { panels }: Dashboard = JSON.parse(read("grafana-dashboard.json"));
const expressions = [
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
];

/** Says the names of metrics in an expression. @throws for one that is no PromQL. */
function metricsIn(expression: string): string[] {
  const plain = expression.replaceAll("$__rate_interval", "5m");
  const names: string[] = [];
  parser
    .configure({ strict: true })
    .parse(plain)
    .iterate({
      enter({ name, from, to }) {
        if (name === "Identifier" && isMetric(plain.slice(from, to))) names.push(plain.slice(from, to));
      },
    });
  return names;
}

const isMetric = (name: string) => /^(loyalty|process|nodejs)_|^up$/.test(name);

/** The names of all that a process shows to Prometheus, which adds `up`. */
async function shown(): Promise<ReadonlySet<string>> {
  const loyalty = new LoyaltyService({ storage: memoryStorage() });
  const metrics = createMetrics(loyalty, { process: true });
  onTestFinished(async () => {
    metrics.close();
    await loyalty.close();
  });
  const names = [...(await metrics.text()).matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  const parts = (name: string, type: string) =>
    type === "histogram" ? ["_bucket", "_sum", "_count"].map((part) => name + part) : [name];
  return new Set(["up", ...names.flatMap(([, name = "", type = ""]) => parts(name, type))]);
}

describe("the files for Prometheus and Grafana", () => {
  it.each(expressions)("ask for metrics that a process shows: %s", async (_title, expression) => {
    const names = metricsIn(expression);
    expect(names).not.toEqual([]);
    const known = await shown();
    expect(names.filter((name) => !known.has(name))).toEqual([]);
  });

  it("have alerts of different names, each with how urgent it is and what to do", () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const { alert, labels, annotations } of rules) {
      expect(labels.severity, alert).toMatch(/^(page|ticket)$/);
      expect(annotations.summary, alert).toMatch(/\S/);
      expect(annotations.description, alert).toMatch(/\.$/);
    }
  });

  it("show each metric of the service somewhere", async () => {
    const asked = new Set(expressions.flatMap(([, expression]) => metricsIn(expression)));
    const own = [...(await shown())].filter((name) => name.startsWith("loyalty_"));
    const family = (name: string) => name.replace(/_(bucket|sum|count)$/, "");
    const families = new Set([...asked].map(family));
    expect(own.filter((name) => !families.has(family(name)))).toEqual([]);
  });
});
