import type { HttpRequest } from "../../http/index.js";
import { cookieIn } from "../../http/request/headers.js";

/** The cookie of whoever is signed in, by a token or as a person: so a browser is one of them. */
export class SessionCookie {
  readonly name: string;

  /** @param isHttps browsers reach the console by https, and by nothing else. */
  constructor(private readonly isHttps: boolean) {
    this.name = isHttps ? "__Host-loyalty-kit-console" : "loyalty-kit-console";
  }

  /** The value that a request brings; `null` for none, and for several. */
  valueIn(headers: HttpRequest["headers"]): string | null {
    return cookieIn(headers, this.name);
  }

  /** No other host of the site can set a cookie of this name by https, and no script reads it. */
  written(value: string, seconds: number, prefix: string): string {
    const place = this.isHttps ? "; Path=/; Secure" : `; Path=${prefix}/console`;
    return `${this.name}=${value}${place}; Max-Age=${seconds}; HttpOnly; SameSite=Strict`;
  }
}
