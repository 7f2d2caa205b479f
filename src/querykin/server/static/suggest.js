// Suggestions as one types, why on demand, and a list to copy. Without this file the form and links do it.

import { piece, problem } from "./parts.js";

const PAUSE = 250; // milliseconds without a key
const form = document.getElementById("ask");
const status = document.getElementById("status");
let waiting = 0;
let asking = null;

function address() {
  const given = [...new FormData(form)].filter(([name, value]) => value.trim() && !(name === "measure" && form.measure.selectedIndex === 0));
  const query = new URLSearchParams(given).toString();
  return form.getAttribute("action") + (query ? `?${query}` : "");
}

async function ask() {
  clearTimeout(waiting);
  if (asking) asking.abort();
  const mine = (asking = new AbortController());
  const results = document.getElementById("results");
  results.classList.add("busy");
  const url = address();
  try {
    const { found, title } = await piece(url, "#results", { signal: mine.signal });
    results.replaceWith(found);
    status.textContent = found.dataset.summary;
    document.title = title;
    history.replaceState(null, "", url);
    offerCopy();
  } catch (error) {
    if (error.name === "AbortError") return;
    results.replaceChildren(problem(error.message));
    results.classList.remove("busy");
    status.textContent = error.message;
  }
}

async function unfold(link) {
  const item = link.closest("li");
  const open = item.querySelector(".explained");
  if (open) {
    open.hidden = !open.hidden;
    link.setAttribute("aria-expanded", String(!open.hidden));
    return;
  }
  link.setAttribute("aria-busy", "true");
  try {
    const { found } = await piece(link.href, "#why");
    found.removeAttribute("id");
    if (!item.querySelector(".explained")) item.append(found);
    link.setAttribute("aria-expanded", "true");
  } catch (error) {
    status.textContent = error.message;
  }
  link.removeAttribute("aria-busy");
}

function offerCopy() {
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
    clearTimeout(waiting);
    waiting = setTimeout(ask, PAUSE);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    ask();
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a.why");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    unfold(link);
  });
  offerCopy();
}
