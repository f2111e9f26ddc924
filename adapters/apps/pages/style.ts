/** The style sheet for all pages. Sizes scale with the font size, and the layout follows the writing direction. */
export const style = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { margin: 0; border-top: .375rem solid var(--accent, #3730a3); background: #f4f4f7; color: #17171c; overflow-wrap: anywhere; }
main { box-sizing: border-box; max-width: 26rem; margin: 0 auto; padding: 1rem 1rem 3rem; }
h1 { margin: 0 0 1rem; font-size: 1.375rem; line-height: 1.25; }
p { margin: 0 0 1rem; }
.shop-logo { display: block; max-width: 100%; height: 3rem; margin: 0 0 .5rem; padding: .25rem .5rem; border-radius: .5rem; background: #fff; object-fit: contain; object-position: left; }
.shop { margin: 0 0 .25rem; color: #5d5d6b; font-weight: 600; }
.card { margin: 0 0 1rem; }
.card svg { display: block; width: 100%; height: auto; }
.state p { margin: 0 0 .75rem; }
.known, .message, .news { padding: 1rem; border-radius: 1rem; background: #ececf1; background: color-mix(in srgb, var(--accent, #3730a3) 12%, #fff); color: #17171c; }
.known { margin: 0 0 1.5rem; }
.known .plain { width: 100%; margin: .5rem 0 1rem; }
.known p:last-child { margin: 0; }
.reward { display: inline-block; padding: .25rem .875rem; border-radius: 2rem; background: var(--accent, #3730a3); color: var(--accent-ink, #fff); font-weight: 700; }
.message, .news { margin: 1rem 0; }
.code { margin: 1rem 0; padding: 1rem; border-radius: 1rem; background: #fff; color: #17171c; text-align: center; }
.code svg { display: block; width: 100%; max-width: 16rem; margin: 0 auto .5rem; }
.code code { font: 600 1.125rem/1.5 ui-monospace, monospace; letter-spacing: .05em; }
.wallets { display: grid; gap: .5rem; margin: 0; padding: 0; list-style: none; }
.wallets .badge { padding: 0; background: none; text-align: center; }
.wallets img { display: inline-block; block-size: 3.25rem; max-inline-size: 100%; }
.wallets a, a.button { display: block; padding: .875rem; border-radius: .75rem; background: #17171c; color: #fff;
  text-align: center; font-weight: 600; text-decoration: none; }
form { display: grid; gap: 1rem; }
label { display: block; margin-bottom: .25rem; font-weight: 600; }
input:not([type=checkbox]) { box-sizing: border-box; width: 100%; min-height: 3rem; padding: .5rem .75rem; font: inherit;
  border: 1px solid #6b7280; border-radius: .5rem; background: #fff; color: inherit; }
input[aria-invalid] { border-color: #b3261e; }
.check { display: grid; grid-template-columns: auto 1fr; gap: .75rem; align-items: start; }
.check label { margin: 0; font-weight: 400; }
.check input { width: 1.5rem; height: 1.5rem; margin: 0; accent-color: var(--accent, #3730a3); }
summary { min-height: 2.75rem; align-content: center; color: #5d5d6b; cursor: pointer; }
details > * + * { margin-top: 1rem; }
form > .quiet { margin: 0; }
.quiet { color: #5d5d6b; font-size: .875rem; }
.wrong { margin: .25rem 0 0; color: #b3261e; font-size: .875rem; }
.notice { padding: .75rem 1rem; border-radius: .5rem; background: #fdeceb; color: #b3261e; }
button { min-height: 3.25rem; padding: .5rem 1rem; border: 0; border-radius: .75rem; background: var(--accent, #3730a3); color: var(--accent-ink, #fff); font: inherit;
  font-weight: 700; cursor: pointer; }
button.plain { border: 1px solid #6b7280; background: none; color: inherit; font-weight: 400; }
.news p:last-child { margin: 0; }
.news button { width: 100%; }
.address { margin-top: 2rem; padding-top: 1rem; border-top: 1px solid #d4d4dc; }
.address form { margin-top: .5rem; }
h1 + .address { margin-top: 0; padding-top: 0; border: 0; }
form + p { margin-top: 1rem; }
.address button { min-height: 2.75rem; font-size: .875rem; }
a { color: #3730a3; }
:focus-visible { outline: 3px solid #6366f1; outline-offset: 2px; }
@media (prefers-color-scheme: dark) {
  body { background: #0f1115; color: #f0f1f4; }
  input:not([type=checkbox]) { background: #171a20; border-color: #7d8494; }
  .quiet, .shop, summary { color: #a3a9b7; }
  .code .quiet { color: #5d5d6b; }
  .wrong { color: #ff9d95; }
  .notice { background: #3d1a18; color: #ff9d95; }
  input[aria-invalid] { border-color: #ff9d95; }
  button:not(.plain) { box-shadow: inset 0 0 0 1px rgb(255 255 255 / 25%); }
  .wallets a { background: #f0f1f4; color: #17171c; }
  button.plain { border-color: #7d8494; }
  .address { border-color: #2c313b; }
  a { color: #a5b4fc; }
}
`;
