import { failure } from "../../../src/errors.js";
import { errorAnswer } from "../../http/error-answer.js";
import type { HttpExtension } from "../../http/index.js";
import { headerValue } from "../../http/request/headers.js";

/** Leads a browser that comes to `/` to the console. Programs find nothing there. */
export const home: HttpExtension = {
  paths: ["/"],
  async handle({ headers }) {
    const wantsPage = (headerValue(headers, "accept") ?? "").includes("text/html");
    if (!wantsPage) return errorAnswer(failure("resource_not_found"));
    return { status: 303, headers: { location: "/console", vary: "accept" }, body: null };
  },
};
