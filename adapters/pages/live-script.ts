/** Looks every few seconds, while the page is looked at, whether the card is another one by now. */
export const liveScript = `
const look = async () => {
  if (document.visibilityState !== "visible") return;
  try {
    const answer = await fetch(location.href, { cache: "no-store" });
    if (answer.status !== 200 && answer.status !== 404) return;
    const next = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("main");
    const main = document.querySelector("main");
    if (next && main && next.innerHTML !== main.innerHTML) main.replaceWith(next);
  } catch {}
};
setInterval(look, 4000);
document.addEventListener("visibilitychange", look);
`;
