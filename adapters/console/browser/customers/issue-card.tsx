import { useState } from "preact/hooks";
import type { Template } from "../../../../src/resources/template.js";
import { get, post } from "../app/call.js";
import { Link } from "../app/router.js";
import { Button } from "../parts/button.js";
import { useLoad } from "../parts/load.js";
import { tell, tellFailure } from "../parts/toasts.js";

interface IssueCardProps {
  readonly userId: string;
  readonly onIssued: () => void;
}

/** Gives a customer a card. */
export function IssueCard({ userId, onIssued }: IssueCardProps) {
  const templates = useLoad<Template[]>("templates", (signal) => get("/v1/templates", signal));
  const [chosen, setChosen] = useState("");
  const [first] = templates.value ?? [];
  if (templates.value === null) return null;
  if (first === undefined) {
    return (
      <p class="note">
        There is no card to give yet. <Link to="/cards">Make one</Link>
      </p>
    );
  }
  const issue = async () => {
    try {
      await post(`/v1/templates/${chosen || first.id}/walletpasses`, { userId });
      tell("The card was issued");
      onIssued();
    } catch (error) {
      tellFailure(error);
    }
  };
  return (
    <div class="row">
      <select
        class="grow"
        aria-label="Card to issue"
        value={chosen || first.id}
        onChange={(event) => setChosen(event.currentTarget.value)}
      >
        {templates.value.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <Button onClick={() => void issue()}>Issue card</Button>
    </div>
  );
}
