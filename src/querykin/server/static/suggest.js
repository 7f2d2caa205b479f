// Suggestions while typing, explanations on demand, and copying. Without scripts, the form and links work.

import { fetchFragment, problemBox } from "./fragments.js";

const DEBOUNCE = 250; // milliseconds without input before a request
const form = document.getElementById("ask");
const status = document.getElementById("status");
let timer = 0;
let pending = null;

function formUrl() {
  const values = [...new FormData(form)].filter(([name, value]) => value.trim() && form[name].selectedIndex !== 0);
  const query = new URLSearchParams(values).toString();
  return form.getAttribute("action") + (query ? `?${query}` : "");
}

async function suggest() {
  clearTimeout(timer);
  if (pending) pending.abort();
  const controller = (pending = new AbortController());
  const results = document.getElementById("results");
  results.classList.add("busy");
  const url = formUrl();
  try {
    const { fragment, title } = await fetchFragment(url, "#results", { signal: controller.signal });
    results.replaceWith(fragment);
    status.textContent = fragment.dataset.summary;
    document.title = title;
    history.replaceState(null, "", url);
    enableCopy();
  } catch (error) {
    if (error.name === "AbortError") return;
    results.replaceChildren(problemBox(error.message));
    results.classList.remove("busy");
    status.textContent = error.message;
  }
}

async function toggleExplanation(link) {
  const item = link.closest("li");
  const explanation = item.querySelector(".explained");
  if (explanation) {
    explanation.hidden = !explanation.hidden;
    link.setAttribute("aria-expanded", String(!explanation.hidden));
    return;
  }
  link.setAttribute("aria-busy", "true");
  try {
    const { fragment } = await fetchFragment(link.href, "#why");
    fragment.removeAttribute("id");
    if (!item.querySelector(".explained")) item.append(fragment);
    link.setAttribute("aria-expanded", "true");
  } catch (error) {
    status.textContent = error.message;
  }
  link.removeAttribute("aria-busy");
}

function enableCopy() {
  const button = document.getElementById("copy");
  if (!button || !navigator.clipboard) return;
  button.hidden = false;
  button.addEventListener("click", async () => {
    const queries = [...document.querySelectorAll(".suggestions .query")].map((each) => each.textContent);
    try {
      await navigator.clipboard.writeText(queries.join("\n"));
      status.textContent = `${queries.length} queries copied`;
    } catch {
      status.textContent = "The browser does not allow copying here; export the list instead.";
    }
  });
}

if (form) {
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(suggest, DEBOUNCE);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    suggest();
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a.why");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    toggleExplanation(link);
  });
  enableCopy();
}
