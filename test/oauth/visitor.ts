/** A simple browser without a screen. It stores cookies, follows redirects and submits forms, on one site. */
export class Visitor {
  private readonly cookies = new Map<string, string>();

  /** Opens a page. @returns the page, or the URL at which another site begins. */
  async open(url: string): Promise<Page | URL> {
    return this.follow(url, { method: "GET" });
  }

  /** Submits a form to the URL of its page. */
  async send(page: Page, fields: Readonly<Record<string, string>>): Promise<Page | URL> {
    return this.follow(page.url, { method: "POST", body: new URLSearchParams(fields) });
  }

  private async follow(url: string, init: RequestInit): Promise<Page | URL> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, {
      ...init,
      redirect: "manual",
      headers: cookie === "" ? {} : { cookie },
    });
    for (const setCookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(setCookie) ?? [];
      this.cookies.set(name, value);
    }
    const location = response.headers.get("location");
    if (location === null) return { url, status: response.status, text: await response.text() };
    const target = new URL(location, url);
    return target.origin === new URL(url).origin ? this.follow(target.href, { method: "GET" }) : target;
  }
}

export interface Page {
  readonly url: string;
  readonly status: number;
  readonly text: string;
}

/** Returns the page that was opened. @throws an error if the browser was led to another site. */
export function requirePage(target: Page | URL): Page {
  if (target instanceof URL) throw new Error(`led to ${target}`);
  return target;
}

/** Returns the other site that the browser was led to. @throws an error if it got a page. */
export function requireSite(target: Page | URL): URL {
  if (target instanceof URL) return target;
  throw new Error(`got a page: ${target.text}`);
}
