// Grading with keys, without a page load between two suggestions. Without this file the buttons do it.

import { piece, problem } from "./parts.js";

const status = document.getElementById("status");
const trouble = document.getElementById("trouble");
const keys = document.getElementById("keys");
let sending = false;

async function go(url, options) {
  if (sending) return; // a second key is not meant for a suggestion that nobody has seen
  sending = true;
  const shown = document.getElementById("rate");
  shown.classList.add("busy");
  try {
    const { found, title, url: reached } = await piece(url, "#rate", options);
    shown.replaceWith(found);
    trouble.replaceChildren();
    document.title = title;
    history.replaceState(null, "", reached);
    const kept = found.querySelector(".after > p");
    status.textContent = kept ? kept.textContent : "";
    document.getElementById("candidate").focus();
  } catch (error) {
    shown.classList.remove("busy");
    trouble.replaceChildren(problem(`Not kept. ${error.message} Your earlier grades are safe; try again.`));
  } finally {
    sending = false;
  }
}

document.addEventListener("submit", (event) => {
  event.preventDefault();
  const form = event.target;
  const body = new URLSearchParams(new FormData(form));
  if (event.submitter && event.submitter.name) body.append(event.submitter.name, event.submitter.value);
  go(form.action, { method: "POST", body });
});

document.addEventListener("click", (event) => {
  const link = event.target.closest("#rate a[data-key]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  go(link.href);
});

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input:not([type=checkbox]), textarea, select");
  if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || typing || !keys.checked) return;
  const wanted = [...document.querySelectorAll("#rate [data-key]")].find((each) => each.dataset.key === event.key.toLowerCase());
  if (!wanted) return;
  event.preventDefault();
  wanted.click();
});

keys.closest("p").hidden = false;
keys.checked = localStorage.getItem("querykin keys") !== "off";
keys.addEventListener("change", () => localStorage.setItem("querykin keys", keys.checked ? "on" : "off"));
