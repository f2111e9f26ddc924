import { readFileSync } from "node:fs";
import { parser } from "@prometheus-io/lezer-promql";
import { LoyaltyService } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { createMetrics } from "loyalty-kit/observability";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}

interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly schemaVersion: number;
  readonly templating: { readonly list: readonly { readonly name: string }[] };
  readonly panels: readonly {
    readonly id: number;
    readonly type: string;
    readonly title: string;
    readonly datasource: { readonly type: string; readonly uid: string };
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
    readonly targets: readonly { readonly expr: string }[];
  }[];
}

const read = (name: string) => readFileSync(new URL(`../../deploy/${name}`, import.meta.url), "utf8");
const rules: readonly Rule[] = parse(read("prometheus-rules.yml")).groups.flatMap(
  (group: { rules: readonly Rule[] }) => group.rules,
);
const dashboard: Dashboard = JSON.parse(read("grafana-dashboard.json"));
const { panels } = dashboard;
const expressions = [
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
];

/** Returns the names of the metrics in an expression. @throws if it is not PromQL. */
function findMetrics(expression: string): string[] {
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

/** Returns the names of all metrics that a process exposes to Prometheus, which itself adds `up`. */
async function listMetrics(): Promise<ReadonlySet<string>> {
  const loyalty = new LoyaltyService({ storage: memoryStorage() });
  const metrics = createMetrics(loyalty, { process: true });
  onTestFinished(async () => {
    metrics.close();
    await loyalty.close();
  });
  const names = [...(await metrics.text()).matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  const listParts = (name: string, type: string) =>
    type === "histogram" ? ["_bucket", "_sum", "_count"].map((part) => name + part) : [name];
  return new Set(["up", ...names.flatMap(([, name = "", type = ""]) => listParts(name, type))]);
}

describe("the files for Prometheus and Grafana", () => {
  it.each(expressions)("query metrics that a process exposes: %s", async (_title, expression) => {
    const names = findMetrics(expression);
    expect(names).not.toEqual([]);
    const metricNames = await listMetrics();
    expect(names.filter((name) => !metricNames.has(name))).toEqual([]);
  });

  it("have alerts with different names, each with its severity and what to do", () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const { alert, labels, annotations } of rules) {
      expect(labels.severity, alert).toMatch(/^(page|ticket)$/);
      expect(annotations.summary, alert).toMatch(/\S/);
      expect(annotations.description, alert).toMatch(/\.$/);
    }
  });

  it("have panels with unique ids, side by side in 24 columns, which query the selected data source", () => {
    expect(dashboard).toMatchObject({ uid: "loyalty-kit", title: "loyalty-kit", schemaVersion: 39 });
    expect(dashboard.templating.list.map(({ name }) => name)).toContain("datasource");
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const usedIds = new Set<string>();
    for (const { title, type, datasource, gridPos } of panels) {
      expect(type, title).toMatch(/^(timeseries|stat|gauge|row|table|heatmap)$/);
      expect(datasource, title).toEqual({ type: "prometheus", uid: `$\{datasource}` });
      const { x, y, w, h } = gridPos;
      expect(x + w, title).toBeLessThanOrEqual(24);
      for (let at = 0; at < w * h; at += 1) {
        const cell = `${x + (at % w)} ${y + Math.floor(at / w)}`;
        expect(usedIds.has(cell), title).toBe(false);
        usedIds.add(cell);
      }
    }
  });

  it("use every metric of the service", async () => {
    const queriedMetrics = new Set(expressions.flatMap(([, expression]) => findMetrics(expression)));
    const own = [...(await listMetrics())].filter((name) => name.startsWith("loyalty_"));
    const getFamily = (name: string) => name.replace(/_(bucket|sum|count)$/, "");
    const families = new Set([...queriedMetrics].map(getFamily));
    expect(own.filter((name) => !families.has(getFamily(name)))).toEqual([]);
  });
});
