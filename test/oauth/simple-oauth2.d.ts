/** The part of the package that the tests use; the package has no types. */
declare module "simple-oauth2" {
  interface AccessToken {
    readonly token: Readonly<Record<string, unknown>>;
    refresh(): Promise<AccessToken>;
    revoke(kind: "access_token" | "refresh_token"): Promise<void>;
  }

  export class AuthorizationCode {
    constructor(options: {
      client: { id: string; secret: string };
      auth: Readonly<Record<string, string>>;
      options?: { authorizationMethod?: "header" | "body" };
    });
    authorizeURL(parameters: Readonly<Record<string, string>>): string;
    getToken(parameters: Readonly<Record<string, string>>): Promise<AccessToken>;
  }
}
