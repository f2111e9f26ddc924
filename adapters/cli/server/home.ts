import { failure } from "../../../src/errors.js";
import { errorAnswer } from "../../http/error-answer.js";
import type { HttpExtension } from "../../http/index.js";
import { headerValue } from "../../http/request/headers.js";

/** What a page may be asked for as, the most exact first (RFC 9110, section 12.5.1). */
const ranges = ["text/html", "text/*", "*/*"];

/**
 * Leads whoever takes a page at `/` to the console: a browser, and a tool that takes anything, as curl does. A program that
 * asks for JSON alone finds nothing there.
 */
export const home: HttpExtension = {
  paths: ["/"],
  async handle({ method, headers }) {
    if (method !== "GET" && method !== "HEAD") {
      return errorAnswer(failure("method_not_allowed"), { allow: "GET, HEAD" });
    }
    if (!takesPage(headerValue(headers, "accept") ?? "")) {
      return errorAnswer(failure("resource_not_found"), { vary: "accept" });
    }
    return { status: 303, headers: { location: "/console", vary: "accept" }, body: null };
  },
};

/** Whoever says nothing takes anything. */
function takesPage(accept: string): boolean {
  if (accept.trim() === "") return true;
  const weights = new Map(
    accept.split(",").map((part) => {
      const [range = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
      return [range, weight === undefined ? 1 : Number(weight)];
    }),
  );
  const known = ranges.find((range) => weights.has(range));
  return known !== undefined && (weights.get(known) ?? 0) > 0;
}
