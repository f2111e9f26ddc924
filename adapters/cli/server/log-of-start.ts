import { visibleJson } from "../../../src/values/unseen.js";
import type { Output } from "../terminal/output.js";

/** The level of a line by which a server ends, as pino counts. */
const FATAL = 60;

/**
 * Where a command line tells of what keeps it from starting, its own options too: for a server whose log is JSON, in lines of
 * that log.
 */
export function outputOfStart(argv: readonly string[], env: NodeJS.ProcessEnv, output: Output): Output {
  if (argv[0] !== "serve" || logAskedFor(argv, env) !== "json") return output;
  return {
    result: (line) => output.result(line),
    note: (message) => {
      const line = { level: FATAL, time: new Date().toISOString(), pid: process.pid, message };
      output.result(visibleJson(JSON.stringify(line)));
    },
  };
}

/** The option is looked for by hand, since what is wrong may be another one. */
function logAskedFor(argv: readonly string[], env: NodeJS.ProcessEnv): string | undefined {
  const at = argv.findLastIndex((word) => word === "--log" || word.startsWith("--log="));
  if (at === -1) return env.LOYALTY_LOG;
  return argv[at] === "--log" ? argv[at + 1] : argv[at]?.slice("--log=".length);
}
