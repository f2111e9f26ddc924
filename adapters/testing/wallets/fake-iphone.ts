import { listLockScreenTexts, parseStrings } from "./lock-screen.js";
import { type ReadPass, verifiedPass } from "./verified-pass.js";

export interface FakeIPhoneOptions {
  /** The function that sends the phone's requests, for example `api.fetch`. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** The root certificate that the phone trusts, in PEM format. */
  readonly root: string;
  /** The phone's device ID. Default: `a1b2c3d4e5f6`. */
  readonly deviceId?: string;
  /** The phone's push token. Default: `push-` followed by the device ID. */
  readonly pushToken?: string;
  /** The phone owner's language. Default: `en`. */
  readonly language?: string;
  /** Returns the current time, in milliseconds since the Unix epoch. Default: the system clock. */
  readonly now?: () => number;
}

/** A pass on the phone, as the phone last fetched it. */
export interface PassOnPhone extends ReadPass {
  /** The serial number, which is the pass's ID. */
  readonly serialNumber: string;
  /** The `Last-Modified` header that the server sent with the pass, or `null` if it sent none. */
  readonly lastModified: string | null;
}

const PASS_CONTENT_TYPE = "application/vnd.apple.pkpass";

/**
 * A simulated phone with Apple Wallet. It verifies each pass, stores modification times and the server's update tag exactly as
 * sent, and asks for changes when it receives a push. It considers an unregistration successful only if the status is 200, and
 * posts complaints to `/log`.
 * @example
 * import { createFakePki, FakeIPhone } from "loyalty-kit/testing";
 *
 * const { root } = createFakePki();
 * const phone = new FakeIPhone({ fetch: api.fetch, root });
 * const pass = await phone.add("https://cafe.example/passes/coffee.pkpass");
 */
export class FakeIPhone {
  /** The device ID that the phone uses to register for updates. */
  readonly deviceId: string;
  /** The phone's push token. Tests can change it. */
  pushToken: string;
  /** The passes on the phone, keyed by serial number. */
  readonly passes = new Map<string, PassOnPhone>();
  /** The messages that the phone has shown on its lock screen, in order. */
  readonly messages: string[] = [];
  /** The complaints that the phone has posted to `/log`, in order. */
  readonly complaints: string[] = [];
  private tag: string | null = null;
  private readonly now: () => number;

  constructor(private readonly options: FakeIPhoneOptions) {
    this.deviceId = options.deviceId ?? "a1b2c3d4e5f6";
    this.pushToken = options.pushToken ?? `push-${this.deviceId}`;
    this.now = options.now ?? Date.now;
  }

  /**
   * Opens a pass's link and adds the pass to the phone.
   * @throws if the phone would reject the pass.
   */
  async add(url: string): Promise<PassOnPhone> {
    const response = await this.options.fetch(new Request(url));
    if (response.status !== 200 || response.headers.get("content-type") !== PASS_CONTENT_TYPE) {
      throw new Error(`the link returned status ${response.status}`);
    }
    const pass = await this.storePass(response);
    await this.register(pass.serialNumber);
    return pass;
  }

  /**
   * Registers the phone for updates to one of its passes. Phones also do this when their push token changes.
   * @returns the HTTP status of the response.
   */
  async register(serialNumber: string): Promise<number> {
    const { status } = await this.call("POST", this.buildRegistrationPath(serialNumber), serialNumber, {
      body: JSON.stringify({ pushToken: this.pushToken }),
      headers: { "content-type": "application/json" },
    });
    if (status !== 200 && status !== 201) await this.complain(`Registration failed with ${status}`);
    return status;
  }

  /**
   * Handles a push by asking the server which passes have changed and fetching those passes.
   * @returns the changed passes' serial numbers.
   */
  async pushed(): Promise<string[]> {
    const query = this.tag === null ? "" : `?passesUpdatedSince=${encodeURIComponent(this.tag)}`;
    const [firstPass] = this.passes.values();
    if (firstPass === undefined) return [];
    const path = `/v1/devices/${this.deviceId}/registrations/${firstPass.pass.passTypeIdentifier}${query}`;
    const response = await this.options.fetch(new Request(`${firstPass.pass.webServiceURL}${path}`));
    if (response.status === 204) return [];
    if (response.status !== 200) {
      await this.complain(`Getting serial numbers failed with ${response.status}`);
      return [];
    }
    const { serialNumbers, lastUpdated }: { serialNumbers: string[]; lastUpdated: unknown } = JSON.parse(
      await response.text(),
    );
    if (typeof lastUpdated !== "string") await this.complain("lastUpdated is no string");
    for (const serialNumber of serialNumbers) await this.refresh(serialNumber);
    this.tag = String(lastUpdated);
    return serialNumbers;
  }

  /**
   * Fetches the latest version of a pass.
   * @returns the HTTP status of the response.
   */
  async refresh(serialNumber: string): Promise<number> {
    const storedPass = this.passes.get(serialNumber);
    if (storedPass === undefined) return 0;
    const path = `/v1/passes/${storedPass.pass.passTypeIdentifier}/${serialNumber}`;
    const since = storedPass.lastModified;
    const headers: Record<string, string> = since === null ? {} : { "if-modified-since": since };
    const response = await this.call("GET", path, serialNumber, { headers });
    if (response.status === 200) await this.storePass(response);
    else if (response.status !== 304) await this.complain(`Getting the pass failed with ${response.status}`);
    return response.status;
  }

  /**
   * Deletes a pass from the phone and unregisters the phone from updates to the pass.
   * @returns the HTTP status of the response.
   */
  async remove(serialNumber: string): Promise<number> {
    const { status } = await this.call("DELETE", this.buildRegistrationPath(serialNumber), serialNumber, {});
    if (status !== 200) await this.complain(`Unregistration failed with ${status}`);
    this.passes.delete(serialNumber);
    return status;
  }

  /** Erases the phone without notifying the server. */
  erase(): void {
    this.passes.clear();
    this.tag = null;
  }

  private buildRegistrationPath(serialNumber: string): string {
    const type = this.passes.get(serialNumber)?.pass.passTypeIdentifier;
    return `/v1/devices/${this.deviceId}/registrations/${type}/${serialNumber}`;
  }

  private call(
    method: string,
    path: string,
    serialNumber: string,
    init: { readonly body?: string; readonly headers?: Record<string, string> },
  ): Promise<Response> {
    const storedPass = this.passes.get(serialNumber);
    if (storedPass === undefined) throw new Error(`the phone has no pass ${serialNumber}`);
    const { webServiceURL, authenticationToken } = storedPass.pass;
    const headers = { ...init.headers, authorization: `ApplePass ${authenticationToken}` };
    return this.options.fetch(new Request(`${webServiceURL}${path}`, { ...init, method, headers }));
  }

  private async storePass(response: Response): Promise<PassOnPhone> {
    const newPass = verifiedPass(new Uint8Array(await response.arrayBuffer()), this.options.root, this.now());
    const serialNumber = String(newPass.pass.serialNumber);
    const previous = this.passes.get(serialNumber);
    const after = { ...newPass, serialNumber, lastModified: response.headers.get("last-modified") };
    for (const [name, content] of newPass.files)
      if (name.endsWith(".strings")) parseStrings(content.toString());
    if (previous !== undefined) {
      const { authenticationToken } = previous.pass;
      if (authenticationToken !== newPass.pass.authenticationToken) await this.complain("the token changed");
      this.messages.push(...listLockScreenTexts(previous, after, this.options.language ?? "en"));
    }
    this.passes.set(serialNumber, after);
    return after;
  }

  private async complain(text: string): Promise<void> {
    this.complaints.push(text);
    const [firstPass] = this.passes.values();
    if (firstPass === undefined) return;
    const body = JSON.stringify({ logs: [text] });
    const headers = { "content-type": "application/json" };
    await this.options.fetch(
      new Request(`${firstPass.pass.webServiceURL}/v1/log`, { method: "POST", body, headers }),
    );
  }
}
