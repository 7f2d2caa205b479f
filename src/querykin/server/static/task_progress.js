// Refreshes progress and agreement of a task while its page is visible. Without scripts, a reload does it.

import { fetchFragment } from "./fragments.js";

const REFRESH_INTERVAL = 4000; // milliseconds

async function refresh() {
  const shown = document.getElementById("task-progress");
  // An open section or a focused element would be lost by the replacement.
  const isOpen = shown.querySelector("details[open]") !== null;
  const hasFocus = shown.contains(document.activeElement);
  if (document.visibilityState === "visible" && !isOpen && !hasFocus) {
    try {
      const { fragment } = await fetchFragment(location.href, "#task-progress");
      if (fragment.innerHTML !== shown.innerHTML) shown.replaceWith(fragment);
    } catch {
      // Unreachable: keep the current contents and try again.
    }
  }
  setTimeout(refresh, REFRESH_INTERVAL);
}

setTimeout(refresh, REFRESH_INTERVAL);
