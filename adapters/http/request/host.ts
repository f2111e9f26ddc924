import { headerValues } from "./headers.js";
import type { HttpRequest } from "./message.js";

/** A host with or without a port (RFC 3986, section 3.2). It may be empty. */
const hostForm = /^(?:\[[0-9a-f:.%v]+\]|[\w.~!$&'()*+,;=%-]*)(?::[0-9]*)?$/i;

/**
 * False for a request that names several hosts, or something that is none, which must be refused (RFC 9112, section 3.2): a
 * proxy may have gone by another one than whoever reads it next. Servers that give repeated headers as one text have joined
 * them by a comma and a space.
 */
export function namesOneHost(headers: HttpRequest["headers"]): boolean {
  const [host = "", ...others] = headerValues(headers, "host");
  return others.length === 0 && hostForm.test(host);
}
