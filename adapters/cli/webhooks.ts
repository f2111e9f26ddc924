import { Option } from "commander";

/** Whether the process delivers webhooks. */
export function webhooksOption(): Option {
  return new Option("--no-webhooks", "deliver no webhooks: another process does");
}

export function allowLoopbackOption(): Option {
  return new Option(
    "--webhooks-allow-loopback",
    "for development: let webhook endpoints be on this machine, also over http",
  );
}
