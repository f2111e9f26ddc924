/** The entry point that bundlers take: they find the package by this import. */
import * as api from "@opentelemetry/api";
import type { Tracer } from "../../src/tracing.js";
import { tracerOn } from "./tracer.js";

/** Traces the work of a service with OpenTelemetry, with the package in the bundle. */
export function openTelemetry(): Tracer {
  return tracerOn(api);
}
