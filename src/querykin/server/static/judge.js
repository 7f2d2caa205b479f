// Grading by keyboard, without a page load between suggestions. Without scripts, the buttons work.

import { fetchFragment, problemBox } from "./fragments.js";

const status = document.getElementById("status");
const errorRegion = document.getElementById("error");
const keys = document.getElementById("keys");
let sending = false;

async function update(url, options) {
  if (sending) return; // ignore keys until the next suggestion is shown
  sending = true;
  const shown = document.getElementById("rate");
  shown.classList.add("busy");
  try {
    const { fragment, title, url: finalUrl } = await fetchFragment(url, "#rate", options);
    shown.replaceWith(fragment);
    errorRegion.replaceChildren();
    document.title = title;
    history.replaceState(null, "", finalUrl);
    const saved = fragment.querySelector(".after > p");
    status.textContent = saved ? saved.textContent : "";
    document.getElementById("candidate").focus();
  } catch (error) {
    shown.classList.remove("busy");
    errorRegion.replaceChildren(problemBox(`Not saved. ${error.message} Your earlier grades are safe; try again.`));
  } finally {
    sending = false;
  }
}

document.addEventListener("submit", (event) => {
  if ("plain" in event.target.dataset) return; // leads to another page
  event.preventDefault();
  const form = event.target;
  const body = new URLSearchParams(new FormData(form));
  if (event.submitter && event.submitter.name) body.append(event.submitter.name, event.submitter.value);
  update(form.action, { method: "POST", body });
});

async function togglePassages(link) {
  const shown = document.getElementById("passages");
  if (shown) {
    shown.remove();
    link.setAttribute("aria-expanded", "false");
    return;
  }
  try {
    const { fragment } = await fetchFragment(link.href, "#passages");
    if (!document.getElementById("passages")) link.closest("article").append(fragment);
    link.setAttribute("aria-expanded", "true");
    status.textContent = fragment.textContent;
  } catch (error) {
    errorRegion.replaceChildren(problemBox(error.message));
  }
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("#rate a[data-key]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  if (link.classList.contains("passages")) togglePassages(link);
  else update(link.href);
});

document.addEventListener("keydown", (event) => {
  if (event.target.id === "note" && ["Enter", "Escape"].includes(event.key)) {
    event.preventDefault();
    document.getElementById("candidate").focus(); // so that the keys grade again
    return;
  }
  const typing = event.target.closest("input:not([type=checkbox]), textarea, select");
  if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || typing || !keys.checked) return;
  const control = [...document.querySelectorAll("#rate [data-key]")].find((each) => each.dataset.key === event.key.toLowerCase());
  if (!control) return;
  event.preventDefault();
  if (control.id === "note") control.focus();
  else control.click();
});

keys.closest("p").hidden = false;
keys.checked = localStorage.getItem("querykin keys") !== "off";
keys.addEventListener("change", () => localStorage.setItem("querykin keys", keys.checked ? "on" : "off"));
