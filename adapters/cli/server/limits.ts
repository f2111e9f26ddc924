import { InvalidArgumentError, Option } from "commander";
import { isLimit, limitsOf, type OrganizationLimits } from "../../../src/tenant/limits.js";

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
  const limits: { -readonly [Name in keyof OrganizationLimits]: number } = {};
  for (const part of text.split(",")) {
    const [, name = "", count] = /^\s*(\w+)\s*=\s*([0-9]+)\s*$/.exec(part) ?? [];
    if (!isLimit(name)) {
      const known = Object.keys(limitsOf()).join(", ");
      throw new InvalidArgumentError(`Give names and numbers such as tags=10000, of these: ${known}.`);
    }
    if (Object.hasOwn(limits, name)) throw new InvalidArgumentError(`${name} stands there twice.`);
    limits[name] = Number(count);
  }
  try {
    limitsOf(limits);
  } catch {
    throw new InvalidArgumentError("Each must be a positive integer.");
  }
  return limits;
}
