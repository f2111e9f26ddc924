import { InvalidArgumentError, Option } from "commander";
import type { TagFilter } from "../../../src/resources/tag-filter.js";

/** `--filter`, whom a filter of tags finds. */
export function filterOption(description: string): Option {
  return new Option("--filter <json>", description).argParser(parseFilter);
}

/** What it says is looked at where it is used. */
function parseFilter(text: string): TagFilter {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidArgumentError("Give a filter as JSON.");
  }
}
