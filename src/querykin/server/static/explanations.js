// Explanations on demand: a link "Why?" opens the explanation in place. Without scripts, it leads to its page.

import { fetchFragment } from "./fragments.js";

const opened = new WeakMap(); // link -> the element that shows its explanation

async function toggle(link, place, status) {
  const shown = opened.get(link);
  if (shown) {
    shown.hidden = !shown.hidden;
    link.setAttribute("aria-expanded", String(!shown.hidden));
    return;
  }
  if (link.getAttribute("aria-busy")) return;
  link.setAttribute("aria-busy", "true");
  try {
    const { fragment } = await fetchFragment(link.href, "#why");
    fragment.removeAttribute("id");
    opened.set(link, place(link, fragment));
    link.setAttribute("aria-expanded", "true");
  } catch (error) {
    status.textContent = error.message;
  }
  link.removeAttribute("aria-busy");
}

// `place` puts an explanation into the page and returns the element to hide and show.
export function explainInPlace(place, status) {
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a.why");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    toggle(link, place, status);
  });
}
