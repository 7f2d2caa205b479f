// How far the raters are and agree, while the page is looked at. Without this file a reload shows it.

import { piece } from "./parts.js";

const EVERY = 4000; // milliseconds

async function look() {
  const shown = document.getElementById("standing");
  const folded = !shown.querySelector("details[open]"); // nobody's reading is disturbed
  const still = !shown.contains(document.activeElement);
  if (document.visibilityState === "visible" && folded && still) {
    try {
      const { found } = await piece(location.href, "#standing");
      if (found.innerHTML !== shown.innerHTML) shown.replaceWith(found);
    } catch {
      // Out of reach for now: what is shown stays.
    }
  }
  setTimeout(look, EVERY);
}

setTimeout(look, EVERY);
