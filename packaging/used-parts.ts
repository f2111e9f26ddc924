import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Plugin } from "esbuild";

/** The files to bundle for each imported name, because these packages have no smaller entry points. */
const parts: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "prom-client": {
    Counter: "lib/counter.js",
    Gauge: "lib/gauge.js",
    Histogram: "lib/histogram.js",
    Registry: "lib/registry.js",
    collectDefaultMetrics: "lib/defaultMetrics.js",
  },
  "rate-limiter-flexible": {
    RateLimiterPostgres: "lib/RateLimiterPostgres.js",
    RateLimiterRedis: "lib/RateLimiterRedis.js",
  },
};

/**
 * An esbuild plugin for packages that would otherwise be bundled whole. It bundles only the parts in use, and only the English
 * messages of zod.
 */
export const usedParts: Plugin = {
  name: "used-parts",
  setup(build) {
    build.onResolve(
      { filter: new RegExp(`^(${Object.keys(parts).join("|")})$`) },
      ({ path, resolveDir }) => ({
        path,
        namespace: "parts",
        pluginData: resolveDir,
      }),
    );
    build.onLoad({ filter: /.*/, namespace: "parts" }, ({ path, pluginData }) => ({
      contents: Object.entries(parts[path] ?? {})
        .map(([name, file]) => `export { default as ${name} } from "${path}/${file}";`)
        .join("\n"),
      resolveDir: pluginData,
    }));
    // prom-client uses OpenTelemetry only for exemplars, which are off here, but it requires the package in any case.
    build.onLoad(
      { filter: /[\\/]prom-client[\\/]lib[\\/]metrics[\\/]processCpuTotal\.js$/ },
      async ({ path }) => ({
        contents: (await readFile(path, "utf8")).replace("require('@opentelemetry/api')", "{}"),
      }),
    );
    build.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, ({ path }) => ({
      contents: 'export { default as en } from "./en.js";',
      resolveDir: dirname(path),
    }));
  },
};
