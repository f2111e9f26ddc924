import { isLoopbackLink } from "../../../../src/base/values/short-link.js";
import { checkPublicUrl } from "../../../setup/finding.js";
import { readOAuthKey, readSecretKeys } from "../server/keys.js";
import { buildPublicUrl, describeUselessLinkBase } from "../server/listen.js";
import { type ServerSettings, serverSettings } from "../server/settings.js";
import { CommandError } from "../terminal/command-error.js";
import { createOption } from "../terminal/setting.js";
import { type Diagnosis, ok, problem, toDiagnoses, warning } from "./diagnosis.js";

/** Reports server settings that conflict with each other or with the environment. */
export function diagnoseSettings(settings: ServerSettings, environment: NodeJS.ProcessEnv): Diagnosis[] {
  const diagnoses = [
    ...diagnosePublicUrl(settings),
    ...diagnoseKeys(settings, environment),
    ...diagnosePorts(settings),
    ...diagnoseLoopback(settings),
  ];
  return diagnoses.length > 0 ? diagnoses : [ok("settings", "no conflicting settings")];
}

/** Returns a setting's command-line option, such as `--public-url`. */
const formatOptionName = (name: keyof typeof serverSettings) =>
  createOption(name, serverSettings[name]).long ?? name;

function diagnosePublicUrl(settings: ServerSettings): Diagnosis[] {
  const { publicUrl, trustedProxy, shortLinkBase } = settings;
  const url = buildPublicUrl(publicUrl, settings);
  const uselessBase = describeUselessLinkBase(shortLinkBase ?? (url === null ? undefined : `${url}/c`));
  const diagnoses =
    uselessBase === null
      ? []
      : [
          warning(
            "settings",
            `QR codes won't work for customers because they link to ${uselessBase}; set ${formatOptionName("publicUrl")}`,
          ),
        ];
  if (publicUrl === undefined) return diagnoses;
  const reasons = {
    insecure: "phones, wallets, and links in emails use it",
    local: "customers can't reach it",
  };
  const publicUrlProblems = checkPublicUrl(publicUrl, reasons);
  // If QR codes lead to this machine, that has already been reported.
  if (uselessBase === null || !isLoopbackLink(publicUrl))
    diagnoses.push(...(publicUrlProblems.length > 0 ? toDiagnoses("settings", publicUrlProblems, "") : []));
  if (publicUrl.startsWith("https:") && trustedProxy === undefined)
    diagnoses.push(
      warning(
        "settings",
        `the public URL is https, so this server must be behind a proxy; set ${formatOptionName("trustedProxy")}; otherwise, all clients will appear to come from a single address`,
      ),
    );
  return diagnoses;
}

function diagnoseKeys({ oauthIssuer }: ServerSettings, environment: NodeJS.ProcessEnv): Diagnosis[] {
  const diagnoses: Diagnosis[] = [];
  const secretKeys = readVariable(() => readSecretKeys(environment));
  if (typeof secretKeys === "string") diagnoses.push(problem("settings", secretKeys));
  else if (secretKeys.length === 0)
    diagnoses.push(
      warning(
        "settings",
        "secrets are stored unencrypted; set LOYALTY_SECRET_KEYS, then run loyalty-kit seal",
      ),
    );
  const oauthKeys = readVariable(() => [readOAuthKey(environment)]);
  if (typeof oauthKeys === "string") diagnoses.push(problem("settings", oauthKeys));
  else if (oauthKeys[0] === undefined && oauthIssuer !== undefined)
    diagnoses.push(
      warning(
        "settings",
        "if you run several processes, set the same LOYALTY_OAUTH_KEY in all of them; otherwise, each process will accept only its own consent pages",
      ),
    );
  return diagnoses;
}

/** Returns the values read from an environment variable, or the error message. */
function readVariable<Value>(readValues: () => readonly Value[]): readonly Value[] | string {
  try {
    return readValues();
  } catch (error) {
    if (error instanceof CommandError) return error.message;
    throw error;
  }
}

function diagnosePorts({ port, metricsPort }: ServerSettings): Diagnosis[] {
  if (metricsPort === undefined || metricsPort === 0 || metricsPort !== port) return [];
  return [
    problem(
      "settings",
      `${formatOptionName("port")} and ${formatOptionName("metricsPort")} are both ${port}; use different ports`,
    ),
  ];
}

function diagnoseLoopback({ webhooksAllowLoopback, publicUrl = "" }: ServerSettings): Diagnosis[] {
  if (!webhooksAllowLoopback || !publicUrl.startsWith("https:") || isLoopbackLink(publicUrl)) return [];
  return [
    warning(
      "settings",
      `${formatOptionName("webhooksAllowLoopback")} lets your tenants make this machine send requests to itself; use it only for development`,
    ),
  ];
}
