import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/parts.css";
import "./styles/shell.css";
import "./styles/screens.css";
import { render } from "preact";
import { usePlace } from "./app/router.js";
import { Later, NotFound, type Screen } from "./app/screen.js";
import { Shell } from "./app/shell.js";

/** Each screen by the address that it has. */
const screens: readonly (readonly [address: RegExp, load: () => Promise<Screen>])[] = [
  [/^\/$/, () => import("./overview/overview-screen.js").then(({ OverviewScreen }) => OverviewScreen)],
  [
    /^\/customers$/,
    () => import("./customers/customers-screen.js").then(({ CustomersScreen }) => CustomersScreen),
  ],
  [
    /^\/customers\/[^/]+$/,
    () => import("./customers/customer-screen.js").then(({ CustomerScreen }) => CustomerScreen),
  ],
  [
    /^\/segments$/,
    () => import("./segments/segments-screen.js").then(({ SegmentsScreen }) => SegmentsScreen),
  ],
  [/^\/cards$/, () => import("./cards/cards-screen.js").then(({ CardsScreen }) => CardsScreen)],
  [
    /^\/cards\/[^/]+\/poster$/,
    () => import("./cards/poster-screen.js").then(({ PosterScreen }) => PosterScreen),
  ],
  [
    /^\/cards\/[^/]+\/design$/,
    () => import("./cards/design-screen.js").then(({ DesignScreen }) => DesignScreen),
  ],
  [/^\/till$/, () => import("./till/till-screen.js").then(({ TillScreen }) => TillScreen)],
  [
    /^\/developers(\/\w+)?$/,
    () => import("./developers/developers-screen.js").then(({ DevelopersScreen }) => DevelopersScreen),
  ],
];

function Console() {
  const place = usePlace();
  const load = screens.find(([address]) => address.test(place.path))?.[1];
  return (
    <Shell path={place.path}>
      {load === undefined ? <NotFound /> : <Later key={place.path} load={load} place={place} />}
    </Shell>
  );
}

const root = document.getElementById("console");
if (root !== null) render(<Console />, root);
