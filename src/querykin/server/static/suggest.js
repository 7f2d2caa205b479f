// Suggestions while typing, explanations on demand, copying, and earlier queries by the Back button.
// Without scripts, the form and links work.

import { enableArrowKeys } from "./arrow_keys.js";
import { explainInPlace } from "./explanations.js";
import { fetchFragment, problemBox } from "./fragments.js";

const DEBOUNCE = 250; // milliseconds without input before a request
const SETTLED = 1500; // milliseconds without input after which a query is one to come back to
const form = document.getElementById("ask");
const status = document.getElementById("status");
let timer = 0;
let settling = 0;
let settled = true; // whether the address in the history is that of a query to come back to
let shown = location.search; // of the address whose suggestions are shown
let pending = null;

const isDefault = (field) => field.value.trim() === (field.dataset.default ?? "");

function formUrl() {
  const values = [...form.elements].filter((field) => field.name && !isDefault(field));
  const query = new URLSearchParams(values.map((field) => [field.name, field.value])).toString();
  return form.getAttribute("action") + (query ? `?${query}` : "");
}

function fillForm(url) {
  const values = new URL(url).searchParams;
  for (const field of form.elements) {
    if (field.name) field.value = values.get(field.name) ?? field.dataset.default ?? "";
  }
}

// One entry in the history for each query that was asked, none for those on the way to it.
function remember(url) {
  if (new URL(url, location.href).href === location.href) return;
  if (settled) history.pushState(null, "", url);
  else history.replaceState(null, "", url);
  settled = false;
  clearTimeout(settling);
  settling = setTimeout(settle, SETTLED);
}

function settle() {
  settled = true;
}

async function show(url, isNew) {
  clearTimeout(timer);
  if (pending) pending.abort();
  const controller = (pending = new AbortController());
  const results = document.getElementById("results");
  results.classList.add("busy");
  try {
    const { fragment, title } = await fetchFragment(url, "#results", { signal: controller.signal });
    if (isNew) remember(url);
    shown = location.search;
    results.replaceWith(fragment);
    status.textContent = fragment.dataset.summary;
    document.title = title;
    enableCopy();
  } catch (error) {
    if (error.name === "AbortError") return;
    results.replaceChildren(problemBox(error.message));
    results.classList.remove("busy");
    status.textContent = error.message;
  }
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

function openBelow(link, explanation) {
  link.closest("li").append(explanation);
  return explanation;
}

if (form) {
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => show(formUrl(), true), DEBOUNCE);
  });
  form.addEventListener("change", settle);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    await show(formUrl(), true);
    settle();
  });
  addEventListener("popstate", () => {
    if (location.search === shown) return; // a link within the page
    settle();
    fillForm(location.href);
    show(location.href, false);
  });
  explainInPlace(openBelow, status);
  enableArrowKeys(document.getElementById("q"));
  enableCopy();
}
