import { Option } from "commander";

/** `--organization`, told whose what the command works on. */
export function organizationOption(description: string): Option {
  return new Option("--organization <id>", `${description} (required)`)
    .env("LOYALTY_ORGANIZATION")
    .makeOptionMandatory();
}
