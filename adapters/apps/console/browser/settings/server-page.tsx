import type { ServerFinding, ServerReport } from "../../server/server-check.js";
import { requestConsole } from "../api/console-request.js";
import { session } from "../api/session.js";
import { Button } from "../components/button.js";
import { ErrorText, Skeleton } from "../components/feedback.js";
import { Icon, type IconName } from "../components/icons.js";
import { useLoad } from "../components/load.js";
import { locale } from "../words/en/forms.js";
import { server as words } from "../words/en/server.js";

type State = ServerFinding["state"];
type Part = ServerFinding["part"];

/** The states with their looks, worst first. */
const looks: Readonly<Record<State, { readonly icon: IconName; readonly kind: string }>> = {
  problem: { icon: "close", kind: "bad" },
  warning: { icon: "warning", kind: "warn" },
  off: { icon: "minus", kind: "" },
  ok: { icon: "check", kind: "good" },
};

const states: readonly State[] = ["problem", "warning", "off", "ok"];

/** The parts that an operator sets up, in that order. */
const steps = ["mail", "apple", "google", "wallets"] as const satisfies readonly Part[];

const otherParts = ["database", "settings", "clock", "disk", "runtime"] as const satisfies readonly Part[];

/** Shows operators the findings of the server's check, with instructions for each part that isn't set up. */
export function ServerPage() {
  const report = useLoad("server", readReport);
  const { value, error, isLoading } = report;
  return (
    <>
      <p class="hint">{words.about}</p>
      <div class="row spread">
        <p class="quiet" role="status">
          {isLoading ? words.checking : value !== null && words.checkedAt(formatTime(value.checkedAt))}
        </p>
        <Button text={words.checkAgain} disabled={isLoading} onClick={report.reload} />
      </div>
      {error !== null && !isLoading && (
        <ErrorText>
          {words.failed} {error.message}
        </ErrorText>
      )}
      {value === null ? isLoading && <Skeleton height="6rem" count={3} /> : <Findings {...value} />}
    </>
  );
}

const readReport = async (): Promise<ServerReport> => JSON.parse(await requestConsole("GET", "server/check"));

const formatTime = (time: string) => new Date(time).toLocaleTimeString(locale);

function Findings({ findings }: Pick<ServerReport, "findings">) {
  const findingsOf = (part: Part) => findings.filter((finding) => finding.part === part);
  const isFound = (part: Part) => findingsOf(part).length > 0;
  return (
    <>
      {steps.filter(isFound).map((part, index) => (
        <section key={part} class="panel padded stack" aria-label={words.parts[part]}>
          <div class="row spread">
            <h2 class="grow">
              {index + 1}. {words.parts[part]}
            </h2>
            <StateChip findings={findingsOf(part)} />
          </div>
          <Step part={part} findings={findingsOf(part)} />
        </section>
      ))}
      <section class="panel padded stack" aria-label={words.rest}>
        <h2>{words.rest}</h2>
        {otherParts.filter(isFound).map((part) => (
          <div key={part} class="stack tight">
            <div class="row spread">
              <h3 class="grow">{words.parts[part]}</h3>
              <StateChip findings={findingsOf(part)} />
            </div>
            <FindingList findings={findingsOf(part)} />
          </div>
        ))}
      </section>
    </>
  );
}

interface FindingsProps {
  readonly findings: readonly ServerFinding[];
}

/** The worst state of a part, in a word. */
function StateChip({ findings }: FindingsProps) {
  const state = states.find((each) => findings.some((finding) => finding.state === each)) ?? "ok";
  const { icon, kind } = looks[state];
  return (
    <span class={`chip ${kind}`}>
      <Icon name={icon} size={14} /> {words.states[state]}
    </span>
  );
}

function FindingList({ findings }: FindingsProps) {
  return (
    <ul class="findings">
      {findings.map(({ state, message }) => (
        <li key={message} class={looks[state].kind}>
          <Icon name={looks[state].icon} size={16} />
          <span>
            <span class="unseen">{words.states[state]}: </span>
            {/* The server's messages are in English. */}
            <span lang="en">{toSentence(message)}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Returns a message as a sentence. Its first word stays as it is if it is a name, such as `example.db` or `--port`. */
function toSentence(message: string): string {
  const isWord = /^[a-z]+'?[a-z]*(?=[ ,;:])/.test(message);
  const capitalized = isWord ? `${message.charAt(0).toUpperCase()}${message.slice(1)}` : message;
  return /[.!?]$/.test(capitalized) ? capitalized : `${capitalized}.`;
}

function Step({ part, findings }: FindingsProps & { readonly part: (typeof steps)[number] }) {
  const isOff = findings.some(({ state }) => state === "off");
  return (
    <>
      {/* What isn't set up needs no finding that says so. */}
      {!isOff && <FindingList findings={findings} />}
      {part === "mail" && <MailSetup isOff={isOff} />}
      {part === "apple" && isOff && (
        <>
          <p>{words.appleNeeds}</p>
          <Command
            options={[
              "serve",
              "--public-url https://cards.example.com",
              "--apple-certificate pass.pem",
              "--apple-key pass.key",
              "--apple-wwdr wwdr.pem",
            ]}
          />
          <LearnMore page="docs/wallets.md" />
        </>
      )}
      {part === "google" && isOff && (
        <>
          <p>{words.googleNeeds}</p>
          <Command
            options={[
              "serve",
              "--public-url https://cards.example.com",
              "--google-issuer 3388000000012345678",
              "--google-service-account account.json",
            ]}
          />
          <LearnMore page="docs/wallets.md" />
        </>
      )}
    </>
  );
}

/** Instructions for sending a test email. If email is off, also for setting it up and for inviting staff without it. */
function MailSetup({ isOff }: { readonly isOff: boolean }) {
  return (
    <>
      {isOff && (
        <>
          <p>{words.mailNeeds}</p>
          <Command
            options={[
              "serve",
              "--public-url https://cards.example.com",
              "--smtp-url smtps://user@mail.example.com",
              "--smtp-password-file smtp-password",
              '--mail-from "Your shop <cards@example.com>"',
            ]}
          />
        </>
      )}
      <p>{words.mailTest}</p>
      <Command options={["mail check --to you@example.com"]} />
      {isOff && (
        <>
          <p>{words.linkWithoutMail}</p>
          <Command
            options={[
              "people add you@example.com",
              "--role owner",
              `--organization ${session.organizationId}`,
              "--database DATABASE",
            ]}
          />
          <LearnMore page="docs/mail.md" />
        </>
      )}
    </>
  );
}

/** A command to copy, with a line for each of the parts. */
function Command({ options }: { readonly options: readonly string[] }) {
  return <pre>{`loyalty-kit ${options.join(" \\\n  ")}`}</pre>;
}

function LearnMore({ page }: { readonly page: string }) {
  return (
    <p class="hint">
      {words.learnMore} <code>{page}</code>
    </p>
  );
}
