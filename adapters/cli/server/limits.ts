import { InvalidArgumentError, Option } from "commander";
import { isLimit, limitsOf, type OrganizationLimits } from "../../../src/tenant/limits.js";
import { namedNumbers } from "../terminal/named-numbers.js";

/** `--limits`, how much an organization may have. */
export function limitsOption(): Option {
  return new Option(
    "--limits <list>",
    "how much an organization may have, such as tags=10000,apps=20: see docs/limits.md for all of them",
  )
    .env("LOYALTY_LIMITS")
    .argParser(parseLimits);
}

function parseLimits(text: string): OrganizationLimits {
  const limits = namedNumbers(text, Object.keys(limitsOf()).filter(isLimit), "tags=10000");
  try {
    limitsOf(limits);
  } catch {
    throw new InvalidArgumentError("Each must be a positive integer.");
  }
  return limits;
}
