import { Option } from "commander";

/** For people, or a line of JSON for each event. */
export type LogFormat = "text" | "json";

/** `--log`, of a server. */
export function logOption(): Option {
  return new Option(
    "--log <format>",
    "json: a line of JSON on standard output for all there is to tell, each request too",
  )
    .choices(["text", "json"])
    .env("LOYALTY_LOG")
    .default("text");
}
