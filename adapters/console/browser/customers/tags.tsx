import { useState } from "preact/hooks";
import type { UserTag } from "../../../../src/resources/tag.js";
import { get, post, remove } from "../app/call.js";
import { may } from "../app/session.js";
import { Button } from "../parts/button.js";
import { Icon } from "../parts/icons.js";
import { useLoad } from "../parts/load.js";
import { Failed } from "../parts/states.js";
import { tell, tellFailure } from "../parts/toasts.js";

/** The tags of a customer. One that is not there yet is made by its name. */
export function Tags({ userId }: { readonly userId: string }) {
  const own = useLoad<UserTag[]>(userId, (signal) => get(`/v1/users/${userId}/tags`, signal));
  const all = useLoad<UserTag[]>("tags", (signal) => get("/v1/user-tags", signal));
  const [typed, setTyped] = useState("");
  const tags = own.value ?? [];

  const assign = async (slug: string) => {
    await post(`/v1/users/${userId}/tags/${encodeURIComponent(slug)}`);
    own.reload();
  };
  const add = async (event: SubmitEvent) => {
    event.preventDefault();
    const name = typed.trim();
    if (name === "") return;
    try {
      const known = all.value?.find((tag) => tag.name.toLowerCase() === name.toLowerCase());
      const tag = known ?? (await post<UserTag>("/v1/user-tags", { name }));
      await assign(tag.slug);
      setTyped("");
      all.reload();
    } catch (error) {
      tellFailure(error);
    }
  };
  const take = async ({ slug, name }: UserTag) => {
    try {
      await remove(`/v1/users/${userId}/tags/${encodeURIComponent(slug)}`);
      own.reload();
      tell(`“${name}” was taken off`, () => void assign(slug).catch(tellFailure));
    } catch (error) {
      tellFailure(error);
    }
  };

  return (
    <section class="panel padded stack" aria-label="Tags">
      <h2>Tags</h2>
      {own.error !== null && <Failed error={own.error} onRetry={own.reload} />}
      {own.value !== null && tags.length === 0 && <p class="quiet">No tags yet.</p>}
      {tags.length > 0 && (
        <ul class="row">
          {tags.map((tag) => (
            <li key={tag.slug} class="chip">
              <span class="dot" style={{ "--dot": tag.color }} />
              <bdi>{tag.name}</bdi>
              {may("user_tag:write") && (
                <button type="button" aria-label={`Take ${tag.name} off`} onClick={() => void take(tag)}>
                  <Icon name="close" size={12} />
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {may("user_tag:write") && (
        <form class="row" onSubmit={add}>
          <input
            class="grow"
            aria-label="Tag to add"
            placeholder="Tag to add"
            list="all-tags"
            maxLength={100}
            value={typed}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
          <datalist id="all-tags">
            {(all.value ?? [])
              .filter(({ slug }) => !tags.some((tag) => tag.slug === slug))
              .map(({ slug, name }) => (
                <option key={slug} value={name} />
              ))}
          </datalist>
          <Button type="submit">Add tag</Button>
        </form>
      )}
    </section>
  );
}
