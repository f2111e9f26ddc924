import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Parses a text as pasted into a shell: the arguments of each line that begins with the command. Does not run the command. */
export async function parsePastedLines(command: string, text: string): Promise<string[][]> {
  const lines = text.split("\n").filter((line) => line.startsWith(`${command} `));
  const tell = `"$NODE" --print 'JSON.stringify(process.argv.slice(1))' -- "$@"`;
  const script = [`${command}() { ${tell}; }`, ...lines].join("\n");
  const { stdout } = await run("sh", ["-e", "-c", script], { env: { NODE: process.execPath } });
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** Sends the request that `curl` would send with these arguments. */
export async function sendCurl(args: readonly string[]): Promise<{ status: number; body: unknown }> {
  const request: { method: string; headers: Headers; body: string | null } = {
    method: "GET",
    headers: new Headers(),
    body: null,
  };
  let url = "";
  for (let at = 0; at < args.length; at += 1) {
    const option = args[at] ?? "";
    const value = option.startsWith("-") ? (args[++at] ?? "") : option;
    if (option === "-X") request.method = value;
    else if (option === "-d") request.body = value;
    else if (option === "-H") request.headers.append(...splitHeader(value));
    else if (option === value) url = value;
    else throw new Error(`an option of curl that is not known here: ${option}`);
  }
  const response = await fetch(url, request);
  return { status: response.status, body: await response.json() };
}

function splitHeader(header: string): [name: string, value: string] {
  const colon = header.indexOf(":");
  return [header.slice(0, colon), header.slice(colon + 1).trim()];
}
