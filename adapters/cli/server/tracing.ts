import { Option } from "commander";
import type { Tracer } from "../../../src/tracing.js";
import { CommandError, FAILED } from "../terminal/command-error.js";
import { environmentFlag } from "../terminal/environment-flag.js";

/** `--open-telemetry`. Which SDK, and where its spans go, is told to Node. */
export function openTelemetryOption(): Option {
  return new Option(
    "--open-telemetry",
    "trace calls, requests and deliveries, with the SDK that NODE_OPTIONS=--import has registered " +
      "(env: LOYALTY_OPEN_TELEMETRY=true)",
  );
}

/**
 * What traces a server, if anything.
 * @param wanted `undefined` where the environment says.
 * @throws {CommandError} when the package of OpenTelemetry is not there.
 */
export async function tracerOf(wanted: boolean | undefined): Promise<Tracer | null> {
  if (!(wanted ?? environmentFlag("LOYALTY_OPEN_TELEMETRY", false))) return null;
  try {
    const { openTelemetry } = await import("../../opentelemetry/index.js");
    return openTelemetry();
  } catch (cause) {
    throw new CommandError("--open-telemetry needs the package @opentelemetry/api beside it", FAILED, {
      cause,
    });
  }
}
