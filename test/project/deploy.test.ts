import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DockerfileParser, JSONInstruction } from "dockerfile-ast";
import { validate } from "dockerfile-utils";
import { describe, expect, it } from "vitest";
import { runCommand } from "../cli/run-command.js";

const root = join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(root, "deploy", file), "utf8");

describe("the Dockerfile", () => {
  const text = read("Dockerfile");
  const last = text.slice(text.lastIndexOf("\nFROM "));

  it("has no syntax errors", () => {
    expect(validate(text).map(({ message }) => message)).toEqual([]);
  });

  it("runs the server as an unprivileged user, and copies only what the server needs", () => {
    expect(last).toMatch(/\nUSER node\n/);
    expect(last.match(/^COPY .+$/gm)).toEqual([
      "COPY --from=build /build/package.json ./",
      "COPY --from=build /build/node_modules ./node_modules",
      "COPY --from=build /build/dist ./dist",
    ]);
  });

  it("installs the drivers that the tests run with, and nothing that only development needs", () => {
    const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const [, options, drivers = ""] = /npm install ((?:--\S+ )+)(.+)$/m.exec(text) ?? [];
    expect(options).toBe("--no-save --save-prod --omit=dev ");
    expect(drivers.split(" ")).toEqual(
      ["better-sqlite3", "pg", "nodemailer", "@simplewebauthn/server"].map(
        (driver) => `${driver}@${devDependencies[driver]}`,
      ),
    );
  });

  it("excludes packages of another machine, data and secrets from the build", () => {
    const ignored = readFileSync(join(root, ".dockerignore"), "utf8").split("\n");
    expect(ignored).toEqual(
      expect.arrayContaining(["node_modules", "dist", ".git", "*.db", "*.db-*", ".env*"]),
    );
  });

  it("names a command that the build creates", () => {
    const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const command = DockerfileParser.parse(text).getCMDs().at(-1);
    if (!(command instanceof JSONInstruction)) throw new Error("CMD is no list");
    const words = command.getJSONStrings().map((word) => JSON.parse(word.getValue()));
    expect(words).toEqual(["node", manifest.bin["loyalty-kit"].replace("./", ""), "serve"]);
    expect(existsSync(join(root, "package-lock.json"))).toBe(true);
  });
});

describe("the systemd unit", () => {
  const lines = read("loyalty-kit.service")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));

  it("has only sections and assignments, and sets nothing twice except the environment", () => {
    const names = new Set<string>();
    for (const line of lines) {
      if (/^\[(Unit|Service|Install)\]$/.test(line)) continue;
      const [, name = ""] = /^([A-Z][A-Za-z]+)=/.exec(line) ?? [];
      expect(name, line).not.toBe("");
      if (name !== "Environment") expect(names.has(name), line).toBe(false);
      names.add(name);
    }
  });

  it("gives the server more time to stop than it needs, and a folder that only it can read", () => {
    expect(lines).toEqual(
      expect.arrayContaining([
        "TimeoutStopSec=15",
        "DynamicUser=yes",
        "UMask=0077",
        "StateDirectoryMode=0700",
      ]),
    );
  });
});

describe("the Docker Compose example", () => {
  const text = readFileSync(join(root, "examples/production/compose.yaml"), "utf8");

  it("sets only variables that the server knows and that try.ts shows", async () => {
    const set = new Set([...text.matchAll(/^ +(LOYALTY_\w+):/gm)].map(([, name]) => name));
    expect(set.size).toBeGreaterThan(4);
    const { stdout: help } = await runCommand(["serve", "--help"]);
    const source = readFileSync(join(root, "examples/production/try.ts"), "utf8");
    for (const name of set) {
      expect(help).toMatch(new RegExp(`env:\\s+${name}\\b|^${name} \\(environment variable only\\)`, "m"));
      expect(source).toContain(`${name}:`);
    }
  });

  it("points the proxy and Prometheus to the ports of the server", () => {
    expect(read("Dockerfile")).toContain("LOYALTY_PORT=3000");
    expect(text).toContain("dynamic a loyalty 3000\n");
    const [, port = ""] = /LOYALTY_METRICS_PORT: "(\d+)"/.exec(text) ?? [];
    expect(text).toContain(`port: ${port}\n`);
  });

  it("gives its servers the same keys", () => {
    const [, replicas = ""] = /replicas: (\d+)/.exec(text) ?? [];
    expect(Number(replicas)).toBeGreaterThan(1);
    for (const key of ["LOYALTY_OAUTH_KEY", "LOYALTY_SECRET_KEYS"])
      expect(text).toContain(` ${key}: \${${key}:?}\n`);
  });

  it("runs the server without privileges on a read-only root, and gives it time to stop", () => {
    for (const line of ["read_only: true", "cap_drop: [ALL]", "stop_grace_period: 15s"])
      expect(text).toContain(line);
  });
});

describe("the nginx example", () => {
  const text = readFileSync(join(root, "examples/production/nginx.conf"), "utf8");

  it("retries a failed request on another server, unless it may have been processed", () => {
    expect(text.match(/^ +server 127\.0\.0\.1:\d+ max_fails=0;$/gm)).toHaveLength(2);
    expect(text).toContain("proxy_next_upstream error timeout http_503;\n");
    expect(text).not.toContain("non_idempotent");
  });

  it("trusts no address that a client claims, and closes idle connections before the servers do", () => {
    expect(text).toContain("proxy_set_header X-Forwarded-For $remote_addr;\n");
    expect(text).toContain("keepalive_timeout 60s;\n");
  });
});

describe("the deployment guide", () => {
  const text = readFileSync(join(root, "docs/deploying.md"), "utf8");

  it("sets only variables that the server knows", () => {
    const settings = readFileSync(join(root, "docs/settings.md"), "utf8");
    const set = new Set(text.match(/LOYALTY_[A-Z_]+/g));
    expect(set.size).toBeGreaterThan(4);
    expect([...set].filter((name) => !settings.includes(`| \`${name}\` |`))).toEqual([]);
  });

  it("names each alert that pages an operator, and no other", () => {
    const rules = [...read("prometheus-rules.yml").matchAll(/- alert: (\w+)[\s\S]*?severity: (\w+)/g)];
    const waking = rules.filter(([, , severity]) => severity === "page").map(([, name]) => name);
    expect(waking.length).toBeGreaterThan(3);
    expect([...text.matchAll(/^\| `(Loyalty\w+)`/gm)].map(([, name]) => name)).toEqual(waking);
  });

  it("starts the processes on the ports to which nginx sends requests", () => {
    const nginx = readFileSync(join(root, "examples/production/nginx.conf"), "utf8");
    const [, instances = ""] = /systemctl enable --now (.+)/.exec(text) ?? [];
    const ports = [...nginx.matchAll(/^ +server 127\.0\.0\.1:(\d+)/gm)].map(
      ([, port]) => `loyalty-kit@${port}`,
    );
    expect(instances.split(" ")).toEqual(ports);
  });
});
